#include "jit/program.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "jit/program_state.hpp"

namespace aisp::jit {

static Inspection inspection_of(const std::string& program, const Variant& variant,
                                const Guard& guard, const std::string& architecture,
                                const Compiled& compiled) {
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

Program::Program(std::string name, Tracing trace, ProgramOptions options, int)
    : state_(std::make_shared<ProgramState>()) {
  if (name.empty()) base::refuse(base::Exit::usage, "a program has a name");
  state_->name = std::move(name);
  state_->trace = std::move(trace);
  state_->limit = options.limit;
  state_->options = std::move(options);
}

const std::string& Program::name() const { return state_->name; }

void Program::launch(cudaStream_t stream, std::span<const Tensor> tensors) const {
  if (state_->launched_as_before(stream, tensors, choices_)) return;
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

int Program::variants() const { return static_cast<int>(state_->variants().size()); }

TuneResult Program::tune_for(Timer& timer, const TuneOptions& options,
                             std::span<const Tensor> tensors) const {
  prepare_for(tensors);  // refuses what does not fit
  return jit::tune(*state_, tensors, state_->facts(tensors, choices_), timer, options);
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
