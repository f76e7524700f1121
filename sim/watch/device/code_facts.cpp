#include "sim/watch/device/code_facts.hpp"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace aisp::sim::watch {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Orders accesses of threads: what only prepares that, or concerns registers alone, does not.
bool orders(std::string_view text) {
  for (const char* other : {"mbarrier.init", "mbarrier.expect_tx", "wgmma.fence", "wgmma.commit",
                            "tcgen05.commit", "tcgen05.fence"})
    if (holds(text, other)) return false;
  return true;
}

// Strong, at a scope that holds more than a block or a cluster.
bool reaches_other_grids(std::string_view text) {
  for (const char* scope : {".gpu", ".sys", ".volatile", "membar.gl"})
    if (holds(text, scope)) return true;
  return false;
}

CodeFacts read_facts(const Program& program) {
  const std::size_t count = program.ops.size() + 1;
  CodeFacts facts{std::vector<std::uint8_t>(count),
                  std::vector<std::uint8_t>(count),
                  std::vector<std::uint8_t>(count),
                  std::vector<std::uint32_t>(count),
                  {},
                  false};
  std::uint32_t stretch = 1;
  for (std::size_t pc = 0; pc < program.ops.size(); ++pc) {
    const OpClass kind = program.ops[pc].kind;
    const auto text = [&] { return program.line_text(program.sources[pc].ptx_line); };
    if (kind == OpClass::atomic) facts.swaps[pc] = holds(text(), ".cas.");
    if (kind == OpClass::load) facts.read_only[pc] = holds(text(), ".nc");
    if (kind == OpClass::async_copy) facts.cancels[pc] = holds(text(), ".try_cancel.");
    if (kind == OpClass::load || kind == OpClass::store || kind == OpClass::atomic ||
        kind == OpClass::fence)
      facts.talks = facts.talks || reaches_other_grids(text());
    if (kind == OpClass::barrier || kind == OpClass::fence) stretch += orders(text());
    facts.stretches[pc] = stretch;
    const std::uint32_t target = program.ops[pc].target;
    if (kind == OpClass::branch && target <= pc && holds(text(), "bra"))
      facts.loops.emplace_back(target, static_cast<std::uint32_t>(pc));
  }
  return facts;
}

}  // namespace

std::shared_ptr<const CodeFacts> facts_of(const Program& program) {
  // By the text, which is kept, so that no other one can take its place.
  using Key = std::pair<std::shared_ptr<const std::string>, std::size_t>;
  static std::mutex mutex;
  static auto* const known = new std::map<Key, std::shared_ptr<const CodeFacts>>;
  const std::lock_guard lock(mutex);
  auto& facts = (*known)[{program.text, program.ops.size()}];
  if (!facts) facts = std::make_shared<const CodeFacts>(read_facts(program));
  return facts;
}

}  // namespace aisp::sim::watch
