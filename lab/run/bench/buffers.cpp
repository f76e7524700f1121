#include "lab/run/bench/buffers.hpp"

#include <optional>
#include <stdexcept>

#include "base/refuse.hpp"
#include "lab/judge/inputs.hpp"

namespace aisp::lab {
namespace {

std::vector<std::byte> fetch(Device& device, const Buffer& from, std::int64_t bytes) {
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  device.download(data.data(), from.get(), data.size());
  return data;
}

// With what the case allows a rung of this kind.
Judgement judge_output(const Output& output, const Rung& rung, const Inputs& inputs,
                       std::span<const std::byte> got, std::span<const double> want) {
  if (!rung.narrower.empty()) {
    const auto found = output.narrower.find(rung.narrower);
    if (found == output.narrower.end())
      throw std::logic_error(base::say("rung ", rung.name, " is judged by the error of ",
                                       rung.narrower, ", and the case has none for ",
                                       output.tensor.name));
    std::vector<double> allowed(want.size());
    found->second(inputs, allowed);
    return judge(output.tensor, got, want, std::span<const double>(allowed));
  }
  return judge(
      output.tensor, got, want,
      rung.rounds_between ? output.rounded_between.value_or(output.tolerance) : output.tolerance);
}

}  // namespace

Buffers::Buffers(Device& device, const Problem& problem, int sets)
    : device_(device), problem_(problem) {
  for (int i = 0; i < sets; ++i) {
    Set& set = sets_.emplace_back();
    for (const auto& input : problem.inputs)
      set.inputs.emplace_back(device, static_cast<std::size_t>(input.bytes()), input.memory);
    for (const auto& output : problem.outputs)
      set.outputs.emplace_back(device, static_cast<std::size_t>(output.tensor.bytes()),
                               output.tensor.memory);
  }
}

Inputs Buffers::draw(int set, std::uint64_t seed) {
  Inputs inputs;
  for (std::size_t i = 0; i < problem_.inputs.size(); ++i)
    inputs.push_back(random_tensor(problem_.inputs[i], seed, static_cast<std::uint32_t>(i)));
  upload(set, inputs);
  return inputs;
}

void Buffers::upload(int set, const Inputs& inputs) {
  const auto& memory = sets_.at(static_cast<std::size_t>(set)).inputs;
  for (std::size_t i = 0; i < memory.size(); ++i)
    device_.upload(memory[i].get(), inputs[i].data.data(), inputs[i].data.size());
}

std::byte* Buffers::place_of(int set, int input, std::int64_t element) const {
  const auto index = static_cast<std::size_t>(input);
  const auto& memory = sets_.at(static_cast<std::size_t>(set)).inputs.at(index);
  return static_cast<std::byte*>(memory.get()) +
         element * bytes_of(problem_.inputs.at(index).dtype);
}

void Buffers::upload_element(int set, int input, std::int64_t element,
                             std::span<const std::byte> bytes) {
  device_.upload(place_of(set, input, element), bytes.data(), bytes.size());
}

void Buffers::copy_element(int set, int input, std::int64_t element, const void* from) {
  const auto bytes = bytes_of(problem_.inputs.at(static_cast<std::size_t>(input)).dtype);
  device_.copy(place_of(set, input, element), from, static_cast<std::size_t>(bytes));
}

void Buffers::poison(int set) {
  for (const auto& output : sets_.at(static_cast<std::size_t>(set)).outputs)
    device_.fill(output.get(), poison_byte, output.bytes());
}

Launch Buffers::launch(int set) const {
  Launch launch{.problem = problem_, .inputs = {}, .outputs = {}, .stream = device_.stream()};
  const Set& memory = sets_.at(static_cast<std::size_t>(set));
  for (const auto& input : memory.inputs) launch.inputs.push_back(input.get());
  for (const auto& output : memory.outputs) launch.outputs.push_back(output.get());
  return launch;
}

void Buffers::keep_outputs(int set) {
  const auto& outputs = sets_.at(static_cast<std::size_t>(set)).outputs;
  while (kept_.size() < outputs.size()) kept_.emplace_back(device_, outputs[kept_.size()].bytes());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    device_.copy(kept_[i].get(), outputs[i].get(), outputs[i].bytes());
}

std::vector<HostTensor> Buffers::kept_outputs() const {
  std::vector<HostTensor> got;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Tensor& what = problem_.outputs[i].tensor;
    got.push_back({what, fetch(device_, kept_[i], what.bytes())});
  }
  return got;
}

Judgement Buffers::judge_outputs(const Rung& rung, const Inputs& inputs,
                                 const std::vector<std::vector<double>>& expected) const {
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Output& output = problem_.outputs[i];
    const auto got = fetch(device_, kept_[i], output.tensor.bytes());
    judgements.push_back(judge_output(output, rung, inputs, got, expected[i]));
  }
  return judge_all(judgements);
}

Judgement Buffers::judge(int set, const Rung& rung, const Inputs& inputs,
                         const std::vector<std::vector<double>>& expected) const {
  const Set& memory = sets_.at(static_cast<std::size_t>(set));
  Judgement all = judge_outputs(rung, inputs, expected);
  for (std::size_t i = 0; i < memory.inputs.size(); ++i) {
    const auto after = fetch(device_, memory.inputs[i], inputs[i].what.bytes());
    if (const auto changed = changed_input(inputs[i], after)) {
      all.right = false;
      all.report = *changed + (all.report.empty() ? "" : "; " + all.report);
    }
  }
  return all;
}

}  // namespace aisp::lab
