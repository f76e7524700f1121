// Stands in for gemm_tuner.cpp where the tile library's recipes are not compiled.
#include "app/tune/tuner.hpp"
#include "base/refuse.hpp"

namespace aisp::app {

std::unique_ptr<Tuner> make_gemm_tuner() {
  base::refuse(base::Exit::environment,
               "this build of aisp has no compiled recipes of the tile library to tune; build them "
               "with 'make all'");
}

}  // namespace aisp::app
