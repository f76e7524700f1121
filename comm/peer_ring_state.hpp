// What a peer ring keeps for each of its ranks, and what it knows of a call while it enqueues it.
#pragma once

#include <vector>

#include "comm/cuda.hpp"
#include "comm/peer_ring.hpp"
#include "comm/segments.hpp"

namespace aisp::comm {

inline constexpr std::int64_t chunks_under_way = 4;  // of a segment, at once: a lap

// Room for a chunk that arrives at a rank. The partial sum is made in it and sent on from it.
struct Slot {
  Slot(int device, int left_device, char* room)
      : memory(room), full(left_device), summed(device), free(device) {}
  char* memory;
  Event full;    // the left neighbour's copy has arrived
  Event summed;  // this rank's share has been added
  Event free;    // the last reader is done
  bool was_read = false;
};

struct PeerRing::Rank {
  Rank(int own, int left_device, std::int64_t chunk_bytes)
      : device(own),
        memory(own, static_cast<std::size_t>(2 * chunks_under_way * chunk_bytes)),
        scatter(own, Stream::Priority::first),
        gather(own, Stream::Priority::first),
        begun(own),
        scattered(own),
        gathered(own) {
    for (int i = 0; i < 2 * chunks_under_way; ++i) {
      slots.emplace_back(own, left_device, memory.get() + i * chunk_bytes);
      arrived.emplace_back(left_device);
    }
    for (int i = 0; i < chunks_under_way; ++i) finished.emplace_back(own);
  }

  // A chunk has two of each: what comes in at a step lies beside what goes out.
  static std::size_t index(std::int64_t chunk, int step) {
    return static_cast<std::size_t>(chunk % chunks_under_way * 2 + step % 2);
  }
  Slot& slot(std::int64_t chunk, int step) { return slots[index(chunk, step)]; }
  Event& arrival(std::int64_t chunk, int step) { return arrived[index(chunk, step)]; }
  Event& finish(std::int64_t chunk) {
    return finished[static_cast<std::size_t>(chunk % chunks_under_way)];
  }

  int device;
  Memory memory;
  Stream scatter, gather;  // this rank's copies to its right neighbour
  Event begun, scattered, gathered;
  std::vector<Slot> slots;
  std::vector<Event> finished;  // the sum of the rank's own segment
  std::vector<Event> arrived;   // finished chunks from the left neighbour
};

// One call: where the segments lie and what is done with them.
struct PeerRing::Exchange : Segments {
  std::span<const Part> parts;

  const char* send(int rank, int segment, std::int64_t at) const {
    return Segments::send(parts[static_cast<std::size_t>(rank)], segment, at);
  }
  char* receive(int rank, int segment, std::int64_t at) const {
    return Segments::receive(parts[static_cast<std::size_t>(rank)], segment, at);
  }
  cudaStream_t stream(int rank) const { return parts[static_cast<std::size_t>(rank)].stream; }
};

}  // namespace aisp::comm
