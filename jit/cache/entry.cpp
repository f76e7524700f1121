#include "jit/cache/entry.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/text.hpp"
#include "jit/build/headers.hpp"
#include "jit/build/nvrtc.hpp"

namespace aisp::jit {
namespace {

constexpr std::string_view magic = "aispkrnl";
constexpr std::size_t sections = 5;
constexpr std::size_t heads = magic.size() + 4 + 32;             // magic, format, key
constexpr std::size_t head_bytes = heads + sections * (8 + 32);  // and length, digest of each

// Little end first, on every host.
template <class Number>
std::string number_bytes(Number number) {
  std::string bytes;
  for (std::size_t at = 0; at < sizeof number; ++at)
    bytes += static_cast<char>(number >> (8 * at) & 0xFF);
  return bytes;
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  for (std::size_t byte = 0; byte < sizeof number; ++byte)
    number |= static_cast<Number>(static_cast<unsigned char>(bytes[at + byte])) << (8 * byte);
  return number;
}

std::string_view view_of(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Each with its length in front: no two lists of parts give the same text.
void add_part(std::string& all, std::string_view part) {
  all += number_bytes(static_cast<std::uint64_t>(part.size()));
  all += part;
}

const Sha256& headers_digest() {
  static const Sha256 digest = [] {
    std::string all;
    for (const Header& header : kernel_headers()) {
      add_part(all, header.name);
      add_part(all, header.text);
    }
    return sha256_of(all);
  }();
  return digest;
}

std::array<std::string_view, sections> parts_of(const Entry& entry) {
  return {entry.cubin, entry.ptx, entry.source, entry.log, entry.resources};
}

std::size_t length_at(std::size_t section) { return heads + section * (8 + 32); }

}  // namespace

Sha256 key_of(const KernelText& text, const BuildOptions& options) {
  std::string all;
  add_part(all, number_bytes(entry_format));
  add_part(all, text.name);
  add_part(all, text.code);
  add_part(all, view_of(headers_digest()));
  for (const auto& word : option_words(options)) add_part(all, word);  // the architecture is one
  add_part(all, nvrtc().release);
  return sha256_of(all);
}

Entry entry_of(const KernelText& text, const Compiled& compiled) {
  std::string resources = base::say("seconds ", compiled.seconds, '\n');
  for (const auto& one : compiled.resources)
    resources += base::say(one.kernel, ' ', one.registers, ' ', one.stack, ' ', one.spill_stores,
                           ' ', one.spill_loads, ' ', one.shared, '\n');
  return {compiled.cubin, compiled.ptx, text.code, compiled.log, resources};
}

Compiled compiled_of(const Entry& entry) {
  Compiled compiled{.cubin = entry.cubin, .ptx = entry.ptx, .log = entry.log};
  std::istringstream lines(entry.resources);
  std::string word;
  lines >> word >> compiled.seconds;
  for (Resources one; lines >> one.kernel >> one.registers >> one.stack >> one.spill_stores >>
                      one.spill_loads >> one.shared;)
    compiled.resources.push_back(one);
  return compiled;
}

std::string bytes_of(const Sha256& key, const Entry& entry) {
  std::string bytes(magic);
  bytes += number_bytes(entry_format);
  bytes += view_of(key);
  for (const auto part : parts_of(entry)) {
    bytes += number_bytes(static_cast<std::uint64_t>(part.size()));
    bytes += view_of(sha256_of(part));
  }
  for (const auto part : parts_of(entry)) bytes += part;
  return bytes;
}

std::string problem_with(std::string_view bytes, const Sha256& key) {
  if (bytes.size() < head_bytes)
    return base::say("has ", bytes.size(), " bytes, its head alone ", head_bytes);
  if (!bytes.starts_with(magic)) return "is no entry of this cache";
  if (const auto format = number_at<std::uint32_t>(bytes, magic.size()); format != entry_format)
    return base::say("has format ", format, ", this program ", entry_format);
  if (bytes.substr(magic.size() + 4, key.size()) != view_of(key)) return "has another key in it";
  std::uint64_t at = head_bytes;
  for (std::size_t section = 0; section < sections; ++section) {
    const auto length = number_at<std::uint64_t>(bytes, length_at(section));
    if (length > bytes.size() - at) return base::say("ends within section ", section);
    const auto digest = bytes.substr(length_at(section) + 8, 32);
    if (digest != view_of(sha256_of(bytes.substr(at, length))))
      return base::say("section ", section, " is damaged");
    at += length;
  }
  return at == bytes.size() ? "" : base::say("has ", bytes.size() - at, " bytes too many");
}

Entry entry_in(std::string_view bytes) {
  std::array<std::string, sections> parts;
  std::size_t at = head_bytes;
  for (std::size_t section = 0; section < sections; ++section) {
    const auto length = number_at<std::uint64_t>(bytes, length_at(section));
    parts[section] = bytes.substr(at, length);
    at += length;
  }
  return {parts[0], parts[1], parts[2], parts[3], parts[4]};
}

}  // namespace aisp::jit
