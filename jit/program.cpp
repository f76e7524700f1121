#include "jit/program.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/emit/in_place.hpp"
#include "jit/run/ready.hpp"

namespace aisp::jit {

namespace {

// A variant with all that was made for it.
struct Built {
  Variant variant;
  std::string architecture;
  Compiled compiled;
  std::unique_ptr<Ready> ready;
};

// What a call looks through: never changed, replaced when a variant is added.
using Table = std::vector<const Built*>;

const Built* find(const Table& table, const CallFacts& facts) {
  for (const Built* one : table)
    if (one->ready->guard().admits(facts)) return one;
  return nullptr;
}

std::vector<std::string> names_of(const Variant& variant) {
  std::vector<std::string> names;
  for (const Parameter& parameter : variant.function.parameters) names.push_back(parameter.name);
  return names;
}

Inspection inspection_of(const std::string& program, const Variant& variant, const Guard& guard,
                         const std::string& architecture, const Compiled& compiled) {
  Inspection made;
  made.program = program;
  made.kernel = variant.emitted.name;
  made.architecture = architecture;
  made.valid_for = guard.text(names_of(variant));
  made.passes = variant.passes;
  made.schedule = variant.plan.schedule == Schedule::rows ? "rows" : "plain";
  made.decisions = variant.plan.decisions;
  made.declined = variant.plan.declined;
  made.kernel_text = variant.emitted.kernel;
  made.text = module_text(variant.emitted);
  made.threads = variant.emitted.threads;
  made.shared_bytes = variant.emitted.shared_bytes;
  made.compiled = compiled;
  return made;
}

Guard guard_of(const Variant& variant, const CallFacts& facts) {
  return Guard(facts, variant.whole_axes, placed_tensors(variant.function, variant.plan));
}

}  // namespace

struct Program::State {
  std::string name;
  Tracing trace;
  ProgramOptions options;
  std::atomic<int> limit;

  std::mutex guard;  // of all below but `table`
  std::vector<Choices> choices{{}};
  std::vector<std::unique_ptr<const Built>> built;
  std::vector<std::unique_ptr<const Table>> tables;  // a call may still look at an old one
  std::atomic<const Table*> table = nullptr;
  mutable std::atomic<const Built*> recent = nullptr;

  CallFacts facts(std::span<const Tensor> tensors, std::uint32_t choice) const {
    CallFacts made = call_facts(tensors);
    made.choices = choice;
    made.architecture = options.architecture.empty() ? device_capability() : 0;
    return made;
  }
  // Most calls are like the one before.
  const Built* ready(const CallFacts& facts) const {
    const Built* last = recent.load(std::memory_order_acquire);
    if (last != nullptr && last->ready->guard().admits(facts)) return last;
    const Table* now = table.load(std::memory_order_acquire);
    last = now == nullptr ? nullptr : find(*now, facts);
    if (last != nullptr) recent.store(last, std::memory_order_release);
    return last;
  }
  void say(const std::string& line) const {
    if (options.say)
      options.say(line);
    else
      std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::string architecture() const {
    return options.architecture.empty() ? device_architecture() : options.architecture;
  }
  Compiled compile(const Variant& variant, const std::string& target) const {
    Store& kept = options.store != nullptr ? *options.store : store();
    return compile_kept(kept, {name, module_text(variant.emitted)}, {.architecture = target});
  }
  Signature signature(std::span<const Tensor> tensors, std::uint32_t choice) {
    Signature made;
    for (const Tensor& tensor : tensors) made.tensors.push_back(facts_of(tensor));
    const std::lock_guard lock(guard);
    made.choices = choices[choice];
    return made;
  }
  const Built& build(std::span<const Tensor> tensors, const CallFacts& facts);
  std::string what_changed(std::span<const Tensor> tensors, const CallFacts& facts) const;
  [[noreturn]] void refuse_more(const std::string& changed, const CallFacts& facts) const;
  int count_of(std::uint32_t choice) const;
  void add(std::unique_ptr<const Built> made);
};

int Program::State::count_of(std::uint32_t choice) const {
  return static_cast<int>(std::count_if(built.begin(), built.end(), [&](const auto& one) {
    return one->ready->guard().choices() == choice;
  }));
}

// Against the variant that is nearest, the newest of several.
std::string Program::State::what_changed(std::span<const Tensor> tensors,
                                         const CallFacts& facts) const {
  std::vector<std::string> least;
  for (const auto& one : built) {
    const Guard& other = one->ready->guard();
    if (other.choices() != facts.choices) continue;
    auto changed = other.changed(facts, tensors, names_of(one->variant));
    if (least.empty() || changed.size() <= least.size()) least = std::move(changed);
  }
  return base::join(least, "; ");
}

void Program::State::refuse_more(const std::string& changed, const CallFacts& facts) const {
  std::vector<std::string> kinds;
  for (const auto& one : built)
    if (one->ready->guard().choices() == facts.choices)
      kinds.push_back(base::say("(", one->ready->guard().text(names_of(one->variant)), ")"));
  base::refuse(base::Exit::usage, name, ": not compiled again: ", changed, "; the limit is ",
               kinds.size(), " variants and there are ", base::join(kinds, ", "),
               "; pad the tensors to one of these, or raise it with .limit(", 2 * kinds.size(),
               ")");
}

// One thread compiles, the others wait for it.
const Built& Program::State::build(std::span<const Tensor> tensors, const CallFacts& facts) {
  if (tensors.size() > most_tensors)
    base::refuse(base::Exit::usage, name, ": called with ", tensors.size(),
                 " tensors; a program takes at most ", most_tensors);
  const Signature called = signature(tensors, facts.choices);
  const std::lock_guard lock(guard);
  if (const Built* other = ready(facts)) return *other;
  auto made = std::make_unique<Built>();
  made->variant = make_variant(trace(called), called);
  const int before = count_of(facts.choices);
  const std::string changed = before == 0 ? "" : what_changed(tensors, facts);
  if (before >= limit) refuse_more(changed, facts);
  made->architecture = architecture();
  made->compiled = compile(made->variant, made->architecture);
  const Emitted& emitted = made->variant.emitted;
  LaunchPlan plan{name,
                  emitted.name,
                  &made->variant.function,
                  emitted.threads,
                  emitted.shared_bytes,
                  made->variant.arrays,
                  in_place(made->variant.function, made->variant.plan)};
  if (plan.arrays.size() > most_arrays)
    base::refuse(base::Exit::usage, name, ": reads ", plan.arrays.size(),
                 " arrays; a program takes at most ", most_arrays);
  made->ready =
      std::make_unique<Ready>(std::move(plan), guard_of(made->variant, facts), made->compiled);
  const Built& result = *made;
  add(std::move(made));
  if (before > 0)
    say(base::say(name, ": compiled again: ", changed, " (", before + 1, " of ", limit.load(),
                  ")"));
  return result;
}

void Program::State::add(std::unique_ptr<const Built> made) {
  const Table* now = table.load(std::memory_order_relaxed);
  auto next = std::make_unique<Table>(now == nullptr ? Table{} : *now);
  next->push_back(made.get());
  built.push_back(std::move(made));
  table.store(next.get(), std::memory_order_release);
  tables.push_back(std::move(next));
}

Program::Program(std::string name, Tracing trace, ProgramOptions options, int)
    : state_(std::make_shared<State>()) {
  if (name.empty()) base::refuse(base::Exit::usage, "a program has a name");
  state_->name = std::move(name);
  state_->trace = std::move(trace);
  state_->limit = options.limit;
  state_->options = std::move(options);
}

const std::string& Program::name() const { return state_->name; }

void Program::launch(cudaStream_t stream, std::span<const Tensor> tensors) const {
  const CallFacts facts = state_->facts(tensors, choices_);
  const Built* built = state_->ready(facts);
  if (built == nullptr) {
    refuse_under_capture(stream, state_->name);
    built = &state_->build(tensors, facts);
  }
  built->ready->launch(stream, tensors);
}

void Program::prepare_for(std::span<const Tensor> tensors) const {
  const CallFacts facts = state_->facts(tensors, choices_);
  if (state_->ready(facts) == nullptr) state_->build(tensors, facts);
}

Program Program::with(Choices choices) const {
  Program other = *this;
  const std::lock_guard lock(state_->guard);
  Choices all = state_->choices[choices_];
  for (const auto& [name, value] : choices) all[name] = value;
  auto& known = state_->choices;
  const auto at = std::find(known.begin(), known.end(), all);
  other.choices_ = static_cast<std::uint32_t>(at - known.begin());
  if (at == known.end()) known.push_back(std::move(all));
  return other;
}

const Program& Program::limit(int most) const {
  if (most < 1)
    base::refuse(base::Exit::usage, state_->name, ": the limit is at least 1: got ", most);
  state_->limit = most;
  return *this;
}

int Program::variants() const {
  const Table* now = state_->table.load(std::memory_order_acquire);
  return now == nullptr ? 0 : static_cast<int>(now->size());
}

Inspection Program::inspect_for(std::span<const Tensor> tensors) const {
  const CallFacts facts = state_->facts(tensors, choices_);
  const Built* built = state_->ready(facts);
  if (built == nullptr) built = &state_->build(tensors, facts);
  return inspection_of(state_->name, built->variant, built->ready->guard(), built->architecture,
                       built->compiled);
}

Inspection Program::inspect(const Signature& signature, const std::string& architecture) const {
  const Variant made = variant(signature);
  const std::string target = architecture.empty() ? state_->architecture() : architecture;
  return inspection_of(state_->name, made, guard_of(made, call_facts(signature)), target,
                       state_->compile(made, target));
}

Signature Program::signature(std::span<const Tensor> tensors) const {
  return state_->signature(tensors, choices_);
}

// The signature's own choices stand above those of `with`.
Signature Program::with_choices(Signature signature) const {
  const std::lock_guard lock(state_->guard);
  const Choices& own = state_->choices[choices_];
  signature.choices.insert(own.begin(), own.end());
  return signature;
}

Variant Program::variant(const Signature& signature) const {
  const Signature all = with_choices(signature);
  return make_variant(state_->trace(all), all);
}

Traced Program::traced(const Signature& signature) const {
  return state_->trace(with_choices(signature));
}

}  // namespace aisp::jit
