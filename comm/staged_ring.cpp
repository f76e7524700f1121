#include "comm/staged_ring.hpp"

#include "comm/sum.hpp"

namespace aisp::comm {
namespace {

char* pinned(std::int64_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), "host memory of a staged ring");
  return static_cast<char*>(memory);
}

std::int64_t usable(std::int64_t chunk_bytes) {
  if (chunk_bytes < 1)
    base::refuse(base::Exit::usage, "a staged ring needs chunks of at least one byte: got ",
                 chunk_bytes);
  return rounded_up(chunk_bytes, Segments::alignment);
}

}  // namespace

StagedRing::StagedRing(std::shared_ptr<Link> link, int device, std::int64_t chunk_bytes)
    : link_(std::move(link)),
      local_{{link_->rank(), device}},
      chunk_bytes_(usable(chunk_bytes)),
      slot_(device, static_cast<std::size_t>(chunk_bytes_)) {
  const OnDevice on(device);
  out_ = pinned(chunk_bytes_);
  in_ = pinned(chunk_bytes_);
}

StagedRing::~StagedRing() {
  cudaFreeHost(out_);
  cudaFreeHost(in_);
}

std::string StagedRing::description() const {
  return base::say("staged on the host over ", link_->description(), ", ", ranks(),
                   ranks() == 1 ? " rank" : " ranks as processes");
}

std::int64_t StagedRing::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

const Part& StagedRing::only(std::int64_t count, std::span<const Part> parts) {
  if (count < 0 || parts.size() != 1)
    base::refuse(base::Exit::usage,
                 "a call on a staged ring takes the part of its one rank and no negative count: "
                 "got ",
                 parts.size(), " parts, count ", count);
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw std::runtime_error(failure_);
  return parts[0];
}

void StagedRing::all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) {
  run(Segments::all_reduce(type, count, ranks(), chunk_bytes_), only(count, parts));
}
void StagedRing::reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) {
  run(Segments::reduce_scatter(type, count, ranks(), chunk_bytes_), only(count, parts));
}
void StagedRing::all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) {
  run(Segments::all_gather(type, count, ranks(), chunk_bytes_), only(count, parts));
}

void StagedRing::poison(std::span<const cudaStream_t> streams) {
  slot_.fill(0xff, streams[0]);
  const auto bytes = static_cast<std::size_t>(chunk_bytes_);
  for (char* memory : {out_, in_})
    check(cudaMemcpyAsync(memory, slot_.get(), bytes, cudaMemcpyDeviceToHost, streams[0]),
          "poison of a staged ring");
}

// As in the peer ring: at step s of the first lap rank r sends its partial sum of segment r - 1 - s
// and adds its share to that of segment r - 2 - s, which comes from the left; in the second lap it
// sends segment r - s and gets segment r - 1 - s. The stream alone puts all of it in order.
void StagedRing::run(const Segments& segments, const Part& part) {
  if (segments.total == 0) return;
  const OnDevice on(local_[0].device);
  const int own = link_->rank(), all = ranks();
  const auto wrapped = [&](int rank) { return (rank % all + all) % all; };
  const auto keep = [&](const void* from, void* to, std::int64_t count) {
    if (from != to && count > 0)
      check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(segments.bytes(count)),
                            cudaMemcpyDeviceToDevice, part.stream),
            "copy in a staged ring");
  };
  for (std::int64_t chunk = 0; chunk < segments.chunks(); ++chunk) {
    // A rank alone has the sum already; of a gather it has its own segment.
    if (all == 1)
      keep(segments.send(part, 0, chunk), segments.receive(part, 0, chunk),
           segments.count(0, chunk));
    else if (!segments.reduces)
      keep(static_cast<const char*>(part.send) + segments.bytes(chunk * segments.chunk),
           segments.receive(part, own, chunk), segments.count(own, chunk));
    for (int step = 0; segments.reduces && step < all - 1; ++step) {
      const int goes = wrapped(own - 1 - step), comes = wrapped(own - 2 - step);
      const std::int64_t count = segments.count(comes, chunk);
      pass_on(step == 0 ? segments.send(part, goes, chunk) : slot_.get(),
              segments.bytes(segments.count(goes, chunk)), slot_.get(), segments.bytes(count),
              part.stream);
      const bool last = step == all - 2;
      enqueue_sum(segments.type, last ? segments.receive(part, comes, chunk) : slot_.get(),
                  slot_.get(), segments.send(part, comes, chunk), count, part.stream);
    }
    for (int step = 0; segments.gathers && step < all - 1; ++step) {
      const int goes = wrapped(own - step), comes = wrapped(own - 1 - step);
      pass_on(segments.receive(part, goes, chunk), segments.bytes(segments.count(goes, chunk)),
              segments.receive(part, comes, chunk), segments.bytes(segments.count(comes, chunk)),
              part.stream);
    }
  }
}

void StagedRing::pass_on(const void* out, std::int64_t out_bytes, void* in, std::int64_t in_bytes,
                         cudaStream_t stream) {
  const std::pair sizes{static_cast<std::size_t>(out_bytes), static_cast<std::size_t>(in_bytes)};
  if (sizes.first == 0 && sizes.second == 0) return;
  if (sizes.first > 0)
    check(cudaMemcpyAsync(out_, out, sizes.first, cudaMemcpyDeviceToHost, stream),
          "copy out of a staged ring");
  auto& hop = hops_[sizes];
  if (hop == nullptr) hop = std::make_unique<Hop>(Hop{this, sizes.first, sizes.second});
  const auto run_hop = [](void* given) {
    const Hop& what = *static_cast<const Hop*>(given);
    what.ring->hop(what);
  };
  check(cudaLaunchHostFunc(stream, run_hop, hop.get()), "cudaLaunchHostFunc");
  if (sizes.second > 0)
    check(cudaMemcpyAsync(in, in_, sizes.second, cudaMemcpyHostToDevice, stream),
          "copy into a staged ring");
}

// On a thread of the CUDA runtime, which must hear of no exception and be asked for nothing.
void StagedRing::hop(const Hop& what) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    sent_ += static_cast<std::int64_t>(what.out);
  }
  const int right = (link_->rank() + 1) % ranks(), left = (link_->rank() + ranks() - 1) % ranks();
  try {
    link_->exchange(right, std::as_bytes(std::span(out_, what.out)), left,
                    std::as_writable_bytes(std::span(in_, what.in)));
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failure_ = error.what();
  }
}

}  // namespace aisp::comm
