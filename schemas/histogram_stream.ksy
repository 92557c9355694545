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
  Counts of pair distances. Normative text: histogram_stream.md. Streams may follow one another. A compressed
  payload remains bytes. After decompression, parse it with the type that has the same name below.
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
            '"METR"': metric
            '"NEIG"': neighbours
            '"TRIP"': triplets
            '"SURF"': surface
            '"WAVE"': waves
            '"COMP"': composition
            '"SYST"': system
            '"PREC"': precision
            '"OPEN"': open_system
            '"OWNI"': own_images
            '"PROV"': block_stream::provenance
            '"SRCE"': block_stream::source
            '"SPAC"': spacings
            '"TIME"': times
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
        doc: for each group, 1 if it is dynamic
  exclusion:
    seq:
      - id: exclusion
        type: block_stream::text
      - id: excluded
        type: u8
        repeat: eos
        doc: for each pair of groups, the number of excluded pairs of atoms
  lag:
    seq:
      - id: frames
        type: u8
      - id: time
        type: f8
        doc: in ps; NaN if unknown
      - id: own
        type: u8
        repeat: eos
        doc: for each pair of groups, the number of atoms in both
  metric:
    seq:
      - id: kind
        type: u4
        doc: 1 a plane, 2 an axis, 3 an angle, 4 an angle with an axis of molecules
      - id: axis
        type: u4
        doc: 0 x, 1 y, 2 z
      - id: window
        type: f8
      - id: second
        type: u8
        doc: number of bins of the second coordinate
      - id: body
        type: block_stream::text
        if: kind == 4
        doc: the axes of molecules, as O:H:H
  neighbours:
    seq:
      - id: radius
        type: f8
      - id: classes
        type: u8
        doc: the last one contains all larger numbers
  triplets:
    seq:
      - id: angles
        type: u4
        doc: number of bins
      - id: distances
        type: u4
        doc: number of bins
      - id: count
        type: u4
      - id: triplets
        type: triplet
        repeat: expr
        repeat-expr: count
  triplet:
    seq:
      - id: a
        type: u4
      - id: centre
        type: u4
      - id: c
        type: u4
      - id: first
        type: f8
        repeat: expr
        repeat-expr: 2
        doc: range of the distance of centre and a, in Å
      - id: second
        type: f8
        repeat: expr
        repeat-expr: 2
        doc: range of the distance of centre and c, in Å
      - id: triplets
        type: f8
        doc: number of triplets of different atoms
  surface:
    seq:
      - id: kind
        type: u4
        doc: 1 the whole group, 2 residues, 3 molecules
      - id: lattice
        type: u4
        doc: each frame has lattice^3 points
  waves:
    seq:
      - id: qmin
        type: f8
      - id: qmax
        type: f8
      - id: shells
        type: u8
      - id: bits
        type: u4
        doc: amplitudes are integers of 2^-bits
      - id: single
        type: u4
        doc: 1 if shells are single vectors
      - id: interval
        type: f8
        doc: ps between frames, or NaN
      - id: lag_count
        type: u4
      - id: lags
        type: u8
        repeat: expr
        repeat-expr: lag_count
      - id: hkl
        type: s4
        repeat: eos
        doc: h, k, l of each single vector
  composition:
    seq:
      - id: atoms
        type: u8
        doc: number of atoms in the trajectory
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
        doc: atomic number; 0 if unknown
      - id: atoms
        type: u8
  system:
    seq:
      - id: atoms
        type: u8
        doc: number of atoms in the trajectory
      - id: centres
        type: u8
        doc: number of centres of sets of atoms
  precision:
    seq:
      - id: precision
        type: f8
        doc: in Å; coordinates were rounded, each by at most this
  open_system:
    doc: the number of atoms changes
    seq:
      - id: flags
        type: u4
        doc: 0
  own_images:
    doc: pairs of an atom with its own periodic images are counted
    seq:
      - id: flags
        type: u4
        doc: 0
  spacings:
    seq:
      - id: spacing
        type: spacing
        repeat: expr
        repeat-expr: 3
        doc: distances between the faces across a, b, c
  times:
    seq:
      - id: first
        type: f8
      - id: last
        type: f8
        doc: ps
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
        doc: |
          pair_count * bins counts. With an EXCL block, as many counts of excluded pairs follow. With a CHNG block,
          group_count numbers of atoms and four exact sums for each pair follow; with both blocks, then two more sums
          for each pair. With a LAGS block, a step (f8), the number of atoms in both groups for each pair, and
          pair_count * bins counts of displacements follow. With a METR block, each pair has bins * second counts, and
          for an axis, and a plane with one bin of the second coordinate, a number of frames (u8) and an exact sum for
          each pair follow. With a NEIG block, a number of frames (u8), an exact sum, and classes + 5 numbers for each
          pair follow. With a TRIP block, an exact sum and angles * distances counts for each triplet follow. With a
          SURF block, 2 + bins numbers for each pair, then bins numbers of 16 bytes for each pair follow. With a WAVE
          block, the numbers of vectors, the sums of their lengths and the sums of products follow.
  end:
    seq:
      - id: records
        type: u8
      - id: frames
        type: u8
      - id: counted
        type: u8
