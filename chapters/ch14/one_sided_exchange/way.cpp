#include "chapters/ch14/one_sided_exchange/way.hpp"

#include "base/refuse.hpp"
#include "comm/peer_ring.hpp"

namespace aisp::ch14 {

Ranks::Ranks(int count)
    : devices_(comm::spread_over_devices(count)), home_(comm::current_device()), begin_(home_) {
  for (int rank = 0; rank < count; ++rank) {
    streams_.emplace_back(device(rank));
    done_.emplace_back(device(rank));
    labels_.emplace_back(stream(rank), base::say("rank ", rank));
  }
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

lab::Run prepare(lab::Setup& setup, Way way) {
  const lab::Problem& problem = setup.problem();
  const std::shared_ptr<Workload> work =
      problem.size.variant == "halo" ? make_halo(problem, way) : make_product(problem, way);
  setup.before_each_run([work](const lab::Launch& launch) { work->before(launch); });
  setup.own_outputs({.poison = [work](const lab::Launch& launch) { work->poison(launch); },
                     .collect = [work](const lab::Launch& launch) { work->collect(launch); }});
  setup.figure("moved between ranks", "MB", [work] { return 1e-6 * work->bytes_moved(); });
  setup.note(work->description());
  return [work](const lab::Launch& launch) { work->run(launch); };
}

}  // namespace aisp::ch14
