// SPDX-License-Identifier: MIT
// Recognises trajectories of Desmond (dtr). They are not supported, but errors name them and a program that converts
// them. A trajectory is a folder, so that opening it as a file fails before its content can be detected.
#ifndef TRJ_DESMOND_H
#define TRJ_DESMOND_H

#include <stdbool.h>

// What such a trajectory is, and what to do with it: "is ..., which is not supported; convert it with ...".
extern const char trj_desmond[];

// The empty file in the folder, which users give in place of the folder.
#define TRJ_DESMOND_FILE "clickme.dtr"

// Returns whether a file descriptor is that of such a folder.
bool trj_desmond_is_folder(int fd);

#endif
