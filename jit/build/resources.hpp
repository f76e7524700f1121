// What a kernel costs and what it takes: read from the assembler's log and from the PTX.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::jit {

// Of one kernel, as the assembler reports it. Bytes but for the registers.
struct Resources {
  std::string kernel;
  int registers = 0, stack = 0, spill_stores = 0, spill_loads = 0, shared = 0;
};

std::vector<Resources> resources_in(std::string_view assembler_log);

// A kernel that a text defines, by the name in its PTX, with the bytes of each parameter.
struct EntryPoint {
  std::string name;
  std::vector<int> parameter_bytes;
};

std::vector<EntryPoint> entry_points_in(std::string_view ptx);

// The log with places as compilers write them: `file:line: error: …`, without what the assembler
// says of resources.
std::string readable_log(std::string_view log);

// The first error in a log and how many there are: "softmax.cu:14: identifier "x" is undefined".
struct FirstError {
  std::string line;
  int count = 0;
};
std::optional<FirstError> first_error_in(std::string_view readable);

// The line in which the assembler says that it makes wgmma instructions wait for each other
// (C7510): such a kernel is several times too slow.
std::optional<std::string> serialized_products_in(std::string_view log);

}  // namespace aisp::jit
