// What every function of the C interface does around its work: no exception leaves it, arguments of
// an older or newer caller are read as far as both know them, and the tensors' device is current.
#pragma once

#include <cstring>
#include <exception>

#include "base/refuse.hpp"
#include "binding/c/aisp.h"

namespace aisp::binding {

// Keeps the text for aisp_last_error().
aisp_status said(aisp_status status, const char* text);

template <class Work>
aisp_status call(const Work& work) noexcept {
  try {
    work();
    return AISP_OK;
  } catch (const base::Refusal& refusal) {
    return said(refusal.exit() == base::Exit::usage ? AISP_USAGE : AISP_ENVIRONMENT,
                refusal.what());
  } catch (const std::exception& error) {
    return said(AISP_INTERNAL, error.what());
  } catch (...) {
    return said(AISP_INTERNAL, "an exception without words");
  }
}

// A copy of the arguments: what an older caller does not know is 0, and what only a newer one knows
// must be.
template <class Arguments>
Arguments taken(const char* what, const Arguments* given) {
  if (given == nullptr) base::refuse(base::Exit::usage, what, ": the arguments are a null pointer");
  constexpr std::size_t known = sizeof(Arguments), first_version = sizeof(Arguments);
  const std::size_t size = given->size;
  if (size < first_version)
    base::refuse(base::Exit::usage, what, ": size says ", size,
                 " bytes of arguments, the least is ", first_version,
                 "; set it to sizeof the struct");
  const char* const bytes = reinterpret_cast<const char*>(given);
  for (std::size_t at = known; at < size; ++at)
    if (bytes[at] != 0)
      base::refuse(base::Exit::usage, what, ": ", size, " bytes of arguments, this library knows ",
                   known, "; leave the newer ones at 0, or take a newer library");
  Arguments arguments{};
  std::memcpy(&arguments, given, known);
  return arguments;
}

// Arguments that were only filled with zeros have it, and the result would be zeros.
inline void refuse_zero_alpha(const char* what, float alpha) {
  if (alpha == 0)
    base::refuse(base::Exit::usage, what,
                 ": alpha is 0; start from the AISP_..._INIT of the arguments, where it is 1, or "
                 "pass operands with a K of 0 to leave the product out");
}

// Makes a device current where it can, and the one before again at its end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  bool is_current() const { return current_; }

 private:
  int device_, before_ = 0;
  bool current_;
};

// Refuses a device that this machine does not have.
void admit_device(const char* what, int device);

}  // namespace aisp::binding
