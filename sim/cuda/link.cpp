// The linker of device code: PTX texts become one, which is the image that comes out.
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/cuda/module_store.hpp"
#include "sim/ptx/link.hpp"
#include "sim/ptx/module.hpp"
#include "sim/runtime/module/fatbin.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Runtime;

namespace {

struct Linking {
  JitOptions options;
  std::vector<sim::ptx::LinkUnit> units;
  std::string result;
  bool complete = false;
};

// Guarded by Runtime::mutex.
std::map<const void*, std::unique_ptr<Linking>>& linkings() {
  static auto* const all = new std::map<const void*, std::unique_ptr<Linking>>;
  return *all;
}

template <class Body>
CUresult with_linking(CUlinkState handle, Body body) {
  return in_context([&] {
    const std::lock_guard lock(Runtime::get().mutex);
    const auto found = linkings().find(handle);
    demand(found != linkings().end(), CUDA_ERROR_INVALID_HANDLE);
    return body(*found->second);
  });
}

// Fatbins bring their PTX; machine code cannot be read.
void add_input(Linking& linking, const std::string& input, const std::string& label) {
  demand(!linking.complete);
  for (const sim::Image& image : sim::images_in(input, label))
    if (image.kind == sim::Image::Kind::ptx) {
      linking.units.push_back({sim::text_in(image, label), label});
      return;
    }
  Runtime::get().note(label + " holds no PTX, which is all that the simulator links");
  throw DriverError{CUDA_ERROR_INVALID_IMAGE};
}

void judge_type(CUjitInputType type) {
  demand(type >= CU_JIT_INPUT_CUBIN && type < CU_JIT_NUM_INPUT_TYPES);
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return in_context([&] {
    demand(state != nullptr);
    auto linking = std::make_unique<Linking>();
    linking->options = JitOptions(count, options, values);
    const std::lock_guard lock(Runtime::get().mutex);
    *state = reinterpret_cast<CUlinkState>(linking.get());
    linkings().emplace(linking.get(), std::move(linking));
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                          const char* name, unsigned count, CUjit_option* options, void** values) {
  return with_linking(state, [&](Linking& linking) {
    demand(data != nullptr && bytes != 0);
    judge_type(type);
    const JitOptions judged(count, options, values);
    const std::string label = name != nullptr ? name : "an input of the linker";
    add_input(linking, sim::copy_of_code(data, bytes, label), label);
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                          CUjit_option* options, void** values) {
  return with_linking(state, [&](Linking& linking) {
    demand(path != nullptr);
    judge_type(type);
    const JitOptions judged(count, options, values);
    add_input(linking, sim::code_of_file(path, path), path);
  });
}

// What comes out is read once, so that the linker refuses what no module could be made of. The
// result lives as long as the state.
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  Linking* linking = nullptr;
  const CUresult linked = with_linking(state, [&](Linking& found) {
    demand(image != nullptr && !found.units.empty());
    linking = &found;
    try {
      found.result = sim::ptx::link(found.units);
    } catch (const sim::ptx::Refused& refused) {
      Runtime::get().note(std::string("cuLinkComplete: ") + refused.what());
      found.options.report(true);
      throw DriverError{CUDA_ERROR_INVALID_PTX};
    }
  });
  if (linked != CUDA_SUCCESS) return linked;
  return in_context([&] {
    try {
      unload_module(load_module([&] { return linking->result; }, "what cuLinkComplete was given",
                                linking->options));
    } catch (const sim::ApiError&) {
      throw DriverError{CUDA_ERROR_INVALID_SOURCE};
    }
    linking->complete = true;
    *image = linking->result.data();
    if (bytes != nullptr) *bytes = linking->result.size() + 1;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return with_linking(state, [&](Linking&) { linkings().erase(state); });
}
