// What `aisp inspect` shows of a rung whose kernels are compiled at run time. Here the compiler and
// the lab meet: neither knows the other.
#pragma once

#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "jit/inspection.hpp"
#include "lab/case/rung.hpp"

namespace aisp::chapters {

// One line for each thing that was decided, with its reason, and for each that was declined.
inline std::vector<std::string> decisions_in_words(const jit::Inspection& seen) {
  std::vector<std::string> lines{base::say(seen.kernel, ": valid for ", seen.valid_for),
                                 base::say("schedule: ", seen.schedule)};
  for (const auto& decision : seen.decisions)
    lines.push_back(base::say(decision.name, ": ", decision.value, decision.why.empty() ? "" : ", ",
                              decision.why));
  for (const auto& declined : seen.declined) lines.push_back(declined);
  lines.push_back(base::say("a block has ", seen.threads, " threads and ", seen.shared_bytes,
                            " bytes of shared memory"));
  return lines;
}

// As the assembler reports it; empty where there was none, as for the simulator.
inline std::string assembled_resources(const jit::Compiled& compiled) {
  std::string text;
  for (const auto& one : compiled.resources)
    text +=
        base::say(one.kernel, ": ", one.registers, " registers, ", one.stack, " bytes of stack, ",
                  one.spill_stores, " bytes of spill stores, ", one.spill_loads,
                  " bytes of spill loads, ", one.shared, " bytes of static shared memory\n");
  return text;
}

inline std::vector<lab::Exhibit> exhibits_of(const jit::Inspection& seen) {
  std::vector<lab::Exhibit> all;
  const auto add = [&](const char* what, const std::string& name, const std::string& text,
                       std::vector<std::string> said = {}) {
    if (!text.empty()) all.push_back({what, name, text, std::move(said)});
  };
  for (std::size_t at = 0; at < seen.passes.size(); ++at)
    add("ir", base::say(seen.program, "_", at, "_", seen.passes[at].pass, ".txt"),
        seen.passes[at].ir);
  std::string decided;
  const auto lines = decisions_in_words(seen);
  for (const auto& line : lines) decided += line + '\n';
  add("passes", seen.program + "_decisions.txt", decided, lines);
  add("source", seen.kernel + ".cu", seen.kernel_text);
  add("source", seen.kernel + "_with_helpers.cu", seen.text);
  add("ptx", seen.kernel + ".ptx", seen.compiled.ptx);
  add("sass", seen.kernel + ".cubin", seen.compiled.cubin);
  add("resources", seen.kernel + "_assembled.txt", assembled_resources(seen.compiled));
  add("log", seen.kernel + ".txt",
      base::say("compiled for ", seen.architecture, " in ", seen.compiled.seconds, " s\n",
                seen.compiled.log));
  return all;
}

// Of a text of one's own, which no pass has seen.
inline std::vector<lab::Exhibit> exhibits_of(const std::string& name, const std::string& text,
                                             const jit::Compiled& compiled) {
  std::vector<lab::Exhibit> all{{"source", name, text, {}},
                                {"ptx", name + ".ptx", compiled.ptx, {}}};
  if (!compiled.cubin.empty()) all.push_back({"sass", name + ".cubin", compiled.cubin, {}});
  if (!compiled.resources.empty())
    all.push_back({"resources", name + "_assembled.txt", assembled_resources(compiled), {}});
  all.push_back({"log",
                 name + ".txt",
                 base::say("compiled in ", compiled.seconds, " s\n", compiled.log),
                 {}});
  return all;
}

}  // namespace aisp::chapters
