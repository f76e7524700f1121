#include "comm/peer_ring.hpp"

#include <algorithm>

#include "comm/peer_ring_state.hpp"
#include "comm/sum.hpp"

namespace aisp::comm {

std::vector<int> spread_over_devices(int ranks) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
    cudaGetLastError();
    base::refuse(base::Exit::environment, "the peer ring needs a CUDA device, there is none");
  }
  std::vector<int> devices;
  devices.reserve(static_cast<std::size_t>(std::max(ranks, 0)));
  for (int rank = 0; rank < ranks; ++rank) devices.push_back(rank % count);
  return devices;
}

PeerRing::PeerRing(const std::vector<int>& devices, PeerRingOptions options)
    : chunk_bytes_(rounded_up(options.chunk_bytes, Segments::alignment)), copies_(devices) {
  if (devices.empty() || options.chunk_bytes < 1)
    base::refuse(base::Exit::usage, "a peer ring needs ranks and chunks of at least one byte: got ",
                 devices.size(), " ranks, chunks of ", options.chunk_bytes, " bytes");
  const int count = static_cast<int>(devices.size());
  for (int rank = 0; rank < count; ++rank) {
    const int left = (rank + count - 1) % count;
    if (count > 1)
      members_.push_back(
          std::make_unique<Rank>(copies_.device(rank), copies_.device(left), chunk_bytes_));
    copies_.connect(left, rank);
  }
}

PeerRing::~PeerRing() = default;

std::string PeerRing::description() const { return "peer ring, " + copies_.description(); }

std::vector<std::pair<cudaStream_t, std::string>> PeerRing::streams() const {
  std::vector<std::pair<cudaStream_t, std::string>> all;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    all.emplace_back(members_[rank]->scatter.get(), base::say("rank ", rank, " sends shares"));
    all.emplace_back(members_[rank]->gather.get(), base::say("rank ", rank, " sends sums"));
  }
  return all;
}

void PeerRing::require_parts(std::int64_t count, std::span<const Part> parts) const {
  if (count < 0 || parts.size() != copies_.local().size())
    base::refuse(base::Exit::usage, "a call on a peer ring of ", ranks(),
                 " ranks takes one part for each and no negative count: got ", parts.size(),
                 " parts, count ", count);
}

void PeerRing::all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) {
  require_parts(count, parts);
  run({Segments::all_reduce(type, count, ranks(), chunk_bytes_), parts});
}

void PeerRing::reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) {
  require_parts(count, parts);
  run({Segments::reduce_scatter(type, count, ranks(), chunk_bytes_), parts});
}

void PeerRing::all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) {
  require_parts(count, parts);
  run({Segments::all_gather(type, count, ranks(), chunk_bytes_), parts});
}

void PeerRing::poison(std::span<const cudaStream_t> streams) {
  for (std::size_t rank = 0; rank < members_.size(); ++rank)
    members_[rank]->memory.fill(0xff, streams[rank]);
}

void PeerRing::run(const Exchange& exchange) {
  copies_.restart();
  if (exchange.total == 0) return;
  if (ranks() == 1) {
    const Part& part = exchange.parts[0];
    if (part.send != part.receive)
      copies_.copy(0, part.send, 0, part.receive, exchange.bytes(exchange.total), part.stream);
    return;
  }
  begin(exchange);
  for (std::int64_t first = 0; first < exchange.chunks(); first += chunks_under_way) {
    const std::int64_t last = std::min(first + chunks_under_way, exchange.chunks());
    if (exchange.reduces) scatter_lap(exchange, first, last);
    if (exchange.gathers) gather_lap(exchange, first, last);
  }
  end(exchange);
}

void PeerRing::begin(const Exchange& exchange) {
  for (int rank = 0; rank < ranks(); ++rank) {
    // Events of an earlier call may belong to another capture. That call is over when this one
    // begins: its streams have waited for it.
    for (auto& slot : members_[static_cast<std::size_t>(rank)]->slots) slot.was_read = false;
    members_[static_cast<std::size_t>(rank)]->begun.record(exchange.stream(rank));
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    Rank& from = *members_[static_cast<std::size_t>(rank)];
    // A copy reads here and writes there.
    for (const int who : {rank, right_of(rank)}) {
      const Event& begun = members_[static_cast<std::size_t>(who)]->begun;
      begun.hold(from.scatter.get());
      begun.hold(from.gather.get());
    }
    if (exchange.reduces || exchange.count(rank, 0) == 0) continue;
    const void* own = exchange.parts[static_cast<std::size_t>(rank)].send;
    char* place = exchange.receive(rank, rank, 0);
    if (own != place)
      copies_.copy(rank, own, rank, place, exchange.bytes(exchange.each), from.gather.get());
  }
}

void PeerRing::scatter_lap(const Exchange& exchange, std::int64_t first, std::int64_t last) {
  for (int step = 0; step < ranks() - 1; ++step)
    for (std::int64_t chunk = first; chunk < last; ++chunk)
      for (int from = 0; from < ranks(); ++from) scatter_step(exchange, step, chunk, from);
}

// At step s rank r sends its partial sum of segment r - 1 - s; after the last step it has the whole
// sum of segment r.
void PeerRing::scatter_step(const Exchange& exchange, int step, std::int64_t chunk, int from) {
  const int to = right_of(from);
  const int segment = wrapped(from - 1 - step);
  const std::int64_t count = exchange.count(segment, chunk);
  if (count == 0) return;
  Rank& source = *members_[static_cast<std::size_t>(from)];
  Rank& target = *members_[static_cast<std::size_t>(to)];
  Slot& slot = target.slot(chunk, step);

  if (slot.was_read) slot.free.hold(source.scatter.get());
  if (step == 0) {
    copies_.copy(from, exchange.send(from, segment, chunk), to, slot.memory, exchange.bytes(count),
                 source.scatter.get());
  } else {
    Slot& partial = source.slot(chunk, step - 1);
    partial.summed.hold(source.scatter.get());
    copies_.copy(from, partial.memory, to, slot.memory, exchange.bytes(count),
                 source.scatter.get());
    partial.free.record(source.scatter.get());
    partial.was_read = true;
  }
  slot.full.record(source.scatter.get());

  const bool last = step == ranks() - 2;
  void* sum = last ? exchange.receive(to, segment, chunk) : slot.memory;
  slot.full.hold(exchange.stream(to));
  const OnDevice on(target.device);
  enqueue_sum(exchange.type, sum, slot.memory, exchange.send(to, segment, chunk), count,
              exchange.stream(to));
  if (!last) return slot.summed.record(exchange.stream(to));
  slot.free.record(exchange.stream(to));
  slot.was_read = true;
  target.finish(chunk).record(exchange.stream(to));
}

void PeerRing::gather_lap(const Exchange& exchange, std::int64_t first, std::int64_t last) {
  for (int step = 0; step < ranks() - 1; ++step)
    for (std::int64_t chunk = first; chunk < last; ++chunk)
      for (int from = 0; from < ranks(); ++from) gather_step(exchange, step, chunk, from);
}

// At step s rank r sends segment r - s, which it has had since the step before, straight to where
// it belongs. Whoever still needed the old contents has been waited for: they went into the sum.
void PeerRing::gather_step(const Exchange& exchange, int step, std::int64_t chunk, int from) {
  const int to = right_of(from);
  const int segment = wrapped(from - step);
  const std::int64_t count = exchange.count(segment, chunk);
  if (count == 0) return;
  Rank& source = *members_[static_cast<std::size_t>(from)];
  if (step > 0)
    source.arrival(chunk, step - 1).hold(source.gather.get());
  else if (exchange.reduces)
    source.finish(chunk).hold(source.gather.get());
  copies_.copy(from, exchange.receive(from, segment, chunk), to,
               exchange.receive(to, segment, chunk), exchange.bytes(count), source.gather.get());
  members_[static_cast<std::size_t>(to)]->arrival(chunk, step).record(source.gather.get());
}

void PeerRing::end(const Exchange& exchange) {
  for (const auto& member : members_) {
    member->scattered.record(member->scatter.get());
    member->gathered.record(member->gather.get());
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    const Rank& member = *members_[static_cast<std::size_t>(rank)];
    member.scattered.hold(exchange.stream(rank));  // has read what the rank sends
    member.gathered.hold(exchange.stream(rank));   // and what it received
    // The left neighbour's copies into this rank.
    const Rank& left = *members_[static_cast<std::size_t>(wrapped(rank - 1))];
    left.gathered.hold(exchange.stream(rank));
  }
}

}  // namespace aisp::comm
