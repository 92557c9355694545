# SPDX-License-Identifier: MIT
meta:
  id: frame_stream
  title: trjpipe frame stream
  file-extension: trjf
  license: MIT
  endian: le
  imports:
    - block_stream
doc: |
  Frames of a molecular-dynamics trajectory. Normative text: frame_stream.md. A compressed payload remains bytes.
  After decompression, parse it with the type that has the same name below.
seq:
  - id: magic
    contents: [0x89, TRJ, 0x0d, 0x0a, 0x1a, 0x0a]
  - id: header
    type: block_stream::file_header_rest
  - id: blocks
    type: block
    repeat: until
    repeat-until: _.header.type == "END!" or _.header.type == "FAIL"
instances:
  atoms:
    value: blocks[0].body.as<head>.atoms
    doc: n, the same in every frame
types:
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
            '"GRPS"': groups
            '"CHNG"': changing
            '"OPEN"': open_system
            '"CENT"': centres
            '"RESI"': ids(_root.atoms)
            '"MOLE"': ids(_root.atoms)
            '"ELEM"': elements(_root.atoms)
            '"SITE"': sites
            '"ATOM"': numbers
            '"BOND"': bonds
            '"PREC"': precision
            '"PROP"': property(_root.atoms)
            '"MOVE"': movements
            '"VARY"': varying
            '"SEGM"': segment
            '"VELO"': velocities(_root.atoms)
            '"VELZ"': compressed_velocities
            '"IMAG"': images(_root.atoms)
            '"SRCE"': block_stream::source
            '"FRAM"': frames(_root.atoms, header.stored)
            '"FRMX"': packed_frames
            '"FRMZ"': compressed_frames
            '"INDX"': index
            '"END!"': end
            '"FAIL"': block_stream::failure
  head:
    seq:
      - id: atoms
        type: u8
      - id: source_atoms
        type: u8
  groups:
    seq:
      - id: count
        type: u4
      - id: groups
        type: group
        repeat: expr
        repeat-expr: count
  group:
    seq:
      - id: name
        type: block_stream::text
      - id: count
        type: u8
      - id: atoms
        type: u4
        repeat: expr
        repeat-expr: count
  changing:
    seq:
      - id: count
        type: u4
      - id: groups
        type: u4
        repeat: expr
        repeat-expr: count
  open_system:
    doc: the number of atoms changes; an atom that is in no group in a frame is absent from it
    seq:
      - id: flags
        type: u4
        doc: 0
  centres:
    seq:
      - id: centres
        type: u8
        doc: number of centres, which are the last atoms
  ids:
    params:
      - id: atoms
        type: u8
    seq:
      - id: ids
        type: u4
        repeat: expr
        repeat-expr: atoms
  elements:
    params:
      - id: atoms
        type: u8
    seq:
      - id: guessed_from
        type: block_stream::text
      - id: elements
        type: u4
        repeat: expr
        repeat-expr: atoms
        doc: atomic numbers; 0 if unknown
  sites:
    seq:
      - id: absent
        type: u8
        doc: number of massless sites of the trajectory that are not in the stream
      - id: count
        type: u8
      - id: sites
        type: u4
        repeat: expr
        repeat-expr: count
        doc: positions of massless sites among the stream atoms
  numbers:
    seq:
      - id: numbers
        type: u4
        repeat: eos
        doc: number of each atom in its source; centres have none
  bonds:
    seq:
      - id: between
        type: u8
        doc: number of atoms that are in bonds but not in the stream; they are numbered after the atoms of the stream
      - id: count
        type: u8
      - id: bonds
        type: bond
        repeat: expr
        repeat-expr: count
  movements:
    seq:
      - id: count
        type: u4
      - id: movements
        type: movement
        repeat: expr
        repeat-expr: count
  movement:
    seq:
      - id: kind
        type: u4
        enum: movement_kind
      - id: atoms
        type: u8
      - id: selection
        type: block_stream::text
      - id: reference
        type: block_stream::text
      - id: fingerprint
        type: u8
      - id: frame
        type: u8
    enums:
      movement_kind:
        1: whole
        2: centre
        3: fit
        4: unwrap_toroidal
        5: unwrap_fraction
        6: unwrap_flags
  precision:
    seq:
      - id: precision
        type: f8
        doc: largest difference between a coordinate and that of its source, in Angstrom
  segment:
    seq:
      - id: first
        type: u8
        doc: number of the first frame of the stream, among those of the trajectory
      - id: count
        type: u8
        doc: frames of the segment
      - id: following
        type: u8
        doc: frames after these, which belong to the next segments
      - id: total
        type: u8
        doc: frames of the trajectory
  property:
    params:
      - id: atoms
        type: u8
    seq:
      - id: kind
        type: u4
        enum: value
      - id: flags
        type: u4
        doc: 0
      - id: name
        type: block_stream::text
      - id: unit
        type: block_stream::text
      - id: origin
        type: block_stream::text
      - id: reals
        type: f8
        repeat: expr
        repeat-expr: atoms
        if: kind == value::real
        doc: NaN if unknown
      - id: integers
        type: s8
        repeat: expr
        repeat-expr: atoms
        if: kind == value::integer
        doc: -2^63 if unknown
      - id: text_count
        type: u4
        if: kind == value::text
      - id: texts
        type: block_stream::text
        repeat: expr
        repeat-expr: text_count
        if: kind == value::text
        doc: different texts; the first is empty and means unknown
      - id: text_of_atom
        type: u4
        repeat: expr
        repeat-expr: atoms
        if: kind == value::text
        doc: index of the text of each atom
    enums:
      value:
        1: real
        2: integer
        3: text
  bond:
    seq:
      - id: i
        type: u4
      - id: j
        type: u4
  varying:
    doc: what every frame has beside coordinates
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: kinds
        type: varying_kind
        repeat: expr
        repeat-expr: count
  varying_kind:
    seq:
      - id: kind
        type: u4
        enum: kind
      - id: unit
        type: block_stream::text
      - id: origin
        type: block_stream::text
    enums:
      kind:
        0: velocity
        1: image
  velocities:
    doc: of the frames of the next block of frames
    params:
      - id: atoms
        type: u8
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: frames
        type: velocities_of_frame(atoms)
        repeat: expr
        repeat-expr: count
  velocities_of_frame:
    params:
      - id: atoms
        type: u8
    seq:
      - id: unit
        type: f8
        doc: Å/ps per unit of the velocities
      - id: x
        type: f4
        repeat: expr
        repeat-expr: atoms
      - id: y
        type: f4
        repeat: expr
        repeat-expr: atoms
      - id: z
        type: f4
        repeat: expr
        repeat-expr: atoms
  compressed_velocities:
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: units
        type: f8
        repeat: expr
        repeat-expr: count
      - id: data
        size-eos: true
        doc: the chunk that compressed_frames.md describes
  images:
    doc: image flags of the frames of the next block of frames
    params:
      - id: atoms
        type: u8
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: frames
        type: images_of_frame(atoms)
        repeat: expr
        repeat-expr: count
  images_of_frame:
    params:
      - id: atoms
        type: u8
    seq:
      - id: a
        type: s4
        repeat: expr
        repeat-expr: atoms
      - id: b
        type: s4
        repeat: expr
        repeat-expr: atoms
      - id: c
        type: s4
        repeat: expr
        repeat-expr: atoms
  frames:
    params:
      - id: atoms
        type: u8
      - id: size
        type: u8
        doc: bytes of the payload
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: frames
        type: frame(atoms, (size - 8) / count - 112 - 12 * atoms)
        repeat: expr
        repeat-expr: count
  frame:
    params:
      - id: atoms
        type: u8
      - id: member_bytes
        type: u8
    seq:
      - id: header
        type: frame_header
      - id: x
        type: f4
        repeat: expr
        repeat-expr: atoms
      - id: y
        type: f4
        repeat: expr
        repeat-expr: atoms
      - id: z
        type: f4
        repeat: expr
        repeat-expr: atoms
      - id: members
        size: member_bytes
        doc: membership bits of the dynamic groups
  packed_frames:
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: frames
        type: packed_frame
        repeat: expr
        repeat-expr: count
  packed_frame:
    seq:
      - id: header
        type: frame_header
      - id: precision
        type: f4
      - id: low
        type: s4
        repeat: expr
        repeat-expr: 3
      - id: high
        type: s4
        repeat: expr
        repeat-expr: 3
      - id: small
        type: s4
      - id: position
        type: u8
        doc: byte of the source file at which the data begin
      - id: bytes
        type: u8
      - id: data
        size: bytes
        doc: packed integers, as frame_stream.md describes them
  compressed_frames:
    seq:
      - id: count
        type: u4
        valid:
          min: 1
      - id: reserved
        type: u4
      - id: headers
        type: frame_header
        repeat: expr
        repeat-expr: count
      - id: data
        size-eos: true
        doc: >-
          words of the dynamic groups of each frame, then the chunk that compressed_frames.md describes
  frame_header:
    seq:
      - id: source
        type: u4
      - id: periodic
        type: u4
        valid:
          max: 7
        doc: bits 0, 1, 2 for the cell vectors a, b, c
      - id: index
        type: u8
      - id: step
        type: s8
        doc: -2^63 if unknown
      - id: time
        type: f8
        doc: ps; NaN if unknown
      - id: unit
        type: f8
        doc: Å per unit of length of the coordinates
      - id: cell
        type: f8
        repeat: expr
        repeat-expr: 9
        doc: a, b, c in Å
  place:
    seq:
      - id: first
        type: u8
        doc: first frame of the block; 0 for sources
      - id: number
        type: u8
        doc: number of the block
      - id: offset
        type: u8
        doc: offset of the block's header, in bytes from the magic
  index:
    seq:
      - id: source_count
        type: u8
      - id: sources
        type: place
        repeat: expr
        repeat-expr: source_count
      - id: frame_count
        type: u8
      - id: frames
        type: place
        repeat: expr
        repeat-expr: frame_count
      - id: motion_count
        type: u8
        if: not _io.eof
        doc: present if the stream contains VARY; equal to frame_count
      - id: motions
        type: place
        repeat: expr
        repeat-expr: motion_count
        if: not _io.eof
  end:
    seq:
      - id: frames
        type: u8
      - id: blocks
        type: u8
      - id: index_number
        type: u8
      - id: index_offset
        type: u8
