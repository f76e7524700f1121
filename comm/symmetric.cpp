#include "comm/symmetric.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "comm/peer_access.hpp"

namespace aisp::comm {
namespace {

std::map<int, int> ranks_by_device(const std::vector<int>& devices) {
  std::map<int, int> ranks;
  for (const int device : devices) ++ranks[device];
  return ranks;
}

}  // namespace

SymmetricMemory::SymmetricMemory(const std::vector<int>& devices, std::size_t bytes)
    : description_(ranks_on_devices(devices)) {
  if (devices.empty())
    base::refuse(base::Exit::usage, "symmetric memory needs at least one rank, got none");
  const std::set<int> used(devices.begin(), devices.end());
  for (const int from : used)
    for (const int to : used)
      if (from != to && !enable_peer_access(from, to))
        base::refuse(base::Exit::environment, "device ", from, " cannot reach memory of device ",
                     to, ": ranks that write into each other's memory need peer access");
  for (const int device : devices) {
    own_.emplace_back(device, bytes);
    parts_.push_back(own_.back().get());
  }
}

int co_resident_blocks(const std::vector<int>& devices, const void* kernel, int threads,
                       std::size_t dynamic_shared) {
  int least = 0;
  for (const auto& [device, ranks] : ranks_by_device(devices)) {
    const OnDevice on(device);
    int multiprocessors = 0, of_one = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, dynamic_shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const int share = multiprocessors / ranks;
    if (share == 0 || of_one == 0)
      base::refuse(base::Exit::environment, "kernels of ", ranks,
                   " ranks wait for each other on device ", device,
                   " and have to be there at the same time: it has ", multiprocessors,
                   " multiprocessors, ", of_one, " blocks of ", threads,
                   " threads fit on each; use fewer ranks");
    const int blocks = share * of_one;
    least = least == 0 ? blocks : std::min(least, blocks);
  }
  return least;
}

}  // namespace aisp::comm
