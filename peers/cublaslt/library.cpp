#include "peers/cublaslt/library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace peers {
namespace {

constexpr const char* way_out =
    "; install the CUDA 13 libraries or put their folder on LD_LIBRARY_PATH";

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    base::refuse(base::Exit::environment, "cuBLASLt is not usable: it has no ", name, way_out);
}

}  // namespace

CublasLt load_cublaslt(const std::vector<std::string>& names) {
  void* library = nullptr;
  std::string reason = "no name to try";
  for (const auto& name : names) {
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    reason = dlerror();
  }
  if (library == nullptr)
    base::refuse(base::Exit::environment, "cuBLASLt not found: tried ", base::join(names, ", "),
                 " (", reason, ")", way_out);
  CublasLt made{};
  resolve(library, "cublasLtCreate", made.create);
  resolve(library, "cublasLtDestroy", made.destroy);
  resolve(library, "cublasLtGetStatusString", made.status_string);
  resolve(library, "cublasLtMatmul", made.matmul);
  resolve(library, "cublasLtMatmulAlgoGetHeuristic", made.heuristic);
  resolve(library, "cublasLtMatmulDescCreate", made.operation_create);
  resolve(library, "cublasLtMatmulDescDestroy", made.operation_destroy);
  resolve(library, "cublasLtMatmulDescSetAttribute", made.operation_set);
  resolve(library, "cublasLtMatrixLayoutCreate", made.layout_create);
  resolve(library, "cublasLtMatrixLayoutDestroy", made.layout_destroy);
  resolve(library, "cublasLtMatrixLayoutSetAttribute", made.layout_set);
  resolve(library, "cublasLtMatmulPreferenceCreate", made.preference_create);
  resolve(library, "cublasLtMatmulPreferenceDestroy", made.preference_destroy);
  resolve(library, "cublasLtMatmulPreferenceSetAttribute", made.preference_set);
  return made;
}

const CublasLt& cublaslt() {
  // The second name is where the toolkit's installer puts it without telling the loader.
  static const CublasLt instance =
      load_cublaslt({"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13"});
  return instance;
}

void check_cublaslt(const CublasLt& library, cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(base::say(what, ": ", library.status_string(status)));
}

}  // namespace peers
