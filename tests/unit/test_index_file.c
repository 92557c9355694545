// SPDX-License-Identifier: MIT
// Tests index files, and the groups that -g makes from them and from selections.
#include <unistd.h>

#include "group_list.h"
#include "index_file.h"
#include "tap.h"
#include "uniform.h"

static char path[] = "/tmp/trjpipe-index-XXXXXX";

static void write_bytes(const char *content, size_t n) {
    FILE *f = fopen(path, "w");
    if (!f || fwrite(content, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

static void write_file(const char *content) {
    write_bytes(content, strlen(content));
}

// Returns the groups of the file, "Protein:0 1 2;NA:5", or the message without the path.
static const char *read_text(void) {
    static char text[2048];
    struct trj_error err = {.text = ""};
    struct trj_index_file *file = NULL;
    size_t used = 0;
    text[0] = 0;
    if (trj_index_file_open(&file, path, &err)) {
        snprintf(text, sizeof text, "%d %s", (int)err.status,
                 strncmp(err.text, path, strlen(path)) ? err.text : err.text + strlen(path) + 2);
        return text;
    }
    for (size_t g = 0; g < file->count; g++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:", g ? ";" : "", file->groups[g].name);
        for (size_t i = 0; i < file->groups[g].count && used < sizeof text - 80; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "", file->groups[g].atoms[i]);
    }
    trj_index_file_close(file);
    return text;
}

static void reads(const char *content, const char *expected, const char *what) {
    write_file(content);
    const char *found = read_text();
    if (!ok(!strcmp(found, expected), "%s", what)) printf("# %s\n", found);
}

static void files(void) {
    reads("[ System ]\n   1    2    3\n   4\n[ Protein ]\n1 3\n", "System:0 1 2 3;Protein:0 2", "two groups");
    reads("[System]\r\n3 1\r\n\r\n 2 ; the last\r\n; nothing\n[ a b&!c ] ; name\n7", "System:0 1 2;a b&!c:6",
          "any order, ends of lines, comments, names with blanks");
    reads("[ a ]\n[ b ]\n4294967295\n", "a:;b:4294967294", "an empty group, the highest number");
    reads("", "3 contains no groups; give an index file with lines '[ NAME ]'", "an empty file");
    reads("; nothing\n\n", "3 contains no groups; give an index file with lines '[ NAME ]'", "a file of comments");
    reads("1 2\n[ a ]\n", "3 line 1: '1' before the first group; give an index file with lines '[ NAME ]'",
          "numbers before a name");
    reads("[ a\n1\n", "3 line 1: ']' is missing after the name of the group", "name without ]");
    reads("[ a ]\n1\n[ ]\n", "3 line 3: the name of the group is missing", "empty name");
    reads("[ a ] 1\n", "3 line 1: unexpected text after the name of the group; write its atoms on the next line",
          "numbers after a name");
    reads("[ a ]\n1 2x\n", "3 line 2: '2x' is not an atom's number", "not a number");
    reads("[ a ]\n1 -2\n", "3 line 2: '-2' is not an atom's number", "a negative number");
    reads("[ a ]\n1\n0\n", "3 line 3: atom 0: numbers are counted from 1, to 4294967295", "number 0");
    reads("[ a ]\n4294967296\n", "3 line 2: atom 4294967296: numbers are counted from 1, to 4294967295", "too high");
    reads("[ a ]\n99999999999999999999\n", "3 line 2: '99999999999999999999' is not an atom's number", "far too high");
    reads("[ a ]\n1 2 3\n4 2\n[ b ]\n", "3 line 3: atom 2 occurs twice in group 'a'; remove one", "an atom twice");
    reads("[ a ]\n1\n\n1", "3 line 4: atom 1 occurs twice in group 'a'; remove one", "an atom twice in the last group");
    write_bytes("[ a ]\n1\0002\n", 10);
    ok(!strcmp(read_text(), "3 line 2: a zero byte in a text file"), "a zero byte");
}

static size_t add_message(char *text, size_t capacity, const char *message) {
    size_t used = 0;
    for (const char *p = message; *p && used < capacity - 8;) {
        bool is_path = !strncmp(p, path, strlen(path));
        used += (size_t)snprintf(text + used, capacity - used, is_path ? "FILE" : "%c", *p);
        p += is_path ? strlen(path) : 1;
    }
    return used;
}

// Returns the groups of -g, "A:0 1;B:2 (note)", or the message, with FILE instead of the path.
static const char *list_text(const char *const *texts, size_t n, size_t atoms) {
    static char text[2048];
    struct trj_error err = {.text = ""};
    struct trj_group_list list = {0};
    size_t used = 0;
    text[0] = 0;
    if (trj_group_list_make(&list, texts, n, NULL, atoms, &err)) {
        used = (size_t)snprintf(text, sizeof text, "%d ", (int)err.status);
        used += add_message(text + used, sizeof text - used, err.text);
    }
    for (size_t g = 0; g < list.count && text[0] != '2' && text[0] != '3'; g++) {
        uint32_t *atom = NULL;
        size_t count = 0;
        if (trj_selection_atoms(list.groups[g].selection, NULL, &atom, &count, &err)) exit(1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:", g ? ";" : "", list.groups[g].name);
        for (size_t i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "", atom[i]);
        free(atom);
    }
    if (list.note && text[0] != '2') {
        used += (size_t)snprintf(text + used, sizeof text - used, " (");
        used += add_message(text + used, sizeof text - used, list.note);
        snprintf(text + used, sizeof text - used, ")");
    }
    trj_group_list_free(&list);
    return text;
}

// The texts are separated by '|'; FILE is replaced by the path.
static void lists(const char *joined, size_t atoms, const char *expected) {
    char text[1024] = "", *texts[8];
    size_t used = 0, n = 0;
    for (const char *p = joined; *p;) {
        bool is_path = !strncmp(p, "FILE", 4);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", is_path ? (int)strlen(path) : 1,
                                 is_path ? path : p);
        p += is_path ? 4 : 1;
    }
    for (char *p = strtok(text, "|"); p && n < 8; p = strtok(NULL, "|")) texts[n++] = p;
    const char *found = list_text((const char *const *)texts, n, atoms);
    if (!ok(!strcmp(found, expected), "%s: %s", joined, expected)) printf("# %s\n", found);
}

static void group_lists(void) {
    write_file("[ System ]\n1 2 3 4\n[ Protein ]\n3 1\n[ water ]\n2 4\n[ r_1-2 ]\n4\n[ Protein ]\n1 3\n");
    lists("@FILE", 4, "System:0 1 2 3;Protein:0 2;water:1 3;r_1-2:3");
    lists("@FILE:", 4, "System:0 1 2 3;Protein:0 2;water:1 3;r_1-2:3");
    lists("@FILE:Protein", 4, "Protein:0 2");
    lists("P=@FILE:Protein|W= @FILE:water", 4, "P:0 2;W:1 3");
    lists("A=index 0:1|@FILE:Protein|B=A and Protein", 4, "A:0 1;Protein:0 2;B:0");
    lists("@FILE|rest=not Protein and not r_1-2", 4, "System:0 1 2 3;Protein:0 2;water:1 3;r_1-2:3;rest:1");
    lists("all=all|B=all and index 1", 4, "all:0 1 2 3;B:1");
    lists("B=index 1|A=A or B", 4,
          "2 group A: selection 'A or B': unknown keyword 'A' at character 1; see SELECTIONS in man trjcat");
    lists("P=@FILE", 4, "2 group 'P': the group of the file is missing; give NAME=@FILE:GROUP");
    lists("@FILE:protein", 4, "2 FILE: has no group 'protein'; it has System, Protein, water, r_1-2, Protein");
    lists("@FILE:Protein|@FILE", 4, "2 group 'Protein': given twice; rename one");
    lists("Protein=index 1|@FILE:Protein", 4, "2 group 'Protein': given twice; rename one");
    lists("@FILE", 3,
          "3 FILE: line 2: atom 4 of group 'System', but the trajectory has 3; use the index file of this trajectory");
    lists("@FILE:Protein", 3, "Protein:0 2");
    lists("@FILE:Protein", 2,
          "3 FILE: line 4: atom 3 of group 'Protein', but the trajectory has 2; use the index file of this trajectory");
    lists("a b=all", 4,
          "2 group 'a b=all': expected NAME=SELECTION with a name of letters, digits and _ . + -; give -g "
          "once for each group, as -g 'O=name OW'");
    lists("all", 4,
          "2 group 'all': expected NAME=SELECTION with a name of letters, digits and _ . + -; give -g once "
          "for each group, as -g 'O=name OW'");
    lists("A=all|A=none", 4, "2 group 'A': given twice; rename one");
    write_file("[ a&b ]\n1 2\n[ empty ]\n[ two ]\n1\n[ two ]\n2\n");
    lists("@FILE", 4, "2 FILE: has two groups 'two' of different atoms, in lines 4 and 6; rename one");
    lists("@FILE:a&b", 4,
          "2 FILE: line 1: group 'a&b': expected a name of at most 64 letters, digits and _ . + -; use it as "
          "'NAME=@FILE:a&b'");
    lists("ab=@FILE:a&b", 4, "ab:0 1");
    lists("@FILE:empty", 4, "3 FILE: line 3: group 'empty' is empty; add atoms, or use another group");
    lists("@FILE:two", 4, "2 FILE: has two groups 'two' of different atoms, in lines 4 and 6; rename one");
    write_file("[ a&b ]\n1 2\n[ empty ]\n[ two ]\n1\n");
    lists("@FILE", 4,
          "two:0 (left out: 'a&b' has a name that is invalid for a group, 'empty' is empty (use it with -g "
          "'NAME=@FILE:a&b'))");
    lists("@FILE|N=@FILE:a&b|both=two or N", 4,
          "two:0;N:0 1;both:0 1 (left out: 'a&b' has a name that is invalid for a group, 'empty' is empty (use it with "
          "-g 'NAME=@FILE:a&b'))");
    write_file("[ a&b ]\n1 2\n[ empty ]\n");
    lists("@FILE", 4,
          "2 FILE: none of its groups can be used: 'a&b' has a name that is invalid for a group; rename one "
          "with -g NAME=@FILE:GROUP, or add atoms to an empty one");
    write_file("[ a ]\n1 b\n");
    lists("@FILE:a", 4, "3 FILE: line 2: 'b' is not an atom's number");
    remove(path);
    lists("@FILE", 4, "1 FILE: No such file or directory");
}

// Random changes of bytes give a message or groups.
static void damage(void) {
    static const char whole[] = "[ System ]\n 1 2 3 4 ; all\n 5 6\n[ Protein ]\n3 1 17 300\n[ water&x ]\n2 4 5\n";
    size_t other = 0, rounds = 2000;
    for (size_t round = 0; round < rounds; round++) {
        char text[sizeof whole];
        memcpy(text, whole, sizeof whole);
        for (int k = 0; k < 3; k++)
            text[(size_t)(uniform() * (double)(sizeof whole - 1))] =
                round % 2 ? (char)(uniform() * 256) : "[] 0123456789;\n-"[(size_t)(uniform() * 16)];
        write_bytes(text, sizeof whole - 1);
        const char *found = read_text();
        other += (found[0] == '1' || found[0] == '2') && found[1] == ' ';
    }
    ok(!other, "%zu damaged files: a message or groups", rounds);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    close(fd);
    files();
    damage();
    group_lists();
    remove(path);
    return done();
}
