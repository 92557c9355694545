# SPDX-License-Identifier: MIT
"""Reads the blocks of a stream, independently of the library, from what schemas/block_stream.md and the specification
of XXH3 state. Every checksum is verified. zstd(1) unpacks compressed payloads."""
import struct
import subprocess

MASK = (1 << 64) - 1

# ---- XXH3-64: doc/xxhash_spec.md of xxHash

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & MASK
    return h ^ h >> 32


def avalanche_xxh64(h):
    h = (h ^ h >> 33) * P64[1] & MASK
    h = (h ^ h >> 29) * P64[2] & MASK
    return h ^ h >> 32


def mix16(data, at, secret_at, seed):
    low = u64(data, at) ^ (u64(SECRET, secret_at) + seed & MASK)
    high = u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed & MASK)
    return fold(low, high)


def rotate(h, n):
    return (h << n | h >> (64 - n)) & MASK


def hash_short(data, seed):
    n = len(data)
    if n == 0:
        return avalanche_xxh64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[-1] | n << 8
        return avalanche_xxh64(combined ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & MASK))
    if n <= 8:
        seed ^= int.from_bytes((seed & 0xFFFFFFFF).to_bytes(4, "little"), "big") << 32
        value = u32(data, n - 4) + (u32(data, 0) << 32)
        h = value ^ ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & MASK)
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * 0x9FB21C651E98DF25 & MASK
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & MASK
        return h ^ h >> 28
    low = u64(data, 0) ^ ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & MASK)
    high = u64(data, n - 8) ^ ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & MASK)
    swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
    return avalanche(n + swapped + high + fold(low, high) & MASK)


def hash_middle(data, seed):
    n = len(data)
    sum_ = n * P64[0]
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            sum_ += mix16(data, 16 * i, 32 * i, seed) + mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(sum_ & MASK)
    for i in range(8):
        sum_ += mix16(data, 16 * i, 16 * i, seed)
    sum_ = avalanche(sum_ & MASK)
    for i in range(8, n // 16):
        sum_ += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    return avalanche(sum_ + mix16(data, n - 16, 119, seed) & MASK)


def hash_long(data):
    n = len(data)
    lane = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    secret = [struct.unpack_from("<8Q", SECRET, 8 * i) for i in range(16)]

    def accumulate(at, key):
        words = struct.unpack_from("<8Q", data, at)
        for i in range(8):
            keyed = words[i] ^ key[i]
            lane[i ^ 1] = lane[i ^ 1] + words[i] & MASK
            lane[i] = lane[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & MASK

    scramble = struct.unpack_from("<8Q", SECRET, 128)
    blocks = (n - 1) // 1024
    for block in range(blocks):
        for stripe in range(16):
            accumulate(1024 * block + 64 * stripe, secret[stripe])
        for i in range(8):
            lane[i] = (lane[i] ^ lane[i] >> 47 ^ scramble[i]) * P32[0] & MASK
    for stripe in range((n - 1 - 1024 * blocks) // 64):
        accumulate(1024 * blocks + 64 * stripe, secret[stripe])
    accumulate(n - 64, struct.unpack_from("<8Q", SECRET, 121))
    sum_ = n * P64[0]
    for i in range(4):
        sum_ += fold(lane[2 * i] ^ u64(SECRET, 11 + 16 * i), lane[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
    return avalanche(sum_ & MASK)


def xxh3(data, seed):
    if len(data) <= 16:
        return hash_short(data, seed)
    if len(data) <= 240:
        return hash_middle(data, seed)
    assert seed == 0
    return hash_long(data)


# ---- schemas/block_stream.md


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, format_):
        values = struct.unpack_from("<" + format_, self.data, self.at)
        self.at += struct.calcsize("<" + format_)
        return values

    def one(self, format_):
        return self.take(format_)[0]

    def bytes(self, n):
        part = self.data[self.at : self.at + n]
        assert len(part) == n
        self.at += n
        return part

    def text(self):
        return self.bytes(self.one("I")).decode()


def unpack_zstd(data, size):
    raw = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    assert len(raw) == size
    return raw


def read_blocks(data, magic):
    """Yields the number, offset, type and payload of each block."""
    assert data[:8] == magic and u64(data, 16) == xxh3(data[:16], 0)
    assert data[8:10] == b"\1\0"
    at, number = 24, 0
    while at < len(data):
        kind, flags, stored, raw, check, header_check = struct.unpack_from("<4sIQQQQ", data, at)
        assert header_check == xxh3(data[at : at + 32], number), f"block {number}: header"
        payload = data[at + 40 : at + 40 + stored]
        assert len(payload) == stored and check == xxh3(payload, 0), f"block {number}: payload"
        assert flags < 4 and (flags & 2 or stored == raw)
        if flags & 2:
            payload = unpack_zstd(payload, raw)
        yield number, at, kind.decode(), payload
        at += 40 + stored
        number += 1
