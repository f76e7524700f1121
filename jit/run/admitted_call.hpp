// The tensors of the call before, and how many blocks it had: most calls are like the one before,
// and what was admitted once with the same addresses, extents and strides need not be looked at
// again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "jit/run/tensor.hpp"

namespace aisp::jit {

// For any number of threads: whoever reads while another writes finds nothing and admits anew.
class AdmittedCall {
 public:
  std::optional<std::int64_t> blocks(std::span<const Tensor> tensors) const;
  void keep(std::span<const Tensor> tensors, std::int64_t blocks);

 private:
  using Word = std::atomic<std::uint64_t>;
  using Words = std::array<Word, 2 + 2 * most_axes>;

  template <class Kept, class Use>
  static bool each_word(const Tensor& tensor, Kept& words, const Use& use);

  std::atomic<std::uint32_t> version_ = 0;  // 0: none yet; odd while it is written
  std::atomic<std::uint32_t> count_ = 0;    // of tensors
  std::atomic<std::int64_t> blocks_ = 0;
  std::array<Words, 8> words_{};
};

}  // namespace aisp::jit
