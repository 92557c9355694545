// SPDX-License-Identifier: MIT
// Lists options and values of GROMACS, VMD, CPPTRAJ, MDAnalysis and MDTraj. They are compared before the nearest name
// is searched, because a word of another program is no misspelling: its edit distance to the right word is meaningless.
#include "other_programs.h"

#include <stddef.h>
#include <string.h>

#define TOPOLOGY "the topology is given to trjcat with -t FILE, and trajectories without an option"
#define GROUPS   "groups are selected by trjcat -g NAME=SELECTION, and pairs of groups by -p A:B of rdfhist"
#define FRAMES   "frames are selected by trjcat with -f START:STOP:STEP or --time FROM:TO"
#define RANGE    "the largest distance is -r of rdfhist, and the number of bins is -b"

#define STREAM(form) "an option of trjcat, which writes the frame stream: trjcat " form

struct row {
    const char *word, *here;
};

static const struct row options[] = {
    {"s", TOPOLOGY},
    {"top", TOPOLOGY},
    {"psf", TOPOLOGY},
    {"pdb", TOPOLOGY},
    {"parm", TOPOLOGY},
    {"struct", TOPOLOGY},
    {"traj", TOPOLOGY},
    {"ref", GROUPS},
    {"sel", GROUPS},
    {"sel1", GROUPS},
    {"sel2", GROUPS},
    {"select", GROUPS},
    {"selection", GROUPS},
    {"mask", GROUPS},
    {"begin", FRAMES},
    {"end", FRAMES},
    {"start", FRAMES},
    {"stop", FRAMES},
    {"step", FRAMES},
    {"stride", FRAMES},
    {"skip", FRAMES},
    {"first", FRAMES},
    {"last", FRAMES},
    {"dt", "every Nth frame is selected by trjcat with -f ::N, and --dt is the time between frames"},
    {"cut", RANGE},
    {"cutoff", RANGE},
    {"range", RANGE},
    {"rmax", RANGE},
    {"bin", RANGE},
    {"binwidth", RANGE},
    {"nbins", RANGE},
    {"n_bins", RANGE},
    {"delta", RANGE},
    {"n", "the groups of an index file (.ndx) are read by trjcat with -g @FILE"},
    {"excl", "pairs within a molecule or residue are excluded by -x of rdfhist"},
    {"pbc", "molecules are made whole by trjcat --whole; the periodic directions are -P"},
    {"nojump", "trjcat --unwrap follows molecules across the boundaries of the cell"},
    {"center", "trjcat --centre SELECTION moves a selection to the centre of the cell"},
    {"align", "trjcat --fit SELECTION superposes the frames"},
    {"superpose", "trjcat --fit SELECTION superposes the frames"},
    // Options of trjcat that are given to a tool that reads its stream.
    {"t", STREAM("-t FILE")},
    {"topology", STREAM("-t FILE")},
    {"g", STREAM("-g NAME=SELECTION")},
    {"group", STREAM("-g NAME=SELECTION")},
    {"carry", STREAM("--carry PROPERTIES")},
    {"f", STREAM("-f START:STOP:STEP")},
    {"frames", STREAM("-f START:STOP:STEP")},
    {"time", STREAM("--time FROM:TO")},
    {"c", STREAM("-c A,B,C")},
    {"cell", STREAM("-c A,B,C")},
    {"whole", STREAM("--whole")},
    {"centre", STREAM("--centre SELECTION")},
    {"unwrap", STREAM("--unwrap WAY")},
    {"gpu", "GPUs are used where they are present; -e cuda requires them"},
    {"nt", "the number of threads is -j"},
    {"nthreads", "the number of threads is -j"},
    {"ntomp", "the number of threads is -j"},
};

static const struct row values[] = {
    {"gmx", "gromacs"},    {"mda", "mdanalysis"}, {"ptraj", "cpptraj"}, {"gpu", "cuda"},  {"nvidia", "cuda"},
    {"netcdf", "nc"},      {"ncdf", "nc"},        {"ccp4", "mrc"},      {"map", "mrc"},   {"numpy", "npy"},
    {"gaussian", "gauss"}, {"spme", "pme"},       {"kcal", "kcal/mol"}, {"kj", "kJ/mol"},
};

static const char *find(const struct row *rows, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].word, word)) return rows[i].here;
    return NULL;
}

const char *trj_other_option(const char *word) {
    return find(options, sizeof options / sizeof *options, word);
}

const char *trj_other_value(const char *word) {
    return find(values, sizeof values / sizeof *values, word);
}
