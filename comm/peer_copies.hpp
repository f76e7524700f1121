// What goes from rank to rank: copies between devices and within one, counted where they are
// enqueued.
#pragma once

#include <vector>

#include "comm/communicator.hpp"

namespace aisp::comm {

class PeerCopies {
 public:
  // Rank r is on devices[r].
  explicit PeerCopies(const std::vector<int>& devices);

  int ranks() const { return static_cast<int>(local_.size()); }
  int device(int rank) const { return local_[static_cast<std::size_t>(rank)].device; }
  const std::vector<LocalRank>& local() const { return local_; }

  // Says beforehand that `from` will send to `to`: lets the one device write into the other's
  // memory where it can.
  void connect(int from, int to);

  void copy(int from_rank, const void* from, int to_rank, void* to, std::int64_t bytes,
            cudaStream_t stream);

  // Bytes that went to another rank, on the same device or not, since the last restart().
  std::int64_t sent() const { return sent_; }
  void restart() { sent_ = 0; }

  // "4 ranks on 1 device", and whether copies go through the host.
  std::string description() const;

 private:
  std::vector<LocalRank> local_;
  bool direct_ = true;  // no connected pair of devices whose copies go through the host
  std::int64_t sent_ = 0;
};

}  // namespace aisp::comm
