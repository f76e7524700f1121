#include "tests/sim/support/simulator.hpp"

#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/host_level.hpp"

namespace aisp::experiments {
namespace {

sim::Program load(const Experiment& experiment, sim::Memory& memory) {
  const sim::Placer place = [&](const sim::VariablePlacement& variable) {
    const auto kind = variable.space == sim::ptx::Space::constant ? sim::MemoryKind::module_const
                                                                  : sim::MemoryKind::module_global;
    return reinterpret_cast<std::uint64_t>(
        memory.allocate(variable.bytes, kind, std::string(variable.name), variable.align));
  };
  const sim::Writer write = [](std::uint64_t address, const void* bytes, std::size_t size) {
    std::memcpy(reinterpret_cast<void*>(address), bytes, size);
  };
  return sim::decode(sim::ptx::parse(experiment.text), sim::opcode_table(), place, write);
}

}  // namespace

Outcome simulate(const Experiment& experiment, const sim::Settings& settings,
                 const std::string& device) {
  const sim::DeviceModel model = sim::device_model(device);
  sim::Memory memory(std::int64_t{1} << 32);
  Outcome outcome;
  try {
    const sim::Program program = load(experiment, memory);
    const sim::Routine* kernel = program.kernel(experiment.entry);
    if (kernel == nullptr) return {{}, "no kernel " + experiment.entry};
    std::vector<std::uint64_t> params;
    for (const auto& bytes : experiment.in) {
      void* buffer =
          memory.allocate(std::max<std::size_t>(bytes.size(), 1), sim::MemoryKind::device);
      if (!bytes.empty()) std::memcpy(buffer, bytes.data(), bytes.size());
      params.push_back(reinterpret_cast<std::uint64_t>(buffer));
    }
    for (const ImageInput& image : experiment.images) {
      sim::ImageObject object = image.object;
      for (sim::ImageLevel& level : object.image.levels) level.base += params[image.input];
      params[image.input] = memory.images().add(std::move(object));
    }
    void* out = memory.allocate(experiment.out_bytes, sim::MemoryKind::device);
    std::memset(out, 0xee, experiment.out_bytes);
    params.push_back(reinterpret_cast<std::uint64_t>(out));
    if (params.size() * 8 != kernel->param_bytes)
      return {{},
              base::say("the kernel takes ", kernel->param_bytes,
                        " bytes of parameters, the file "
                        "gives ",
                        params.size() * 8)};
    const sim::LaunchResult result = sim::launch(program, *kernel, model, memory, settings,
                                                 {.grid = {experiment.grid, 1, 1},
                                                  .block = {experiment.block, 1, 1},
                                                  .cluster = {experiment.cluster, 1, 1},
                                                  .explicit_cluster = experiment.cluster > 1,
                                                  .dynamic_shared = experiment.dynamic},
                                                 std::as_bytes(std::span(params)), 0);
    if (result.fault) return {{}, result.fault->text};
    outcome.out.resize(experiment.out_bytes);
    std::memcpy(outcome.out.data(), out, experiment.out_bytes);
  } catch (const sim::ptx::Refused& refused) {
    outcome.failure = refused.what();
  }
  return outcome;
}

}  // namespace aisp::experiments
