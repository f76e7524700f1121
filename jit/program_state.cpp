#include "jit/program_state.hpp"

#include <algorithm>
#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/emit/in_place.hpp"
#include "jit/ir/extents.hpp"
#include "jit/kept_choices.hpp"

namespace aisp::jit {

static const Table no_variants;

std::vector<std::string> names_of(const Variant& variant) {
  std::vector<std::string> names;
  for (const Parameter& parameter : variant.function.parameters) names.push_back(parameter.name);
  return names;
}

Guard guard_of(const Variant& variant, const CallFacts& facts) {
  return Guard(facts, variant.whole_axes, placed_tensors(variant.function, variant.plan),
               variant.plan.ends);
}

const Table& ProgramState::variants() const {
  const Table* now = table.load(std::memory_order_acquire);
  return now == nullptr ? no_variants : *now;
}

const Built* ProgramState::ready(const CallFacts& facts) const {
  for (const Built* one : variants())
    if (one->ready->guard().admits(facts)) {
      recent.store(one, std::memory_order_release);
      return one;
    }
  return nullptr;
}

void ProgramState::say(const std::string& line) const {
  if (options.say)
    options.say(line);
  else
    std::fprintf(stderr, "%s\n", line.c_str());
}

std::string ProgramState::architecture() const {
  return options.architecture.empty() ? device_architecture() : options.architecture;
}

Compiled ProgramState::compile(const Variant& variant, const std::string& target) const {
  Store& kept = options.store != nullptr ? *options.store : store();
  return compile_kept(kept, {name, module_text(variant.emitted)}, {.architecture = target});
}

Signature ProgramState::signature(std::span<const Tensor> tensors, std::uint32_t choice) {
  Signature made;
  for (const Tensor& tensor : tensors) made.tensors.push_back(facts_of(tensor));
  const std::lock_guard lock(guard);
  made.choices = choices[choice];
  return made;
}

int ProgramState::count_of(std::uint32_t choice) const {
  return static_cast<int>(
      std::count_if(variants().begin(), variants().end(),
                    [&](const Built* one) { return one->ready->guard().choices() == choice; }));
}

// Against the variant that is nearest, the newest of several.
std::string ProgramState::what_changed(std::span<const Tensor> tensors,
                                       const CallFacts& facts) const {
  std::vector<std::string> least;
  for (const Built* one : variants()) {
    const Guard& other = one->ready->guard();
    if (other.choices() != facts.choices) continue;
    auto changed = other.changed(facts, tensors, names_of(one->variant));
    if (least.empty() || changed.size() <= least.size()) least = std::move(changed);
  }
  return base::join(least, "; ");
}

void ProgramState::refuse_more(const std::string& changed, const CallFacts& facts) const {
  std::vector<std::string> kinds;
  for (const Built* one : variants())
    if (one->ready->guard().choices() == facts.choices)
      kinds.push_back(base::say("(", one->ready->guard().text(names_of(one->variant)), ")"));
  base::refuse(base::Exit::usage, name, ": not compiled again: ", changed, "; the limit is ",
               kinds.size(), " variants and there are ", base::join(kinds, ", "),
               "; pad the tensors to one of these, or raise it with .limit(", 2 * kinds.size(),
               ")");
}

std::unique_ptr<Built> ProgramState::make(Variant variant, Compiled compiled,
                                          const CallFacts& facts) const {
  auto made = std::make_unique<Built>();
  made->variant = std::move(variant);
  made->architecture = architecture();
  made->compiled = std::move(compiled);
  const Emitted& emitted = made->variant.emitted;
  LaunchPlan plan{name,
                  emitted.name,
                  &made->variant.function,
                  &made->variant.traced,
                  emitted.threads,
                  emitted.shared_bytes,
                  made->variant.arrays,
                  in_place(made->variant.function, made->variant.plan)};
  if (plan.arrays.size() > most_arrays)
    base::refuse(base::Exit::usage, name, ": reads ", plan.arrays.size(),
                 " arrays; a program takes at most ", most_arrays);
  made->ready =
      std::make_unique<Ready>(std::move(plan), guard_of(made->variant, facts), made->compiled);
  return made;
}

// Before a compile, which takes a second: Admission asks again in every call.
static void refuse_misfits(const Variant& variant, std::span<const Tensor> tensors) {
  CallExtents extents;
  for (const Tensor& one : tensors)
    extents.emplace_back(one.extents.begin(), one.extents.begin() + one.rank);
  for (const BoundArray& one : variant.arrays)
    extents.push_back({static_cast<std::int64_t>(one.count)});
  refuse_disagreeing_extents(variant.traced, extents);
}

// The rule's, or what tuning has found to be faster on this device. What cannot be read or taken
// is said and left: the kernel is right without.
Variant ProgramState::variant_for(const Signature& called) const {
  Variant rule = make_variant(trace(called), called);
  if (!options.architecture.empty()) return rule;  // for a device that is not here
  try {
    const Choices kept = kept_choices(options.tuned, architecture(), rule);
    if (kept.empty()) return rule;
    Signature tuned = called;
    tuned.choices.insert(kept.begin(), kept.end());
    Variant made = make_variant(trace(tuned), tuned);
    for (Decision& decision : made.plan.decisions)
      if (kept.contains(decision.name)) decision.why = "tuned on this device";
    return made;
  } catch (const base::Refusal& refusal) {
    say(base::say(name, ": what was tuned is not taken: ", refusal.what()));
    return rule;
  }
}

// One thread compiles, the others wait for it.
const Built& ProgramState::build(std::span<const Tensor> tensors, const CallFacts& facts) {
  const Signature called = signature(tensors, facts.choices);
  const std::lock_guard lock(guard);
  if (const Built* other = ready(facts)) return *other;
  Variant variant = variant_for(called);
  if (tensors.size() > most_tensors)
    base::refuse(base::Exit::usage, program_prefix(variant.traced), "the lambda takes ",
                 tensors.size(), " tensors; a program takes at most ", most_tensors);
  refuse_misfits(variant, tensors);
  const int before = count_of(facts.choices);
  const std::string changed = before == 0 ? "" : what_changed(tensors, facts);
  if (before >= limit) refuse_more(changed, facts);
  Compiled compiled = compile(variant, architecture());
  const Built& result = add(make(std::move(variant), std::move(compiled), facts), facts);
  if (before > 0)
    say(base::say(name, ": compiled again: ", changed, " (", before + 1, " of ", limit.load(),
                  ")"));
  return result;
}

const Built& ProgramState::add(std::unique_ptr<const Built> made, const CallFacts& facts) {
  auto next = std::make_unique<Table>(variants());
  std::erase_if(*next, [&](const Built* one) { return one->ready->guard().admits(facts); });
  next->push_back(made.get());
  built.push_back(std::move(made));
  table.store(next.get(), std::memory_order_release);
  tables.push_back(std::move(next));
  recent.store(built.back().get(), std::memory_order_release);
  return *built.back();
}

}  // namespace aisp::jit
