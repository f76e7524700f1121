// hazard: none
// A kernel says how far it is in a volatile word, and a kernel of another stream looks at it: any
// value will do.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void work(volatile int* progress) {
  for (int i = 1; i <= 10; ++i) *progress = i;
}
__global__ void look(int* out, const volatile int* progress) { *out = *progress; }

bool run() {
  const host::Stream first, second;
  hazard::Array<int> progress(1), out(1);
  work<<<1, 1, 0, first>>>(progress.get());
  look<<<1, 1, 0, second>>>(out.get(), progress.get());
  hazard::finish();
  const int seen = out.fetch()[0];
  return seen >= 0 && seen <= 10;
}

const hazard::Program program(__FILE__, run);

}  // namespace
