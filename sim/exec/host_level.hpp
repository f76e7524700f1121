// The handlers are loops over 32 lanes, and what a processor makes of them depends on its vectors.
// On x86-64 they are compiled twice, for processors that have AVX2 and for those that have not;
// both give the same bits. sim/host_levels.cmake says how two builds of the same functions live in
// one library. On other hosts there is one build, `baseline`.
#pragma once

#include "sim/program/opcode.hpp"

namespace aisp::sim {

// The table for the processor that this runs on, or for what AISP_SIM_HOST says.
const OpcodeTable& opcode_table();

namespace host_level {

const OpcodeTable& baseline();
const OpcodeTable& x86_64_v3();  // where AISP_HAS_X86_64_V3 is defined

}  // namespace host_level
}  // namespace aisp::sim
