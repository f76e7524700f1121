#include "chapters/ch14/one_sided_exchange/way.hpp"

#include "base/refuse.hpp"
#include "comm/peer_ring.hpp"

namespace aisp::ch14 {

namespace {

// Ranks whose PE has the same device as this one's.
std::vector<int> beside(int ranks, const comm::Nvshmem& library) {
  const int devices = comm::device_count();
  std::vector<int> together;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank % library.pes() % devices == library.pe() % devices)
      together.push_back(comm::current_device());
  return together;
}

}  // namespace

Ranks::Ranks(std::vector<int> devices, std::vector<int> together)
    : devices_(std::move(devices)),
      together_(std::move(together)),
      home_(comm::current_device()),
      begin_(home_) {
  for (int rank = 0; rank < count(); ++rank) {
    streams_.emplace_back(device(rank));
    done_.emplace_back(device(rank));
    labels_.emplace_back(stream(rank), base::say("rank ", rank));
  }
}

Ranks::Ranks(int count)
    : Ranks(comm::spread_over_devices(count), comm::spread_over_devices(count)) {}

Ranks::Ranks(int count, std::shared_ptr<comm::Nvshmem> library, std::function<void()> allocates)
    : Ranks(std::vector<int>(static_cast<std::size_t>(count), comm::current_device()),
            beside(count, *library)) {
  library_ = std::move(library);
  allocates_ = std::move(allocates);
}

comm::SymmetricMemory Ranks::make_memory(std::size_t bytes) {
  if (!library_) return {devices_, bytes};
  allocates_();
  heap_ = std::make_shared<comm::NvshmemMemory>(library_, count(), bytes);
  return {heap_->parts(),
          base::say(count(), count() == 1 ? " rank" : " ranks", " with ", library_->description())};
}

void Ranks::fork(cudaStream_t from) const {
  begin_.record(from);
  for (int rank = 0; rank < count(); ++rank) begin_.hold(stream(rank));
}

void Ranks::join(cudaStream_t into) const {
  for (int rank = 0; rank < count(); ++rank) {
    record(rank);
    done_[static_cast<std::size_t>(rank)].hold(into);
  }
}

void Ranks::copy(int from_rank, const void* from, int to_rank, void* to, std::size_t bytes) const {
  if (bytes == 0) return;
  const int source = device(from_rank), target = device(to_rank);
  if (source == target)
    comm::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream(from_rank)),
                "copy between ranks");
  else
    comm::check(cudaMemcpyPeerAsync(to, target, from, source, bytes, stream(from_rank)),
                "peer copy between ranks");
}

std::unique_ptr<Workload> make_workload(const lab::Size& size, Way way, Ranks ranks) {
  return (size.variant == "halo" ? make_halo : make_product)(size, way, std::move(ranks));
}

lab::Run prepare(lab::Setup& setup, Way way) {
  const lab::Size& size = setup.problem().size;
  return enter(setup, make_workload(size, way, Ranks(static_cast<int>(size.dims.at(3)))));
}

lab::Run enter(lab::Setup& setup, const std::shared_ptr<Workload>& work) {
  setup.stages_inputs({0, 1});
  setup.before_each_run([work](const lab::Launch& launch) { work->before(launch); });
  setup.own_outputs({.poison = [work](const lab::Launch& launch) { work->poison(launch); },
                     .collect = [work](const lab::Launch& launch) { work->collect(launch); }});
  setup.figure("moved between ranks", "MB", [work] { return 1e-6 * work->bytes_moved(); });
  setup.note(work->description());
  return [work](const lab::Launch& launch) { work->run(launch.stream); };
}

}  // namespace aisp::ch14
