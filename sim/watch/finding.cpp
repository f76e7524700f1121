#include "sim/watch/finding.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::sim::watch {
namespace {

// What comes from a program (names, source lines) may be any bytes.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json json_of(const FindingPlace& place) {
  nlohmann::ordered_json json{{"what", place.what}, {"on_device", place.on_device}};
  json["block"] = {place.block[0], place.block[1], place.block[2]};
  json["warp"] = place.warp;
  json["lane"] = place.lane;
  json["address"] = place.address;
  json["ptx_line"] = place.ptx_line;
  json["ptx"] = place.ptx;
  json["file"] = place.file;
  json["line"] = place.line;
  json["inlined"] = nlohmann::ordered_json::array();
  for (const auto& [file, line] : place.inlined)
    json["inlined"].push_back({{"file", file}, {"line", line}});
  return json;
}

std::string line_of(const Finding& finding, FindingNumber number) {
  const base::HazardRuleText& rule = text_of(finding.rule);
  nlohmann::ordered_json json{
      {"rule", rule.name},        {"title", rule.title},        {"severity", name_of(rule.level)},
      {"kernel", finding.kernel}, {"message", finding.message}, {"why", finding.why},
      {"fix", finding.fix},       {"count", finding.count}};
  json["places"] = nlohmann::ordered_json::array();
  for (const auto& place : finding.places) json["places"].push_back(json_of(place));
  json["graph"] = finding.graph;
  json["causes"] = finding.causes;
  json["between"] = {finding.between.first, finding.between.last};
  json["pairs"] = finding.pairs;
  json["also"] = finding.also;
  json["number"] = number;
  json["follows"] = finding.is_consequence() ? finding.follows : std::set<FindingNumber>{};
  return dumped(json) + "\n";
}

// "a.cu:31 with a.cu:44", or PTX lines where there is nothing better.
std::string pair_text(const Finding& finding) {
  std::string text;
  for (const FindingPlace& place : finding.places) {
    if (!text.empty()) text += " with ";
    // The user's line rather than a library's.
    const auto& [file, line] =
        place.inlined.empty() ? std::pair(place.file, place.line) : place.inlined.back();
    if (!file.empty())
      text += base::say(std::filesystem::path(file).filename().string(), ":", line);
    else
      text += place.ptx_line > 0 ? base::say("PTX line ", place.ptx_line) : place.what;
  }
  return text;
}

// One more occurrence, which follows from the finding `from`.
void note_origin(Finding& finding, FindingNumber from) {
  if (from == no_finding)
    finding.root = true;
  else
    finding.follows.insert(from);
}

// `more` is of the same cause. What reaches further takes the place of what is shown.
void take_in(Finding& known, Finding more) {
  constexpr std::size_t most_also = 4;
  known.causes.merge(more.causes);
  const Finding::Between common{std::max(known.between.first, more.between.first),
                                std::min(known.between.last, more.between.last)};
  if (known.graph.empty()) known.graph = more.graph;
  std::string beside = pair_text(more);
  if (more.reach > known.reach) {
    beside = pair_text(known);
    more.count = known.count;
    more.pairs = known.pairs;
    more.causes = std::move(known.causes);
    more.also = std::move(known.also);
    more.follows = std::move(known.follows);
    more.root = known.root;
    known = std::move(more);
  }
  if (common.first <= common.last) known.between = common;
  const bool shown = beside == pair_text(known) ||
                     std::find(known.also.begin(), known.also.end(), beside) != known.also.end();
  if (!shown && known.also.size() < most_also) known.also.push_back(std::move(beside));
}

}  // namespace

Findings::Findings(std::string folder) : folder_(std::move(folder)), process_(::getpid()) {}

void Findings::forget_parent() {
  if (process_ == ::getpid()) return;
  process_ = ::getpid();
  all_.clear();
  pairs_.clear();
  causes_.clear();
  changed_ = true;
}

FindingNumber Findings::add(Finding finding, std::uint64_t first, std::uint64_t second,
                            std::uint64_t times, FindingNumber from) {
  const std::lock_guard lock(mutex_);
  forget_parent();
  const Key key{finding.rule, finding.kernel, first, second};
  const std::size_t at = place_for(finding, key);
  for (const std::string& cause : finding.causes) {
    auto& found = causes_[{finding.rule, finding.kernel, cause}];
    if (std::find(found.begin(), found.end(), at) == found.end()) found.push_back(at);
  }
  const bool new_pair = pairs_.try_emplace(key, at).second;
  if (at == all_.size()) {
    finding.count = times;
    all_.push_back(std::move(finding));
  } else {
    all_[at].count += times;
    all_[at].pairs += new_pair;
    take_in(all_[at], std::move(finding));
  }
  note_origin(all_[at], from);
  changed_ = true;
  return at;
}

// Which of the findings it belongs to; one behind the last when it is new.
std::size_t Findings::place_for(Finding& finding, const Key& key) {
  if (const auto known = pairs_.find(key); known != pairs_.end()) return known->second;
  for (const std::string& cause : finding.causes)
    if (const auto known = causes_.find({finding.rule, finding.kernel, cause});
        known != causes_.end())
      for (const std::size_t at : known->second)
        if (all_[at].between.overlaps(finding.between)) return at;
  return all_.size();
}

bool Findings::known(HazardRule rule, const std::string& kernel, std::uint64_t first,
                     std::uint64_t second, std::uint64_t times, Reach reach, FindingNumber from) {
  const std::lock_guard lock(mutex_);
  forget_parent();
  const auto at = pairs_.find(Key{rule, kernel, first, second});
  if (at == pairs_.end() || all_[at->second].reach < reach) return false;
  all_[at->second].count += times;
  note_origin(all_[at->second], from);
  changed_ = true;
  return true;
}

FindingNumber Findings::number_of(HazardRule rule, const std::string& kernel, std::uint64_t first,
                                  std::uint64_t second) const {
  const std::lock_guard lock(mutex_);
  if (process_ != ::getpid()) return no_finding;
  const auto at = pairs_.find(Key{rule, kernel, first, second});
  return at == pairs_.end() ? no_finding : at->second;
}

bool Findings::is_root(FindingNumber number) const {
  const std::lock_guard lock(mutex_);
  return process_ == ::getpid() && number < all_.size() && all_[number].root;
}

void Findings::set_follows(FindingNumber number, std::set<FindingNumber> roots) {
  const std::lock_guard lock(mutex_);
  if (process_ != ::getpid() || number >= all_.size()) return;
  all_[number].root = roots.empty();
  all_[number].follows = std::move(roots);
  changed_ = true;
}

void Findings::write() {
  const std::lock_guard lock(mutex_);
  forget_parent();
  if (folder_.empty() || !changed_) return;
  std::string text;
  for (FindingNumber i = 0; i < all_.size(); ++i) text += line_of(all_[i], i);
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  const std::string path = base::say(folder_, "/", process_, ".jsonl");
  base::TemporaryFile file(path);  // plain system calls: streams may be gone at the end
  file.write(text);
  const std::string why = file.put_in_place(/*durable=*/false);
  changed_ = !why.empty();
  if (why.empty() || complained_) return;
  complained_ = true;  // tried again at the next launch, said once
  std::fprintf(stderr, "aisp sim: cannot write findings to %s: %s\n", path.c_str(), why.c_str());
}

std::size_t Findings::size() const {
  const std::lock_guard lock(mutex_);
  return process_ == ::getpid() ? all_.size() : 0;
}

}  // namespace aisp::sim::watch
