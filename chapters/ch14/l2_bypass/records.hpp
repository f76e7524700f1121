// What l2_bypass computes, for the host and the kernels alike: records of a long stream, each
// combined with a line of a small table, the hot set. Which line is a hash of the record's number:
// every line is as likely as any other, and nothing has to be read to know it.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define AISP_RECORDS __host__ __device__ constexpr
#else
#define AISP_RECORDS constexpr
#endif

namespace aisp::ch14 {

inline constexpr int line_words = 32;     // a record, and a line of the hot set: 128 bytes
inline constexpr int group_records = 64;  // that add up to one line of the output
inline constexpr std::int64_t line_bytes = 4 * line_words;
inline constexpr std::int64_t group_bytes = group_records * line_bytes;

// Of [0, lines).
AISP_RECORDS std::uint32_t hot_line(std::uint32_t record, std::uint32_t lines) {
  std::uint32_t h = record * 0x9E3779B1u + 0x7F4A7C15u;
  h = (h ^ (h >> 15)) * 0x85EBCA77u;
  h = (h ^ (h >> 13)) * 0xC2B2AE3Du;
  h ^= h >> 16;
  return static_cast<std::uint32_t>((std::uint64_t{h} * lines) >> 32);
}

}  // namespace aisp::ch14

#undef AISP_RECORDS
