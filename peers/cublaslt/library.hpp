// cuBLASLt, loaded at first use: the program starts and runs without it. Only types come from the
// toolkit's header; no symbol of the library is linked.
#pragma once

#include <cublasLt.h>

#include <string>
#include <vector>

namespace aisp::peers {

// The entry points that are used, by their names without the prefix.
struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
};

// The first of `names` that the dynamic loader finds. Refuses (Exit::environment) with the names
// tried and the loader's last word.
CublasLt load_cublaslt(const std::vector<std::string>& names);

// The library of the running toolkit's major version, loaded once.
const CublasLt& cublaslt();

// Throws std::runtime_error with the library's own text unless `status` is success.
void check_cublaslt(const CublasLt& library, cublasStatus_t status, const char* what);

}  // namespace aisp::peers
