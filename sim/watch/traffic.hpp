// Counts what kernels ask of memory while they run: sectors of global memory that warps and TMA
// request from L2, which of them are different ones, and wavefronts of shared memory. No cache is
// simulated: what L1 would have answered is counted as well.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/machine/quiet_observer.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim::watch {

inline constexpr std::uint64_t sector_bytes = 32;

class Traffic final : public QuietObserver {
 public:
  void access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) override;
  void access_run(Warp& warp, std::byte* first, std::int64_t step, const AccessForm& form) override;
  void async_access(Cluster& cluster, std::byte* at, std::uint64_t bytes, Access access, int lane,
                    std::uint32_t barrier) override;
  void run_done(Cluster& cluster, std::uint64_t watched) override;

  std::uint64_t requested_bytes() const { return requested_ * sector_bytes; }
  std::uint64_t distinct_bytes() const;
  std::uint64_t wavefronts() const { return wavefronts_; }
  std::uint64_t bank_conflicts() const { return bank_conflicts_; }

 private:
  void collect(const std::byte* at, std::uint64_t bytes);
  void count_collected();  // the sectors of one request

  static constexpr std::uint64_t page_sectors = 128;
  using Page = std::bitset<page_sectors>;
  std::unordered_map<std::uint64_t, Page> touched_;
  std::vector<std::uint64_t> sectors_;
  std::uint64_t requested_ = 0, wavefronts_ = 0, bank_conflicts_ = 0;
};

}  // namespace aisp::sim::watch
