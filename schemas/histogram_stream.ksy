# SPDX-License-Identifier: MIT
meta:
  id: histogram_stream
  title: trjpipe histogram stream
  file-extension: rdfh
  license: MIT
  endian: le
  imports:
    - block_stream
doc: |
  Counts of pair distances. Normative text: histogram_stream.md. Streams may follow one another. A compressed payload is left as bytes;
  once decompressed, parse it with the type of the same name below.
seq:
  - id: streams
    type: stream
    repeat: eos
types:
  stream:
    seq:
      - id: magic
        contents: [0x89, RDH, 0x0d, 0x0a, 0x1a, 0x0a]
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
            '"SETU"': setup
            '"CHNG"': changing
            '"EXCL"': exclusion
            '"LAGS"': lag
            '"COMP"': composition
            '"SYST"': system
            '"PROV"': block_stream::provenance
            '"SRCE"': block_stream::source
            '"SPAC"': spacings
            '"RECO"': record
            '"END!"': end
            '"FAIL"': block_stream::failure
  setup:
    seq:
      - id: rmin
        type: f8
      - id: rmax
        type: f8
      - id: bins
        type: u8
      - id: group_count
        type: u4
      - id: groups
        type: group
        repeat: expr
        repeat-expr: group_count
      - id: pair_count
        type: u4
      - id: pairs
        type: pair
        repeat: expr
        repeat-expr: pair_count
  group:
    seq:
      - id: name
        type: block_stream::text
      - id: atoms
        type: u8
  pair:
    seq:
      - id: a
        type: u4
      - id: b
        type: u4
      - id: pairs
        type: u8
  changing:
    seq:
      - id: changes
        type: u4
        repeat: eos
        doc: of each group, whether it changes from frame to frame
  exclusion:
    seq:
      - id: exclusion
        type: block_stream::text
      - id: excluded
        type: u8
        repeat: eos
        doc: of each pair of groups, how many of its pairs
  lag:
    seq:
      - id: frames
        type: u8
      - id: time
        type: f8
        doc: in ps; not a number where it is not known
      - id: own
        type: u8
        repeat: eos
        doc: of each pair of groups, how many atoms both have
  composition:
    seq:
      - id: atoms
        type: u8
        doc: in the trajectory
      - id: guessed_from
        type: block_stream::text
      - id: groups
        type: elements
        repeat: eos
  elements:
    seq:
      - id: count
        type: u4
      - id: elements
        type: element
        repeat: expr
        repeat-expr: count
  element:
    seq:
      - id: number
        type: u4
        doc: of the element; 0 is not known
      - id: atoms
        type: u8
  system:
    seq:
      - id: atoms
        type: u8
        doc: in the trajectory
      - id: centres
        type: u8
        doc: of sets of atoms, beside the atoms in groups
  spacings:
    seq:
      - id: spacing
        type: spacing
        repeat: expr
        repeat-expr: 3
        doc: of the faces across a, b, c
  spacing:
    seq:
      - id: min
        type: f8
      - id: max
        type: f8
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
      - id: volume_frames
        type: u8
      - id: volume
        type: exact_sum
      - id: inverse_volume
        type: exact_sum
      - id: volume_min
        type: f8
      - id: volume_max
        type: f8
      - id: height_min
        type: f8
      - id: height_max
        type: f8
      - id: periodic_all
        type: u4
      - id: periodic_any
        type: u4
      - id: run_count
        type: u8
      - id: runs
        type: run
        repeat: expr
        repeat-expr: run_count
      - id: counts
        type: u8
        repeat: eos
        doc: pair_count times bins of them; with an EXCL block as many of excluded pairs; with a CHNG block group_count atom numbers and, for each pair, four exact sums, with both then two more for each; with a LAGS block a step (f8), for each pair the number of atoms in both groups, and as many numbers as counts of those that went so far
  end:
    seq:
      - id: records
        type: u8
      - id: frames
        type: u8
      - id: counted
        type: u8
