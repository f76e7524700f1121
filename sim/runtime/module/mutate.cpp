#include "sim/runtime/module/mutate.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "base/file.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "sim/program/remove_sync.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/state/settings.hpp"

namespace aisp::sim {
namespace {

void list_to(const std::string& where, const std::string& list) {
  if (where == "1") {
    std::fputs(list.c_str(), stderr);
    return;
  }
  const base::OpenedFile opened = base::open_to_append(where);
  if (!opened.problem.empty() ||
      ::write(opened.file.get(), list.data(), list.size()) != static_cast<ssize_t>(list.size()))
    refuse_setting(base::say("AISP_SIM_LIST_SYNC=", where, " cannot be written",
                             opened.problem.empty() ? "" : ": ", opened.problem));
}

void replace(ptx::Module& module, const char* name, InItsPlace what) {
  const std::string setting = environment(name);
  if (setting.empty()) return;
  const std::size_t colon = setting.rfind(':');
  const auto index = colon == std::string::npos
                         ? std::nullopt
                         : base::parse_integer(std::string_view(setting).substr(colon + 1));
  if (!index || *index < 0)
    refuse_setting(base::say(name, "=", setting,
                             " is not part of a kernel's name, a colon and a number from 0"));
  const std::string dropped =
      remove_sync(module, setting.substr(0, colon), static_cast<std::size_t>(*index), what);
  for (std::size_t from = 0; from < dropped.size();) {
    const std::size_t end = dropped.find('\n', from);
    Runtime::get().note(dropped.substr(from, end - from));
    from = end + 1;
  }
}

// 0: none.
std::int64_t wait_to_drop(const std::string& setting) {
  if (setting.empty()) return 0;
  const auto number = base::parse_integer(setting);
  if (!number || *number < 1)
    refuse_setting(base::say("AISP_SIM_DROP_WAIT=", setting, " is not a number from 1"));
  return *number;
}

}  // namespace

void mutate(ptx::Module& module) {
  if (const std::string where = environment("AISP_SIM_LIST_SYNC"); !where.empty())
    list_to(where, list_sync(module));
  replace(module, "AISP_SIM_DROP", InItsPlace::nothing);
  replace(module, "AISP_SIM_TRAP", InItsPlace::trap);
}

bool drops_wait(const std::string& text) {
  static std::atomic<std::int64_t> waits{0};
  static const std::string list = environment("AISP_SIM_LIST_SYNC");
  static const std::int64_t dropped = wait_to_drop(environment("AISP_SIM_DROP_WAIT"));
  const std::int64_t number = ++waits;
  if (!list.empty())
    list_to(list, base::say("(host)\t", number, "\t0\tprocess ", getpid(), "\t", text,
                            number == dropped ? ", dropped" : "", "\n"));
  if (number != dropped) return false;
  Runtime::get().note(base::say("runs without wait ", number, ": ", text));
  return true;
}

void list_launch(const std::string& name) {
  static const std::string list = environment("AISP_SIM_LIST_SYNC");
  if (list.empty()) return;
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  if (known.insert(name).second)
    list_to(list, base::say("(launched)\t0\t0\tprocess ", getpid(), "\t", name, "\n"));
}

}  // namespace aisp::sim
