// How a call of the C interface, which knows nothing of plans, runs one. A call is found again by
// its arguments as they are, before any of them is looked at: what was admitted once is admitted
// again.
#pragma once

#include "binding/c/call.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::binding {

// The arguments of one call; `whole` is false where they cannot be read, which is refused.
class CallKey {
 public:
  CallKey& tensors(std::initializer_list<const aisp_tensor*> all) {
    for (const aisp_tensor* one : all) tensor(one);
    return *this;
  }
  template <class... Numbers>
  CallKey& numbers(const Numbers&... all) {
    key_.add(all...);
    return *this;
  }
  CallKey& list(const std::int64_t* numbers, std::int64_t count) {
    whole_ &= numbers != nullptr || count == 0;
    for (std::int64_t at = 0; whole_ && at < count; ++at) key_.add(numbers[at]);
    return *this;
  }
  void is_whole_if(bool condition) { whole_ &= condition; }

  bool whole() const { return whole_; }
  const tile::device::ProblemKey& get() const { return key_; }

 private:
  void tensor(const aisp_tensor* given) {
    if (given == nullptr) return key_.add(std::uint64_t{0});
    constexpr int most_dimensions = 4;
    const aisp_tensor& one = *given;
    whole_ &=
        one.ndim >= 0 && one.ndim <= most_dimensions && (one.ndim == 0 || one.shape != nullptr);
    if (!whole_) return;
    const bool strided = one.strides != nullptr;
    // Never 0, which stands for no tensor.
    key_.add(std::uint64_t{1} | std::uint64_t{strided} << 1 | std::uint64_t{one.code} << 8 |
                 std::uint64_t{one.bits} << 16 | std::uint64_t{one.lanes} << 24 |
                 static_cast<std::uint64_t>(one.ndim) << 40,
             one.device_type, one.device_id,
             one.data == nullptr ? nullptr : static_cast<const char*>(one.data) + one.byte_offset);
    for (int at = 0; at < one.ndim; ++at) key_.add(one.shape[at]);
    for (int at = 0; strided && at < one.ndim; ++at) key_.add(one.strides[at]);
  }

  tile::device::ProblemKey key_;
  bool whole_ = true;
};

// make(allocate) looks at the arguments, refuses, and plans; its plan runs on the device of the
// result.
template <class Plan, class Make>
void run_planned(const char* what, tile::device::PlanCache<Plan>& plans, const CallKey& key,
                 const aisp_tensor* result, cudaStream_t stream, const Make& make) {
  if (key.whole() && result != nullptr) {
    const CurrentDevice device(result->device_id);
    if (device.is_current()) return plans.run(key.get(), result->device_id, stream, make);
  }
  static_cast<void>(make(tile::device::Allocate{}));  // refuses, with the reason
  base::refuse(base::Exit::environment, what, ": the tensors' device cannot be made current");
}

}  // namespace aisp::binding
