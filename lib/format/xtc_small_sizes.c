// SPDX-License-Identifier: MIT
// Lists the sizes of the digits of small atoms in XTC. The table has a file of its own, because the unpackers of all
// instruction sets use it.
#include "xtc_unpack_parts.h"

// Each digit of a small atom of n bits has about 2^(n/3) values; the format defines this table.
// clang-format off
#define SMALL(n, s) { \
    .kind = (n) <= TRJ_XTC_MAX_LOAD ? QUICK : WIDE, \
    .bits = (n), .whole = TRJ_XTC_BYTES(n) & 63, .left = (64 - (n)) & 63, \
    .low = TRJ_XTC_MASK(TRJ_XTC_BYTES(n) & 63), .rest = TRJ_XTC_MASK((n) & 7), .size = {s, s, s}, \
    .inverse = {0, TRJ_XTC_INVERSE(s), TRJ_XTC_INVERSE(s)}, \
    .shift = {0, TRJ_XTC_SHIFT(s), TRJ_XTC_SHIFT(s)}, .reciprocal = {0, 1.0 / (s), 1.0 / (s)} }
const struct trj_xtc_digits trj_xtc_smalls[TRJ_XTC_SMALL_LAST - TRJ_XTC_SMALL_FIRST + 1] = {
    SMALL(9, 8), SMALL(10, 10), SMALL(11, 12), SMALL(12, 16), SMALL(13, 20), SMALL(14, 25),
    SMALL(15, 32), SMALL(16, 40), SMALL(17, 50), SMALL(18, 64), SMALL(19, 80), SMALL(20, 101),
    SMALL(21, 128), SMALL(22, 161), SMALL(23, 203), SMALL(24, 256), SMALL(25, 322), SMALL(26, 406),
    SMALL(27, 512), SMALL(28, 645), SMALL(29, 812), SMALL(30, 1024), SMALL(31, 1290), SMALL(32, 1625),
    SMALL(33, 2048), SMALL(34, 2580), SMALL(35, 3250), SMALL(36, 4096), SMALL(37, 5060), SMALL(38, 6501),
    SMALL(39, 8192), SMALL(40, 10321), SMALL(41, 13003), SMALL(42, 16384), SMALL(43, 20642), SMALL(44, 26007),
    SMALL(45, 32768), SMALL(46, 41285), SMALL(47, 52015), SMALL(48, 65536), SMALL(49, 82570), SMALL(50, 104031),
    SMALL(51, 131072), SMALL(52, 165140), SMALL(53, 208063), SMALL(54, 262144), SMALL(55, 330280), SMALL(56, 416127),
    SMALL(57, 524287), SMALL(58, 660561), SMALL(59, 832255), SMALL(60, 1048576), SMALL(61, 1321122), SMALL(62, 1664510),
    SMALL(63, 2097152), SMALL(64, 2642245), SMALL(65, 3329021), SMALL(66, 4194304), SMALL(67, 5284491),
    SMALL(68, 6658042),
    SMALL(69, 8388607), SMALL(70, 10568983), SMALL(71, 13316085), SMALL(72, 16777216),
};
// clang-format on

uint32_t trj_xtc_small_size(unsigned bits) {
    return trj_xtc_smalls[bits - TRJ_XTC_SMALL_FIRST].size[0];
}
