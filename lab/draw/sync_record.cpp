#include "lab/draw/sync_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/record/file.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

template <class Value>
Value named(const json& from, const char* key) {
  const auto word = from.at(key).get<std::string>();
  const auto value = value_named<Value>(word);
  if (!value) throw std::runtime_error(base::say("'", word, "' is no ", key));
  return *value;
}

SyncBarrier barrier_of(const json& from) {
  return {named<SyncObject>(from, "object"), from.at("rank").get<int>(),
          from.at("number").get<std::int64_t>()};
}

SyncEvent event_of(const json& from, std::size_t places) {
  SyncEvent event;
  from.at("rank").get_to(event.rank);
  from.at("warp").get_to(event.warp);
  event.deed = named<SyncDeed>(from, "deed");
  event.barrier = barrier_of(from.at("barrier"));
  from.at("place").get_to(event.place);
  from.at("how").get_to(event.how);
  from.at("times").get_to(event.times);
  from.at("amount").get_to(event.amount);
  from.at("bytes").get_to(event.bytes);
  if (event.place >= places)
    throw std::runtime_error(base::say("place ", event.place, " of ", places));
  return event;
}

SyncLog log_of(const json& from, std::size_t places) {
  SyncLog log;
  from.at("clusters").get_to(log.clusters);
  for (const auto& event : from.at("events")) log.events.push_back(event_of(event, places));
  for (const auto& one : from.at("barriers")) {
    auto& facts = log.barriers.emplace_back();
    facts.barrier = barrier_of(one);
    one.at("expected").get_to(facts.expected);
    one.at("phases").get_to(facts.phases);
  }
  for (const auto& one : from.at("work")) {
    auto& work = log.work.emplace_back();
    one.at("rank").get_to(work.rank);
    one.at("warp").get_to(work.warp);
    one.at("does").get_to(work.does);
  }
  return log;
}

bool same_launch(const SyncRecord& a, const SyncRecord& b) {
  return a.kernel == b.kernel && a.grid == b.grid && a.block == b.block && a.cluster == b.cluster &&
         a.dynamic_shared == b.dynamic_shared;
}

}  // namespace

std::int64_t SyncRecord::events() const {
  std::int64_t all = 0;
  for (const auto& log : logs)
    for (const auto& event : log.events)
      if (event.deed != SyncDeed::init) all += log.clusters * event.times;
  return all;
}

SyncRecord sync_record_of(const std::string& line) {
  const json from = json::parse(line);
  SyncRecord record;
  from.at("kernel").get_to(record.kernel);
  from.at("grid").get_to(record.grid);
  from.at("block").get_to(record.block);
  from.at("cluster").get_to(record.cluster);
  from.at("dynamic_shared").get_to(record.dynamic_shared);
  from.at("stopped").get_to(record.stopped);
  for (const auto& one : from.at("shared")) {
    auto& variable = record.shared.emplace_back();
    one.at("name").get_to(variable.name);
    one.at("offset").get_to(variable.offset);
    one.at("bytes").get_to(variable.bytes);
  }
  for (const auto& one : from.at("places")) {
    auto& place = record.places.emplace_back();
    one.at("ptx_line").get_to(place.ptx_line);
    one.at("ptx").get_to(place.ptx);
    one.at("chain").get_to(place.chain);
  }
  for (const auto& one : from.at("logs")) record.logs.push_back(log_of(one, record.places.size()));
  return record;
}

SyncRecords read_sync_records(const std::filesystem::path& folder) {
  SyncRecords records;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    ++records.files;
    int number = 0;
    for (const auto& line : base::split(read_whole(file), '\n')) {
      ++number;
      if (line.empty()) continue;
      try {
        SyncRecord record = sync_record_of(line);
        const bool known =
            std::any_of(records.kernels.begin(), records.kernels.end(),
                        [&](const SyncRecord& one) { return same_launch(one, record); });
        if (!known) records.kernels.push_back(std::move(record));
      } catch (const std::exception& error) {
        base::refuse(base::Exit::environment, file.string(), ":", number,
                     " is no record of synchronisation: ", error.what());
      }
    }
  }
  return records;
}

}  // namespace aisp::lab
