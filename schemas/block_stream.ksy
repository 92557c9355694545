# SPDX-License-Identifier: MIT
meta:
  id: block_stream
  title: Container of trjpipe frame streams and histogram streams
  license: MIT
  endian: le
doc: |
  File header, block headers, and the blocks that both kinds of stream have. Normative text: block_stream.md.
  Checksums are not verified here, and compressed payloads (one Zstandard frame each) remain bytes.
types:
  file_header_rest:
    doc: the fields after the eight bytes of magic
    seq:
      - id: major
        type: u2
        valid: 1
      - id: minor
        type: u2
      - id: reserved
        type: u4
      - id: check
        type: u8
        doc: XXH3-64 of the magic and the next 8 bytes, seed 0
  block_header:
    seq:
      - id: type
        type: str
        size: 4
        encoding: ASCII
      - id: flags
        type: u4
        valid:
          max: 3
      - id: stored
        type: u8
        doc: number of payload bytes that follow
      - id: raw
        type: u8
        doc: number of payload bytes after decompression
      - id: payload_check
        type: u8
        doc: XXH3-64 of the payload as stored, seed 0
      - id: header_check
        type: u8
        doc: XXH3-64 of the 32 bytes before it; the seed is the number of the block
    instances:
      required:
        value: (flags & 1) != 0
      compressed:
        value: (flags & 2) != 0
      kind:
        value: 'compressed ? "zstd" : type'
        doc: the type of the payload
  text:
    seq:
      - id: length
        type: u4
      - id: value
        type: str
        size: length
        encoding: UTF-8
  provenance:
    seq:
      - id: count
        type: u4
      - id: lines
        type: text
        repeat: expr
        repeat-expr: count
  source:
    seq:
      - id: name
        type: text
      - id: fingerprint
        type: u8
  failure:
    doc: the program that writes the stream has failed
    seq:
      - id: tool
        type: text
      - id: status
        type: u4
        doc: exit status of the tool
      - id: time
        type: s8
        doc: seconds since 1970-01-01 00:00 UTC
      - id: message
        type: text
