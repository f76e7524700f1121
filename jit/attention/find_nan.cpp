#include "jit/attention/find_nan.hpp"

#include "base/refuse.hpp"
#include "jit/run/kernel.hpp"

namespace aisp::jit {

const char* const found_nan_text = R"(
struct FoundNan {
  unsigned there;
  int sequence, head, query, key;
  float product;
};
)";

void refuse_nan(void* found_nan, cudaStream_t stream, const std::string& place, double scale) {
  FoundNan found{};
  refuse_runtime(cudaMemcpyAsync(&found, found_nan, sizeof found, cudaMemcpyDeviceToHost, stream),
                 "look for NaN");
  refuse_runtime(cudaMemsetAsync(found_nan, 0, sizeof found, stream), "look for NaN");
  refuse_runtime(cudaStreamSynchronize(stream), "look for NaN");
  if (found.there == 0) return;
  base::refuse(base::Exit::wrong, place, "score function gives NaN: sequence ", found.sequence,
               ", head ", found.head, ", query ", found.query, ", key ", found.key,
               ", whose score is ", found.product * scale,
               "; give another value there with where(condition, a, b), or mask it");
}

}  // namespace aisp::jit
