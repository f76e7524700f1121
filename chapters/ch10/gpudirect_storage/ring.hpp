// A ring of slots between threads that read chunks of a file and the stream that works on them:
// while some slots are filled, others are copied and computed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace aisp::ch10 {

struct Chunk {
  std::int64_t offset = 0, bytes = 0;
};

struct RingShape {
  int slots = 4;
  int readers = 1;                  // threads, and so reads that are under way at once
  std::int64_t chunk_bytes = 4096;  // of each slot
};

// 4 MiB for a file of 256 MiB and more; smaller ones are cut into about 64 chunks.
std::int64_t chunk_bytes_for(std::int64_t file_bytes);

// Of a ring whose reads go past the page cache: what kept the disk busy, reading ahead, is now the
// number of reads that are under way. They wait and need no core each.
inline constexpr int direct_slots = 16, direct_readers = 8;

class Ring {
 public:
  // Blocks until the chunk is in the slot; called by a reader.
  using Fill = std::function<void(int slot, const Chunk& chunk)>;
  // Enqueues on the stream what has to be done with the slot; called by the thread of run().
  using Use = std::function<void(int slot, const Chunk& chunk)>;

  explicit Ring(RingShape shape);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring();

  const RingShape& shape() const { return shape_; }

  // Every chunk of the file goes through a slot once, in whatever order they arrive. Returns when
  // all work is enqueued. The first exception of anyone is thrown here, after all readers ended.
  void run(std::int64_t file_bytes, cudaStream_t stream, const Fill& fill, const Use& use);

 private:
  struct Turn;  // of one run

  void read_chunks(Turn& turn, const Fill& fill) const;
  void use_chunks(Turn& turn, cudaStream_t stream, const Use& use) const;

  RingShape shape_;
  int device_ = 0;
  std::vector<cudaEvent_t> used_;  // per slot: its last chunk has been worked on
};

}  // namespace aisp::ch10
