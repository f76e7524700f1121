// device: b200,sms=2
// expects: exit 1, "nvcc -gencode arch=compute_100a,code=compute_100a"
// What is compiled for sm_90a alone does not run on another architecture, not even on a newer one.
#include "check.hpp"

namespace {

__global__ void one(int* out) { *out = 1; }

}  // namespace

int main() {
  const OnDevice<int> out(1);
  one<<<1, 1>>>(out.get());
  finish();
  return passed();
}
