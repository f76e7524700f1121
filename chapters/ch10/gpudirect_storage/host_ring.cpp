#include "chapters/ch10/gpudirect_storage/host_ring.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "chapters/ch10/gpudirect_storage/sums.hpp"

namespace aisp::ch10 {
namespace {

constexpr std::int64_t float_bytes = 4;

RingShape shape_for(const lab::Setup& setup, int slots, int readers) {
  return {slots, readers, chunk_bytes_for(setup.problem().inputs.at(0).bytes())};
}

}  // namespace

void enqueue_chunk_sums(const lab::Launch& launch, const char* chunk_memory, const Chunk& chunk) {
  float* sums = launch.out<float>(0) + chunk.offset / (float_bytes * sum_floats);
  enqueue_sums(reinterpret_cast<const float*>(chunk_memory), sums, chunk.bytes / float_bytes,
               launch.stream);
}

HostRing::HostRing(lab::Setup& setup, int slots, int readers)
    : ring_(shape_for(setup, slots, readers)),
      host_(slots * ring_.shape().chunk_bytes),
      device_(static_cast<char*>(
          setup.scratch(static_cast<std::size_t>(slots * ring_.shape().chunk_bytes)))) {
  host_.poison_before_checks(setup);
}

void HostRing::run(const lab::Launch& launch, const File& file, std::int64_t bytes) {
  const std::int64_t slot_bytes = ring_.shape().chunk_bytes;
  ring_.run(
      bytes, launch.stream,
      [&](int slot, const Chunk& chunk) {
        file.read(host_.get() + slot * slot_bytes, chunk.bytes, chunk.offset);
      },
      [&](int slot, const Chunk& chunk) {
        char* here = device_ + slot * slot_bytes;
        lab::check_cuda(cudaMemcpyAsync(here, host_.get() + slot * slot_bytes,
                                        static_cast<std::size_t>(chunk.bytes),
                                        cudaMemcpyHostToDevice, launch.stream),
                        "cudaMemcpyAsync of a chunk");
        enqueue_chunk_sums(launch, here, chunk);
      });
}

std::string HostRing::description() const {
  const RingShape& shape = ring_.shape();
  return base::say(
      "reads of ", base::with_prefix(static_cast<double>(shape.chunk_bytes), "B"),
      shape.readers == 1 ? ", one at a time" : base::say(", ", shape.readers, " at once"));
}

}  // namespace aisp::ch10
