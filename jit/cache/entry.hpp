// What the cache keeps of one compile, and the bytes of its file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "jit/build/compile.hpp"

namespace aisp::jit {

using base::hex_of;
using base::Sha256;
using base::sha256_of;

// The number of this layout of files; part of every key too.
inline constexpr std::uint32_t entry_format = 1;

// Says all that a compile depends on, and nothing else: no path, no time, no pointer. The same
// program has the same key on two machines.
Sha256 key_of(const KernelText& text, const BuildOptions& options);

struct Entry {
  std::string cubin, ptx, source, log, resources;
};

Entry entry_of(const KernelText& text, const Compiled& compiled);
Compiled compiled_of(const Entry& entry);

// Magic, format, key; length and SHA-256 of each section; the sections.
std::string bytes_of(const Sha256& key, const Entry& entry);

// Empty where the bytes are an entry of this key, else what is wrong with them.
std::string problem_with(std::string_view bytes, const Sha256& key);

// Of bytes that have no problem.
Entry entry_in(std::string_view bytes);

}  // namespace aisp::jit
