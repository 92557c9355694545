#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs scripts for the Bats files: `python_server.py SOCKET`. A test passes its command line to the helper python_client.

The import of numpy takes longer than most of these scripts. The server imports it once for each Bats file, and then
forks for each script, which runs with the files, the folder and the environment of the client as if it had been started
alone. It ends when the socket has been removed.
"""
import os

os.closerange(3, 256)  # closes the pipes of the test, so that their other ends detect it

import array
import atexit
import gc
import signal
import socket
import struct
import sys
import traceback
import types

try:
    import numpy  # noqa: F401 (for the scripts)
except ImportError:
    pass


def read_all(connection):
    """Returns the files of a client and its words: folder, environment, command."""
    head, anc, _, _ = connection.recvmsg(12, socket.CMSG_SPACE(3 * 4))
    files = array.array('i', anc[0][2])
    size, environment, words = struct.unpack('=III', head)
    data = b''
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    texts = data.split(b'\0')[:1 + environment + words]
    return files, texts[0], texts[1:1 + environment], [os.fsdecode(t) for t in texts[1 + environment:]]


def execute(words):
    """Runs a script, `-` or `-c TEXT`, and returns its exit status."""
    main = types.ModuleType('__main__')
    name, folder = words[0], ''
    try:
        if name == '-c':
            text, words = words[1], ['-c'] + words[2:]
        elif name == '-':
            text = sys.stdin.buffer.read()
        else:
            folder, main.__file__ = os.path.dirname(name), name
            with open(name, 'rb') as script:
                text = script.read()
        sys.argv, sys.path[0], sys.modules['__main__'] = words, folder, main
        exec(compile(text, name, 'exec'), main.__dict__)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    # The process ends without the work of the interpreter: files that the script left open are closed here.
    main.__dict__.clear()
    gc.collect()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        print(error, file=sys.stderr)
        status = 120
    sys.stderr.flush()
    return status & 255


def serve(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    files, folder, environment, words = read_all(connection)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(text.split(b'=', 1) for text in environment if b'=' in text)
    own = os.getpid()
    status = execute(words)
    if os.getpid() == own:  # not a process that the script has forked
        connection.send(bytes([status]))


def main(path):
    sys.dont_write_bytecode = True
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path + '.new')
    listener.listen(16)
    os.rename(path + '.new', path)
    listener.settimeout(1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    while os.path.exists(path):
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            continue
        if not os.fork():
            listener.close()
            connection.settimeout(None)
            try:
                serve(connection)
            finally:
                os._exit(0)
        connection.close()


main(sys.argv[1])
