#include "sim/watch/finding.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"

namespace sim::watch {
namespace {

struct RuleRow {
  const char* name;
  const char* title;
};

constexpr std::array<RuleRow, static_cast<std::size_t>(Rule::count)> rules{{
    {"shared-race", "unordered accesses to shared memory"},
    {"cluster-race", "unordered accesses to another block's shared memory"},
    {"global-race", "unordered accesses to global memory"},
    {"proxy-fence", "generic write read by the asynchronous proxy without fence.proxy.async"},
    {"tensormap-fence", "tensor map changed without a fence of the tensormap proxy"},
    {"mbarrier-init", "mbarrier used before its initialisation is visible"},
    {"mbarrier-reinit", "mbarrier initialised or overwritten while it is live"},
    {"mbarrier-transactions", "expected and arriving transaction bytes differ"},
    {"mbarrier-arrivals", "more arrivals at an mbarrier than it expects"},
    {"mbarrier-phase", "a wait on an mbarrier may fall two phases behind"},
    {"mbarrier-parity", "a first wait on an mbarrier has the wrong parity"},
    {"wgmma-registers", "registers of a wgmma touched while it is in flight"},
    {"wgmma-fence", "wgmma without wgmma.fence after its registers were written"},
    {"wgmma-operand", "shared operand of a wgmma overwritten before its wait"},
    {"copy-wait", "cp.async data read, or its buffer reused, before the wait"},
    {"bulk-wait", "bulk load read, or its buffer reused, before its mbarrier's phase"},
    {"bulk-source", "source of a bulk store overwritten before wait_group.read"},
    {"early-exit", "a block exits while its shared memory is in use"},
    {"register-budget", "setmaxnreg asks for more registers than the block has"},
    {"barrier-mismatch", "threads at a barrier disagree about its count"},
    {"divergent-aligned", "an .aligned instruction reached by part of a warp"},
    {"deadlock", "nobody can go on"},
    {"dependency-wait", "memory of the previous kernel touched before griddepcontrol.wait"},
    {"stream-race", "two streams touch the same memory with no event between them"},
    {"host-race", "the host touches memory of a copy or kernel under way"},
    {"freed-in-stream", "memory used after cudaFreeAsync"},
    {"uninitialised", "memory read that nobody has written"},
    {"memory-fault", "an access outside its allocation, or misaligned"},
    {"misuse", "an instruction used against its own rules"},
    {"bank-conflict", "lanes of a warp meet in a bank of shared memory"},
    {"uncoalesced", "lanes of a warp spread over more sectors than they need"},
}};

const RuleRow& row_of(Rule rule) { return rules.at(static_cast<std::size_t>(rule)); }

// What comes from a program (names, source lines) may be any bytes.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json json_of(const Place& place) {
  nlohmann::ordered_json json{{"what", place.what}, {"on_device", place.on_device}};
  json["block"] = {place.block[0], place.block[1], place.block[2]};
  json["warp"] = place.warp;
  json["lane"] = place.lane;
  json["address"] = place.address;
  json["ptx_line"] = place.ptx_line;
  json["ptx"] = place.ptx;
  json["file"] = place.file;
  json["line"] = place.line;
  return json;
}

std::string line_of(const Finding& finding) {
  nlohmann::ordered_json json{{"rule", name_of(finding.rule)},
                              {"title", title_of(finding.rule)},
                              {"severity", is_advice(finding.rule) ? "advice" : "error"},
                              {"kernel", finding.kernel},
                              {"message", finding.message},
                              {"why", finding.why},
                              {"fix", finding.fix},
                              {"count", finding.count}};
  json["places"] = nlohmann::ordered_json::array();
  for (const auto& place : finding.places) json["places"].push_back(json_of(place));
  json["graph"] = finding.graph;
  return dumped(json) + "\n";
}

// Plain system calls: this runs at the end of a process too, when streams may be gone. "" is good.
std::string replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = file >= 0;
  for (std::size_t done = 0; good && done < text.size();) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (good) done += static_cast<std::size_t>(written);
  }
  const int reason = errno;
  if (file >= 0 && ::close(file) != 0) good = false;
  if (good && ::rename(beside.c_str(), path.c_str()) == 0) return "";
  const std::string why = std::strerror(good ? errno : reason);
  if (file >= 0) ::unlink(beside.c_str());
  return why;
}

}  // namespace

const char* name_of(Rule rule) { return row_of(rule).name; }
const char* title_of(Rule rule) { return row_of(rule).title; }
bool is_advice(Rule rule) { return rule >= Rule::bank_conflict; }

Findings::Findings(std::string folder) : folder_(std::move(folder)), process_(::getpid()) {}

void Findings::forget_parent() {
  if (process_ == ::getpid()) return;
  process_ = ::getpid();
  all_.clear();
  order_.clear();
  changed_ = true;
}

void Findings::add(Finding finding, std::uint64_t first, std::uint64_t second,
                   std::uint64_t times) {
  const std::lock_guard lock(mutex_);
  forget_parent();
  const Key key{finding.rule, finding.kernel, first, second};
  const auto [at, added] = all_.try_emplace(key, std::move(finding));
  if (added) order_.push_back(key);
  at->second.count = added ? times : at->second.count + times;
  changed_ = true;
}

bool Findings::known(Rule rule, const std::string& kernel, std::uint64_t first,
                     std::uint64_t second, std::uint64_t times) {
  const std::lock_guard lock(mutex_);
  forget_parent();
  const auto at = all_.find(Key{rule, kernel, first, second});
  if (at == all_.end()) return false;
  at->second.count += times;
  changed_ = true;
  return true;
}

void Findings::write() {
  const std::lock_guard lock(mutex_);
  forget_parent();
  if (folder_.empty() || !changed_) return;
  std::string text;
  for (const auto& key : order_) text += line_of(all_.at(key));
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  const std::string path = base::say(folder_, "/", process_, ".jsonl");
  const std::string why = replace_file(path, text);
  changed_ = !why.empty();
  if (why.empty() || complained_) return;
  complained_ = true;  // tried again at the next launch, said once
  std::fprintf(stderr, "aisp sim: cannot write findings to %s: %s\n", path.c_str(), why.c_str());
}

std::size_t Findings::size() const {
  const std::lock_guard lock(mutex_);
  return process_ == ::getpid() ? all_.size() : 0;
}

}  // namespace sim::watch
