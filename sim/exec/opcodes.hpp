// The groups of opcode rows, one per file that defines their handlers.
//
// Folders of sim/exec, bottom first; each includes only itself and those before it:
//   .                      the table of opcodes, forms, loops over lanes
//   arithmetic             what comparisons of integers and of floats share
//   arithmetic/floating    f16, bf16, f32, f64 and what special functions do of them
//   arithmetic/convert     cvt
//   arithmetic/integer     integers, comparisons; its rows lead to floating where the type says so
//   arithmetic/logic       bits
//   move                   mov, selp, addresses
//   memory                 ld, st, atom, and the addresses of everything above
//   image                  textures and surfaces
//   warp                   lanes that see each other: shfl, vote, match, redux
//   sync                   barriers, fences, mbarrier
//   async                  cp.async, bulk copies, TMA
//   tensor_memory          tcgen05 without the products: allocation, ld, st, cp, commit
//   matrix/product         tensor-core arithmetic on plain arrays
//   matrix                 lane maps, modifiers, sparsity; ldmatrix
//   matrix/mma, matrix/wmma, matrix/wgmma, matrix/tcgen05
//   control                branches, calls, what CUDA provides to kernels
#pragma once

#include <span>

#include "sim/program/binding.hpp"
#include "sim/program/opcode.hpp"

namespace aisp::sim {

std::span<const OpcodeRow> integer_rows();   // add sub mul mad div rem ..., on floats too
std::span<const OpcodeRow> logic_rows();     // and or xor not shl shr lop3 prmt bfe bfi ...
std::span<const OpcodeRow> move_rows();      // mov selp set setp slct cvta isspacep ...
std::span<const OpcodeRow> convert_rows();   // cvt in all its forms
std::span<const OpcodeRow> special_rows();   // rcp sqrt rsqrt sin cos lg2 ex2 tanh
std::span<const OpcodeRow> memory_rows();    // ld st ldu prefetch applypriority createpolicy ...
std::span<const OpcodeRow> atomic_rows();    // atom red
std::span<const OpcodeRow> image_rows();     // tex tld4 txq suld sust sured suq istypep
std::span<const OpcodeRow> warp_rows();      // shfl vote match redux activemask elect bar.warp.sync
std::span<const OpcodeRow> barrier_rows();   // bar barrier barrier.cluster membar fence
std::span<const OpcodeRow> mbarrier_rows();  // mbarrier.*
std::span<const OpcodeRow> async_rows();     // cp.async*, st.async, tensormap.*
std::span<const OpcodeRow> matrix_rows();    // ldmatrix stmatrix movmatrix
std::span<const OpcodeRow> mma_rows();       // mma
std::span<const OpcodeRow> wmma_rows();      // wmma.*
std::span<const OpcodeRow> wgmma_rows();     // wgmma.*
std::span<const OpcodeRow> tensor_memory_rows();  // tcgen05.* but mma
std::span<const OpcodeRow> tensor_mma_rows();     // tcgen05.mma
std::span<const OpcodeRow> control_rows();        // bra brx ret exit call trap nanosleep ...
std::span<const OpcodeRow> stack_rows();          // alloca stacksave stackrestore

}  // namespace aisp::sim
