// decode() itself, and what a Program can be asked.
#include <algorithm>
#include <charconv>

#include "base/refuse.hpp"
#include "sim/program/function_decoder.hpp"
#include "sim/program/program.hpp"
#include "sim/program/refuse_line.hpp"

namespace aisp::sim {
namespace {

int architecture_of(std::string_view target) {
  int number = 0;
  if (target.starts_with("sm_")) {
    const char* first = target.data() + 3;
    std::from_chars(first, target.data() + target.size(), number);
  }
  return number;
}

}  // namespace

Program decode(const ptx::Module& module, const OpcodeTable& table, const Placer& place,
               const Writer& write) {
  Program program;
  program.target = module.target;
  program.architecture = architecture_of(module.target);
  program.version = module.version_major * 10 + module.version_minor;
  program.maps_doubles =
      std::ranges::find(module.target_options, "map_f64_to_f32") != module.target_options.end();
  program.files = module.files;
  program.text = module.text;
  program.lines = TextLines(*module.text);
  if (program.architecture == 0)
    refuse_line(1, base::say("target '", module.target, "' is not sm_NN"), module.target);
  if (module.address_size != 64)
    refuse_line(1, "32-bit addresses are not modelled",
                base::say(".address_size ", module.address_size));
  ModuleDecoder decoder(module, table, program);
  decoder.place_variables(place, write);
  // Functions first: their registers and shared variables come before those of kernels.
  for (const bool entries : {false, true})
    for (std::uint32_t index = 0; index < decoder.routines().size(); ++index)
      if (const ptx::Function& function = *decoder.routines()[index]; function.is_entry == entries)
        try {
          FunctionDecoder(decoder, function, index).run();
        } catch (ptx::Refused& refused) {
          refused.in_function(function.name);
          throw;
        }
  decoder.finish();
  return program;
}

const Routine* Program::kernel(std::string_view name) const {
  const auto found = std::find_if(routines.begin(), routines.end(), [&](const Routine& routine) {
    return routine.is_entry && routine.name == name;
  });
  return found == routines.end() ? nullptr : &*found;
}

std::string_view Program::line_text(int ptx_line) const { return lines.at(ptx_line); }

void FunctionDecoder::read_directives() {
  for (const ptx::Performance& directive : function_.performance) {
    auto value = [&](std::size_t index) {
      return index < directive.values.size() ? static_cast<int>(directive.values[index]) : 1;
    };
    auto fill = [&](int(&three)[3]) {
      for (std::size_t dim = 0; dim < 3; ++dim) three[dim] = value(dim);
    };
    if (directive.name == "maxntid") routine_.max_threads = value(0) * value(1) * value(2);
    if (directive.name == "reqntid") fill(routine_.required_threads);
    if (directive.name == "reqnctapercluster") fill(routine_.required_cluster);
    if (directive.name == "minnctapersm") routine_.min_blocks = value(0);
    if (directive.name == "maxnreg") routine_.max_registers = value(0);
  }
}

}  // namespace aisp::sim
