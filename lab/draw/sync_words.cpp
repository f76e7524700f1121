#include "lab/draw/sync_words.hpp"

#include <algorithm>
#include <filesystem>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

std::string line_text(const std::pair<std::string, int>& where) {
  return base::say(std::filesystem::path(where.first).filename().string(), ":", where.second);
}

// Of a place with a chain.
const std::pair<std::string, int>& caller_of(const SyncPlace& place) {
  for (const auto& where : place.chain)
    if (where.first != place.chain.front().first) return where;
  return place.chain[place.chain.size() > 1 ? 1 : 0];
}

std::string ptx_text(const SyncPlace& place) { return base::say("PTX line ", place.ptx_line); }

}  // namespace

std::string ranges(const std::set<int>& numbers) {
  std::vector<std::string> parts;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int first = *at;
    int last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    parts.push_back(first == last ? base::say(first) : base::say(first, "-", last));
  }
  return base::join(parts, ", ");
}

std::string shown(const Spread& spread) {
  return spread.least == spread.most ? base::say(spread.most)
                                     : base::say(spread.least, "..", spread.most);
}

std::string shown_bytes(std::int64_t bytes) {
  return bytes != 0 && bytes % 1024 == 0 ? base::say(bytes / 1024, " KiB") : base::say(bytes, " B");
}

std::string identity(const SyncPlace& place) {
  if (place.chain.empty()) return ptx_text(place);
  std::string text;
  for (const auto& [file, line] : place.chain) text += base::say(file, ":", line, "\n");
  return text;
}

std::string shown_chain(const SyncPlace& place) {
  if (place.chain.empty()) return ptx_text(place);
  std::vector<std::string> parts;
  for (const auto& where : place.chain) parts.push_back(line_text(where));
  return base::join(parts, " < ");
}

std::string shown_line(const SyncPlace& place) {
  return place.chain.empty() ? ptx_text(place) : line_text(caller_of(place));
}

std::string caller_identity(const SyncPlace& place) {
  if (place.chain.empty()) return ptx_text(place);
  const auto& [file, line] = caller_of(place);
  return base::say(file, ":", line);
}

std::string opcode_of(const SyncPlace& place) {
  // Of several statements on a line the first with modifiers: "{ .reg .pred p; mbarrier.try_wait…".
  for (const auto& word : base::split(place.ptx, ' ')) {
    const std::size_t start = std::min(word.find_first_not_of("{\t"), word.size());
    const std::string opcode = word.substr(start, word.find_first_of(";\t", start) - start);
    const auto dot = opcode.find('.');
    if (dot != std::string::npos && dot != 0 && opcode[0] != '@' && opcode[0] != '/') return opcode;
  }
  return "";
}

}  // namespace aisp::lab
