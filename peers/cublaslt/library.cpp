#include "peers/cublaslt/library.hpp"

#include <stdexcept>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace aisp::peers {
namespace {

constexpr const char* way_out =
    "; install the CUDA 13 libraries or put their folder on LD_LIBRARY_PATH";

}  // namespace

CublasLt load_cublaslt(const std::vector<std::string>& names) {
  const auto library = base::SharedLibrary::first_of(names);
  if (!library)
    base::refuse(base::Exit::environment, "cuBLASLt not found: tried ", base::join(names, ", "),
                 " (", library.problem(), ")", way_out);
  const auto find = [&](auto& function, const char* name) {
    if (!library.find(function, name))
      base::refuse(base::Exit::environment, "cuBLASLt is not usable: it has no ", name, way_out);
  };
  CublasLt made{};
  find(made.create, "cublasLtCreate");
  find(made.destroy, "cublasLtDestroy");
  find(made.status_string, "cublasLtGetStatusString");
  find(made.matmul, "cublasLtMatmul");
  find(made.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(made.operation_create, "cublasLtMatmulDescCreate");
  find(made.operation_destroy, "cublasLtMatmulDescDestroy");
  find(made.operation_set, "cublasLtMatmulDescSetAttribute");
  find(made.layout_create, "cublasLtMatrixLayoutCreate");
  find(made.layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(made.layout_set, "cublasLtMatrixLayoutSetAttribute");
  find(made.preference_create, "cublasLtMatmulPreferenceCreate");
  find(made.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(made.preference_set, "cublasLtMatmulPreferenceSetAttribute");
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

}  // namespace aisp::peers
