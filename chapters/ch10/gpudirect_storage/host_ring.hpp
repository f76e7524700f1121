// The ring through pinned host memory: readers fill slots, the stream copies a slot to the device
// and makes its sums.
#pragma once

#include "chapters/ch10/gpudirect_storage/input_file.hpp"
#include "chapters/ch10/gpudirect_storage/ring.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// Enqueues the sums of a chunk that lies in device memory.
void enqueue_chunk_sums(const lab::Launch& launch, const char* chunk_memory, const Chunk& chunk);

class HostRing {
 public:
  HostRing(lab::Setup& setup, int slots, int readers);

  void run(const lab::Launch& launch, const File& file, std::int64_t bytes);
  // "reads of 4.194 MB, 8 at once"
  std::string description() const;

 private:
  Ring ring_;
  PinnedMemory host_;
  char* device_;
};

}  // namespace aisp::ch10
