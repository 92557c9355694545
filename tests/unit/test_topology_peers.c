// SPDX-License-Identifier: MIT
// Compares all topologies of the shared folder, atom by atom, with MDAnalysis, if it is installed.
#include <unistd.h>

#include "topology_file.h"

// Prints for each file "file NAME ATOMS BONDS", and a line for each atom: name, type, residue name and number, mass,
// charge. "-" replaces properties that MDAnalysis guesses, or defines differently, for the format.
static const char script[] =
    "import sys, warnings\n"
    "warnings.filterwarnings('ignore')\n"
    "import numpy as np\n"
    "from MDAnalysis.topology import (PSFParser, TOPParser, TPRParser, GROParser, PDBParser, XYZParser, MOL2Parser,\n"
    "                                 LAMMPSParser)\n"
    "every = ['names', 'types', 'resnames', 'resids', 'masses', 'charges']\n"
    "kinds = {'psf': (PSFParser.PSFParser, every), 'prmtop': (TOPParser.TOPParser, every),\n"
    "         'parm7': (TOPParser.TOPParser, every),\n"
    "         'tpr': (TPRParser.TPRParser, ['names', 'types', 'resnames', 'masses', 'charges']),\n"
    "         'gro': (GROParser.GROParser, ['names', 'resnames', 'resids']),\n"
    "         'pdb': (PDBParser.PDBParser, ['names', 'resnames', 'resids']),\n"
    "         'xyz': (XYZParser.XYZParser, ['names']),\n"
    "         'data': (LAMMPSParser.DATAParser, ['types', 'resids', 'masses', 'charges']),\n"
    "         'lammpstrj': (LAMMPSParser.LammpsDumpParser, ['types'])}\n"
    "for path in sys.argv[1:]:\n"
    "    parser, attributes = kinds[path.rsplit('.', 1)[1]]\n"
    "    try:\n"
    "        t = parser(path).parse()\n"
    "        n = t.n_atoms\n"
    "        if not n: raise ValueError('no atoms')\n"
    "        table = []\n"
    "        for a in every:\n"
    "            values = None\n"
    "            if a in attributes:\n"
    "                values = getattr(t, a).values\n"
    "                if a in ('resnames', 'resids'): values = values[t.tt.atoms2residues(np.arange(n))]\n"
    "            table.append(['-'] * n if values is None else [str(v) or '-' for v in values])\n"
    "        bonds = len(set(tuple(sorted(b)) for b in t.bonds.values)) if hasattr(t, 'bonds') else 0\n"
    "        lines = ['\\t'.join(row) for row in zip(*table)]\n"
    "    except Exception as e:\n"
    "        print('fails', path, type(e).__name__)\n"
    "        continue\n"
    "    print('file', path, n, bonds)\n"
    "    for line in lines: print(line)\n";

struct file {
    char path[4096 + 64];
    bool temporary; // a decompressed copy
};

static struct file files[64];
static size_t count;

static void add_file(const char *shared, const char *name) {
    static const char *const endings[] = {".psf", ".prmtop", ".parm7", ".gro", ".pdb", ".xyz", ".data", ".lammpstrj"};
    struct file *f = &files[count];
    char plain[256], command[3 * 4096];
    size_t n = strlen(name), k = 0;
    bool packed = n > 4 && !strcmp(name + n - 4, ".bz2");
    snprintf(plain, sizeof plain, "%.*s", (int)(packed ? n - 4 : n), name);
    while (k < 8 &&
           (strlen(plain) < strlen(endings[k]) || strcmp(plain + strlen(plain) - strlen(endings[k]), endings[k])))
        k++;
    if (k == 8 || count == 64 || !strncmp(name, "damaged/", 8)) return;
    *f = (struct file){.temporary = packed};
    if (packed) {
        snprintf(f->path, sizeof f->path, "%s/%zu%s", folder, count, endings[k]);
        snprintf(command, sizeof command, "bzip2 -dc '%s/data/%s' > '%s' 2>/dev/null", shared, name, f->path);
        if (system(command)) return; // no bzip2
    } else {
        snprintf(f->path, sizeof f->path, "%s/data/%s", shared, name);
    }
    count++;
}

static void list_files(const char *shared) {
    char line[4096];
    snprintf(line, sizeof line, "%s/data/MANIFEST.tsv", shared);
    FILE *f = fopen(line, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\t")] = 0;
        add_file(shared, line);
    }
    if (f) fclose(f);
}

static bool same_text(const char *expected, const char *found) {
    return !strcmp(expected, "-") || !strcmp(expected, found);
}

static bool same_number(const char *expected, const double *found, size_t i) {
    return !strcmp(expected, "-") || (found && fabs(strtod(expected, NULL) - found[i]) < 1e-4);
}

// Residue numbers of GRO and PDB wrap; MDAnalysis continues them.
static bool same_resid(const char *expected, const struct trj_topology *t, size_t i) {
    long period = !strcmp(t->format, "GRO") ? 100000 : !strcmp(t->format, "PDB") ? 10000 : 0;
    long e = strtol(expected, NULL, 10),
         found = t->resid ? (long)t->resid[i] : 1; // 1: its value for missing numbers
    return !strcmp(expected, "-") || e == found || (period && (e - found) % period == 0);
}

static bool same_atom(char *line, const struct trj_topology *t, size_t i) {
    char *column[6];
    for (int k = 0; k < 6; k++) {
        column[k] = line;
        line += strcspn(line, "\t\n");
        if (*line) *line++ = 0;
    }
    return same_text(column[0], text_of(&t->name, i)) && same_text(column[1], text_of(&t->type, i)) &&
           same_text(column[2], text_of(&t->resname, i)) && same_resid(column[3], t, i) &&
           same_number(column[4], t->mass, i) && same_number(column[5], t->charge, i);
}

static void compare(FILE *peer) {
    char line[4096 + 128], copy[4096 + 128], path[4096], why[64];
    unsigned long atoms, bonds;
    size_t compared = 0;
    while (fgets(line, sizeof line, peer)) {
        if (sscanf(line, "fails %4095s %63s", path, why) == 2) {
            skip(path, why);
            continue;
        }
        if (sscanf(line, "file %4095s %lu %lu", path, &atoms, &bonds) != 3) break;
        struct trj_topology *t = open_file(path);
        size_t same = 0;
        for (size_t i = 0; i < atoms && fgets(line, sizeof line, peer); i++) {
            snprintf(copy, sizeof copy, "%s", line);
            if (t && i < t->atoms && same_atom(line, t, i))
                same++;
            else if (same + 1 > i)
                printf("# atom %zu: %s, expected %s", i, t && i < t->atoms ? atom_of(t, i) : "none", copy);
        }
        ok(t && t->atoms == atoms && same == atoms, "%s: %lu atoms are as in MDAnalysis", path, atoms);
        // In a PDB, MDAnalysis reads all CONECT records, trjpipe only those of the first model.
        if (t && strcmp(t->format, "PDB")) ok(t->bonds == bonds, "%s: %lu bonds, found %zu", path, bonds, t->bonds);
        compared++;
        trj_topology_close(t);
    }
    ok(compared > 30, "%zu topologies were compared", compared);
}

int main(void) {
    const char *shared = shared_folder();
    static char command[1 << 16];
    if (!shared || system("/usr/bin/python3 -c 'import MDAnalysis' 2>/dev/null")) {
        skip("topologies compared with MDAnalysis", shared ? "no MDAnalysis" : "no ../shared");
        return done();
    }
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    list_files(shared);
    snprintf(files[count++].path, sizeof files->path, "tests/data/chains.tpr");
    char program[256];
    snprintf(program, sizeof program, "%s", put("peer.py", script, strlen(script)));
    int n = snprintf(command, sizeof command, "/usr/bin/python3 -W ignore '%s'", program);
    for (size_t i = 0; i < count; i++) n += snprintf(command + n, sizeof command - (size_t)n, " '%s'", files[i].path);
    snprintf(command + n, sizeof command - (size_t)n, " 2>/dev/null");
    FILE *peer = popen(command, "r");
    if (peer) compare(peer);
    ok(peer && !pclose(peer), "the script of MDAnalysis exits without an error");
    for (size_t i = 0; i < count; i++)
        if (files[i].temporary) remove(files[i].path);
    remove(program);
    rmdir(folder);
    return done();
}
