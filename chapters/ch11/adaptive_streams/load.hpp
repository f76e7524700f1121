// The load of adaptive_streams: rows of floats that come in requests, the requests in phases. A
// request ends when all its rows are back in host memory, and the next one begins after that.
//   bulk          one large request, next to no arithmetic
//   requests      many small ones, each waiting for the one before: what counts is how soon its
//                 first chunk is worked on and its last one is back
//   deep          twelve requests with so much arithmetic that copies hide behind it, if there are
//                 enough chunks under way to fill the multiprocessors
//   bulk again    as at first
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chapters/ch11/adaptive_streams/controller.hpp"
#include "lab/case/case.hpp"

namespace aisp::ch11 {

inline constexpr std::int64_t row_floats = 16384;
inline constexpr std::int64_t row_bytes = 4 * row_floats;

struct Request {
  std::int64_t first = 0, rows = 0;
  int steps = 0;  // of arithmetic for each row
};

inline constexpr int phase_count = 4;
inline constexpr std::array<const char*, phase_count> phase_names{"bulk", "requests", "deep",
                                                                  "bulk again"};

// Axes of the target.
struct LoadSize {
  explicit LoadSize(const lab::Size& size)
      : rows(size.dims.at(0)),
        deep_steps(size.dims.at(1)),
        chunk(size.dims.at(2) << 10),
        streams(size.dims.at(3)) {}

  std::int64_t rows;
  std::int64_t deep_steps;
  std::int64_t chunk, streams;  // a setting; bytes
};

inline constexpr std::int64_t least_rows = 32;
inline constexpr int bulk_steps = 4, request_steps = 8;

std::array<std::vector<Request>, phase_count> phases_of(const LoadSize& size);

// What every rung may use: eight streams, as many queues as a process has by default; chunks from
// 256 KiB to 16 MiB and 32 MiB of the device for all of them. Of a small load, less in proportion.
Limits limits_of(const LoadSize& size);

}  // namespace aisp::ch11
