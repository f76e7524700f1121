#include "lab/run/process/job.hpp"

#include <nlohmann/json.hpp>

#include "lab/case/registry.hpp"

namespace aisp::lab {
namespace {

// Of the same program's making: any other word is a defect of it.
template <Named E>
void read_name(const nlohmann::json& text, E& value) {
  value = value_named<E>(text.get_ref<const std::string&>()).value();
}

nlohmann::json as_json(const std::vector<Module>& modules) {
  auto list = nlohmann::json::array();
  for (const auto& module : modules)
    list.push_back({{"name", module.name},
                    {"file", module.file},
                    {"folder", module.folder},
                    {"digest", module.digest}});
  return list;
}

}  // namespace

Environment environment_of(const EntryPlan& entry) {
  const Target* target = find_target(entry.target);
  if (target == nullptr || !target->environment) return {};
  return target->environment({entry.variant, entry.dims});
}

nlohmann::json to_json(const Job& job) {
  return {{"entry", job.entry.entry},
          {"target", job.entry.target},
          {"variant", job.entry.variant},
          {"dims", job.entry.dims},
          {"planned", job.entry.rungs},
          {"attempt", job.attempt},
          {"rungs", job.rungs},
          {"timer", name_of(job.timer)},
          {"l2", name_of(job.l2)},
          {"profile", name_of(job.profile)},
          {"seed", job.seed},
          {"iterations", job.iterations},
          {"warmup", job.warmup},
          {"validate", job.validate},
          {"self_check", job.self_check},
          {"modules", as_json(job.modules)},
          {"trace", job.trace},
          {"counters", job.counters}};
}

Job job_from_json(const nlohmann::json& object) {
  Job job;
  object.at("entry").get_to(job.entry.entry);
  object.at("target").get_to(job.entry.target);
  object.at("variant").get_to(job.entry.variant);
  object.at("dims").get_to(job.entry.dims);
  object.at("planned").get_to(job.entry.rungs);
  object.at("attempt").get_to(job.attempt);
  object.at("rungs").get_to(job.rungs);
  read_name(object.at("timer"), job.timer);
  read_name(object.at("l2"), job.l2);
  read_name(object.at("profile"), job.profile);
  object.at("seed").get_to(job.seed);
  object.at("iterations").get_to(job.iterations);
  object.at("warmup").get_to(job.warmup);
  object.at("validate").get_to(job.validate);
  object.at("self_check").get_to(job.self_check);
  for (const auto& module : object.at("modules"))
    job.modules.push_back(
        {module.at("name"), module.at("file"), module.at("folder"), module.at("digest")});
  object.at("trace").get_to(job.trace);
  object.at("counters").get_to(job.counters);
  return job;
}

nlohmann::json to_json(const Phase& phase) {
  return {{"kind", "phase"}, {"rung", phase.rung}, {"what", phase.what}, {"share", phase.share}};
}

Phase phase_from_json(const nlohmann::json& object) {
  return {object.at("rung"), object.at("what"), object.at("share")};
}

bool has_time_limit_option(const RunHeader& header) {
  if (header.command.empty()) return true;
  return header.command.front() != "demo" && header.command.front() != "compare";
}

}  // namespace aisp::lab
