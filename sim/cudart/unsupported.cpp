// Entries of the CUDA runtime that the simulator does not have: each says so once and returns
// cudaErrorNotSupported. Their declarations are not needed for that, and are not included.
#include <set>
#include <string>

#include "sim/cudart/entry.hpp"

using namespace aisp;

namespace {

int unsupported(const char* name) {
  sim::Runtime::get().note_once(std::string(name) + " is not supported by the simulator");
  return sim::record_error(cudaErrorNotSupported);
}

}  // namespace

// Tables that no document describes: there is none.
cudaError_t cudaGetExportTable(const void** table, const cudaUUID_t*) {
  if (table != nullptr) *table = nullptr;
  sim::Runtime::get().note_once("cudaGetExportTable: the simulator has no such table");
  return sim::record_error(cudaErrorSymbolNotFound);
}

// An alias gives each function the name of the entry without clashing with its declaration.
#define AISP_UNSUPPORTED(entry)                                                \
  extern "C" [[gnu::visibility("default")]] int aisp_no_##entry() asm(#entry); \
  int aisp_no_##entry() { return unsupported(#entry); }
#include "sim/cudart/unsupported.inc"
#undef AISP_UNSUPPORTED
