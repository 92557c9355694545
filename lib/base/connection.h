// SPDX-License-Identifier: MIT
// Connects to a server that sends a trajectory over TCP, by IPv4 or IPv6.
#ifndef TRJ_CONNECTION_H
#define TRJ_CONNECTION_H

#include <stdbool.h>

#include "error.h"

// Returns whether a name of an input is an address of a server, "imd://HOST[:PORT]".
bool trj_connection_is(const char *name);

// Connects to such an address; an IPv6 address is put into brackets. Without PORT, it is 8888, which GROMACS uses.
// Returns a socket, or -1: TRJ_USAGE for an invalid address, TRJ_FAILED if no connection is made within a minute, if
// no program listens at the port within ten seconds, in which a simulation can start, or if the user stops
// (stop_request.h). The error does not name the input.
int trj_connection_open(const char *name, struct trj_error *err);

#endif
