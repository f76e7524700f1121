#include "sim/watch/device/code_facts.hpp"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace aisp::sim::watch {
namespace {

// Lines of a text by their numbers, which begin at 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at != std::string_view::npos;) {
      starts_.push_back(at);
      at = text.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
  }
  std::string_view at(int number) const {
    if (number < 1 || static_cast<std::size_t>(number) > starts_.size()) return {};
    const std::size_t first = starts_[static_cast<std::size_t>(number) - 1];
    return text_.substr(first, text_.find('\n', first) - first);
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Orders accesses of threads: what only prepares that, or concerns registers alone, does not.
bool orders(std::string_view text) {
  for (const char* other : {"mbarrier.init", "mbarrier.expect_tx", "wgmma.fence", "wgmma.commit"})
    if (holds(text, other)) return false;
  return true;
}

CodeFacts read_facts(const Program& program) {
  const std::size_t count = program.ops.size() + 1;
  CodeFacts facts{std::vector<bool>(count), std::vector<bool>(count),
                  std::vector<std::uint32_t>(count)};
  const Lines lines(program.text ? std::string_view(*program.text) : std::string_view());
  std::uint32_t stretch = 1;
  for (std::size_t pc = 0; pc < program.ops.size(); ++pc) {
    const OpClass kind = program.ops[pc].kind;
    const auto text = [&] { return lines.at(program.sources[pc].ptx_line); };
    if (kind == OpClass::atomic) facts.swaps[pc] = holds(text(), ".cas.");
    if (kind == OpClass::load) facts.read_only[pc] = holds(text(), ".nc");
    if (kind == OpClass::barrier || kind == OpClass::fence) stretch += orders(text());
    facts.stretches[pc] = stretch;
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
