# SPDX-License-Identifier: MIT
meta:
  id: grid_stream
  title: trjpipe grid stream
  file-extension: trjg
  license: MIT
  endian: le
  imports:
    - block_stream
doc: |
  Maps: values at the points of a lattice. Normative text: grid_stream.md. Streams may follow one another. A compressed
  payload remains bytes. After decompression, parse it with the type that has the same name below.
seq:
  - id: streams
    type: stream
    repeat: eos
types:
  stream:
    seq:
      - id: magic
        contents: [0x89, GRD, 0x0d, 0x0a, 0x1a, 0x0a]
      - id: header
        type: block_stream::file_header_rest
      - id: blocks
        type: block
        repeat: until
        repeat-until: _.header.type == "END!" or _.header.type == "FAIL"
  block:
    seq:
      - id: header
        type: block_stream::block_header
      - id: body
        size: header.stored
        type:
          switch-on: header.kind
          cases:
            '"HEAD"': head
            '"PROV"': block_stream::provenance
            '"SRCE"': block_stream::source
            '"ATOM"': atoms
            '"RECO"': record
            '"SLAB"': slab
            '"END!"': end
            '"FAIL"': block_stream::failure
  vector:
    seq:
      - id: x
        type: f8
      - id: y
        type: f8
      - id: z
        type: f8
  head:
    seq:
      - id: points
        type: u8
        repeat: expr
        repeat-expr: 3
      - id: origin
        type: vector
        doc: in Å, of the point 0, 0, 0
      - id: steps
        type: vector
        repeat: expr
        repeat-expr: 3
        doc: in Å, between adjacent points along the axes 0, 1, 2
      - id: periodic
        type: u4
        doc: bits 0, 1, 2 for the axes
      - id: quantity
        type: block_stream::text
      - id: unit
        type: block_stream::text
      - id: kind
        type: u4
        enum: kind
      - id: meaning
        type: u4
        enum: meaning
      - id: components
        type: u4
      - id: quantum
        type: f8
      - id: error_bound
        type: f8
    enums:
      kind:
        0: float32
        1: float64
        2: quanta
        3: counts
      meaning:
        0: samples
        1: means
        2: totals
  atoms:
    doc: of the next record
    seq:
      - id: atom_count
        type: u8
      - id: atoms
        type: atom
        repeat: expr
        repeat-expr: atom_count
      - id: orbital_count
        type: u8
        doc: 0, or the number of components
      - id: orbitals
        type: s4
        repeat: expr
        repeat-expr: orbital_count
  atom:
    seq:
      - id: number
        type: s4
      - id: charge
        type: f8
      - id: position
        type: vector
        doc: in Å
  exact_sum:
    doc: integer in two's complement, in units of 2^-256, least significant limb first
    seq:
      - id: limbs
        type: u8
        repeat: expr
        repeat-expr: 8
  run:
    seq:
      - id: source
        type: u8
      - id: first
        type: u8
      - id: step
        type: u8
      - id: count
        type: u8
  record:
    seq:
      - id: frames
        type: u8
      - id: sum
        type: u4
      - id: weight
        type: exact_sum
      - id: run_count
        type: u8
      - id: runs
        type: run
        repeat: expr
        repeat-expr: run_count
  slab:
    seq:
      - id: first
        type: u8
      - id: planes
        type: u8
      - id: layout
        type: u4
        doc: |
          0: values, one after another; 1: byte 0 of all values, then byte 1 of all values, and so on
      - id: values
        size-eos: true
        doc: axis 0 is fastest; the components of a point are adjacent
  end:
    seq:
      - id: records
        type: u8
      - id: frames
        type: u8
      - id: slabs
        type: u8
