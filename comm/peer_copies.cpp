#include "comm/peer_copies.hpp"

#include "comm/cuda.hpp"
#include "comm/peer_access.hpp"

namespace aisp::comm {

PeerCopies::PeerCopies(const std::vector<int>& devices) {
  for (const int device : devices) local_.push_back({ranks(), device});
}

void PeerCopies::connect(int from, int to) {
  if (device(from) != device(to)) direct_ &= enable_peer_access(device(from), device(to));
}

void PeerCopies::copy(int from_rank, const void* from, int to_rank, void* to, std::int64_t bytes,
                      cudaStream_t stream) {
  const int source = device(from_rank), target = device(to_rank);
  const auto size = static_cast<std::size_t>(bytes);
  if (source == target)
    check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream), "copy between ranks");
  else
    check(cudaMemcpyPeerAsync(to, target, from, source, size, stream), "peer copy between ranks");
  if (from_rank != to_rank) sent_ += bytes;
}

std::string PeerCopies::description() const {
  std::vector<int> devices;
  for (const auto& member : local_) devices.push_back(member.device);
  return ranks_on_devices(devices) +
         (direct_ ? "" : ", copies between devices go through the host");
}

}  // namespace aisp::comm
