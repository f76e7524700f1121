// How a ring cuts a buffer: a segment for each rank, of which the last may be shorter, and a
// segment into chunks.
#pragma once

#include <algorithm>

#include "comm/communicator.hpp"
#include "comm/rounded_up.hpp"

namespace aisp::comm {

struct Segments {
  // Of chunks, so that the reduction reads whole vectors.
  static constexpr std::int64_t alignment = 16;

  Dtype type;
  std::int64_t total, each;  // elements of the buffer, and of a segment
  std::int64_t chunk;        // elements
  bool reduces, gathers;

  static Segments all_reduce(Dtype type, std::int64_t count, int ranks, std::int64_t chunk_bytes) {
    const std::int64_t each = rounded_up((count + ranks - 1) / ranks, alignment / bytes_of(type));
    return {type, count, each, chunk_bytes / bytes_of(type), true, true};
  }
  static Segments reduce_scatter(Dtype type, std::int64_t count, int ranks,
                                 std::int64_t chunk_bytes) {
    return {type, count * ranks, count, chunk_bytes / bytes_of(type), true, false};
  }
  static Segments all_gather(Dtype type, std::int64_t count, int ranks, std::int64_t chunk_bytes) {
    return {type, count * ranks, count, chunk_bytes / bytes_of(type), false, true};
  }

  std::int64_t chunks() const { return (each + chunk - 1) / chunk; }
  std::int64_t offset(int segment, std::int64_t at) const { return segment * each + at * chunk; }
  std::int64_t count(int segment, std::int64_t at) const {
    const std::int64_t end = std::min((segment + 1) * each, total);
    return std::clamp<std::int64_t>(end - offset(segment, at), 0, chunk);
  }
  std::int64_t bytes(std::int64_t elements) const { return elements * bytes_of(type); }
  const char* send(const Part& part, int segment, std::int64_t at) const {
    return static_cast<const char*>(part.send) + bytes(offset(segment, at));
  }
  // Of a reduce-scatter the receive buffer is the rank's own segment alone.
  char* receive(const Part& part, int segment, std::int64_t at) const {
    return static_cast<char*>(part.receive) + bytes(gathers ? offset(segment, at) : at * chunk);
  }
};

}  // namespace aisp::comm
