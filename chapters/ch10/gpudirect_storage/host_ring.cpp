#include "chapters/ch10/gpudirect_storage/host_ring.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::ch10 {

HostRing::HostRing(lab::Setup& setup, int slots, int readers)
    : ring_({slots, readers, BatchShape(setup.problem().size).bytes()}),
      host_(slots * ring_.shape().chunk_bytes),
      device_(static_cast<char*>(
          setup.scratch(static_cast<std::size_t>(slots * ring_.shape().chunk_bytes)))),
      copies_(slots),
      products_(setup, [this](std::int64_t batch) {
        return device_ + ring_.slot_of(batch) * ring_.shape().chunk_bytes;
      }) {
  host_.poison_before_checks(setup);
}

void HostRing::run(const lab::Launch& launch, const File& file, std::int64_t bytes) {
  const std::int64_t slot_bytes = ring_.shape().chunk_bytes;
  copies_.fork(launch.stream);
  ring_.run(
      bytes, launch.stream,
      [&](int slot, const Chunk& chunk) {
        const lab::Range range(lab::storage_range);
        file.read(host_.get() + slot * slot_bytes, chunk.bytes, chunk.offset);
      },
      [&](int slot, const Chunk& chunk) {
        const std::int64_t at = slot * slot_bytes;
        copies_.copy(slot, device_ + at, host_.get() + at, chunk.bytes, launch.stream);
        products_.multiply(launch, chunk.number);
      });
}

std::string HostRing::description() const {
  const RingShape& shape = ring_.shape();
  return base::say(
      "reads of ", base::with_prefix(static_cast<double>(shape.chunk_bytes), "B"),
      shape.readers == 1 ? ", one at a time" : base::say(", ", shape.readers, " at once"));
}

}  // namespace aisp::ch10
