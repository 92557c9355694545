# SPDX-License-Identifier: MIT
"""Reads the streams and tables of trjpipe into numpy, and computes radial distribution functions with its tools.

  open_frames()     frames of a frame stream, or of any trajectory that trjcat reads
  read_histogram()  counts of histogram streams, with edges and errors
  open_grid()       records of a grid stream, or of any map that mapconv reads
  read_grid()       mean of all records of grid streams
  read_table()      tables of rdfnorm and rdfderive
  rdf()             g(r) of a trajectory, by trjcat, rdfhist and rdfnorm

Lengths are in Å and times in ps. The module requires numpy; Table.to_pandas() requires pandas, and plot() requires
matplotlib. The tools must be in PATH, except to read frame streams of float32 coordinates and histogram streams. Maps
are read by the C library libtrjpipe, which `make install` installs with the tools.

Checksums are computed by the module xxhash or, without it, by the library libxxhash. If neither is installed, streams
are read without verification, and a warning reports this. In the same way, compressed blocks require the module
zstandard or the library libzstd.
"""
from __future__ import annotations

import base64
import ctypes
import ctypes.util
import html
import io
import itertools
import math
import os
import re
import selectors
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, BinaryIO, Callable, Iterable, Mapping, Sequence, Union

import numpy

__version__ = "0.1.0"
__all__ = ["open_frames", "open_grid", "read_grid", "read_histogram", "read_table", "rdf", "Curve", "Frame",
           "FrameArrays", "FrameStream", "Grid", "GridRecord", "GridStream", "GridValues", "Histogram", "Property",
           "RDF", "Record", "StreamError", "Table", "ToolError", "TrjpipeError", "TrjpipeWarning"]

File = Union[str, "os.PathLike[str]", BinaryIO]
Options = Mapping[str, Any]


class TrjpipeError(Exception):
    """An error of a stream, a table or a tool."""


class StreamError(TrjpipeError):
    """A stream or table is damaged, truncated or unsupported.

    file: its name; block: number of the block in its stream, or None; byte: position in the file, or None.
    """

    def __init__(self, file: str, what: str, block: int | None = None, byte: int | None = None):
        super().__init__(f"{file}: {what}")
        self.file, self.block, self.byte = file, block, byte


class ToolError(TrjpipeError):
    """A tool has failed. tool: its name; status: its exit status, negative for a signal; message: its message."""

    def __init__(self, tool: str, status: int, message: str):
        super().__init__(f"{tool}: {message}")
        self.tool, self.status, self.message = tool, status, message


class TrjpipeWarning(UserWarning):
    """A note of a tool, or a check that cannot be made."""


def _warn(text: str) -> None:
    """Issues a warning for the line that called this module."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame and frame.f_globals is globals():
        level, frame = level + 1, frame.f_back
    warnings.warn(text, TrjpipeWarning, stacklevel=level)


# ---- libraries that may be missing ----------------------------------------------------------------------------------

def _load(name: str, *functions: str) -> ctypes.CDLL | None:
    """Loads the C library `name` if it is installed and has these functions."""
    for file in (f"lib{name}.so.{1 if name == 'zstd' else 0}", f"lib{name}.dylib", ctypes.util.find_library(name)):
        try:
            library = ctypes.CDLL(file) if file else None
        except OSError:
            continue
        if library and all(hasattr(library, function) for function in functions):
            return library
    return None


def _address(data: memoryview) -> int:
    return numpy.frombuffer(data, numpy.uint8).ctypes.data if len(data) else 0


def _find_hash() -> Callable[[memoryview, int], int] | None:
    """Returns a function that computes XXH3-64 of bytes with a seed, or None if no library is installed."""
    try:
        from xxhash import xxh3_64_intdigest
        return xxh3_64_intdigest
    except ImportError:
        pass
    library = _load("xxhash", "XXH3_64bits_withSeed")
    if not library:
        return None
    function = library.XXH3_64bits_withSeed
    function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64), ctypes.c_uint64
    return lambda data, seed: function(_address(data), len(data), seed)


def _find_unzstd() -> Callable[[memoryview, int], memoryview] | None:
    """Returns a function that decompresses a zstd frame of known size, or raises ValueError; None without a library."""
    def with_module(data: memoryview, size: int) -> memoryview:
        try:
            if zstandard.frame_content_size(data) not in (-1, size):
                raise ValueError("wrong size")
            return memoryview(zstandard.ZstdDecompressor().decompress(data, max_output_size=size))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None

    def with_library(data: memoryview, size: int) -> memoryview:
        out = memoryview(bytearray(size))
        if function(_address(out), size, _address(data), len(data)) != size:
            raise ValueError("invalid zstd data")
        return out

    try:
        import zstandard
        return with_module
    except ImportError:
        pass
    library = _load("zstd", "ZSTD_decompress")
    if not library:
        return None
    function = library.ZSTD_decompress
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
    function.restype = ctypes.c_size_t
    return with_library


_hash = _find_hash()
_unzstd = _find_unzstd()


# ---- block streams (schemas/block_stream.md) ------------------------------------------------------------------------

_CHUNK = 1 << 24  # bytes of a pipe that are read before more memory is allocated for a block


class _Input:
    """The bytes of a file, a pipe or memory, in order."""

    def __init__(self, file: File | bytes):
        self.offset = 0
        self.path: str | None = None  # of a regular file
        self._data: memoryview | None = None
        self._file: Any = None  # a binary file object
        self._kept: list[memoryview] | None = None  # what was read from a pipe, as long as replay() is possible
        self._room = _CHUNK  # bytes for which memory is allocated before they are read
        self._owned = False
        if isinstance(file, bytes):
            self.name, self._data = "histogram", memoryview(file)
            return
        if isinstance(file, (str, os.PathLike)):
            self.name = os.fspath(file)
            self._owned = self.name != "-"
            file = open(self.name, "rb", buffering=0) if self._owned else sys.stdin.buffer
        else:
            self.name = str(getattr(file, "name", "stream"))
        self._file = file
        if self._owned and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            self.path, self._room = self.name, os.fstat(file.fileno()).st_size
        else:
            self._kept = []

    def take(self, n: int) -> memoryview:
        """Returns the next n bytes, or fewer at the end."""
        if self._data is not None:
            data = self._data[self.offset:self.offset + n]
        elif self._file is not None:
            data = self._read(n)
        else:
            raise ValueError(f"{self.name}: is closed")
        self.offset += len(data)
        if self._kept is not None:
            self._kept.append(data)
        return data

    def _read(self, n: int) -> memoryview:
        """Reads into memory of its own. A map of the file would save this copy, but a file that became shorter would
        then end the process by a signal, and content could change after its checksum was verified."""
        data, got = numpy.empty(min(n, max(self._room, 64)), numpy.uint8).data, 0
        while got < n:
            if got == len(data):  # a size in a damaged stream does not allocate more than twice the bytes that exist
                larger = numpy.empty(min(n, 2 * got), numpy.uint8).data
                larger[:got] = data
                data = larger
            count = self._file.readinto(data[got:])
            if not count:
                break
            got += count
        return data[:got].toreadonly()

    def keep_no_longer(self) -> None:
        """Frees what has been read from a pipe so far; it cannot be replayed any more."""
        self._kept = None

    def replay(self) -> int:
        """Returns the file descriptor of a new pipe with all that was read from this pipe and all that follows."""
        kept, pipe = self._kept or [], self._file
        self._kept = self._file = None
        reading, writing = os.pipe()

        def fill() -> None:
            try:
                with open(writing, "wb") as out:
                    for part in kept:
                        out.write(part)
                    shutil.copyfileobj(pipe, out, 1 << 20)
            except (OSError, ValueError):
                pass  # the program that reads the pipe, or the user, has closed it

        threading.Thread(target=fill, daemon=True).start()
        return reading

    @property
    def can_be_replayed(self) -> bool:
        return self._kept is not None

    def close(self) -> None:
        """Closes the file. Arrays that have been returned stay valid."""
        if self._file is not None and self._owned:
            self._file.close()
        self._file = self._data = self._kept = None


@dataclass
class _Block:
    type: str
    number: int  # in its stream
    offset: int  # of its header in the file
    required: bool
    payload: memoryview  # decompressed
    stored_at: int | None  # offset of the payload in the file; None if it was compressed


class _Blocks:
    """Reads the blocks of a stream, verifies them, and describes errors. `limit` gives the largest size of a block."""

    def __init__(self, source: _Input, kind: bytes, limit: Callable[[str], int | None]):
        self.source, self.kind, self.limit = source, kind, limit
        self.offset = source.offset  # of the header of the current block, or of the file header
        self.number, self.type = -1, ""  # of the current block; -1: file header

    def place(self) -> str:
        if self.number < 0:
            return f"file header at byte {self.offset}: "
        return f"block {self.number}{self.type and f' ({self.type})'} at byte {self.offset}: "

    def error(self, what: str, byte: int | None = None) -> StreamError:
        """Returns an error in the current block, at its beginning or at `byte` of the file."""
        return StreamError(self.source.name, self.place() + what, self.number if self.number >= 0 else None,
                           self.offset if byte is None else byte)

    def open(self) -> bool:
        """Reads a file header. Returns False at the end of the data."""
        self.offset = self.source.offset
        self.number, self.type = -1, ""
        data = self.source.take(24)
        if not len(data):
            return False
        if bytes(data[:8]) != (b"\x89" + self.kind + b"\r\n\x1a\n")[:len(data)]:
            raise self.error(f"not a {'frame' if self.kind == b'TRJ' else 'histogram'} stream of trjpipe")
        if len(data) < 24:
            raise self.error(f"truncated: expected 24 bytes, found {len(data)}")
        if _hash and _hash(data[:16], 0) != struct.unpack_from("<Q", data, 16)[0]:
            raise self.error("checksum mismatch: stream damaged; create it again")
        major = struct.unpack_from("<H", data, 8)[0]
        if major != 1:
            raise self.error(f"version {major} of the stream is unsupported, expected 1; update this module")
        if not _hash:
            _warn(f"{self.source.name}: checksums are not verified: neither the module xxhash nor the library "
                  "libxxhash is installed")
        return True

    def next(self) -> _Block:
        """Reads a block. Blocks that are not used are verified, but not decompressed."""
        self.number, self.type = self.number + 1, ""
        self.offset = self.source.offset
        head = self.source.take(40)
        if len(head) < 40:
            raise self.error("truncated: END block missing; see the message of the program that writes the stream")
        if _hash and _hash(head[:32], self.number) != struct.unpack_from("<Q", head, 32)[0]:
            raise self.error("checksum mismatch in its header: stream damaged; create it again")
        name, flags, stored, raw, check = struct.unpack_from("<4sIQQQ", head)
        type_ = self.type = ascii(name.decode("latin-1"))[1:-1]
        largest = self.limit(type_)
        if flags > 3 or not flags & 2 and stored != raw or flags & 2 and (
                type_ == "END!" or raw > (1 << 24) + 1024 * stored or stored > raw + raw // 64 + 1024):
            raise self.error("invalid sizes or flags: stream damaged; create it again")
        if largest is not None and raw > largest:
            raise self.error(f"{raw} bytes, expected at most {largest}: stream damaged; create it again")
        payload = self.source.take(stored)
        if len(payload) < stored:
            raise self.error(f"truncated at byte {self.source.offset}: expected {stored} bytes, found {len(payload)}; "
                             "see the message of the program that writes the stream", self.source.offset)
        if _hash and _hash(payload, 0) != check:
            raise self.error("checksum mismatch: stream damaged; create it again")
        if flags & 2 and largest is not None:
            payload = self._unpack(payload, raw)
        return _Block(type_, self.number, self.offset, bool(flags & 1), payload,
                      None if flags & 2 else self.offset + 40)

    def _unpack(self, payload: memoryview, raw: int) -> memoryview:
        if not _unzstd:
            raise self.error("compressed, and neither the module zstandard nor the library libzstd is installed; "
                             "install one of them")
        try:
            data = _unzstd(payload, raw)
        except ValueError as error:
            raise self.error(f"cannot be decompressed: {error}: stream damaged; create it again") from None
        if len(data) != raw:
            raise self.error(f"{len(data)} bytes, expected {raw}: stream damaged; create it again")
        return data


class _Unsupported(StreamError):
    """The stream has a block that this module cannot read; trjcat and libtrjpipe decode packed and compressed ones."""

    def __init__(self, blocks: _Blocks, what: str):
        super().__init__(blocks.source.name, blocks.place() + what, blocks.number, blocks.offset)
        self.source = blocks.source


class _Cursor:
    """Reads numbers and texts of a payload in order. Every size is compared with the bytes that follow."""

    def __init__(self, blocks: _Blocks, block: _Block):
        self.blocks, self.block, self.at = blocks, block, 0

    def invalid(self, what: str) -> StreamError:
        return self.blocks.error(f"{what}: stream damaged; create it again")

    def take(self, n: int) -> memoryview:
        if n > len(self.block.payload) - self.at:
            raise self.invalid(f"content ends too early, at byte {len(self.block.payload)} of the payload")
        self.at += n
        return self.block.payload[self.at - n:self.at]

    def number(self, form: str) -> Any:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def array(self, form: str, *shape: int) -> numpy.ndarray:
        """Returns a read-only view of the payload, where possible."""
        dtype = numpy.dtype("<" + form)
        data = self.take(dtype.itemsize * math.prod(shape))
        view = numpy.frombuffer(data, dtype) if len(data) else numpy.empty(0, dtype)
        view.flags.writeable = False
        return view.reshape(shape)

    def text(self) -> str:
        data = bytes(self.take(self.number("I")))
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\0"
        if re.search(r"[\x00-\x1f\x7f]", text):
            raise self.invalid("invalid text")
        return text

    def texts(self) -> list[str]:
        return [self.text() for _ in range(self.number("I"))]


def _raise_failure(c: _Cursor) -> None:
    """Raises the failure that a FAIL block records."""
    tool, status, _, message = c.text(), c.number("I"), c.number("q"), c.text()
    raise ToolError(tool, status, message)


def _take_precision(c: _Cursor) -> float:
    precision = c.number("d")
    if not 0 < precision < math.inf:
        raise c.invalid(f"precision {precision}, expected a finite number above 0")
    return float(precision)


def _check_type(blocks: _Blocks, block: _Block, known: Mapping[str, bool], seen: set[str]) -> None:
    """Rejects unknown blocks that are required, and the second block of a type. `known`: whether a type may be
    repeated; `seen`: the types so far."""
    if block.type not in known and block.required:
        floats = "use the output of `trjcat -z 0`, or " * (blocks.kind == b"TRJ")
        if floats and block.type in ("FRMX", "FRMZ"):
            raise _Unsupported(blocks, "packed or compressed coordinates, which only trjcat and libtrjpipe decode; "
                                       f"{floats}install trjpipe, and add its folder bin to PATH")
        raise _Unsupported(blocks, f"its type is unsupported; {floats}update this module")
    if block.type in seen and not known.get(block.type, True):
        raise blocks.error("second block of its type: stream damaged; create it again")
    seen.add(block.type)


# ---- frame streams (schemas/frame_stream.md) ------------------------------------------------------------------------

_FRAME_HEAD = numpy.dtype([("source", "<u4"), ("periodic", "<u4"), ("index", "<u8"), ("step", "<i8"), ("time", "<f8"),
                           ("unit", "<f8"), ("cell", "<f8", (3, 3))])
_FRAME_BLOCKS = {**dict.fromkeys("HEAD GRPS CHNG CENT PREC RESI MOLE ELEM ATOM BOND INDX END! FAIL".split(), False),
                 **dict.fromkeys("PROP PROV SRCE FRAM".split(), True)}  # type -> whether it may be repeated


@dataclass(frozen=True, eq=False)
class Property:
    """A property of the atoms of a stream: values [atoms], with centres, as float64 (nan: unknown), int64
    (-2^63: unknown) or texts (empty: unknown); unit, such as "e"; origin, from where and how they were obtained."""
    values: numpy.ndarray
    unit: str
    origin: str


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame.

    number       of the frame in the stream, from 0
    source       number of its source in FrameStream.sources
    index        of the frame in its source, from 0
    step         of the simulation, or None
    time         in ps, or nan
    unit         of `coordinates`, in Å
    cell         [3][3] vectors a, b, c in Å; zero vectors are unknown
    periodic     [3] whether a, b, c are periods
    coordinates  [3][atoms] float32 x, y, z in units of `unit`: exactly the numbers of the source file. It is a
                 read-only view of the block that was read.
    """
    number: int
    source: int
    index: int
    step: int | None
    time: float
    unit: float
    cell: numpy.ndarray
    periodic: numpy.ndarray
    coordinates: numpy.ndarray
    _groups: dict[str, numpy.ndarray] = field(repr=False)
    _dynamic: dict[str, numpy.ndarray] = field(repr=False)  # words of bits of the members

    @property
    def positions(self) -> numpy.ndarray:
        """[atoms][3] float64 positions in Å."""
        return self.coordinates.T.astype(numpy.float64) * self.unit

    @property
    def volume(self) -> float:
        """Volume of the cell in Å³, 0 if it is unknown."""
        return abs(float(numpy.linalg.det(self.cell)))

    def members(self, group: str) -> numpy.ndarray:
        """[members] Indices, among the atoms of the stream, of the group's members in this frame."""
        atoms = self._groups[group]
        if group not in self._dynamic:
            return atoms
        bits = numpy.unpackbits(self._dynamic[group].view(numpy.uint8), bitorder="little", count=len(atoms))
        return atoms[bits.astype(bool)]


@dataclass(frozen=True, eq=False)
class FrameArrays:
    """Several frames: positions [frames][atoms][3] and cells [frames][3][3] in Å, times [frames] in ps (nan: unknown),
    steps [frames] (-2^63: unknown), indices [frames] in their sources."""
    positions: numpy.ndarray
    cells: numpy.ndarray
    times: numpy.ndarray
    steps: numpy.ndarray
    indices: numpy.ndarray


@dataclass(eq=False)
class _Header:
    """What FrameStream documents, without the frames."""
    atoms: int = 0
    source_atoms: int = 0
    centres: int = 0
    groups: dict[str, numpy.ndarray] = field(default_factory=dict)
    dynamic: list[str] = field(default_factory=list)
    residues: numpy.ndarray | None = None
    molecules: numpy.ndarray | None = None
    elements: numpy.ndarray | None = None
    elements_from: str = ""
    numbers: numpy.ndarray | None = None
    bonds: numpy.ndarray | None = None
    properties: dict[str, Property] = field(default_factory=dict)
    precision: float | None = None
    provenance: list[str] = field(default_factory=list)
    sources: list[tuple[str, int]] = field(default_factory=list)

    def split_words(self, words: numpy.ndarray) -> dict[str, numpy.ndarray]:
        """Returns the words of each dynamic group among those of a frame."""
        parts, at = {}, 0
        for name in self.dynamic:
            count = (len(self.groups[name]) + 31) // 32
            parts[name] = words[at:at + count]
            at += count
        return parts


class FrameStream(_Header):
    """Iterates over the frames of a frame stream, once.

    atoms, source_atoms  numbers of atoms in the stream and in the trajectory
    centres              number of centres; they are the last atoms
    groups               name -> [atoms of the group] indices among the atoms of the stream
    dynamic              names of the groups whose members differ between frames
    residues, molecules  [atoms] number of the residue (molecule) of each atom, or None
    elements             [atoms] atomic numbers, 0 if unknown, or None
    elements_from        basis of guessed elements, empty if none is guessed
    numbers              [atoms - centres] number of each atom in the trajectory, or None
    bonds                [bonds][2] indices of atoms, or None; those from `atoms` on are atoms that only bonds contain
    properties           name -> Property, of those that the stream contains: open_frames(..., carry="charge,mass")
    precision            largest difference in Å between a coordinate and that of its source, if trjcat --precision
                         rounded them, or None
    provenance           a line for each program that processed the data
    sources              (name, fingerprint) of each source known so far
    verified             whether checksums are verified
    frames               number of frames read so far

    Damage is an error where it is found, and a stream is complete only when its last frame has been read: do not use
    averages over frames of an iteration that has raised an exception.
    """

    def __init__(self, reader: _StreamReader | _LibraryReader):
        self._reader: _StreamReader | _LibraryReader | None = reader
        self.__dict__.update(vars(reader.header))
        if self.numbers is None and self.atoms - self.centres == self.source_atoms:
            self.numbers = numpy.arange(self.source_atoms, dtype=numpy.uint32)
        self.verified, self.frames = reader.verified, 0

    def __enter__(self) -> FrameStream:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file and ends trjcat, if it was started. Frames that have been read stay valid."""
        if self._reader:
            self._reader.close()
        self._reader = None

    def __iter__(self) -> FrameStream:
        return self

    def __next__(self) -> Frame:
        if not self._reader:
            raise StopIteration
        try:
            frame = self._next_decoded(self._reader)
        except BaseException:
            self.close()
            raise
        if frame is None:
            self.close()
            raise StopIteration
        self.frames += 1
        return frame

    def _next_decoded(self, reader: _StreamReader | _LibraryReader) -> Frame | None:
        try:
            return reader.next()
        except _Unsupported as error:  # after frames of float32 coordinates
            self._reader = reader = _decode(error)
            self.sources = reader.header.sources
            for _ in range(self.frames):
                reader.next()
            return reader.next()

    def read(self, count: int | None = None, dtype: Any = numpy.float64) -> FrameArrays:
        """Reads the next `count` frames (default: all) as arrays; `dtype` is the type of the positions."""
        frames, positions = [], []
        for frame in itertools.islice(self, count):
            frames.append(frame)
            positions.append(frame.positions.astype(dtype, copy=False))
        return FrameArrays(
            numpy.array(positions, dtype).reshape(-1, self.atoms, 3),
            numpy.array([frame.cell for frame in frames], float).reshape(-1, 3, 3),
            numpy.array([frame.time for frame in frames], float),
            numpy.array([-2**63 if frame.step is None else frame.step for frame in frames], numpy.int64),
            numpy.array([frame.index for frame in frames], numpy.uint64))


class _StreamReader:
    """Reads a frame stream; `process` is the program that writes it, if this module has started it."""

    def __init__(self, source: _Input, process: _Converter | None = None):
        self.header = _Header()
        self.verified = _hash is not None
        self._source, self._process = source, process
        self._blocks = _Blocks(source, b"TRJ", self._limit)
        self._seen: set[str] = set()
        self._dtype: Any = None  # of a frame; known from the first block of frames on
        self._block: _Block | None = None  # whose frames are read next
        self._records: Any = numpy.empty(0)
        self._used = self._frames = 0  # frames of `_records` that were returned; frames in all blocks before
        self._ended = False
        try:
            if not self._blocks.open():
                raise self._blocks.error("the file is empty, expected a frame stream")
            self._block = self._read_blocks()
        except _Unsupported as error:
            if process:
                self.close()
            raise  # without a process, the source will be used again
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._source.close()
        if self._process:
            self._process.stop()

    def next(self) -> Frame | None:
        """Returns the next frame, or None after the last one."""
        while self._used == len(self._records):
            if self._ended:
                return None
            self._frames += len(self._records)
            self._used, self._records = 0, self._records[:0]
            block, self._block = self._block or self._read_blocks(), None
            if block:
                self._records = self._check_frames(block)
        i, self._used = self._used, self._used + 1
        head = self._records["head"][i]
        return _make_frame(self.header, self._frames + i, head, self._records["x"][i], self._records["members"][i])

    def _limit(self, type_: str) -> int | None:
        n, many = self.header.atoms, min(max(self.header.atoms, self.header.source_atoms), 2**32 - 1)
        if type_ == "FRAM":
            self._prepare_frames()
            return 2**16 + max(2**24, self._dtype.itemsize)
        return {"INDX": 2**16 + 24 * (self._source.offset // 40 + 1),
                "HEAD": 2**16, "CENT": 2**16, "PREC": 2**16, "END!": 2**16, "FAIL": 2**16, "SRCE": 2**13, "PROV": 2**24,
                "GRPS": 2**24 + 4096 * n, "CHNG": 2**16 + 4 * len(self.header.groups), "RESI": 2**16 + 4 * n,
                "MOLE": 2**16 + 4 * n, "ELEM": 2**16 + 4 * n, "ATOM": 2**16 + 4 * n, "PROP": 2**16 + 264 * n,
                "BOND": 2**16 + 512 * many}.get(type_)

    def _read_blocks(self) -> _Block | None:
        """Reads up to the next block of frames, and returns it; None at the end of the stream."""
        while True:
            try:
                block = self._blocks.next()
            except StreamError:
                if self._process:
                    self._process.finish()  # raises the message of trjcat if it has failed
                raise
            _check_type(self._blocks, block, _FRAME_BLOCKS, self._seen)
            cursor = _Cursor(self._blocks, block)
            if block.type == "FAIL":
                _raise_failure(cursor)
            if (block.type == "HEAD") != (block.number == 0):
                raise self._blocks.error("misplaced, or block HEAD is missing: stream damaged; create it again")
            if block.type == "FRAM":
                self._source.keep_no_longer()
                return block
            if block.type == "END!":
                self._end(cursor)
                return None
            if self._dtype and block.type in _FRAME_BLOCKS and block.type not in ("SRCE", "INDX"):
                raise self._blocks.error("misplaced after the first frame: stream damaged; create it again")
            if block.type in _FRAME_BLOCKS and block.type != "INDX":
                getattr(self, "_take_" + block.type.lower())(cursor)

    def _take_head(self, c: _Cursor) -> None:
        self.header.atoms, self.header.source_atoms = c.number("Q"), c.number("Q")
        if not 1 <= self.header.atoms < 2**32:
            raise c.invalid(f"{self.header.atoms} atoms, expected 1 to 2^32 - 1")

    def _take_prov(self, c: _Cursor) -> None:
        self.header.provenance += c.texts()

    def _take_grps(self, c: _Cursor) -> None:
        for _ in range(c.number("I")):
            name, count = c.text(), c.number("Q")
            atoms = c.array("u4", count)
            if (name in self.header.groups or not count or atoms[-1] >= self.header.atoms
                    or (atoms[1:] <= atoms[:-1]).any()):
                raise c.invalid(f"invalid list of group {name}")
            self.header.groups[name] = atoms
        if not self.header.groups:
            raise c.invalid("no group")

    def _take_chng(self, c: _Cursor) -> None:
        chosen = c.array("u4", c.number("I"))
        names = list(self.header.groups)
        if not len(chosen) or (chosen[1:] <= chosen[:-1]).any() or chosen[-1] >= len(names):
            raise c.invalid("invalid list of dynamic groups")
        self.header.dynamic = [names[i] for i in chosen]

    def _take_cent(self, c: _Cursor) -> None:
        self.header.centres = c.number("Q")
        if not 1 <= self.header.centres <= self.header.atoms:
            raise c.invalid(f"{self.header.centres} centres, expected 1 to {self.header.atoms}")

    def _take_prec(self, c: _Cursor) -> None:
        self.header.precision = _take_precision(c)

    def _take_resi(self, c: _Cursor) -> None:
        self.header.residues = c.array("u4", self.header.atoms)

    def _take_mole(self, c: _Cursor) -> None:
        self.header.molecules = c.array("u4", self.header.atoms)

    def _take_elem(self, c: _Cursor) -> None:
        self.header.elements_from, self.header.elements = c.text(), c.array("u4", self.header.atoms)
        if (self.header.elements > 118).any():
            raise c.invalid("invalid atomic number")

    def _take_atom(self, c: _Cursor) -> None:
        numbers = self.header.numbers = c.array("u4", self.header.atoms - self.header.centres)
        if (numbers[1:] <= numbers[:-1]).any() or (numbers[-1:] >= self.header.source_atoms).any():
            raise c.invalid("invalid number of an atom")

    def _take_bond(self, c: _Cursor) -> None:
        between, count = c.number("Q"), c.number("Q")
        self.header.bonds = c.array("u4", count, 2)
        if (self.header.bonds >= self.header.atoms + between).any():
            raise c.invalid("invalid atom of a bond")

    def _take_prop(self, c: _Cursor) -> None:
        kind, flags = c.number("I"), c.number("I")
        name, unit, origin = c.text(), c.text(), c.text()
        if kind not in (1, 2, 3) or flags or name in self.header.properties or len(self.header.properties) == 16:
            raise c.invalid(f"invalid kind, flags or name of property {name}")
        values: numpy.ndarray
        if kind == 3:
            texts, which = numpy.array(c.texts()), c.array("u4", self.header.atoms)
            if not len(texts) or texts[0] or (which >= len(texts)).any():
                raise c.invalid(f"invalid text of property {name}")
            values = texts[which]
        else:
            values = c.array("f8" if kind == 1 else "i8", self.header.atoms)
        if kind == 1 and numpy.isinf(values).any():
            raise c.invalid(f"a value of property {name} is not finite")
        self.header.properties[name] = Property(values, unit, origin)

    def _take_srce(self, c: _Cursor) -> None:
        self.header.sources.append((c.text(), c.number("Q")))

    def _prepare_frames(self) -> None:
        if self._dtype:
            return
        h = self.header
        if not h.groups:
            raise self._blocks.error("block GRPS is missing before it: stream damaged; create it again")
        words = sum((len(h.groups[name]) + 31) // 32 for name in h.dynamic)
        if 112 + 12 * h.atoms + 4 * words >= 2**31:
            raise self._blocks.error(f"frames of {h.atoms} atoms are too large for numpy; select atoms")
        self._dtype = numpy.dtype([("head", _FRAME_HEAD), ("x", "<f4", (3, h.atoms)), ("members", "<u4", (words,))])

    def _check_frames(self, block: _Block) -> numpy.ndarray:
        """[frames] records of a FRAM block, which are views of its payload."""
        cursor = _Cursor(self._blocks, block)
        count = cursor.number("I")
        cursor.number("I")
        if not count:
            raise cursor.invalid("no frame")
        records = numpy.frombuffer(cursor.take(count * self._dtype.itemsize), self._dtype)
        head = records["head"]
        tail = numpy.zeros(records["members"].shape[1], "<u4")  # bits that must be 0
        for name, words in self.header.split_words(tail).items():
            atoms = len(self.header.groups[name])
            words[-1] = 2**32 - 2**(atoms % 32) if atoms % 32 else 0
        valid = {
            "number of its source": head["source"] < len(self.header.sources),
            "periodic directions": head["periodic"] < 8,
            "unit": numpy.isfinite(head["unit"]) & (head["unit"] > 0),
            "cell": numpy.isfinite(head["cell"]).all((1, 2)),
            "coordinates": numpy.isfinite(records["x"]).all((1, 2)),
            "members of a group": ((records["members"] & tail) == 0).all(1)}
        for what, good in valid.items():
            if not good.all():
                i = int(numpy.argmin(good))
                byte = None if block.stored_at is None else block.stored_at + 8 + i * self._dtype.itemsize
                place = f"frame {self._frames + i}" + (f" at byte {byte}" if byte else "")
                raise self._blocks.error(f"{place}: invalid {what}; create the stream again", byte)
        return records

    def _end(self, c: _Cursor) -> None:
        frames, blocks = c.number("Q"), c.number("Q")
        if frames != self._frames:
            raise c.invalid(f"{frames} frames in the stream, but {self._frames} were read")
        if blocks != self._blocks.number or len(c.block.payload) != 32:
            raise c.invalid("invalid totals")
        if len(self._source.take(1)):
            raise self._blocks.error("data after the END block; join streams with trjcat A B, not with cat",
                                     self._source.offset - 1)
        self._ended = True
        self._source.close()
        if self._process:
            self._process.finish()


def _make_frame(h: _Header, number: int, head: Any, x: numpy.ndarray, words: numpy.ndarray) -> Frame:
    """Makes a frame of a record of _FRAME_HEAD, coordinates [3][atoms], and the words of dynamic groups."""
    step = int(head["step"])
    return Frame(number, int(head["source"]), int(head["index"]), None if step == -2**63 else step, float(head["time"]),
                 float(head["unit"]), head["cell"], (int(head["periodic"]) >> numpy.arange(3) & 1).astype(bool), x,
                 h.groups, h.split_words(words))


class _Converter:
    """A process of trjcat that writes a frame stream to `output`."""

    def __init__(self, command: Sequence[str], stdin: int | None = subprocess.DEVNULL):
        self._messages = tempfile.TemporaryFile()
        self._process: Any = subprocess.Popen(command, executable=_find_tool(command[0]), stdin=stdin,
                                              stdout=subprocess.PIPE, stderr=self._messages)
        self.output = _Input(self._process.stdout)
        self.output.name = f"output of {shlex.join(command)}"

    def finish(self) -> None:
        """Waits for the process, and reports its notes; raises ToolError if it has failed."""
        self._process.stdout.close()
        self._process.wait()
        if not self._messages.closed:
            self._messages.seek(0)
            lines = self._messages.read().decode(errors="replace").splitlines()
            self._messages.close()
            _raise_tool_error([("trjcat", self._process.returncode, lines)])
            _warn_of_notes(lines)

    def stop(self) -> None:
        _stop([self._process])
        self._messages.close()


# ---- the C library (lib/api/trjpipe.h) ------------------------------------------------------------------------------

_TEXTS = ("format", "topology", "atom_style", "by", "frames", "time", "segment", "cell", "periodic", "carry")


class _CError(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class _CGroup(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("count", ctypes.c_size_t), ("atoms", ctypes.POINTER(ctypes.c_uint32)),
                ("dynamic", ctypes.c_int), ("word", ctypes.c_size_t)]


class _CSource(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("fingerprint", ctypes.c_uint64)]


class _CHeader(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("atoms", ctypes.c_size_t), ("centres", ctypes.c_size_t),
                ("source_atoms", ctypes.c_size_t), ("group_count", ctypes.c_size_t),
                ("groups", ctypes.POINTER(_CGroup)), ("member_words", ctypes.c_size_t),
                ("number", ctypes.POINTER(ctypes.c_uint32)),
                ("element", ctypes.POINTER(ctypes.c_uint32)), ("element_from", ctypes.c_char_p),
                ("residue", ctypes.POINTER(ctypes.c_uint32)), ("molecule", ctypes.POINTER(ctypes.c_uint32)),
                ("bond_count", ctypes.c_size_t), ("between", ctypes.c_size_t),
                ("bonds", ctypes.POINTER(ctypes.c_uint32)), ("provenance_count", ctypes.c_size_t),
                ("provenance", ctypes.POINTER(ctypes.c_char_p)), ("source_count", ctypes.c_size_t),
                ("sources", ctypes.POINTER(_CSource)), ("precision", ctypes.c_double)]


class _CFrame(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("index", ctypes.c_uint64), ("step", ctypes.c_int64),
                ("time", ctypes.c_double), ("unit", ctypes.c_double), ("cell", ctypes.c_double * 9),
                ("source", ctypes.c_uint32), ("periodic", ctypes.c_uint32),
                ("members", ctypes.POINTER(ctypes.c_uint32))]


class _COptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("format", ctypes.c_char_p), ("topology", ctypes.c_char_p),
                ("atom_style", ctypes.c_char_p), ("groups", ctypes.POINTER(ctypes.c_char_p)),
                ("group_count", ctypes.c_size_t), ("by", ctypes.c_char_p), ("frames", ctypes.c_char_p),
                ("time", ctypes.c_char_p), ("segment", ctypes.c_char_p), ("cell", ctypes.c_char_p),
                ("periodic", ctypes.c_char_p), ("drop_repeated", ctypes.c_int), ("threads", ctypes.c_uint),
                ("unit", ctypes.c_int), ("labels", ctypes.c_int), ("salvage", ctypes.c_int),
                ("carry", ctypes.c_char_p)]


class _CProperty(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("unit", ctypes.c_char_p), ("origin", ctypes.c_char_p),
                ("values", ctypes.POINTER(ctypes.c_double)), ("integers", ctypes.POINTER(ctypes.c_int64)),
                ("text", ctypes.POINTER(ctypes.c_uint32)), ("text_count", ctypes.c_size_t),
                ("texts", ctypes.POINTER(ctypes.c_char_p))]


class _CMapValues(ctypes.Structure):
    _fields_ = [("quantity", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("meaning", ctypes.c_int),
                ("error_bound", ctypes.c_double)]


class _CMapHeader(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("points", ctypes.c_uint64 * 3), ("origin", ctypes.c_double * 3),
                ("step", ctypes.c_double * 9), ("periodic", ctypes.c_uint32), ("components", ctypes.c_uint32),
                ("kind", ctypes.c_int), ("quantum", ctypes.c_double), ("stored", _CMapValues), ("mean", _CMapValues),
                ("provenance_count", ctypes.c_size_t), ("provenance", ctypes.POINTER(ctypes.c_char_p)),
                ("source_count", ctypes.c_size_t), ("sources", ctypes.POINTER(_CSource))]


class _CMapRecord(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("frames", ctypes.c_uint64), ("sum", ctypes.c_int),
                ("weight", ctypes.c_double)]


class _CMapOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("totals", ctypes.c_int)]


def _load_libtrjpipe() -> ctypes.CDLL | None:
    """Loads libtrjpipe of the system, or that of the installation to which trjcat belongs."""
    library = _load("trjpipe", "trjpipe_map_open")
    tool = shutil.which("trjcat")
    if not library and tool:
        try:
            library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.realpath(tool)), "../lib/libtrjpipe.so.0"))
        except OSError:
            return None
    if library and not hasattr(library, "trjpipe_map_open"):
        return None  # an earlier version
    if library:
        pointer = ctypes.c_void_p
        library.trjpipe_reader_open.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(ctypes.c_char_p),
                                                ctypes.c_size_t, ctypes.POINTER(_COptions), ctypes.POINTER(_CError)]
        library.trjpipe_reader_header.argtypes = [pointer]
        library.trjpipe_reader_header.restype = ctypes.POINTER(_CHeader)
        library.trjpipe_reader_read.argtypes = [pointer, ctypes.POINTER(_CFrame), pointer, ctypes.POINTER(_CError)]
        library.trjpipe_reader_note.argtypes = [pointer]
        library.trjpipe_reader_note.restype = ctypes.c_char_p
        library.trjpipe_reader_property_name.argtypes = [pointer, ctypes.c_size_t]
        library.trjpipe_reader_property_name.restype = ctypes.c_char_p
        library.trjpipe_reader_property.argtypes = [pointer, ctypes.c_char_p, ctypes.POINTER(_CProperty),
                                                    ctypes.POINTER(_CError)]
        library.trjpipe_reader_close.argtypes = [pointer]
        library.trjpipe_reader_close.restype = None
        library.trjpipe_map_open.argtypes = [ctypes.POINTER(pointer), ctypes.c_char_p, ctypes.POINTER(_CMapOptions),
                                             ctypes.POINTER(_CError)]
        library.trjpipe_map_header.argtypes = [pointer]
        library.trjpipe_map_header.restype = ctypes.POINTER(_CMapHeader)
        library.trjpipe_map_next.argtypes = [pointer, ctypes.POINTER(_CMapRecord), ctypes.POINTER(_CError)]
        library.trjpipe_map_read.argtypes = [pointer, pointer, pointer, ctypes.c_uint64, ctypes.POINTER(_CError)]
        library.trjpipe_map_note.argtypes = [pointer]
        library.trjpipe_map_note.restype = ctypes.c_char_p
        library.trjpipe_map_close.argtypes = [pointer]
        library.trjpipe_map_close.restype = None
    return library


def _raise_library_error(error: _CError, path: str, name: str) -> None:
    """Raises the error of a function of the library about the file `path`, which the user calls `name`."""
    text = error.text.decode(errors="replace")
    text = text[len(path) + 2:] if text.startswith(path + ": ") else text
    if error.status != 3:
        raise TrjpipeError(f"{name}: {text}")
    stream_error = StreamError(name, text)
    byte = re.search(r"\bbyte (\d+)", text)
    stream_error.byte = int(byte.group(1)) if byte else None
    raise stream_error


def _copy(pointer: Any, *shape: int) -> Any:
    """Copies numbers that the library owns; None for NULL."""
    if not pointer:
        return None
    return numpy.array(numpy.ctypeslib.as_array(pointer, (max(math.prod(shape), 1),))[:math.prod(shape)]).reshape(shape)


class _LibraryReader:
    """Reads a trajectory or frame stream with libtrjpipe; its interface is that of _StreamReader."""

    def __init__(self, library: ctypes.CDLL, path: str, options: Options, pipe: int | None = None):
        self.verified, self._name = True, path
        self._path = path if pipe is None else f"/dev/fd/{pipe}"
        self._library, self._handle, self._error, self._frames = library, ctypes.c_void_p(), _CError(), 0
        groups = [text.encode() for text in options.get("group") or []]
        texts = {name: str(options[name]).encode() for name in _TEXTS if options.get(name) is not None}
        chosen = _COptions(ctypes.sizeof(_COptions), unit=1, group_count=len(groups), **texts,
                           groups=(ctypes.c_char_p * len(groups))(*groups))
        paths = (ctypes.c_char_p * 1)(os.fsencode(self._path))
        self._check(library.trjpipe_reader_open(ctypes.byref(self._handle), paths, 1, chosen, self._error))
        self.header = _Header()
        self._take_header()

    def close(self) -> None:
        self._library.trjpipe_reader_close(self._handle)
        self._handle = ctypes.c_void_p()

    def next(self) -> Frame | None:
        frame = _CFrame(ctypes.sizeof(_CFrame))
        x = numpy.empty((self.header.atoms, 3), numpy.float32)
        if not self._check(self._library.trjpipe_reader_read(self._handle, frame, x.ctypes.data, self._error)):
            return None
        if frame.source >= len(self.header.sources):
            self._take_sources(self._library.trjpipe_reader_header(self._handle).contents)
        head = dict(source=frame.source, index=frame.index, step=frame.step, time=frame.time, unit=frame.unit,
                    cell=numpy.array(frame.cell).reshape(3, 3), periodic=frame.periodic)
        words = _copy(frame.members, self._words)
        self._frames += 1
        x.flags.writeable = False
        return _make_frame(self.header, self._frames - 1, head, x.T, numpy.empty(0) if words is None else words)

    def _check(self, result: int) -> int:
        """Reports notes, and raises the error of a function that returned -1."""
        note = self._library.trjpipe_reader_note(self._handle) if self._handle else None
        while note:
            _warn(note.decode(errors="replace"))
            note = self._library.trjpipe_reader_note(self._handle)
        if result < 0:
            _raise_library_error(self._error, self._path, self._name)
        return result

    def _take_header(self) -> None:
        c, h = self._library.trjpipe_reader_header(self._handle).contents, self.header
        h.atoms, h.centres, h.source_atoms, self._words = c.atoms, c.centres, c.source_atoms, c.member_words
        h.groups = {g.name.decode(): _copy(g.atoms, g.count) for g in c.groups[:c.group_count]}
        h.dynamic = [g.name.decode() for g in c.groups[:c.group_count] if g.dynamic]
        h.residues, h.molecules, h.elements = (_copy(p, c.atoms) for p in (c.residue, c.molecule, c.element))
        h.elements_from = (c.element_from or b"").decode()
        h.numbers, h.bonds = _copy(c.number, c.atoms - c.centres), _copy(c.bonds, c.bond_count, 2)
        h.properties = self._take_properties()
        h.precision = c.precision or None
        h.provenance = [line.decode() for line in c.provenance[:c.provenance_count]]
        self._take_sources(c)

    def _take_properties(self) -> dict[str, Property]:
        properties = {}
        for i in itertools.count():
            name = self._library.trjpipe_reader_property_name(self._handle, i)
            if name is None:
                return properties
            c = _CProperty(ctypes.sizeof(_CProperty))
            self._check(self._library.trjpipe_reader_property(self._handle, name, c, self._error))
            values = _copy(c.values or c.integers, self.header.atoms)
            if values is None:
                values = numpy.array([text.decode() for text in c.texts[:c.text_count]])[
                    _copy(c.text, self.header.atoms)]
            properties[name.decode()] = Property(values, c.unit.decode(), c.origin.decode())
        raise AssertionError

    def _take_sources(self, c: _CHeader) -> None:
        self.header.sources[:] = [(s.name.decode(), s.fingerprint) for s in c.sources[:c.source_count]]


# ---- opening frames -------------------------------------------------------------------------------------------------

def open_frames(file: File, top: str | None = None, groups: str | Mapping[str, str] | None = None,
                frames: str | int | None = None, carry: str | Iterable[str] | None = None,
                **options: Any) -> FrameStream:
    """Opens a frame stream (a file, "-" for standard input, or a binary file object) or a trajectory.

    A frame stream is read directly. Files of other formats, and packed or compressed coordinates, are decoded by the
    C library libtrjpipe if it is installed, or else by trjcat. trjcat also reads frame streams if an option is given:
    top, a topology; groups, name -> selection, or one selection; frames, a range such as "100:200:10"; carry, names of
    properties of atoms, "charge,mass" or ["charge", "mass"], which FrameStream.properties then contains; and other
    options of trjcat by their long names, such as cell="20,20,20".
    """
    names = carry if carry is None or isinstance(carry, str) else ",".join(carry)
    chosen = {"topology": top, "group": _group_options(groups), "frames": frames, "carry": names, **options}
    chosen = {name: value for name, value in chosen.items() if value not in (None, [])}
    if isinstance(file, (str, os.PathLike)):
        file = os.fspath(file)
        is_stream = _is_stream(file)
        if chosen or not is_stream:
            return FrameStream(_open_decoder(file, chosen, may_use_library=not is_stream))
    elif chosen:
        raise ValueError("options of trjcat require the name of a file")
    try:
        return FrameStream(_StreamReader(_Input(file)))
    except _Unsupported as error:
        return FrameStream(_decode(error))


def _is_stream(path: str) -> bool:
    """Returns whether a file is a frame stream; pipes must be, because they can be read only once."""
    if path == "-" or not stat.S_ISREG(os.stat(path).st_mode):
        return True
    with open(path, "rb") as f:
        return f.read(4) == b"\x89TRJ"


def _decode(error: _Unsupported) -> _StreamReader | _LibraryReader:
    """Reads a stream again from its beginning with a program that can decode its blocks."""
    source = error.source
    if not (source.path or source.can_be_replayed) or not (shutil.which("trjcat") or _load_libtrjpipe()):
        raise error
    if source.path:
        source.close()
        return _open_decoder(source.path, {})
    pipe = source.replay()
    try:
        return _open_decoder(source.name, {}, pipe)
    finally:
        os.close(pipe)


def _open_decoder(path: str, options: Options, pipe: int | None = None,
                  may_use_library: bool = True) -> _StreamReader | _LibraryReader:
    """Opens a file with libtrjpipe, or with trjcat if the library is missing or has no such option. `pipe`: a file
    descriptor with the data of `path`."""
    library = _load_libtrjpipe() if may_use_library else None
    if library and set(options) <= {"group", *_TEXTS}:
        return _LibraryReader(library, path, options, pipe)
    process = _Converter(["trjcat", "-z", "0", *_arguments(options), "--", path if pipe is None else "-"],
                         pipe if pipe is not None else None if path == "-" else subprocess.DEVNULL)
    return _StreamReader(process.output, process)


# ---- maps (lib/api/trjpipe.h) ---------------------------------------------------------------------------------------

@dataclass(frozen=True)
class GridValues:
    """What the values of a map are: quantity and unit, empty if unknown; meaning, "samples" at the points, or "means"
    or "totals" over the voxels of the points; error_bound, the largest absolute error of a mean, 0 if exact or unknown.
    """
    quantity: str
    unit: str
    meaning: str
    error_bound: float


class _Lattice:
    """The points of a map, for Grid and GridStream."""
    shape: tuple[int, int, int]
    origin: numpy.ndarray
    steps: numpy.ndarray

    def positions(self) -> numpy.ndarray:
        """[n0][n1][n2][3] positions of all points in Å."""
        return self.origin + numpy.moveaxis(numpy.indices(self.shape), 0, -1) @ self.steps


@dataclass(frozen=True, eq=False)
class Grid(_Lattice):
    """A map of means over frames.

    shape        numbers of points n0, n1, n2 along the three axes
    origin       [3] position of the point 0, 0, 0 in Å
    steps        [3][3] vectors in Å from a point to the next one along each axis
    periodic     [3] whether the point n of an axis is an image of its point 0
    values       [n0][n1][n2] float64 at the points i, j, k; several components of a point are a fourth axis
    described    what they are (GridValues); means of totals, such as numbers of atoms, are densities
    frames       number of frames, 0 if unknown
    provenance   a line for each program that processed the data
    sources      (name, fingerprint) of the files of the frames
    """
    shape: tuple[int, int, int]
    origin: numpy.ndarray
    steps: numpy.ndarray
    periodic: numpy.ndarray
    values: numpy.ndarray
    described: GridValues
    frames: int
    provenance: list[str]
    sources: list[tuple[str, int]]

    @property
    def unit(self) -> str:
        """The unit of the values, empty if unknown."""
        return self.described.unit


@dataclass(frozen=True, eq=False)
class GridRecord:
    """A record of a map.

    number   of the record, from 0
    frames   number of frames, 0 if unknown
    weight   sum of the weights of the frames (without weights, their number) by which sums are divided, or None if the
             values are no sums
    values   [n0][n1][n2] stored values: uint64 counts, int64 multiples of GridStream.quantum, float32 or float64
    mean     [n0][n1][n2] float64 means over the frames, the numbers that mapconv writes
    """
    number: int
    frames: int
    weight: float | None
    values: numpy.ndarray
    mean: numpy.ndarray


class GridStream(_Lattice):
    """Iterates over the records of a map, once.

    shape, origin, steps, periodic   as in Grid
    components           number of values of a point: 1, or 3 for vectors, which are a fourth axis of arrays
    quantum              of the stored values, if they are multiples of it, or None
    stored, mean         what GridRecord.values and GridRecord.mean are (GridValues)
    provenance, sources  as in Grid; reading records can add to them
    records              number of records read so far

    Damage is an error where it is found, and a file is complete only when its last record has been read: do not use
    averages over records of an iteration that has raised an exception.
    """

    def __init__(self, file: str | os.PathLike[str], totals: bool = False):
        self._name, self._handle, self._error = os.fspath(file), ctypes.c_void_p(), _CError()
        library = _load_libtrjpipe()
        if not library:
            raise TrjpipeError(f"{self._name}: maps are read by the library libtrjpipe, which is missing or older than "
                               "this module; install trjpipe, and add its folder bin to PATH")
        self._library, self.records = library, 0
        options = _CMapOptions(ctypes.sizeof(_CMapOptions), totals)
        self._check(library.trjpipe_map_open(ctypes.byref(self._handle), os.fsencode(file), options, self._error))
        c = self._take_header()
        self.shape = (c.points[0], c.points[1], c.points[2])
        self.origin, self.steps = numpy.array(c.origin), numpy.array(c.step).reshape(3, 3)
        self.periodic = (c.periodic >> numpy.arange(3) & 1).astype(bool)
        self.components, self.quantum = c.components, c.quantum or None
        self._dtype = ("<f4", "<f8", "<i8", "<u8")[c.kind]

    def __enter__(self) -> GridStream:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. Records that have been read stay valid."""
        if self._handle:
            self._library.trjpipe_map_close(self._handle)
        self._handle = ctypes.c_void_p()

    def __del__(self) -> None:
        self.close()

    def __iter__(self) -> GridStream:
        return self

    def __next__(self) -> GridRecord:
        c = _CMapRecord(ctypes.sizeof(_CMapRecord))
        if not self._handle:
            raise StopIteration
        if not self._check(self._library.trjpipe_map_next(self._handle, c, self._error)):
            self.close()
            raise StopIteration
        n0, n1, n2 = self.shape
        values, mean = (numpy.empty((n2, n1, n0, self.components), dtype) for dtype in (self._dtype, float))
        self._check(self._library.trjpipe_map_read(self._handle, values.ctypes.data, mean.ctypes.data, n2,
                                                   self._error))
        self._take_header()
        self.records += 1
        return GridRecord(self.records - 1, c.frames, c.weight if c.sum else None, self._turn(values),
                          self._turn(mean))

    def _turn(self, values: numpy.ndarray) -> numpy.ndarray:
        """Returns a view with the indices i, j, k, and that of the component if there are several."""
        turned = values.transpose(2, 1, 0, 3)
        return turned[..., 0] if self.components == 1 else turned

    def _check(self, result: int) -> int:
        """Reports notes, and raises the error of a function that returned -1."""
        note = self._library.trjpipe_map_note(self._handle) if self._handle else None
        while note:
            _warn(f"{self._name}: note: {note.decode(errors='replace')}")
            note = self._library.trjpipe_map_note(self._handle)
        if result < 0:
            self.close()
            _raise_library_error(self._error, "stdin" if self._name == "-" else self._name, self._name)
        return result

    def _take_header(self) -> _CMapHeader:
        c = self._library.trjpipe_map_header(self._handle).contents
        self.stored, self.mean = (
            GridValues(v.quantity.decode(), v.unit.decode(), ("samples", "means", "totals")[v.meaning], v.error_bound)
            for v in (c.stored, c.mean))
        self.provenance = [line.decode() for line in c.provenance[:c.provenance_count]]
        self.sources = [(s.name.decode(), s.fingerprint) for s in c.sources[:c.source_count]]
        return c


def open_grid(file: str | os.PathLike[str], totals: bool = False) -> GridStream:
    """Opens a grid stream, or a map in another format that mapconv reads; "-" is standard input. With `totals`, means
    of totals over voxels, such as numbers of atoms, are not converted to densities."""
    return GridStream(file, totals)


def read_grid(*files: str | os.PathLike[str], totals: bool = False) -> Grid:
    """Reads the mean over the frames of a map. mapsum adds several records or grid streams; it rejects records that
    are not sums over different frames. `totals` is that of open_grid()."""
    if not files:
        raise ValueError("no file given")
    if len(files) == 1:
        with open_grid(files[0], totals) as stream:
            record, more = next(stream), next(stream, None)
        if not more:
            return Grid(stream.shape, stream.origin, stream.steps, stream.periodic, record.mean, stream.mean,
                        record.frames, stream.provenance, stream.sources)
    if "-" in files:
        raise ValueError("standard input with several records or files can be read by open_grid() only")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sum.trjg")
        _, lines = _run([["mapsum", f"--output={path}", "--", *map(os.fspath, files)]])
        _warn_of_notes(lines)
        return read_grid(path, totals=totals)


# ---- tables of rdfnorm and rdfderive --------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Table:
    """A table: comments, without "# ", and name -> [rows] values of each column, float64 or texts."""
    comments: list[str]
    columns: dict[str, numpy.ndarray]

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self.columns[name]

    def error_of(self, name: str) -> numpy.ndarray | None:
        """[rows] Standard errors of the column `name`, or None. They are in the next column, which begins with "se"."""
        names = list(self.columns)
        i = names.index(name) + 1
        return self.columns[names[i]] if i < len(names) and re.match(r"se[(_]", names[i]) else None

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame, whose attrs["comments"] are the comments."""
        import pandas
        frame = pandas.DataFrame(self.columns)
        frame.attrs["comments"] = self.comments
        return frame

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draws columns, with bands of one standard error, over the first column; returns the axes of matplotlib.

        If rows have the edges of their bins, r_lo and r_hi, columns are drawn over the middles.

        By default these are all columns of numbers except errors, n(A:B) beside g(A:B), and `resolved`.
        """
        first, *rest = [name for name, values in self.columns.items() if values.dtype.kind == "f"]
        x = self[first]
        if first == "r_lo" and "r_hi" in rest:
            rest.remove("r_hi")
            first, x = "r", (x + self["r_hi"]) / 2
        curves = [name for name in rest if not re.match(r"se[(_]|resolved$", name)]
        others = [name for name in curves if not name.startswith("n(")]
        if axes is None:
            import matplotlib.pyplot
            axes = matplotlib.pyplot.subplots()[1]
        for name in names or others or curves:
            line, = axes.plot(x, self[name], label=name)
            error = self.error_of(name)
            if error is not None:
                axes.fill_between(x, self[name] - error, self[name] + error, color=line.get_color(),
                                  alpha=0.3, linewidth=0)
        axes.set_xlabel({"r": "r / Å", "q": "q / Å⁻¹"}.get(first, first))
        axes.legend()
        return axes


def read_table(file: File) -> Table:
    """Reads a table of rdfnorm or rdfderive from a file, "-" for standard input, or a binary file object."""
    if not isinstance(file, (str, os.PathLike)):
        return _parse_table(file.read(), str(getattr(file, "name", "table")))
    if os.fspath(file) == "-":
        return _parse_table(sys.stdin.buffer.read(), "stdin")
    with open(file, "rb") as f:
        return _parse_table(f.read(), os.fspath(file))


def _parse_table(data: bytes, name: str) -> Table:
    lines = data.decode("utf-8", "replace").split("\n")
    comments = [line[2:] for line in lines if line.startswith("#")]
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    if comments and comments[-1].startswith("FAILED: "):
        tool, _, message = comments[-1][len("FAILED: "):].partition(": ")
        raise ToolError(tool, 1, message)
    if not comments or lines[-1]:
        raise StreamError(name, f"truncated at byte {len(data)}, or not a table of rdfnorm or rdfderive",
                          byte=len(data))
    names = comments.pop().split("\t")
    at = 0
    for line in lines:
        if line and not line.startswith("#") and line.count("\t") != len(names) - 1:
            raise StreamError(name, f"row at byte {at} has {line.count(chr(9)) + 1} fields, expected "
                              f"{len(names)}", byte=at)
        at += len(line.encode()) + 1
    columns = {}
    for i, column in enumerate(names):
        texts = [row[i] for row in rows]
        try:
            columns[column] = numpy.array(texts, float)
        except ValueError:
            columns[column] = numpy.array(texts, object)
    return Table(comments, columns)


# ---- histogram streams (schemas/histogram_stream.md) ----------------------------------------------------------------

_HISTOGRAM_BLOCKS = {**dict.fromkeys("SETU CHNG EXCL LAGS COMP SYST PREC END! FAIL".split(), False),
                     **dict.fromkeys("PROV SRCE SPAC RECO".split(), True)}  # type -> whether it may be repeated


@dataclass(frozen=True, eq=False)
class Record:
    """Counts of some frames.

    frames      number of frames
    volume      mean volume of the cells in Å³, nan if no frame has one
    counts      [pairs][bins] uint64 counted pairs of atoms
    excluded    [pairs][bins] uint64 the part of them that belongs to excluded pairs of atoms, or None
    moved       [pairs][bins] uint64 displacements of atoms, for counts with a lag, or None
    atoms       [groups] mean number of members of each group
    runs        (fingerprint of the source, range of the indices of the frames)
    """
    frames: int
    volume: float
    counts: numpy.ndarray
    excluded: numpy.ndarray | None
    moved: numpy.ndarray | None
    atoms: numpy.ndarray
    runs: list[tuple[int, range]]


class Histogram:
    """The sum of the records of histogram streams with equal set-ups; no frame is counted twice.

    edges       [bins + 1] float64 edges of the bins in Å
    groups      name -> number of atoms; for a dynamic group, of all atoms that can be its members
    dynamic     names of dynamic groups
    pairs       names such as "O:H", in the order of the stream
    pair_atoms  name of a pair -> number of pairs of atoms in every frame, with excluded pairs
    exclusion   which pairs are excluded, such as "residue"; empty if none
    lag         number of frames between the atoms of a pair; 0 for pairs in the same frame
    lag_time    the same in ps, nan if unknown
    records     the records, in order
    precision   largest difference in Å between a coordinate and that of its source, if trjcat --precision rounded
                them, or None
    provenance  a line for each program that processed the data
    frames      number of frames in all records
    verified    whether checksums are verified
    """

    def __init__(self, streams: Sequence[bytes], names: Sequence[str]):
        self.streams = list(streams)
        self.records: list[Record] = []
        self.precision: float | None = None
        self.provenance: list[str] = []
        self.verified = _hash is not None
        self._setup: Any = None  # of the first record
        for data, name in zip(streams, names):
            source = _Input(data)
            source.name = name
            blocks = _Blocks(source, b"RDH", self._limit)
            if not blocks.open():
                raise blocks.error("the file is empty, expected a histogram stream")
            while True:
                self._read_stream(blocks)
                if not blocks.open():
                    break
        if not self.records:
            raise StreamError(names[0], "contains no records")
        self._check_repeated(names[0])
        self.frames = sum(record.frames for record in self.records)

    @property
    def r(self) -> numpy.ndarray:
        """[bins] Middle of each bin in Å."""
        return (self.edges[:-1] + self.edges[1:]) / 2

    def counts(self, pair: str, excluded: str = "out") -> numpy.ndarray:
        """[bins] uint64 pairs in all frames; excluded pairs of atoms are left "out", "in"cluded, or alone ("only")."""
        return sum((self._counts(record, pair, excluded) for record in self.records), numpy.zeros(1, numpy.uint64))

    def mean(self, pair: str, excluded: str = "out") -> numpy.ndarray:
        """[bins] Mean number of pairs per frame."""
        return self.counts(pair, excluded) / self.frames

    def error(self, pair: str, excluded: str = "out") -> numpy.ndarray | None:
        """[bins] Standard error of mean() from the differences between records, or None if there is one record.

        This is the formula of `rdfnorm -e records`, which assumes that records are independent. normalise() and
        derive() detect correlation between records.
        """
        weights = numpy.array([record.frames / self.frames for record in self.records])
        if len(weights) < 2:
            return None
        mean = self.mean(pair, excluded)
        squares = sum(w * w * (self._counts(record, pair, excluded) / record.frames - mean)**2
                      for w, record in zip(weights, self.records))
        return numpy.sqrt(squares / (1 - (weights**2).sum()))

    def normalise(self, norm: str = "density", **options: Any) -> RDF:
        """Computes g(r) with rdfnorm. Options have its long names: error="blocks", rebin=4, total=["xray"]."""
        return self._run_rdfnorm({"norm": norm, **options}, [])

    def derive(self, quantity: str, **options: Any) -> Table:
        """Computes another quantity with rdfderive: derive("sq", window="lorch")."""
        command = ["rdfderive", *_arguments({"quantity": quantity, **options})]
        data, lines = _run([command], b"".join(self.streams))
        _warn_of_notes(lines)
        return _parse_table(data, "output of rdfderive")

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the histogram streams to a file, for rdfnorm and rdfderive."""
        with open(file, "wb") as f:
            f.write(b"".join(self.streams))

    def _run_rdfnorm(self, options: Options, messages: Sequence[str]) -> RDF:
        data, lines = _run([["rdfnorm", *_arguments(options)]], b"".join(self.streams))
        _warn_of_notes(lines)
        return RDF(_parse_table(data, "output of rdfnorm"), self, [*messages, *lines])

    def _counts(self, record: Record, pair: str, excluded: str) -> numpy.ndarray:
        if excluded not in ("in", "out", "only"):
            raise ValueError(f"excluded: {excluded!r} is not one of 'in', 'out', 'only'")
        i = self.pairs.index(pair)
        if record.excluded is None or excluded == "in":
            return record.counts[i] if excluded != "only" else numpy.zeros_like(record.counts[i])
        return record.excluded[i] if excluded == "only" else record.counts[i] - record.excluded[i]

    def _limit(self, type_: str) -> int | None:
        groups, pairs, bins, rows = self._shape if type_ in ("CHNG", "EXCL", "LAGS", "RECO") else (0, 0, 0, 0)
        return {"SETU": 2**26, "CHNG": 2**16 + 4 * groups, "EXCL": 2**16 + 8 * pairs, "LAGS": 2**16 + 8 * pairs,
                "RECO": 2**16 + 2**27 + 8 * (groups + pairs * (rows * bins + 49)), "END!": 2**16, "FAIL": 2**16,
                "SRCE": 2**13, "PROV": 2**24}.get(type_)

    def _read_stream(self, blocks: _Blocks) -> None:
        seen: set[str] = set()
        setup: dict[str, Any] = {}
        sources: list[int] = []
        totals = [0, 0, 0]
        self._shape = (0, 0, 0, 1)
        while True:
            block = blocks.next()
            c = _Cursor(blocks, block)
            _check_type(blocks, block, _HISTOGRAM_BLOCKS, seen)
            if block.type == "FAIL":
                _raise_failure(c)
            if (block.type == "SETU") != (block.number == 0):
                raise blocks.error("misplaced, or block SETU is missing: stream damaged; create it again")
            if block.type in ("CHNG", "EXCL", "LAGS") and seen - {"SETU", "CHNG", "EXCL", "LAGS"}:
                raise blocks.error("misplaced: stream damaged; create it again")
            if block.type in ("SETU", "CHNG", "EXCL", "LAGS"):
                getattr(self, "_take_" + block.type.lower())(c, setup)
            elif block.type == "PREC":
                self.precision = max(self.precision or 0, _take_precision(c))
            elif block.type == "PROV":
                self.provenance += c.texts()
            elif block.type == "SRCE":
                c.text()
                sources.append(c.number("Q"))
            elif block.type == "RECO":
                if not self._setup_is(setup):
                    raise blocks.error("bins, groups, pairs, exclusions or lag differ from those of the records "
                                       "before; add streams of one set-up")
                record = self._take_reco(c, sources)
                totals = [totals[0] + 1, totals[1] + record.frames, totals[2] + int(record.counts.sum())]
                self.records.append(record)
            elif block.type == "END!":
                if [c.number("Q") for _ in range(3)] != [*totals[:2], totals[2] % 2**64]:
                    raise c.invalid("its totals differ from those of the records")
                return

    def _take_setu(self, c: _Cursor, setup: dict[str, Any]) -> None:
        low, high, bins = c.number("d"), c.number("d"), c.number("Q")
        if not (0 <= low < high <= 1e8 and 1 <= bins <= 10**7):
            raise c.invalid("invalid bins")
        groups = [(c.text(), c.number("Q")) for _ in range(c.number("I"))]
        pairs = [(c.number("I"), c.number("I"), c.number("Q")) for _ in range(c.number("I"))]
        if not groups or not pairs or any(a >= len(groups) or b >= len(groups) for a, b, _ in pairs):
            raise c.invalid("invalid groups or pairs")
        setup.update(bins=(low, high, bins), groups=groups, pairs=pairs, dynamic=None, exclusion=None, lag=None)
        self._shape = (len(groups), len(pairs), bins, 1)

    def _take_chng(self, c: _Cursor, setup: dict[str, Any]) -> None:
        setup["dynamic"] = c.array("u4", self._shape[0]).tolist()

    def _take_excl(self, c: _Cursor, setup: dict[str, Any]) -> None:
        setup["exclusion"] = (c.text(), c.array("u8", self._shape[1]).tolist())
        self._shape = (*self._shape[:3], self._shape[3] + 1)

    def _take_lags(self, c: _Cursor, setup: dict[str, Any]) -> None:
        setup["lag"] = (c.number("Q"), c.number("d"), c.array("u8", self._shape[1]).tolist())
        self._shape = (*self._shape[:3], self._shape[3] + 1)

    def _setup_is(self, setup: dict[str, Any]) -> bool:
        """Takes the set-up of the first record, and compares those of other streams with it."""
        if self._setup is None:
            self._setup = setup
            low, high, bins = setup["bins"]
            names = [name for name, _ in setup["groups"]]
            self.edges = low + numpy.arange(bins + 1) * ((high - low) / bins)
            self.groups: dict[str, int] = dict(setup["groups"])
            self.dynamic = [name for name, changes in zip(names, setup["dynamic"] or []) if changes]
            self.pairs = [f"{names[a]}:{names[b]}" for a, b, _ in setup["pairs"]]
            self.pair_atoms = {pair: n for pair, (_, _, n) in zip(self.pairs, setup["pairs"])}
            self.exclusion = setup["exclusion"][0] if setup["exclusion"] else ""
            self.lag, self.lag_time = setup["lag"][:2] if setup["lag"] else (0, 0.0)
        first = dict(self._setup)
        if first["lag"] and setup["lag"]:  # times may differ by a thousandth
            a, b = first["lag"][1], setup["lag"][1]
            if math.isnan(a) and math.isnan(b) or abs(a - b) <= 1e-3 * abs(a):
                first["lag"] = (first["lag"][0], b, first["lag"][2])
                setup = dict(setup, lag=(*setup["lag"][:1], b, setup["lag"][2]))
        return repr(first) == repr(setup)

    def _take_reco(self, c: _Cursor, sources: Sequence[int]) -> Record:
        groups, pairs, bins, _ = self._shape
        setup = self._setup
        frames, volume_frames = c.number("Q"), c.number("Q")
        volume = int.from_bytes(c.take(64), "little", signed=True)
        c.take(64 + 4 * 8 + 8)  # the sum of 1/V; extremes of volume and height; periodic directions
        runs = []
        for _ in range(c.number("Q")):
            source, first, step, count = (c.number("Q") for _ in range(4))
            if source >= len(sources) or not step or not count or first + step * (count - 1) >= 2**64:
                raise c.invalid("invalid run of frames")
            runs.append((sources[source], range(first, first + step * (count - 1) + 1, step)))
        counts = c.array("u8", pairs, bins)
        excluded = moved = None
        atoms = numpy.array([n for _, n in setup["groups"]], numpy.float64)
        if setup["exclusion"]:
            excluded = c.array("u8", pairs, bins)
            if (excluded > counts).any():
                raise c.invalid("more excluded pairs than pairs in a bin")
        if setup["dynamic"]:
            atoms = c.array("u8", groups) / max(frames, 1)
            c.take(pairs * (256 + (128 if setup["exclusion"] else 0)))
        if setup["lag"]:
            c.take(8 + 8 * pairs)
            moved = c.array("u8", pairs, bins)
        # len() fails for ranges of more than 2^63 numbers.
        if not frames or sum((run[-1] - run[0]) // run.step + 1 for _, run in runs) != frames or volume_frames > frames:
            raise c.invalid("invalid number of frames")
        mean = volume / (volume_frames << 256) if volume_frames else math.nan
        return Record(frames, mean, counts, excluded, moved, atoms, runs)

    def _check_repeated(self, name: str) -> None:
        """Rejects frames that are counted twice."""
        runs = sorted((run for record in self.records for run in record.runs), key=lambda run: (run[0], run[1][0]))
        active: list[tuple[int, range]] = []  # runs that have not ended before the current one
        for source, run in runs:
            active = [other for other in active if other[0] == source and other[1][-1] >= run[0]]
            for _, other in active:
                index = _first_common(other, run)
                if index is not None:
                    raise StreamError(name, f"frame {index} of a source is counted twice; give each stream once")
            active.append((source, run))


def _first_common(a: range, b: range) -> int | None:
    """Returns the smallest number in two ascending ranges, or None."""
    divisor = math.gcd(a.step, b.step)
    if (b[0] - a[0]) % divisor:
        return None
    period = b.step // divisor
    common = a[0] + a.step * ((b[0] - a[0]) // divisor * pow(a.step // divisor, -1, period) % period)
    low, both = max(a[0], b[0]), a.step * period
    common += -((common - low) // both) * both
    return common if common <= min(a[-1], b[-1]) else None


def read_histogram(*files: File) -> Histogram:
    """Reads and adds histogram streams of files, of "-" (standard input), or of binary file objects."""
    streams, names = [], []
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            streams.append(file.read())
        elif os.fspath(file) == "-":
            streams.append(sys.stdin.buffer.read())
        else:
            with open(file, "rb") as f:
                streams.append(f.read())
        names.append(os.fspath(file) if isinstance(file, (str, os.PathLike)) else str(getattr(file, "name", "stream")))
    if not files:
        raise ValueError("no histogram stream given")
    return Histogram(streams, names)


# ---- g(r) by trjcat, rdfhist and rdfnorm ----------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Curve:
    """g(r) of a pair of groups: r, the middle of each bin in Å; g; error, its standard error; n, the mean number of
    atoms of B around an atom of A within the upper edge of the bin. All are [bins] float64. error is None for a single
    record; n is None for a total."""
    r: numpy.ndarray
    g: numpy.ndarray
    error: numpy.ndarray | None
    n: numpy.ndarray | None


class RDF:
    """Radial distribution functions: result["O:H"] is the Curve of a pair or total. With a single curve, result.g,
    result.error and result.n are those of this curve.

    table      the table of rdfnorm
    histogram  the counts, from which normalise() and derive() compute other curves without counting again
    messages   lines that the tools printed, such as the engine
    curves     name -> Curve
    r          [bins] middle of each bin in Å
    """

    def __init__(self, table: Table, histogram: Histogram, messages: Sequence[str]):
        self.table, self.histogram, self.messages = table, histogram, list(messages)
        self.r = table["r"]
        self.curves: dict[str, Curve] = {}
        for column in table.columns:
            match = re.fullmatch(r"(?!se\(|n\()[^(]+\((.*)\)", column)
            if match:
                name = match.group(1)
                self.curves[name] = Curve(self.r, table[column], table.error_of(column),
                                          table.columns.get(f"n({name})"))

    def __getitem__(self, name: str) -> Curve:
        if name not in self.curves:
            raise KeyError(f"{name!r} is not one of {', '.join(self.curves)}")
        return self.curves[name]

    @property
    def g(self) -> numpy.ndarray:
        return self._only().g

    @property
    def error(self) -> numpy.ndarray | None:
        return self._only().error

    @property
    def n(self) -> numpy.ndarray | None:
        return self._only().n

    def plot(self, axes: Any = None) -> Any:
        """Draws the curves with bands of one standard error; returns the axes of matplotlib."""
        axes = self.table.plot(axes=axes)
        axes.set_ylabel("g(r)" if any(name.startswith("g(") for name in self.table.columns) else "")
        return axes

    def _repr_html_(self) -> str:
        """The figure and a line about the frames, which notebooks show; without matplotlib the line alone."""
        names = ", ".join(self.curves)
        text = html.escape(f"{names}: {self.histogram.frames} frames, {len(self.r)} bins up to "
                           f"{self.histogram.edges[-1]:.6g} Å")
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return f"<p>{text}. Install matplotlib to see a figure here.</p>"
        figure, file = Figure(figsize=(6, 4)), io.BytesIO()
        self.plot(figure.add_subplot())
        figure.savefig(file, format="svg")
        image = base64.b64encode(file.getvalue()).decode()
        return f'<img alt="{html.escape(names)}" src="data:image/svg+xml;base64,{image}"/><p>{text}</p>'

    def _only(self) -> Curve:
        if len(self.curves) != 1:
            raise ValueError(f"there are {len(self.curves)} curves; choose one: result[NAME] with NAME "
                             + " or ".join(map(repr, self.curves)))
        return next(iter(self.curves.values()))


def rdf(trajectory: str | Sequence[str] | numpy.ndarray, *, cell: Any = None, top: str | None = None,
        groups: str | Mapping[str, str] | None = None,
        pairs: str | Iterable[str | tuple[str, str]] | None = None, frames: str | int | None = None,
        rmax: float | None = None, bins: int | None = None, exclude: str | None = None, norm: str = "density",
        progress: bool | Callable[[int, int], None] | None = None, trjcat: Options | None = None,
        rdfhist: Options | None = None, rdfnorm: Options | None = None) -> RDF:
    """Computes g(r) of a trajectory, or of several in sequence, with `trjcat | rdfhist | rdfnorm`.

    trajectory
              a file, a list of files, or coordinates in Å as an array [frames, atoms, 3] or [atoms, 3]
    cell      of such an array, in Å: three lengths, three vectors [3, 3], or those of each frame [frames, 3, 3];
              by default there is none, and rmax must be given
    top       topology with the names for selections; none is needed for formats with names
    groups    name -> selection, such as {"O": "name OW"}; or one selection, "name OW", of a group named "group"; by
              default one group of all atoms
    pairs     a pair of groups, "O:H", or several, as "O:H" or ("O", "H"); by default each group with itself
    frames    range START:STOP:STEP of frames
    rmax      largest distance in Å; by default half the smallest width of the first cell
    bins      number of bins; by default they are 0.05 Å wide, or narrower if they would be fewer than 100
    exclude   pairs of atoms to leave out: "residue", "molecule", "bonds:3"
    norm      convention of rdfnorm
    progress  whether to show the progress on standard error (default: in terminals and notebooks), or a function that
              is called with the number of frames counted so far and their expected number, 0 if unknown
    trjcat, rdfhist, rdfnorm
              other options of these tools by their long names, such as rdfhist={"lag": 10, "engine": "cpu"}

    Raises ToolError with the message of the tool that failed first. An exception such as KeyboardInterrupt ends all
    processes.
    """
    data = b""
    files: Sequence[str] = []
    if isinstance(trajectory, numpy.ndarray):
        files, data = ["-"], _extended_xyz(trajectory, cell)
    elif cell is not None:
        raise ValueError('cell: is for arrays; for files give trjcat={"cell": "20,20,20"}')
    else:
        files = [trajectory] if isinstance(trajectory, (str, os.PathLike)) else trajectory
    pairs = [pairs] if isinstance(pairs, str) else pairs
    pair_names = [pair if isinstance(pair, str) else ":".join(pair) for pair in pairs or []]
    cat = {"topology": top, "group": _group_options(groups), "frames": frames, **(trjcat or {})}
    count = {"rmax": rmax, "bins": bins, "pair": pair_names, "exclude": exclude, **(rdfhist or {})}
    stages = [["trjcat", *_arguments(cat), "--", *map(os.fspath, files)], ["rdfhist", *_arguments(count)]]
    with _Progress(progress) as show:
        data, lines = _run(stages, data, progress=show)
    _warn_of_notes(lines)
    return Histogram([data], ["output of rdfhist"])._run_rdfnorm({"norm": norm, **(rdfnorm or {})}, lines)


def _extended_xyz(positions: numpy.ndarray, cell: Any) -> bytes:
    """Writes arrays as extended XYZ, a text that contains all digits and any cell."""
    x = positions[None] if positions.ndim == 2 else positions
    if x.ndim != 3 or x.shape[2] != 3 or not x.size or x.dtype.kind not in "fiu":
        raise ValueError(f"an array {list(positions.shape)} of {x.dtype} given, expected numbers [frames, atoms, 3]")
    cells = None if cell is None else numpy.asarray(cell, float)
    if cells is not None:
        cells = numpy.diag(cells) if cells.shape == (3,) else cells
        if cells.shape not in ((3, 3), (len(x), 3, 3)):
            raise ValueError(f"cell: an array {list(cells.shape)} given, expected [3], [3, 3] or [{len(x)}, 3, 3]")
        cells = numpy.broadcast_to(cells, (len(x), 3, 3))
    for what, values in ("coordinate", x), ("cell", cells):
        if values is not None and not numpy.isfinite(values).all():
            raise ValueError(f"a {what} is not finite")
    digits = "%.9g" if x.dtype == numpy.float32 else "%.17g"
    line = f"X {digits} {digits} {digits}\n"
    parts = []
    for i, frame in enumerate(x):
        lattice = "" if cells is None else 'Lattice="' + " ".join(f"{v:.17g}" for v in cells[i].flat) + '" '
        parts.append(f"{len(frame)}\n{lattice}Properties=species:S:1:pos:R:3\n")
        parts.append(line * len(frame) % tuple(frame.ravel().tolist()))
    return "".join(parts).encode()


# ---- processes ------------------------------------------------------------------------------------------------------

def _find_tool(name: str) -> str:
    path = shutil.which(name)
    if not path:
        raise ToolError(name, 4, "not found in PATH; install trjpipe, or add its folder bin to PATH")
    return path


def _group_options(groups: str | Mapping[str, str] | None) -> list[str]:
    if isinstance(groups, str):
        groups = {"group": groups}
    return [f"{name}={selection}" for name, selection in (groups or {}).items()]


def _arguments(options: Options) -> list[str]:
    """Returns options by their long names as arguments. True is a flag; None and False are left out."""
    words = []
    for name, value in options.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                words.append("--" + name.replace("_", "-"))
            elif item is not None and item is not False:
                words.append(f"--{name.replace('_', '-')}={item}")
    return words


def _stop(processes: Sequence[subprocess.Popen]) -> None:
    """Ends processes and waits for them."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def _run(stages: Sequence[Sequence[str]], data: bytes = b"",
         progress: Callable[[int, int], None] | None = None) -> tuple[bytes, list[str]]:
    """Runs a pipeline with `data` as its input. Returns its output, and the lines that the tools print."""
    environment = dict(os.environ, TRJPIPE_PROGRESS="1")  # tools then print lines that begin with \x1e
    processes: list[Any] = []  # of Popen
    errors = [bytearray() for _ in stages]
    done, total = 0, 0
    out = bytearray()
    try:
        with selectors.DefaultSelector() as selector:
            for stage in stages:
                stdin: Any = processes[-1].stdout if processes else subprocess.PIPE if data else subprocess.DEVNULL
                process: Any = subprocess.Popen(stage, executable=_find_tool(stage[0]), stdin=stdin, env=environment,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
                if processes:
                    stdin.close()  # so that a tool is stopped when the next one has ended
                processes.append(process)
                selector.register(process.stderr, selectors.EVENT_READ, errors[len(processes) - 1])
            selector.register(processes[-1].stdout, selectors.EVENT_READ, out)
            if data:
                os.set_blocking(processes[0].stdin.fileno(), False)
                selector.register(processes[0].stdin, selectors.EVENT_WRITE, memoryview(data))
            while selector.get_map():
                for key, _ in selector.select():
                    if key.events == selectors.EVENT_WRITE:
                        _feed(selector, key)
                        continue
                    chunk = os.read(key.fd, 1 << 16)
                    key.data.extend(chunk)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    for found in re.finditer(rb"(?m)^\x1eframes (\d+) (\d+)$", chunk) if key.data is not out else ():
                        if progress and key.data is errors[-1]:
                            done = int(found.group(1))
                        total = max(total, int(found.group(2)))
                        if progress:
                            progress(done, total)
        for process in processes:
            process.wait()
    finally:
        _stop(processes)
    lines = [[line for line in text.decode(errors="replace").split("\n") if line and line[0] != "\x1e"]
             for text in errors]
    _raise_tool_error([(stage[0], process.returncode, own) for stage, process, own in zip(stages, processes, lines)])
    return bytes(out), [line for own in lines for line in own]


def _feed(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Writes a part of the input; a process that has ended reports the reason itself."""
    rest: memoryview = key.data
    pipe: Any = key.fileobj
    try:
        rest = rest[os.write(key.fd, rest[:1 << 16]):]
    except BrokenPipeError:
        rest = rest[:0]
    if len(rest):
        selector.modify(key.fileobj, selectors.EVENT_WRITE, rest)
    else:
        selector.unregister(pipe)
        pipe.close()


def _raise_tool_error(results: Sequence[tuple[str, int, list[str]]]) -> None:
    """Raises the error of the first tool that failed itself. A tool whose input has failed prints no error."""
    for silent in (False, True):
        for tool, status, lines in results:
            own = [line for line in lines if re.match(rf"{tool}: (?!engine \w+,)", line) and ": note: " not in line]
            if status < 0 and (silent or status != -signal.SIGPIPE):
                raise ToolError(tool, status, f"ended by signal {-status} ({signal.strsignal(-status)})")
            if status > 0 and (silent or own):
                message = own[-1][len(tool) + 2:] if own else "\n".join(lines) or f"failed with exit status {status}"
                raise ToolError(tool, status, message)


def _warn_of_notes(lines: Iterable[str]) -> None:
    for line in lines:
        if ": note: " in line:
            _warn(line)


class _Progress:
    """Shows the progress as one line on standard error, which notebooks display, too."""

    def __init__(self, choice: bool | Callable[[int, int], None] | None):
        if choice is None:
            choice = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._function = choice if callable(choice) else self._print if choice else None
        self._start = self._last = time.monotonic()
        self._width = 0

    def __enter__(self) -> Callable[[int, int], None] | None:
        return self._function

    def __exit__(self, *exception: object) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)

    def _print(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < 0.2 and done != total:
            return
        self._last = now
        text = f"{done} of {total} frames" if total else f"{done} frames"
        if 0 < done < total:
            text += f", {(now - self._start) * (total - done) / done:.0f} s left"
        self._width = max(self._width, len(text))
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
