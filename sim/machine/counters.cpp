#include "sim/machine/warp.hpp"

namespace aisp::sim {

Counters& Counters::operator+=(const Counters& other) {
  for (int i = 0; i < static_cast<int>(OpClass::count); ++i) by_class[i] += other.by_class[i];
  global_read += other.global_read;
  global_written += other.global_written;
  shared_read += other.shared_read;
  shared_written += other.shared_written;
  local_read += other.local_read;
  local_written += other.local_written;
  async_bytes += other.async_bytes;
  bank_conflicts += other.bank_conflicts;
  tensor_operations += other.tensor_operations;
  barrier_waits += other.barrier_waits;
  polls += other.polls;
  return *this;
}

}  // namespace aisp::sim
