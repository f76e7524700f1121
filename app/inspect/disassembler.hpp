// Machine code as text, by the tools of a CUDA toolkit where they are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aisp::app {

struct Disassembly {
  std::string text;     // of the kernel asked for
  std::string by;       // the program that made it
  std::string problem;  // why there is none; one line
};

// nvdisasm or cuobjdump, on the PATH or in a toolkit; empty where neither is.
std::filesystem::path find_disassembler();

// `cubin` is a file. An empty `kernel` takes all of it.
Disassembly disassemble(const std::filesystem::path& cubin, const std::string& kernel);

// Of what nvdisasm -c writes, the part of one kernel; all of it where it has no such part.
std::string part_of_kernel(const std::string& disassembly, const std::string& kernel);

}  // namespace aisp::app
