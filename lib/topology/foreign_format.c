// SPDX-License-Identifier: MIT
// Detects files of known formats that are not supported. Some of them look like a supported one: XDATCAR like GRO, as
// its second line is a number, and Tinker like XYZ. The commands in the texts were tested with files of these programs.
#include "foreign_format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lines.h"
#include "number.h"

// Formats with a signature at a fixed position.
static const struct {
    const char *signature;
    size_t length, offset;
    const char *why;
} signatures[] = {
    // The first block: sizes of header and content, type, checksum of 16 bytes, and the name, which ends in a NUL.
    {"GENERAL INFO", 13, 40, "is TNG, which is not supported; convert it with gmx trjconv -f in.tng -o out.xtc"},
    {"\x89RDH\r\n\x1a\n", 8, 0, "is a histogram stream; read it with rdfnorm or rdfderive"},
    {"# provenance: ", 14, 0, "is a table of rdfnorm or rdfderive; draw it with rdfplot"},
};

static const char mdtraj[] =
    "is HDF5 of MDTraj, which is not supported; convert it with mdconvert in.h5 -o out.nc, and make a topology for -t "
    "with mdconvert in.h5 -i 0 -o top.pdb";

static const char xdatcar[] = "is VASP XDATCAR, which is not supported; convert it with ase convert -i vasp-xdatcar -o "
                              "extxyz XDATCAR out.xyz";

// ASE splits the frames at the words that VASP 5.2 omits, and would read only the first frame.
static const char blank_xdatcar[] =
    "is VASP XDATCAR, which is not supported; convert it with sed '8,$s/^ *$/Direct configuration=/' XDATCAR "
    ">XDATCAR.new; ase convert -i vasp-xdatcar -o extxyz XDATCAR.new out.xyz";

static const char poscar[] =
    "is VASP POSCAR, which is not supported; convert it with ase convert -i vasp -o extxyz POSCAR out.xyz";

static const char tinker[] =
    "is Tinker XYZ, which is not supported; convert it with python3 -c \"import MDAnalysis as m; m.Universe('in.arc', "
    "topology_format='TXYZ', format='ARC').atoms.write('out.pdb', frames='all')\"";

static const char n2p2[] =
    "is input.data of n2p2, which is not supported; convert it with nnp-convert xyz O H, with its elements, which "
    "writes input.xyz in the same unit of length: multiply lengths in bohr by 0.529177";

enum { LINE = 256, WORDS = 16 };

// The words of a line of at most LINE - 1 bytes.
struct words {
    char text[LINE];
    const char *word[WORDS];
    size_t count; // WORDS: that many or more
};

// Takes the next complete line of *rest. Returns false if there is none, or it is too long.
static bool next_line(const char **rest, const char *end, struct words *w) {
    const char *newline = memchr(*rest, '\n', (size_t)(end - *rest));
    size_t length = newline ? (size_t)(newline - *rest) : LINE;
    if (length >= LINE || memchr(*rest, 0, length)) return false;
    memcpy(w->text, *rest, length);
    w->text[length - (length && w->text[length - 1] == '\r')] = 0;
    *rest = newline + 1;
    char *text = w->text, *word;
    for (w->count = 0; w->count < WORDS && (word = trj_next_word(&text));) w->word[w->count++] = word;
    return true;
}

static bool are_reals(const struct words *w, size_t from, size_t count) {
    double value;
    if (w->count < from + count) return false;
    for (size_t i = from; i < from + count; i++)
        if (!trj_parse_real(w->word[i], &value)) return false;
    return true;
}

static bool are_counts(const struct words *w, size_t from) {
    uint64_t value;
    for (size_t i = from; i < w->count; i++)
        if (!trj_parse_u64(w->word[i], &value)) return false;
    return w->count > from;
}

static bool are_names(const struct words *w) {
    for (size_t i = 0; i < w->count; i++)
        if (!isalpha((unsigned char)*w->word[i])) return false;
    return w->count;
}

// A comment, one factor or three, three vectors, names of elements (since VASP 5), and their numbers of atoms; then, in
// XDATCAR, a line for each frame (https://www.vasp.at/wiki/POSCAR, https://www.vasp.at/wiki/XDATCAR).
static const char *why_vasp(const char *text, const char *end) {
    struct words w;
    if (!next_line(&text, end, &w)) return NULL;
    if (!next_line(&text, end, &w)) return NULL;
    if ((w.count != 1 && w.count != 3) || !are_reals(&w, 0, w.count)) return NULL;
    for (int k = 0; k < 3; k++)
        if (!next_line(&text, end, &w) || w.count != 3 || !are_reals(&w, 0, 3)) return NULL;
    if (!next_line(&text, end, &w) || !are_names(&w)) return NULL;
    size_t species = w.count;
    if (!next_line(&text, end, &w) || w.count != species || !are_counts(&w, 0)) return NULL;
    if (!next_line(&text, end, &w)) return NULL;
    if (!w.count) return blank_xdatcar;
    return w.count > 1 && !strncmp(w.word[1], "configuration", strlen("configuration")) ? xdatcar : poscar;
}

// The number of an atom, its name, coordinates, its type, and the atoms that are bonded to it.
static bool is_tinker_atom(const struct words *w, uint64_t number) {
    uint64_t found;
    double name;
    return w->count >= 6 && trj_parse_u64(w->word[0], &found) && found == number &&
           !trj_parse_real(w->word[1], &name) && are_reals(w, 2, 3) && strchr(w->word[2], '.') && are_counts(w, 5);
}

// The number of atoms and a title in one line, then, in newer files, a line with the cell
// (https://dasher.wustl.edu/tinker, "Coordinate Files").
static bool is_tinker(const char *text, const char *end) {
    struct words w;
    uint64_t atoms;
    if (!next_line(&text, end, &w) || !w.count || !trj_parse_u64(w.word[0], &atoms) || !atoms) return false;
    if (!next_line(&text, end, &w)) return false;
    if (w.count == 6 && are_reals(&w, 0, 6) && !next_line(&text, end, &w)) return false;
    if (!is_tinker_atom(&w, 1)) return false;
    return atoms == 1 || (next_line(&text, end, &w) && is_tinker_atom(&w, 2));
}

// "begin", then lines that begin with a keyword, one of which is that of an atom
// (https://compphysvienna.github.io/n2p2/topics/cfg_file.html).
static bool is_n2p2(const char *text, const char *end) {
    static const char *const keywords[] = {"comment", "lattice", "energy", "charge", "dipole"};
    struct words w;
    double name;
    if (!next_line(&text, end, &w) || w.count != 1 || strcmp(w.word[0], "begin")) return false;
    while (next_line(&text, end, &w) && w.count) {
        size_t k = 0;
        if (!strcmp(w.word[0], "atom")) return are_reals(&w, 1, 3) && w.count > 4 && !trj_parse_real(w.word[4], &name);
        while (k < sizeof keywords / sizeof *keywords && strcmp(w.word[0], keywords[k])) k++;
        if (k == sizeof keywords / sizeof *keywords) return false;
    }
    return false;
}

static bool contains(const unsigned char *head, size_t n, const char *text) {
    size_t length = strlen(text);
    for (const unsigned char *p = head, *end = head + n; (p = memchr(p, *text, (size_t)(end - p))); p++)
        if ((size_t)(end - p) >= length && !memcmp(p, text, length)) return true;
    return false;
}

// MDTraj writes the attribute `conventions` of the root, whose value is "Pande", before anything else.
static bool is_mdtraj(const unsigned char *head, size_t n) {
    return n >= 8 && !memcmp(head, "\x89HDF\r\n\x1a\n", 8) && contains(head, n, "conventions") &&
           contains(head, n, "Pande");
}

const char *trj_foreign_format(const unsigned char *head, size_t n) {
    const char *text = (const char *)head, *end = text + n;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (n >= signatures[i].offset + signatures[i].length &&
            !memcmp(head + signatures[i].offset, signatures[i].signature, signatures[i].length))
            return signatures[i].why;
    if (!n) return NULL;
    if (is_mdtraj(head, n)) return mdtraj;
    if (is_tinker(text, end)) return tinker;
    if (is_n2p2(text, end)) return n2p2;
    return why_vasp(text, end);
}
