// What the peers in Python stand on, for `aisp doctor` and for the line that says which are left
// out.
#include "base/refuse.hpp"
#include "lab/case/library.hpp"
#include "peers/python/find.hpp"

using namespace aisp;

namespace {

constexpr const char* way_out = "set AISP_PYTHON to a Python with PyTorch and Triton";

lab::LibraryState look_for_python() {
  const auto& python = peers::python();
  if (!python.missing.empty())
    return {.missing = python.missing,
            .remedy = python.libraries.empty()
                          ? way_out
                          : base::say("install it (Debian and Ubuntu: apt install libpython3-dev), "
                                      "or ",
                                      way_out)};
  return {.found = base::say(python.version, " at ", python.executable, ", ", python.library)};
}

lab::LibraryState look_for_module(const char* module, const std::string peers::Python::*version) {
  const auto state = look_for_python();
  const auto& python = peers::python();
  if (!state.missing.empty()) return state;
  if ((python.*version).empty())
    return {
        .missing = base::say(python.executable, " (", python.version, ") has no module ", module),
        .remedy = way_out};
  return {.found = base::say(python.*version, " for ", python.executable)};
}

const lab::LibraryEntry python_entry{{.name = "Python", .look = look_for_python}};
const lab::LibraryEntry torch_entry{
    {.name = "PyTorch", .look = [] { return look_for_module("torch", &peers::Python::torch); }}};
// Triton's kernels get their tensors from PyTorch, torch.compile's are written in Triton.
const lab::LibraryEntry triton_entry{
    {.name = "Triton", .look = [] {
       const auto torch = lab::library_state("PyTorch");
       return torch.missing.empty() ? look_for_module("triton", &peers::Python::triton) : torch;
     }}};

}  // namespace
