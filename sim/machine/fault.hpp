// What stops a kernel: the fault as the handler saw it. The launcher adds kernel, block, thread and
// lines and turns it into one report.
#pragma once

#include <cstdint>
#include <string>

#include "sim/program/op.hpp"

namespace aisp::sim {

enum class FaultKind {
  out_of_bounds,        // cudaErrorIllegalAddress
  use_after_free,       // cudaErrorIllegalAddress
  host_pointer,         // cudaErrorIllegalAddress
  read_only,            // cudaErrorIllegalAddress: write to constant memory or to parameters
  no_peer_access,       // cudaErrorIllegalAddress: memory of a device that it cannot reach
  misaligned,           // cudaErrorMisalignedAddress
  bad_address_space,    // cudaErrorInvalidAddressSpace
  bad_pc,               // cudaErrorInvalidPc
  illegal_instruction,  // cudaErrorIllegalInstruction: misuse an instruction's rules forbid
  trap,                 // cudaErrorLaunchFailure
  assertion,            // cudaErrorAssert
  stack_overflow,       // cudaErrorLaunchFailure
  deadlock,             // cudaErrorLaunchTimeout
};

// What the fault is about, where the hazard checker knows more of it than its kind says.
enum class FaultSubject : std::uint8_t {
  other,
  tensor_columns,         // columns of tensor memory that the block does not hold, or keeps
  tensor_permit,          // tcgen05.alloc after relinquish_alloc_permit
  tensor_growth,          // a tcgen05.alloc that is larger than the one before
  mbarrier_state,         // not initialised
  mbarrier_arrivals,      // more of them than the object counts, or than the instruction allows
  mbarrier_transactions,  // bytes outside of the object's range
  barrier,                // number of a block's barrier, or of its threads
  exited_block,           // shared memory of a block that is gone
  commit_address,         // tcgen05.commit: an offset where a generic address belongs
};

// Thrown by handlers and memory; `lane` is the first one at fault, -1 when it is the whole warp.
struct Fault {
  FaultKind kind{};
  std::string
      message;  // what happened, with numbers: "write of 4 bytes at 0x..., 16 bytes past ..."
  std::uint64_t address = 0;
  int lane = -1;
  FaultSubject subject = FaultSubject::other;
};

}  // namespace aisp::sim
