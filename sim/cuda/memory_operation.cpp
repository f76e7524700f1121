// Operations of a stream on values in memory.
#include "sim/runtime/stream/memory_operation.hpp"

#include <vector>

#include "sim/cuda/driver.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::ValueOperation;

namespace {

ValueOperation wait_for(CUdeviceptr address, std::uint64_t value, unsigned flags, bool wide) {
  using Kind = ValueOperation::Kind;
  static constexpr Kind kinds[] = {Kind::at_least, Kind::equal, Kind::any_bit_of,
                                   Kind::not_all_ones_with};
  const unsigned how = flags & ~unsigned{CU_STREAM_WAIT_VALUE_FLUSH};
  demand(how < std::size(kinds));
  return {kinds[how], wide, address, value};
}

ValueOperation write_of(CUdeviceptr address, std::uint64_t value, unsigned flags, bool wide) {
  demand((flags & ~unsigned{CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER}) == 0);
  return {ValueOperation::Kind::write, wide, address, value};
}

// Barriers and flushes order what is in order here anyway.
std::vector<ValueOperation> operations_of(const CUstreamBatchMemOpParams* all, unsigned count) {
  std::vector<ValueOperation> operations;
  for (unsigned i = 0; i < count; ++i) {
    const CUstreamBatchMemOpParams& one = all[i];
    switch (one.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        operations.push_back(
            wait_for(one.waitValue.address, one.waitValue.value, one.waitValue.flags, false));
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        operations.push_back(
            wait_for(one.waitValue.address, one.waitValue.value64, one.waitValue.flags, true));
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        operations.push_back(
            write_of(one.writeValue.address, one.writeValue.value, one.writeValue.flags, false));
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        operations.push_back(
            write_of(one.writeValue.address, one.writeValue.value64, one.writeValue.flags, true));
        break;
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      case CU_STREAM_MEM_OP_BARRIER:
        break;
      default:
        throw DriverError{CUDA_ERROR_INVALID_VALUE};
    }
  }
  return operations;
}

}  // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                unsigned flags) {
  return in_context([&] { sim::submit_values(stream, {wait_for(address, value, flags, false)}); });
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                unsigned flags) {
  return in_context([&] { sim::submit_values(stream, {wait_for(address, value, flags, true)}); });
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned flags) {
  return in_context([&] { sim::submit_values(stream, {write_of(address, value, flags, false)}); });
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                 unsigned flags) {
  return in_context([&] { sim::submit_values(stream, {write_of(address, value, flags, true)}); });
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count,
                               CUstreamBatchMemOpParams* operations, unsigned flags) {
  return in_context([&] {
    demand(operations != nullptr && count != 0 && count <= 256 && flags == 0);
    sim::submit_values(stream, operations_of(operations, count));
  });
}
