// hazard: global-race
// A record of four words: the block reads its tag and its value with one load, and another block
// counts in the word between them. The gap is named `_` where it is not wanted; the bug takes it
// for part of the record.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void read_record(int* record, int* out) {
  if (blockIdx.x == 1) {
    record[1] = 7;
    return;
  }
  int tag, between = 0, value, last;
  if (fixed)
    asm volatile("ld.global.v4.b32 {%0, _, %1, %2}, [%3];"
                 : "=r"(tag), "=r"(value), "=r"(last)
                 : "l"(record));
  else
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tag), "=r"(between), "=r"(value), "=r"(last)
                 : "l"(record));
  if (threadIdx.x == 0) out[0] = tag + between + value + last;
}

template <bool fixed>
bool run() {
  hazard::Array<int> record(std::vector<int>{1, 0, 3, 4}), out(1);
  read_record<fixed><<<2, 32>>>(record.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 8; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
