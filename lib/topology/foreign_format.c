// SPDX-License-Identifier: MIT
// Detects files of known formats that are not supported. Some of them look like a supported one. The commands in the
// texts were tested with files of these programs, except that of VMD, and those for OUTCAR, PWSCF, GAMESS and FHI-aims.
#include "foreign_format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "desmond.h"
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
    {"- of UlmASE-Traject", 19, 0,
     "is a trajectory of ASE, which is not supported; convert it with ase convert in.traj out.extxyz"},
    {"DESM", 5, 0, trj_desmond}, // with a NUL: the version that follows is big-endian
    {"DESK", 5, 0, trj_desmond},
    {"\x89RDH\r\n\x1a\n", 8, 0, "is a histogram stream; read it with rdfnorm or rdfderive"},
    {"# provenance: ", 14, 0, "is a table of results; draw it with rdfplot, or join sums with trjcorr --merge"},
};

static const char maestro[] =
    "is Maestro (mae, cms), which is not supported; open it in VMD, and write PDB and PSF with 'animate write pdb "
    "out.pdb' and 'animate write psf out.psf'";

static const char molfile[] = "is a MOL or SDF file, which is not supported; convert it with obabel -isdf in.sdf -oxyz "
                              "-O out.xyz, or to MOL2 for -t with obabel -isdf in.sdf -omol2 -O out.mol2";

static const char mdout[] =
    "is the output of Amber (mdout), which has no coordinates; give the trajectory that -x of sander or pmemd names";

static const char quantum[] =
    "is the output of a quantum chemistry program, which is not supported; convert its geometries with ase convert "
    "in.out@: out.extxyz";

static const char n2p2[] =
    "is input.data of n2p2, which is not supported; convert it with nnp-convert xyz O H, with its elements, which "
    "writes input.xyz in the same unit of length: multiply lengths in bohr by 0.529177";

static const char vasprun[] =
    "is VASP vasprun.xml, which is not supported; read the XDATCAR of the same run, or convert it "
    "with ase convert -i vasp-xml -o extxyz vasprun.xml out.xyz";

static const char outcar[] = "is VASP OUTCAR, which is not supported; read the XDATCAR of the same run, or convert it "
                             "with ase convert -i vasp-out -o extxyz OUTCAR out.xyz";

static const char vasp4[] =
    "is XDATCAR of VASP 4, which has neither cell vectors nor names; add them from the POSCAR, with its element names "
    "in place of 'O H' in this command: (head -n 5 POSCAR; echo O H; sed -n 6p POSCAR; tail -n +6 XDATCAR) > "
    "new.xdatcar";

static const char bcif[] =
    "is BinaryCIF, which is not supported; read the file of the same entry in text form, .cif or .cif.gz";

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

// Maestro files consist of blocks { } whose names are f_m_ct and so on; a block lists its fields and ends them with :::
static bool is_maestro(const char *text, const char *end) {
    struct words w;
    while (next_line(&text, end, &w)) {
        if (!w.count || *w.word[0] == '#') continue;
        const bool block =
            !strcmp(w.word[0], "{") || !strncmp(w.word[0], "f_m_ct", 6) || !strncmp(w.word[0], "p_m_ct", 6);
        return block && next_line(&text, end, &w) && w.count == 1 && strlen(w.word[0]) > 4 && w.word[0][1] == '_' &&
               strchr("sribf", w.word[0][0]);
    }
    return false;
}

// Three lines of text, and a line of counts that ends in the version (BIOVIA, CTfile formats).
static bool is_molfile(const char *text, const char *end) {
    struct words w;
    for (int k = 0; k < 4; k++)
        if (!next_line(&text, end, &w)) return false;
    return w.count > 2 && (!strcmp(w.word[w.count - 1], "V2000") || !strcmp(w.word[w.count - 1], "V3000"));
}

// "Amber 22 PMEMD   2022", in a line that is indented
static bool is_mdout(char *line) {
    const bool indented = *line == ' ';
    const char *amber = trj_next_word(&line), *version = trj_next_word(&line), *program = trj_next_word(&line);
    return indented && program && !strcmp(amber, "Amber") && isdigit((unsigned char)*version) &&
           (!strcmp(program, "SANDER") || !strcmp(program, "PMEMD"));
}

// The banners of programs are in the first lines of their outputs.
static const char *why_output(const char *text, const char *end) {
    static const char *const banners[] = {"* O   R   C   A *",
                                          "Entering Gaussian System",
                                          "Psi4: An Open-Source Ab Initio",
                                          "Northwest Computational Chemistry Package",
                                          "A Quantum Leap Into The Future Of Chemistry",
                                          "Program PWSCF v.",
                                          "GAMESS VERSION =",
                                          "Invoking FHI-aims ..."};
    enum { LINES = 60 };
    char line[LINE];
    const char *newline;
    for (int k = 0; k < LINES && (newline = memchr(text, '\n', (size_t)(end - text))); k++, text = newline + 1) {
        const size_t length = (size_t)(newline - text);
        if (memchr(text, 0, length)) return NULL;
        if (length >= LINE) continue;
        memcpy(line, text, length);
        line[length] = 0;
        for (size_t i = 0; i < sizeof banners / sizeof *banners; i++)
            if (strstr(line, banners[i])) return quantum;
        if (is_mdout(line)) return mdout;
    }
    return NULL;
}

// The list of the parts of a Desmond trajectory (stk) has a folder in each line: "run.dtr" or "run_trj". The last line
// may be cut.
static bool is_desmond_list(const char *text, const char *end) {
    bool any = false;
    for (const char *newline, *next; text < end; text = next) {
        newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline + 1 : end;
        size_t n = (size_t)((newline ? newline : end) - text);
        if (n && text[n - 1] == '\r') n--;
        if (n && (n < 5 || (memcmp(text + n - 4, ".dtr", 4) != 0 && memcmp(text + n - 4, "_trj", 4) != 0)))
            return !newline && any;
        any = any || n;
    }
    return any;
}

static bool contains(const unsigned char *head, size_t n, const char *text) {
    size_t length = strlen(text);
    for (const unsigned char *p = head, *end = head + n; (p = memchr(p, *text, (size_t)(end - p))); p++)
        if ((size_t)(end - p) >= length && !memcmp(p, text, length)) return true;
    return false;
}

// The first line of an OUTCAR is the version of VASP, and the third the machine and the date.
static bool is_outcar(const char *text, const char *end) {
    struct words w;
    if (!next_line(&text, end, &w) || !w.count || strncmp(w.word[0], "vasp.", 5) != 0) return false;
    for (int k = 0; k < 3 && next_line(&text, end, &w); k++)
        if (w.count > 1 && !strcmp(w.word[0], "executed") && !strcmp(w.word[1], "on")) return true;
    return false;
}

// Numbers of atoms, volume and lengths in m with the time step in s, temperature, the word CAR, the title, and after a
// blank line the positions (VASP 4.6, main.F).
static bool is_vasp4(const char *text, const char *end) {
    struct words w;
    uint64_t atoms;
    return next_line(&text, end, &w) && w.count >= 2 && w.count <= 4 && trj_parse_u64(w.word[0], &atoms) &&
           next_line(&text, end, &w) && w.count == 5 && are_reals(&w, 0, 5) && next_line(&text, end, &w) &&
           w.count == 1 && are_reals(&w, 0, 1) && next_line(&text, end, &w) && w.count == 1 &&
           !strcmp(w.word[0], "CAR");
}

// A map of MessagePack with the keys version, encoder and dataBlocks, in any order
// (https://github.com/molstar/BinaryCIF).
static bool is_binary_cif(const unsigned char *head, size_t n) {
    return n > 1 && head[0] == 0x83 && contains(head, n, "encoder") && contains(head, n, "dataBlocks");
}

const char *trj_foreign_format(const unsigned char *head, size_t n) {
    const char *text = (const char *)head, *end = text + n;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (n >= signatures[i].offset + signatures[i].length &&
            !memcmp(head + signatures[i].offset, signatures[i].signature, signatures[i].length))
            return signatures[i].why;
    if (!n) return NULL;
    if (is_binary_cif(head, n)) return bcif;
    if (n > 5 && !memcmp(text, "<?xml", 5) && contains(head, n, "<modeling>")) return vasprun;
    if (is_outcar(text, end)) return outcar;
    if (is_vasp4(text, end)) return vasp4;
    if (is_n2p2(text, end)) return n2p2;
    if (is_maestro(text, end)) return maestro;
    if (is_molfile(text, end)) return molfile;
    return NULL;
}

const char *trj_foreign_text(const unsigned char *head, size_t n) {
    const char *text = (const char *)head, *end = text + n;
    return is_desmond_list(text, end) ? trj_desmond : why_output(text, end);
}
