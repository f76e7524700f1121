#include "jit/run/admitted_call.hpp"

namespace aisp::jit {

// False as soon as the function says so.
template <class Kept, class Use>
bool AdmittedCall::each_word(const Tensor& tensor, Kept& words, const Use& use) {
  const auto kind = static_cast<std::uint64_t>(tensor.element) << 16 |
                    static_cast<std::uint64_t>(tensor.rank) << 1 |
                    static_cast<std::uint64_t>(tensor.writable);
  if (!use(words[0], reinterpret_cast<std::uintptr_t>(tensor.data)) || !use(words[1], kind))
    return false;
  for (std::size_t axis = 0; axis < most_axes; ++axis)
    if (!use(words[2 + 2 * axis], static_cast<std::uint64_t>(tensor.extents[axis])) ||
        !use(words[3 + 2 * axis], static_cast<std::uint64_t>(tensor.strides[axis])))
      return false;
  return true;
}

std::optional<std::int64_t> AdmittedCall::blocks(std::span<const Tensor> tensors) const {
  const std::uint32_t version = version_.load(std::memory_order_acquire);
  if (version == 0 || version % 2 != 0 || count_.load(std::memory_order_relaxed) != tensors.size())
    return {};
  const std::int64_t blocks = blocks_.load(std::memory_order_relaxed);
  bool same = true;
  for (std::size_t at = 0; at < tensors.size(); ++at)
    same = same && each_word(tensors[at], words_[at], [](const Word& kept, std::uint64_t word) {
             return kept.load(std::memory_order_relaxed) == word;
           });
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!same || version_.load(std::memory_order_relaxed) != version) return {};
  return blocks;
}

void AdmittedCall::keep(std::span<const Tensor> tensors, std::int64_t blocks) {
  std::uint32_t version = version_.load(std::memory_order_relaxed);
  if (tensors.size() > words_.size() || version % 2 != 0 ||
      !version_.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
    return;
  std::atomic_thread_fence(std::memory_order_release);
  count_.store(static_cast<std::uint32_t>(tensors.size()), std::memory_order_relaxed);
  blocks_.store(blocks, std::memory_order_relaxed);
  for (std::size_t at = 0; at < tensors.size(); ++at)
    each_word(tensors[at], words_[at], [](Word& kept, std::uint64_t word) {
      kept.store(word, std::memory_order_relaxed);
      return true;
    });
  version_.store(version + 2, std::memory_order_release);
}

}  // namespace aisp::jit
