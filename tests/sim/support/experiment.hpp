// One PTX kernel with its inputs and what it must put out. Instruction tests come from .forms and
// .ptx files; the simulator runs them in every test run, an H200 when it is at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/machine/image.hpp"
#include "sim/program/type.hpp"

namespace aisp::experiments {

struct Value {
  std::uint64_t low = 0, high = 0;  // bits
  bool operator==(const Value&) const = default;
};

// One value of the output buffer.
struct Cell {
  std::size_t offset = 0;  // bytes
  sim::Type type{};
  bool known = false;  // expected by the file; otherwise only two devices are compared
  Value expected;
  int ulp = 0;  // tolerance
};

// An input that the kernel gets as a texture or surface: the object of its bytes, whose levels lie
// at offsets from their beginning.
struct ImageInput {
  std::size_t input = 0;
  sim::ImageObject object;
};

struct Experiment {
  std::string name;  // "integer/add.forms:12 add.s32"
  std::string text;  // PTX
  std::string entry;
  std::uint32_t grid = 1, block = 1, cluster = 1, dynamic = 0;
  std::string sm = "80";  // least target: "80", "90", "90a", "100a"
  std::vector<std::vector<std::byte>> in;
  std::vector<ImageInput> images;
  std::vector<Cell> out;
  std::size_t out_bytes = 0;
};

std::vector<Experiment> read_forms(const std::filesystem::path& file);
Experiment read_ptx(const std::filesystem::path& file);

// Every .forms and .ptx file under the folder, sorted.
std::vector<std::filesystem::path> files_under(const std::filesystem::path& folder,
                                               const std::string& extension);

// One line per cell that is wrong, at most `most`. Against the file's values, or `other`'s bytes.
std::vector<std::string> judge(const Experiment& experiment, const std::vector<std::byte>& out,
                               const std::vector<std::byte>* other = nullptr, std::size_t most = 5);

}  // namespace aisp::experiments
