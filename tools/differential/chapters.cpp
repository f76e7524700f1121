#include <cmath>

#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/run/buffers.hpp"
#include "lab/run/contender.hpp"
#include "tests/sim/support/values.hpp"
#include "tools/differential/work.hpp"

namespace differential {
namespace {

int architecture_of(lab::Needs needs) {
  switch (needs) {
    case lab::Needs::sm_100a:
      return 100;
    case lab::Needs::sm_90:
    case lab::Needs::sm_90a:
      return 90;
    default:
      return 80;
  }
}

std::vector<std::byte> run(const lab::Problem& problem, const lab::Rung& rung) {
  const auto device = lab::open_cuda_device();
  lab::Buffers buffers(*device, problem, 1);
  buffers.draw(0, 20'261'115);
  buffers.poison(0);
  lab::Contender contender(*device, problem, rung, rung.name);
  contender.prepare();
  const lab::Launch launch = buffers.launch(0);
  contender.run(launch);
  device->synchronize();
  std::vector<std::byte> all;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const std::size_t at = all.size(), bytes = problem.outputs[i].tensor.bytes();
    all.resize(at + bytes);
    device->download(all.data() + at, launch.outputs[i], bytes);
  }
  return all;
}

// This target uses approximate functions (rsqrt.approx of the norm, ex2.approx and div.approx of
// the SiLU) and then adds a residual, where terms cancel: its outputs are compared within the
// tolerance that the case derives. All other targets must agree in every bit.
bool is_approximate(const std::string& target) { return target == "ch09:fused_norm_activation"; }

sim::Type type_of(lab::Dtype dtype) {
  const auto type = sim::parse_type(lab::name_of(dtype));
  return type.value_or(sim::Type::b8);
}

std::vector<std::string> compare(const lab::Problem& problem, bool approximate,
                                 const std::vector<std::byte>& gpu,
                                 const std::vector<std::byte>& simulated) {
  if (gpu.size() != simulated.size()) return {"outputs of different size"};
  std::vector<std::string> complaints;
  std::size_t at = 0;
  for (const lab::Output& output : problem.outputs) {
    const sim::Type type = type_of(output.tensor.dtype);
    const auto step = static_cast<std::size_t>(experiments::bytes_of(type));
    const auto agree = [&](experiments::Value left, experiments::Value right) {
      if (left == right || !approximate) return left == right;
      const double x = experiments::number(type, left), y = experiments::number(type, right);
      return std::abs(x - y) <= output.tolerance.absolute + output.tolerance.relative * std::abs(x);
    };
    std::size_t different = 0;
    for (const std::size_t end = at + static_cast<std::size_t>(output.tensor.bytes()); at < end;
         at += step)
      different +=
          agree(experiments::load(gpu, at, type), experiments::load(simulated, at, type)) ? 0 : 1;
    if (different > 0)
      complaints.push_back(base::say(different, " of ", output.tensor.count(), " elements of ",
                                     output.tensor.name, " differ",
                                     approximate ? " by more than the case's tolerance" : ""));
  }
  return complaints;
}

}  // namespace

std::vector<Item> chapter_items(const std::string& targets) {
  std::vector<Item> items;
  for (const auto& selection : lab::select_targets(targets))
    for (const lab::Size& size : selection.target->quick)
      for (const lab::Rung& rung : lab::rungs_of(*selection.target)) {
        const bool takes = rung.variants.empty() ||
                           std::find(rung.variants.begin(), rung.variants.end(), size.variant) !=
                               rung.variants.end();
        if (rung.peer || !takes) continue;
        const auto problem = std::make_shared<const lab::Problem>(selection.target->problem(size));
        const bool approximate = is_approximate(selection.target->id());
        items.push_back(
            {.group = selection.target->id(),
             .name = base::say(selection.target->id(), "/", size.label(), " ", rung.name),
             .run = [problem, &rung] { return run(*problem, rung); },
             .compare =
                 [problem, approximate](const auto& gpu, const auto& simulated) {
                   return compare(*problem, approximate, gpu, simulated);
                 },
             .architecture = architecture_of(rung.needs)});
      }
  return items;
}

}  // namespace differential
