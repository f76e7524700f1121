// A ring of slots between threads that read batches of a file and the stream that works on them:
// while some slots are filled, others are copied and multiplied.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace aisp::ch10 {

struct Chunk {
  std::int64_t offset = 0, bytes = 0;  // in the file
  std::int64_t number = 0;
};

struct RingShape {
  int slots = 4;
  int readers = 1;                  // threads, and so reads that are under way at once
  std::int64_t chunk_bytes = 4096;  // of each slot
};

// Of a ring whose reads go past the page cache: what kept the disk busy, reading ahead, is now the
// number of reads that are under way. They wait and need no core each.
inline constexpr int direct_slots = 16, direct_readers = 8;

class Ring {
 public:
  // Blocks until the chunk is in its slot; called by a reader.
  using Fill = std::function<void(int slot, const Chunk& chunk)>;
  // Enqueues what has to be done with the slot, the last of it on the stream of run(), whose thread
  // calls it.
  using Use = std::function<void(int slot, const Chunk& chunk)>;

  explicit Ring(RingShape shape);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring();

  const RingShape& shape() const { return shape_; }
  int slot_of(std::int64_t chunk) const { return static_cast<int>(chunk % shape_.slots); }

  // Every chunk of the file goes through its slot once. They are read by whoever is free and used
  // in the file's order, which a training loop relies on. Returns when all work is enqueued. The
  // first exception of anyone is thrown here, after all readers ended.
  void run(std::int64_t file_bytes, cudaStream_t stream, const Fill& fill, const Use& use);

 private:
  struct Turn;  // of one run

  Chunk chunk_at(std::int64_t number, std::int64_t file_bytes) const;
  void read_chunks(Turn& turn, const Fill& fill) const;
  void use_chunks(Turn& turn, cudaStream_t stream, const Use& use) const;

  RingShape shape_;
  int device_ = 0;
  std::vector<cudaEvent_t> used_;  // per slot: its last chunk has been worked on
};

}  // namespace aisp::ch10
