// Modules: device code that is loaded into a context.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/cuda/module_store.hpp"
#include "sim/runtime/module/fatbin.hpp"

using namespace aisp;

using namespace sim::driver;

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  return in_context([&] {
    demand(module != nullptr && image != nullptr);
    const std::string label = "a loaded module";
    *module = load_module([&] { return sim::copy_of_code(image, label); }, label,
                          {count, options, values});
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] {
    demand(module != nullptr && path != nullptr);
    const std::string label = base::say("module ", path);
    *module = load_module([&] { return sim::code_of_file(path, label); }, label, {});
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] { unload_module(module); });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return initialised([&] {
    demand(mode != nullptr);
    *mode = CU_MODULE_LAZY_LOADING;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context([&] {
    demand(function != nullptr);
    *function = reinterpret_cast<CUfunction>(&kernel_named(module_at(module), name));
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return in_context([&] {
    demand(count != nullptr);
    *count = static_cast<unsigned>(module_at(module).kernels().size());
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned room, CUmodule module) {
  return in_context([&] {
    demand(functions != nullptr && room != 0);
    const auto all = module_at(module).kernels();
    for (unsigned i = 0; i < room && i < all.size(); ++i)
      functions[i] = reinterpret_cast<CUfunction>(all[i]);
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module,
                              const char* name) {
  return in_context([&] {
    demand(name != nullptr && (address != nullptr || bytes != nullptr));
    const auto variable = module_at(module).variable(name);
    if (!variable && address != nullptr) *address = 0;
    demand(variable.has_value(), CUDA_ERROR_NOT_FOUND);
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->bytes;
  });
}
