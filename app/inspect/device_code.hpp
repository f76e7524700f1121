// The device code that lies in this process: in the program and in the modules that it has loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fatbin.hpp"

namespace aisp::app {

// Of one kernel: the PTX and the machine code that a device of an architecture runs.
struct KernelCode {
  std::string name;          // mangled
  std::string file;          // the program or module that has it
  std::string target;        // "sm_90a", of the PTX
  std::string ptx;           // the module without its other kernels
  std::string machine_code;  // a cubin, which may hold other kernels too; "" where there is none
};

class DeviceCode {
 public:
  // For devices of this compute capability, 9 and 0.
  DeviceCode(int major, int minor);

  // By its mangled name or by the readable one. Nothing for a kernel of a library, whose code lies
  // elsewhere.
  std::optional<KernelCode> find(const std::string& name) const;

 private:
  struct Container {
    std::string file;
    std::vector<base::Image> images;
    // Of the PTX that the device runs, once it was looked at.
    std::string ptx{};
    std::vector<std::string> kernels{};
    bool looked_at = false;
  };

  int architecture_;  // 90
  mutable std::vector<Container> containers_;
};

// The image of that kind that a device of compute capability 9.0 (90) runs: exactly its own, else
// the highest that is not newer; machine code only of its own generation. Null: none.
const base::Image* image_for(const std::vector<base::Image>& images, base::Image::Kind kind,
                             int architecture);

// Names of the kernels that a PTX module defines, in its order.
std::vector<std::string> kernels_in(std::string_view ptx);

// The module with this kernel alone: declarations, functions and variables stay.
std::string only_kernel(std::string_view ptx, const std::string& name);

}  // namespace aisp::app
