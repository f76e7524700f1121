// The recorder's logs as the line of JSON that lab/draw reads.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/program/source_chain.hpp"
#include "sim/watch/sync/sync_recorder.hpp"

namespace aisp::sim::watch {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(SyncObject object) {
  constexpr const char* names[] = {"mbarrier", "named",       "cluster",
                                   "grid",     "grid_before", "grid_behind"};
  return names[static_cast<int>(object)];
}

const char* name_of(SyncDeed deed) {
  constexpr const char* names[] = {"init", "arrive", "expect", "complete", "wait"};
  return names[static_cast<int>(deed)];
}

Json json_of(const SyncBarrier& barrier) {
  return {{"object", name_of(barrier.object)}, {"rank", barrier.rank}, {"number", barrier.number}};
}

Json json_of(const Dim3& extents) { return {extents.x, extents.y, extents.z}; }

// Instructions by their place among those that are mentioned.
class Places {
 public:
  explicit Places(const Program& program)
      : program_(program), chains_(program.lines, program.files) {}

  std::size_t of(std::uint32_t pc) {
    const auto [entry, fresh] = numbers_.try_emplace(pc, numbers_.size());
    if (!fresh) return entry->second;
    const int line = program_.sources[pc].ptx_line;
    Json chain = Json::array();
    for (const SourcePlace& place : chains_.of(line)) chain.push_back({place.file, place.line});
    all_.push_back(
        {{"ptx_line", line}, {"ptx", program_.line_text(line)}, {"chain", std::move(chain)}});
    return entry->second;
  }
  const Json& all() const { return all_; }

 private:
  const Program& program_;
  SourceChains chains_;
  std::map<std::uint32_t, std::size_t> numbers_;
  Json all_ = Json::array();
};

Json json_of(const SyncLog& log, std::uint64_t clusters, Places& places) {
  Json events = Json::array(), barriers = Json::array(), work = Json::array();
  for (const auto& [event, count] : log.events)
    events.push_back({{"rank", event.rank},
                      {"warp", event.warp},
                      {"deed", name_of(event.deed)},
                      {"barrier", json_of(event.barrier)},
                      {"place", places.of(event.pc)},
                      {"how", event.how},
                      {"times", count.times},
                      {"amount", count.amount},
                      {"bytes", event.bytes}});
  for (const auto& [barrier, facts] : log.barriers) {
    Json one = json_of(barrier);
    one["expected"] = facts.expected;
    one["phases"] = facts.phases;
    barriers.push_back(std::move(one));
  }
  for (const auto& [who, words] : log.work)
    work.push_back({{"rank", who.first}, {"warp", who.second}, {"does", words}});
  return {{"clusters", clusters},
          {"events", std::move(events)},
          {"barriers", std::move(barriers)},
          {"work", std::move(work)}};
}

}  // namespace

std::string SyncRecorder::record(const Program& program, const Routine& kernel,
                                 const SyncLaunch& launch) const {
  Places places(program);
  Json logs = Json::array(), shared = Json::array();
  for (const auto& [log, clusters] : logs_) logs.push_back(json_of(log, clusters, places));
  for (const ParamSlot& variable : kernel.shared_variables)
    shared.push_back({{"name", variable.name},
                      {"offset", reserved_ + variable.offset},
                      {"bytes", variable.bytes}});
  const Json record{{"kernel", kernel.name},
                    {"grid", json_of(launch.grid)},
                    {"block", json_of(launch.block)},
                    {"cluster", json_of(launch.cluster)},
                    {"dynamic_shared", launch.dynamic_shared},
                    {"stopped", stopped_},
                    {"shared", std::move(shared)},
                    {"places", places.all()},
                    {"logs", std::move(logs)}};
  // What comes from a program (names, source lines) may be any bytes.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aisp::sim::watch
