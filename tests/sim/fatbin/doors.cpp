#include "tests/sim/fatbin/doors.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

extern "C" void** __cudaRegisterFatBinary(void* data);
extern "C" void __cudaRegisterFatBinaryEnd(void** handle);
extern "C" void __cudaUnregisterFatBinary(void** handle);
extern "C" void __cudaRegisterFunction(void** handle, const char* host, char* device,
                                       const char* name, int limit, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace fatbin_fuzz {
namespace {

constexpr int count = 64;
constexpr std::size_t room = 1 << 16;

template <class Function>
Function driver(const char* name) {
  void* found = nullptr;
  cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, nullptr);
  if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing");
  return reinterpret_cast<Function>(found);
}

float input(int i) { return static_cast<float>(i % 17 - 8); }
float expected(int i) { return 3 * input(i) + static_cast<float>(i % 4 + 1); }

// What a refusal of device code may be called; a kernel that is not found is one, too.
bool is_refusal(int error) {
  constexpr int known[] = {cudaErrorInvalidKernelImage,   cudaErrorNoKernelImageForDevice,
                           cudaErrorInvalidPtx,           cudaErrorUnsupportedPtxVersion,
                           cudaErrorInvalidSource,        cudaErrorSymbolNotFound,
                           cudaErrorInvalidDeviceFunction};
  return std::find(std::begin(known), std::end(known), error) != std::end(known);
}

}  // namespace

Folder::Folder() : path_(std::filesystem::temp_directory_path() / "fatbin_mutants.XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder " + path_);
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

Doors::Doors(const Folder& files)
    : images_(room), wrappers_(64), lists_(64), folder_(files.path()) {
  float values[count];
  for (int i = 0; i < count; ++i) values[i] = input(i);
  if (cudaMalloc(&in_, sizeof values) != cudaSuccess ||
      cudaMalloc(&out_, sizeof values) != cudaSuccess ||
      cudaMemcpy(in_, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess)
    throw std::runtime_error("the simulator does not start");
}

Result Doors::try_mutant(const Mutant& mutant) {
  launch_ = mutant.demand != Mutant::Demand::refused_or_loaded;
  ran_ = right_ = false;
  cudaMemset(out_, 0xff, count * sizeof(float));
  const int error = enter(mutant);
  cudaGetLastError();
  if (error != cudaSuccess) {
    if (!is_refusal(error))
      return {Outcome::wrong, error, "refused with an error that is not one of device code"};
    if (mutant.demand == Mutant::Demand::right)
      return {Outcome::wrong, error, "refused although nothing is wrong with it"};
    return {Outcome::refused, error, ""};
  }
  if (!ran_)
    return {launch_ ? Outcome::wrong : Outcome::loaded, error, launch_ ? "did not run" : ""};
  return {right_ ? Outcome::right : Outcome::wrong, error, right_ ? "" : "wrong numbers"};
}

int Doors::enter(const Mutant& mutant) {
  switch (mutant.door) {
    case Door::module_data:
    case Door::module_fatbin:
      return enter_module(place(mutant), mutant.door == Door::module_fatbin);
    case Door::library_data:
      return enter_library(place(mutant));
    case Door::linker:
      return enter_linker(mutant.image);
    case Door::registered:
      return enter_registered(place(mutant));
    default:
      return enter_file(mutant);
  }
}

// The image, or the wrapper that leads to it.
char* Doors::place(const Mutant& mutant) {
  char* const image = images_.place(mutant.image);
  if (!mutant.wrapped) return image;
  const Wrapper& wrapper = mutant.wrapper;
  std::string bytes(24, '\0');
  char* const at = wrappers_.place(bytes.substr(0, wrapper.bytes));
  const void* const items[] = {image, image, nullptr};
  char* const list = lists_.place(
      {reinterpret_cast<const char*>(items), (wrapper.list_ends ? 3 : 2) * sizeof(void*)});
  const auto address = [&](Lead lead) -> const void* {
    switch (lead) {
      case Lead::image:
        return image;
      case Lead::null:
        return nullptr;
      case Lead::before_image:
        return image - wrapper.shift;
      case Lead::past_end:
        return image + mutant.image.size() + wrapper.shift - 1;
      case Lead::itself:
        return at;
      case Lead::list:
        return list;
      default:
        return reinterpret_cast<const void*>(wrapper.shift << 40);
    }
  };
  const void* const data = address(wrapper.data);
  const void* const prelinked = address(wrapper.prelinked);
  std::memcpy(bytes.data(), &wrapper.magic, 4);
  std::memcpy(bytes.data() + 4, &wrapper.version, 4);
  std::memcpy(bytes.data() + 8, &data, sizeof data);
  std::memcpy(bytes.data() + 16, &prelinked, sizeof prelinked);
  return wrappers_.place(bytes.substr(0, wrapper.bytes));
}

int Doors::enter_module(const void* code, bool as_fatbin) {
  CUmodule module = nullptr;
  const int error = driver<PFN_cuModuleLoadData_v2000>(
      as_fatbin ? "cuModuleLoadFatBinary" : "cuModuleLoadData")(&module, code);
  return error != 0 ? error : run_module(module);
}

int Doors::run_module(void* handle) {
  const auto module = static_cast<CUmodule>(handle);
  CUfunction function = nullptr;
  int error =
      driver<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction")(&function, module, "affine");
  if (error == 0) error = run(function);
  driver<PFN_cuModuleUnload_v2000>("cuModuleUnload")(module);
  return error;
}

int Doors::enter_library(const void* code) {
  cudaLibrary_t library = nullptr;
  const int error = cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  return error != 0 ? error : run_library(library);
}

int Doors::run_library(void* handle) {
  const auto library = static_cast<cudaLibrary_t>(handle);
  cudaKernel_t kernel = nullptr;
  int error = cudaLibraryGetKernel(&kernel, library, "affine");
  if (error == 0) error = run(kernel);
  cudaLibraryUnload(library);
  return error;
}

int Doors::enter_linker(const std::string& image) {
  CUlinkState state = nullptr;
  driver<PFN_cuLinkCreate_v6050>("cuLinkCreate")(0, nullptr, nullptr, &state);
  void* linked = nullptr;
  std::size_t bytes = 0;
  int error = driver<PFN_cuLinkAddData_v6050>("cuLinkAddData")(state, CU_JIT_INPUT_FATBINARY,
                                                               images_.place(image), image.size(),
                                                               "a mutant", 0, nullptr, nullptr);
  if (error == 0)
    error = driver<PFN_cuLinkComplete_v5050>("cuLinkComplete")(state, &linked, &bytes);
  if (error == 0) error = enter_module(linked, false);
  driver<PFN_cuLinkDestroy_v5050>("cuLinkDestroy")(state);
  return error;
}

// As the code that nvcc generates does at the start and at the end of a program.
int Doors::enter_registered(void* wrapper) {
  static const char host = 0;
  void** const handle = __cudaRegisterFatBinary(wrapper);
  __cudaRegisterFunction(handle, &host, nullptr, "affine", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  cudaFuncAttributes attributes{};
  int error = cudaFuncGetAttributes(&attributes, &host);
  if (error == 0) error = run(&host);
  __cudaUnregisterFatBinary(handle);
  return error;
}

int Doors::enter_file(const Mutant& mutant) {
  static int number = 0;  // the loader knows libraries by their names
  const std::string path = folder_ + "/" + std::to_string(number++) + ".so";
  std::ofstream(path, std::ios::binary) << mutant.image;
  int error = 0;
  if (mutant.door == Door::shared_library) {
    error = enter_shared_library(path);
  } else if (mutant.door == Door::library_file) {
    cudaLibrary_t library = nullptr;
    error =
        cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error == 0) error = run_library(library);
  } else {
    CUmodule module = nullptr;
    error = driver<PFN_cuModuleLoad_v2000>("cuModuleLoad")(&module, path.c_str());
    if (error == 0) error = run_module(module);
  }
  std::filesystem::remove(path);
  return error;
}

int Doors::enter_shared_library(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto run_affine =
      reinterpret_cast<cudaError_t (*)(const void*, void*, int)>(dlsym(library, "run_affine"));
  const auto load_affine = reinterpret_cast<cudaError_t (*)()>(dlsym(library, "load_affine"));
  int error = load_affine();
  if (launch_ && error == 0) {
    error = run_affine(in_, out_, count);
    if (error == 0) error = check_numbers();
  }
  dlclose(library);
  return error;
}

int Doors::run(const void* kernel) {
  if (!launch_) return cudaSuccess;
  int number = count;
  void* arguments[] = {&in_, &out_, &number};
  if (const int error = cudaLaunchKernel(kernel, dim3(1), dim3(count), arguments, 0, nullptr))
    return error;
  return check_numbers();
}

int Doors::check_numbers() {
  float got[count];
  if (const int error = cudaMemcpy(got, out_, sizeof got, cudaMemcpyDeviceToHost)) return error;
  ran_ = right_ = true;
  for (int i = 0; i < count; ++i) right_ = right_ && got[i] == expected(i);
  return cudaSuccess;
}

}  // namespace fatbin_fuzz
