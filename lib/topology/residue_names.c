// SPDX-License-Identifier: MIT
// Lists the residue names that mean protein, nucleic acid, water or ions, as other programs define them.
#include "residue_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// These are the residue names of the Protein Data Bank and of the force fields CHARMM, Amber, GROMOS and OPLS. The
// lists for protein and nucleic include all names that MDAnalysis 2.4 includes, so that its selections give the same
// atoms here.

// Returns whether a list of words, separated by blanks, contains the text.
static bool is_listed(const char *list, const char *text, size_t length) {
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == length && n && !memcmp(p, text, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static const char amino_acids[] = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL "
                                  "CYX HID HIE HIP";       // of Amber, which adds N or C to names at the ends of chains
static const char other_amino_acids[] = "ASH CYM GLH LYN " // Amber
                                        "HSD HSE HSP "     // CHARMM
                                        "ARGN ASN1 ASPH CYS1 CYS2 CYSH GLUH HIS1 HIS2 HISA HISB HISD HISE HISH LYSH "
                                        "PGLU QLN " // GROMACS
                                        "ALAD ASF CASF CME DAB HYP MSE ORN SEP TPO PTR "
                                        "ACE NME"; // caps

// D amino acids, in pairs of a name and that of the mirror image: those of the Protein Data Bank and of CHARMM.
static const char mirrored[] = "DAL ALA DAR ARG DAS ASP DCY CYS DGL GLU DGN GLN DHI HIS DIL ILE DLE LEU DLY LYS "
                               "MED MET DPN PHE DPR PRO DSG ASN DSN SER DTH THR DTR TRP DTY TYR DVA VAL "
                               "DALA ALA DARG ARG DASP ASP DCYS CYS DGLU GLU DGLN GLN DHSD HSD DHSE HSE DHSP HSP "
                               "DILE ILE DLEU LEU DLYS LYS DMET MET DPHE PHE DPRO PRO DASN ASN DSER SER DTHR THR "
                               "DTRP TRP DTYR TYR DVAL VAL";

// Returns whether a name is that which Amber gives to an amino acid at an end of a chain, such as NALA.
static bool is_end(const char *resname) {
    return strlen(resname) == 4 && (resname[0] == 'N' || resname[0] == 'C') && is_listed(amino_acids, resname + 1, 3);
}

// Returns the name of the mirror image of a D amino acid, of n characters in `mirrored`; NULL for another residue.
static const char *find_mirror_image(const char *resname, size_t *n) {
    const size_t length = strlen(resname);
    for (const char *p = mirrored; *p;) {
        const size_t name = strcspn(p, " ");
        const char *image = p + name + 1;
        *n = strcspn(image, " ");
        if (name == length && !memcmp(p, resname, name)) return image;
        p = image + *n + (image[*n] == ' ');
    }
    return NULL;
}

bool trj_residue_is_protein(const char *resname) {
    size_t n = strlen(resname), unused;
    return is_listed(amino_acids, resname, n) || is_listed(other_amino_acids, resname, n) || is_end(resname) ||
           find_mirror_image(resname, &unused);
}

bool trj_residue_has_topology_of(const char *resname, const char *amino_acid) {
    char image[8];
    size_t n;
    const char *found = find_mirror_image(resname, &n);
    snprintf(image, sizeof image, "%.*s", found ? (int)n : 0, found ? found : "");
    return trj_residue_names_agree(found ? image : resname, amino_acid);
}

bool trj_residue_is_nucleic(const char *resname) {
    static const char nucleotides[] = "A C G T U DA DC DG DT RA RC RG RU ADE CYT GUA THY URA "
                                      "DA3 DC3 DG3 DT3 RA3 RC3 RG3 RU3 DA5 DC5 DG5 DT5 RA5 RC5 RG5 RU5";
    return is_listed(nucleotides, resname, strlen(resname));
}

bool trj_residue_is_water(const char *resname) {
    static const char waters[] =
        "H2O HH0 HHO OHH HOH OH2 SOL WAT TIP TIP2 TIP3 TIP4 TIP5 TIP3P TIP4P TIP5P T3P T4P T5P "
        "SPC SPCE SPC/E DOD";
    return is_listed(waters, resname, strlen(resname));
}

bool trj_residue_names_agree(const char *a, const char *b) {
    // Names that begin with that of the residue, such as HISH, agree with it anyway; they are listed to agree with the
    // other names.
    static const char *const variants[] = {
        "HIS HID HIE HIP HSD HSE HSP HIS1 HIS2 HISA HISB HISD HISE HISH",
        "ASP ASH ASPH ASPP",
        "GLU GLH GLUH GLUP",
        "LYS LYN LSN LYSH",
        "ARG ARN ARGN",
        "CYS CYX CYM CYN CYS1 CYS2 CYSH",
        "GLN QLN",
        "MET MSE", // selenomethionine, which replaces methionine in crystals for phasing
        "A ADE DA RA DA3 DA5 RA3 RA5",
        "C CYT DC RC DC3 DC5 RC3 RC5",
        "G GUA DG RG DG3 DG5 RG3 RG5",
        "T THY DT DT3 DT5",
        "U URA RU RU3 RU5",
    };
    if (is_end(a)) a++;
    if (is_end(b)) b++;
    size_t m = strlen(a), n = strlen(b), both = m < n ? m : n;
    if (!strncmp(a, b, both) && (m == n || both > 2)) return true;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (is_listed(variants[i], a, m) && is_listed(variants[i], b, n)) return true;
    return trj_residue_is_water(a) && trj_residue_is_water(b);
}

// A charge after the symbol (Na+, Mg2+, CL-) and the case are ignored.
bool trj_residue_is_ion(const char *resname) {
    static const char ions[] = "AL BA BR CA CD CL CO CS CU FE HG IN K LI MG MN NA NI PB PT RB SR TB TL YB ZN "
                               "CU1 FE2 MN2 MN3 ZN1 ZN2 "                         // of the Protein Data Bank
                               "BAR CAD CAL CES CLA LIT POT RUB SOD CUA IOD ION"; // CHARMM and others
    char upper[8];
    size_t n = 0;
    for (; resname[n]; n++) {
        if (n == sizeof upper) return false;
        upper[n] = (char)toupper((unsigned char)resname[n]);
    }
    if (n > 1 && (upper[n - 1] == '+' || upper[n - 1] == '-')) {
        for (n--; n > 1 && isdigit((unsigned char)upper[n - 1]);) n--;
        if (is_listed("F I", upper, n)) return true; // without a charge they have other meanings, too: I is inosine
    }
    return is_listed(ions, upper, n);
}

// MW is the name in GROMACS, EPW and EP1 in Amber, OM and LP in CHARMM, M and M1 in OpenMM.
bool trj_is_massless_site(const char *name, const char *resname) {
    static const char sites[] = "MW M M1 M2 EPW EP EP1 EP2 OM LP LP1 LP2 IW";
    return is_listed(sites, name, strlen(name)) && trj_residue_is_water(resname);
}
