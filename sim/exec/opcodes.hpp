// The groups of opcode rows, one per file that defines their handlers, and the table of all.
#pragma once

#include <span>

#include "sim/program/opcode.hpp"

namespace sim {

std::span<const OpcodeRow>
integer_rows();  // add sub mul mad div rem ... on integers: exec/integer*.cpp
std::span<const OpcodeRow> logic_rows();     // and or xor not shl shr lop3 prmt bfe bfi ...
std::span<const OpcodeRow> move_rows();      // mov selp set setp slct cvta isspacep ...
std::span<const OpcodeRow> convert_rows();   // cvt in all its forms
std::span<const OpcodeRow> special_rows();   // rcp sqrt rsqrt sin cos lg2 ex2 tanh
std::span<const OpcodeRow> memory_rows();    // ld st ldu prefetch applypriority createpolicy ...
std::span<const OpcodeRow> atomic_rows();    // atom red
std::span<const OpcodeRow> warp_rows();      // shfl vote match redux activemask elect bar.warp.sync
std::span<const OpcodeRow> barrier_rows();   // bar barrier barrier.cluster membar fence
std::span<const OpcodeRow> control_rows();   // bra brx ret exit call trap nanosleep ...
std::span<const OpcodeRow> mbarrier_rows();  // mbarrier.*
std::span<const OpcodeRow> copy_rows();      // cp.async, cp.async.bulk, st.async, tensormap.*
std::span<const OpcodeRow> matrix_rows();    // ldmatrix stmatrix movmatrix mma wmma
std::span<const OpcodeRow> wgmma_rows();     // wgmma.*

const OpcodeTable& opcode_table();

}  // namespace sim
