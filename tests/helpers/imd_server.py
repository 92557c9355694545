#!/usr/bin/python3
"""Sends frames as an IMD server does, for tests: imd_server.py PORT_FILE [KEY=VALUE...]

The number of the port is written to PORT_FILE. Each byte that the client sends after GO is printed as hex.

frames=N atoms=N    frames to send, and atoms in each; positions follow from their numbers
order=little|big    byte order of the server
pieces=N            bytes of each write (0: whole messages)
energies=yes|no     send the energies before the coordinates, with the step 10 * frame
end=disconnect|close|middle|reset   send DISCONNECT, or close the connection: after a message, in the last one, or hard
greeting=HEX        bytes in place of the handshake
message=HEX         bytes after the first frame
pause=SECONDS       time between frames
family=4|6          protocol of the address
wait=yes|no         wait for GO before the first frame
"""
import socket
import struct
import sys
import time


def positions(frame, atoms):
    """Returns coordinates that float32 stores exactly."""
    values = []
    for atom in range(atoms):
        values += [(atom * 5 + frame) % 64 / 4, (atom * 3 + 2 * frame) % 64 / 4, (atom * 7 + 3 * frame) % 64 / 4]
    return values


def main():
    options = dict(frames="3", atoms="8", order="little", pieces="0", energies="yes", end="disconnect", greeting="",
                   message="", pause="0", family="4", wait="yes")
    options.update(word.split("=", 1) for word in sys.argv[2:])
    six = options["family"] == "6"
    server = socket.socket(socket.AF_INET6 if six else socket.AF_INET)
    server.bind(("::1" if six else "127.0.0.1", 0))
    server.listen(1)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(f"{server.getsockname()[1]}\n")
    client = server.accept()[0]
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    order, pieces = "<>"[options["order"] == "big"], int(options["pieces"])
    frames, atoms = int(options["frames"]), int(options["atoms"])

    def send(data):
        step = pieces or len(data) or 1
        for at in range(0, len(data), step):
            client.sendall(data[at:at + step])

    send(bytes.fromhex(options["greeting"]) or struct.pack(">i", 4) + struct.pack(order + "i", 2))
    try:
        if options["wait"] == "yes":
            go = client.recv(8, socket.MSG_WAITALL)
            print("received", go.hex(), flush=True)
        for frame in range(frames):
            if options["energies"] == "yes":
                send(struct.pack(">ii", 1, 1) + struct.pack(order + "i9f", 10 * frame, *range(9)))
            data = struct.pack(">ii", 2, atoms) + struct.pack(f"{order}{3 * atoms}f", *positions(frame, atoms))
            if options["end"] == "middle" and frame == frames - 1:
                data = data[:len(data) // 2]
            send(data)
            if not frame:
                send(bytes.fromhex(options["message"]))
            time.sleep(float(options["pause"]))
        if options["end"] == "disconnect":
            send(struct.pack(">ii", 0, 0))
        if options["end"] == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
            return
        client.shutdown(socket.SHUT_WR)
        rest = client.recv(64)
        if rest:
            print("received", rest.hex(), flush=True)
    except (BrokenPipeError, ConnectionResetError) as error:
        print(type(error).__name__, flush=True)


main()
