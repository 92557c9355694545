// SPDX-License-Identifier: MIT
// Lets python_server.py run a script: `python_client SOCKET WORD...`. It passes its files, folder, environment and
// words, and ends with the exit status of the script.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

static char *end; // of the text that is collected

static void add(const char *text) {
    size_t n = strlen(text) + 1;
    memcpy(end, text, n);
    end += n;
}

static int fail(const char *what) {
    perror(what);
    return 125;
}

int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[4096], place[CMSG_SPACE(3 * sizeof(int))] = {0};
    const int files[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    uint32_t head[] = {0, 0, (uint32_t)argc - 2};
    unsigned char status;
    if (argc < 3 || strlen(argv[1]) >= sizeof address.sun_path || !getcwd(folder, sizeof folder))
        return fail("python_client");
    strcpy(address.sun_path, argv[1]);
    size_t size = strlen(folder) + 1;
    for (char **e = environ; *e; e++, head[1]++) size += strlen(*e) + 1;
    for (char **a = argv + 2; *a; a++) size += strlen(*a) + 1;
    char *text = end = malloc(size);
    if (!text) return fail("python_client");
    head[0] = (uint32_t)size;
    add(folder);
    for (char **e = environ; *e; e++) add(*e);
    for (char **a = argv + 2; *a; a++) add(*a);
    struct iovec part = {head, sizeof head};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = place, .msg_controllen = sizeof place};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof files);
    memcpy(CMSG_DATA(rights), files, sizeof files);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address)) return fail(argv[1]);
    if (sendmsg(server, &message, 0) != sizeof head) return fail(argv[1]);
    for (ssize_t n; size; text += n, size -= (size_t)n)
        if ((n = write(server, text, size)) <= 0) return fail(argv[1]);
    // The script must see the end of its files when other processes close them.
    for (int file = 0; file < 3; file++) close(file);
    return read(server, &status, 1) == 1 ? status : 134;
}
