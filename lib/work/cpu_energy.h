// SPDX-License-Identifier: MIT
// Measures the energy that the CPUs use while a tool runs, for --stats, with the counters of the processors (RAPL),
// which Linux provides in /sys/class/powercap, for Intel and AMD.
//
// One meter belongs to the process. Nothing is read, and no thread is started, before work_cpu_energy_begin.
#ifndef WORK_CPU_ENERGY_H
#define WORK_CPU_ENERGY_H

// Energy since work_cpu_energy_begin.
struct work_cpu_energy {
    double joules;      // of all packages, including other processes; NAN: unknown
    unsigned packages;  // processors in their sockets; 0: there are no counters, or the meter was not started
    const char *reason; // if there are packages, but their counters cannot be read: a file and its error; else NULL
};

// Reads the counters, and starts a thread that reads them every 10 s, so that none wraps around twice unseen: the
// smallest range, 65 kJ, lasts for 6.5 kW. A later call has no effect. The environment variable TRJPIPE_POWERCAP
// replaces the folder /sys/class/powercap, for tests.
void work_cpu_energy_begin(void);

// Reads the counters again. `reason` stays valid.
struct work_cpu_energy work_cpu_energy_read(void);

#endif
