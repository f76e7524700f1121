#include "sim/runtime/module/module.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/host_level.hpp"
#include "sim/machine/names.hpp"
#include "sim/ptx/link.hpp"
#include "sim/runtime/module/mutate.hpp"

namespace aisp::sim {
namespace {

// The PTX ISA that the simulator was written against.
constexpr int newest_major = 9, newest_minor = 0;

std::string list_targets(const std::vector<Image>& images) {
  std::string text;
  for (const Image& image : images) {
    if (image.kind == Image::Kind::other) continue;
    if (!text.empty()) text += ", ";
    text += image.kind == Image::Kind::ptx ? "PTX" : "machine code";
    if (image.architecture != 0) text += " for " + image.target();  // a bare ELF image
  }
  return text.empty() ? "nothing" : text;
}

std::string wanted(const DeviceModel& model) {
  const int device = model.major * 10 + model.minor;
  const std::string exact = model.arch_specific ? base::say("sm_", device, "a, ") : "";
  const std::string compute = base::say("compute_", device, model.arch_specific ? "a" : "");
  return base::say("PTX for ", exact, "sm_", device, " or older: nvcc -gencode arch=", compute,
                   ",code=", compute);
}

// One image for each file of relocatable device code; one that brings no PTX for this device, such
// as the device's runtime library, is left out: what it defines is missed by name.
std::vector<const Image*> choose_units(const std::vector<Image>& images, const DeviceModel& model) {
  std::map<int, std::vector<Image>> units;
  for (const Image& image : images) units[image.unit].push_back(image);
  std::vector<const Image*> chosen;
  for (const auto& [number, unit] : units) {
    const Image* best = choose_ptx(unit, model);
    if (best == nullptr) continue;
    const auto same = [&](const Image& image) { return image.bytes.data() == best->bytes.data(); };
    chosen.push_back(&*std::find_if(images.begin(), images.end(), same));
  }
  return chosen;
}

// Who has the instruction, where it is not the kernel that was asked for.
std::string where_of(const ptx::Refused& refused, const std::string& needed_for) {
  if (refused.function().empty()) return "";
  const std::string name = "'" + shown_name(refused.function()) + "'";
  return needed_for.ends_with(name) ? "" : " because of " + name + " beside it";
}

std::string linked_text(const std::vector<const Image*>& images) {
  if (images.size() == 1) return ptx_text(*images[0]);
  std::vector<ptx::LinkUnit> units;
  for (const Image* image : images)
    units.push_back({ptx_text(*image), base::say("file ", image->unit + 1, " of the program")});
  return ptx::link(std::move(units));
}

}  // namespace

const Routine& Kernel::routine() {
  std::atomic<const Routine*>& routine = routines_[current_device()];
  if (const Routine* known = routine.load(std::memory_order_acquire)) return *known;
  const Routine* found = program().kernel(name);
  if (found == nullptr) {
    Runtime::get().note_once("the PTX of this program has no kernel '" + shown_name(name) + "'");
    throw ApiError{cudaErrorInvalidDeviceFunction};
  }
  routine.store(found, std::memory_order_release);
  return *found;
}

const Program& Kernel::program() { return module->program("kernel '" + shown_name(name) + "'"); }

const KernelResources* Kernel::resources() {
  program();
  return module->resources(name);
}

Module::Module(std::vector<Image> images, std::string label)
    : images_(std::move(images)), label_(std::move(label)) {}

Module::~Module() {
  for (void* memory : memory_) Runtime::get().memory.release(memory);
}

const Program& Module::program(const std::string& needed_for) {
  Loaded& loaded = loaded_[current_device()];
  if (!loaded.done.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    if (!loaded.done) {
      load(needed_for, loaded);
      loaded.done.store(true, std::memory_order_release);
    }
  }
  require(loaded.failure);
  return *loaded.program;
}

std::vector<const Program*> Module::programs() const {
  std::vector<const Program*> all;
  for (const Loaded& loaded : loaded_)
    if (loaded.done.load(std::memory_order_acquire) && loaded.program)
      all.push_back(loaded.program.get());
  return all;
}

const Module::Loaded* Module::other_loaded() const {
  const auto found = std::find_if(std::begin(loaded_), std::end(loaded_),
                                  [](const Loaded& loaded) { return loaded.done.load(); });
  return found == std::end(loaded_) ? nullptr : found;
}

// Devices are alike: what failed on one fails on all, and addresses are all that differs.
void Module::load(const std::string& needed_for, Loaded& loaded) {
  const Loaded* other = other_loaded();
  if (other == nullptr) {
    loaded.failure = decode_for(needed_for, loaded);
  } else if (other->failure != cudaSuccess) {
    loaded.failure = other->failure;
  } else if (other->variables.empty()) {
    loaded.program = other->program;
  } else {
    loaded.failure = decode_for(needed_for, loaded);
  }
}

cudaError_t Module::decode_for(const std::string& needed_for, Loaded& loaded) {
  Runtime& runtime = Runtime::get();
  if (!unreadable_.empty()) {
    runtime.note(
        base::say(needed_for, ": the device code of ", label_, " cannot be read: ", unreadable_));
    return cudaErrorInvalidKernelImage;
  }
  const std::vector<const Image*> chosen = choose_units(images_, runtime.model);
  if (chosen.empty()) {
    runtime.note(base::say(needed_for, " cannot run on ", runtime.model.key, ": ", label_,
                           " holds ", list_targets(images_), "; needed is ",
                           wanted(runtime.model)));
    return cudaErrorNoKernelImageForDevice;
  }
  try {
    loaded.program = decode_images(chosen, loaded);
    return cudaSuccess;
  } catch (const ApiError& error) {
    return error.error;
  } catch (const ptx::Refused& refused) {
    runtime.note(base::say(needed_for, ": PTX for ", chosen[0]->target(), " refused",
                           where_of(refused, needed_for), ": ", refused.what()));
    return cudaErrorInvalidPtx;
  } catch (const base::BrokenCode& broken) {
    runtime.note(
        base::say(needed_for, ": the device code of ", label_, " cannot be read: ", broken.what()));
    return cudaErrorInvalidKernelImage;
  } catch (const std::exception& error) {
    runtime.note(
        base::say(needed_for, ": PTX for ", chosen[0]->target(), " refused: ", error.what()));
    return cudaErrorInvalidPtx;
  }
}

std::shared_ptr<const Program> Module::decode_images(const std::vector<const Image*>& images,
                                                     Loaded& loaded) {
  ptx::Module text = ptx::parse(linked_text(images));
  if (std::pair(text.version_major, text.version_minor) > std::pair(newest_major, newest_minor)) {
    Runtime::get().note(base::say(label_, ": PTX ISA ", text.version_major, '.', text.version_minor,
                                  "; the simulator knows up to ", newest_major, '.', newest_minor));
    throw ApiError{cudaErrorUnsupportedPtxVersion};
  }
  mutate(text);
  // The one copy of a managed variable gets its value with the first device.
  const bool first = other_loaded() == nullptr;
  auto program = std::make_shared<Program>(decode(
      text, opcode_table(),
      [&](const VariablePlacement& variable) { return place(variable, loaded); },
      [&](std::uint64_t address, const void* bytes, std::size_t size) {
        const auto found = Runtime::get().memory.find(address);
        if (first || found->kind != MemoryKind::managed)
          std::memcpy(reinterpret_cast<void*>(address), bytes, size);
      }));
  read_resources(*program);
  return program;
}

// Registers as ptxas allocated them take the place of the decoder's estimate.
void Module::read_resources(Program& program) {
  const DeviceModel& model = Runtime::get().model;
  for (const Image& image : images_)
    if (image.kind == Image::Kind::machine_code &&
        image.architecture == model.major * 10 + model.minor)
      for (const auto& [name, resources] : read_cubin(plain_bytes(image)))
        resources_.emplace(name, resources);
  for (Routine& routine : program.routines)
    if (const auto known = resources_.find(routine.name); known != resources_.end())
      routine.registers_32 = known->second.registers;
}

const KernelResources* Module::resources(const std::string& kernel) const {
  const auto found = resources_.find(kernel);
  return found == resources_.end() ? nullptr : &found->second;
}

std::uint64_t Module::place(const VariablePlacement& variable, Loaded& loaded) {
  const std::string name(variable.name);
  for (const auto* variables : {&loaded.variables, &managed_})
    if (const auto known = variables->find(name); known != variables->end())
      return known->second.address;
  if (variable.is_extern) throw std::runtime_error("'" + name + "' is declared, nowhere defined");
  const bool constant = variable.space == ptx::Space::constant;
  void* memory = Runtime::get().memory.allocate_on(
      current_device(), variable.bytes,
      constant ? MemoryKind::module_const : MemoryKind::module_global, name,
      std::max<std::uint64_t>(variable.align, 256));
  if (memory == nullptr) throw std::bad_alloc();
  memory_.push_back(memory);
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  loaded.variables[name] = {name, address, variable.bytes, constant, false};
  return address;
}

void* Module::add_managed(const std::string& name, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  void* memory =
      Runtime::get().memory.allocate_on(current_device(), bytes, MemoryKind::managed, name);
  require(memory != nullptr, cudaErrorMemoryAllocation);
  memory_.push_back(memory);
  managed_[name] = {name, reinterpret_cast<std::uint64_t>(memory), bytes, false, true};
  has_managed_ = true;
  return memory;
}

Kernel& Module::kernel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  auto& slot = kernels_[name];
  if (!slot) {
    slot = std::make_unique<Kernel>();
    slot->module = this;
    slot->name = name;
    Registry::get().handle_made(slot.get());
  }
  return *slot;
}

std::vector<Kernel*> Module::kernels() {
  std::vector<Kernel*> all;
  for (const Routine& routine : program(label_).routines)
    if (routine.is_entry) all.push_back(&kernel(routine.name));
  return all;
}

std::optional<ModuleVariable> Module::variable(const std::string& name) {
  program("variable '" + name + "'");
  for (const auto* variables : {&loaded_[current_device()].variables, &managed_})
    if (const auto found = variables->find(name); found != variables->end()) return found->second;
  return std::nullopt;
}

}  // namespace aisp::sim
