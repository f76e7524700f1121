#include "jit/build/nvrtc.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace aisp::jit {
namespace {

constexpr const char* library_name = "libnvrtc.so.13";
constexpr const char* way_out =
    "; install the CUDA 13 toolkit, or set AISP_NVRTC_LIBRARY to its libnvrtc.so.13";

// A user's text may include cuda_fp16.h and its like, which lie beside the library's folder.
std::vector<std::string> toolkit_headers(const void* function) {
  Dl_info info{};
  std::error_code failed;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  auto folder = std::filesystem::canonical(info.dli_fname, failed).parent_path();
  for (; !failed && folder.has_relative_path(); folder = folder.parent_path())
    if (std::filesystem::exists(folder / "include" / "cuda_fp16.h", failed))
      return {"-I" + (folder / "include").string()};
  return {};
}

}  // namespace

Nvrtc load_nvrtc(const std::vector<std::string>& names) {
  const auto library = base::SharedLibrary::first_of(names);
  if (!library)
    base::refuse(base::Exit::environment, "NVRTC not found: tried ", base::join(names, ", "), " (",
                 library.problem(), ")", way_out);
  const auto find = [&](auto& function, const char* name) {
    if (!library.find(function, name))
      base::refuse(base::Exit::environment, "NVRTC is not usable: ", library.name(), " has no ",
                   name, way_out);
  };
  Nvrtc made{};
  find(made.version, "nvrtcVersion");
  find(made.count_architectures, "nvrtcGetNumSupportedArchs");
  find(made.architectures, "nvrtcGetSupportedArchs");
  find(made.error_string, "nvrtcGetErrorString");
  find(made.create, "nvrtcCreateProgram");
  find(made.destroy, "nvrtcDestroyProgram");
  find(made.compile, "nvrtcCompileProgram");
  find(made.log_size, "nvrtcGetProgramLogSize");
  find(made.log, "nvrtcGetProgramLog");
  find(made.ptx_size, "nvrtcGetPTXSize");
  find(made.ptx, "nvrtcGetPTX");
  find(made.cubin_size, "nvrtcGetCUBINSize");
  find(made.cubin, "nvrtcGetCUBIN");
  int major = 0, minor = 0, count = 0;
  made.version(&major, &minor);
  made.release = base::say(major, '.', minor);
  made.count_architectures(&count);
  made.known.resize(static_cast<std::size_t>(count));
  made.architectures(made.known.data());
  made.words = toolkit_headers(reinterpret_cast<const void*>(made.compile));
  return made;
}

std::vector<std::string> nvrtc_names() {
  if (const char* given = base::environment("AISP_NVRTC_LIBRARY")) return {given};
  std::vector<std::string> names{library_name};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = base::environment(variable))
      names.push_back(base::say(root, "/lib64/", library_name));
  for (const char* folder : {AISP_TOOLKIT_LIBRARIES, "/usr/local/cuda/lib64", "/opt/cuda/lib64"})
    if (*folder != '\0') names.push_back(base::say(folder, "/", library_name));
  return names;
}

const Nvrtc& nvrtc() {
  static const Nvrtc instance = load_nvrtc(nvrtc_names());
  return instance;
}

}  // namespace aisp::jit
