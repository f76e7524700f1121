// The fatbin container as this fuzzer changes it: where each field is stored. It is described a
// second time on purpose, independent of the reader under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fatbin_fuzz {

struct Field {
  const char* name;
  std::size_t at, bytes;
};

inline constexpr std::size_t container_bytes = 16, entry_bytes = 64, wrapper_bytes = 24;
inline constexpr Field container_fields[] = {
    {"magic", 0, 4}, {"version", 4, 2}, {"header size", 6, 2}, {"size", 8, 8}};
inline constexpr Field entry_fields[] = {{"kind", 0, 2},
                                         {"version", 2, 2},
                                         {"header size", 4, 4},
                                         {"payload size", 8, 8},
                                         {"compressed size", 16, 4},
                                         {"options offset", 20, 4},
                                         {"minor", 24, 2},
                                         {"major", 26, 2},
                                         {"architecture", 28, 4},
                                         {"name offset", 32, 4},
                                         {"name size", 36, 4},
                                         {"flags", 40, 8},
                                         {"reserved", 48, 8},
                                         {"uncompressed size", 56, 8}};

inline std::uint64_t get(const std::string& image, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, image.data() + at, bytes);
  return value;
}
inline void set(std::string& image, std::size_t at, std::size_t bytes, std::uint64_t value) {
  std::memcpy(image.data() + at, &value, bytes);
}

struct Entry {
  std::size_t at = 0, header = 0, payload = 0;  // bytes
  std::size_t end() const { return at + header + payload; }
};

// Of a well-formed container.
inline std::vector<Entry> entries_of(const std::string& image) {
  std::vector<Entry> entries;
  const std::size_t end = get(image, 6, 2) + get(image, 8, 8);
  for (std::size_t at = get(image, 6, 2); at < end; at = entries.back().end())
    entries.push_back({at, get(image, at + 4, 4), get(image, at + 8, 8)});
  return entries;
}

inline bool is_fatbin(const std::string& image) {
  return image.size() >= container_bytes && get(image, 0, 4) == 0xba55ed50;
}

}  // namespace fatbin_fuzz
