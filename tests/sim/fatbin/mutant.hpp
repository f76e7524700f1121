// Images that differ from what the toolkit made by a few changes, all drawn from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fatbin_fuzz {

struct Sample {
  std::string name;  // "lz4.fatbin"
  std::string bytes;
  bool has_ptx() const { return name.find("machine") == std::string::npos; }
};

// How the image gets into the simulator.
enum class Door {
  module_data,     // cuModuleLoadData
  module_fatbin,   // cuModuleLoadFatBinary
  library_data,    // cudaLibraryLoadData
  module_file,     // cuModuleLoad
  library_file,    // cudaLibraryLoadFromFile
  linker,          // cuLinkAddData
  registered,      // __cudaRegisterFatBinary, as a program's own code
  shared_library,  // dlopen: the image is the file
};

// What a pointer of the wrapper leads to.
enum class Lead { image, null, before_image, past_end, itself, unmapped, list };

struct Wrapper {
  std::uint64_t magic = 0x466243b1, version = 1;
  Lead data = Lead::image, prelinked = Lead::null;
  std::uint64_t shift = 0;  // of a pointer that leads beside the image
  std::size_t bytes = 24;   // of it that can be read
  bool list_ends = true;    // with a null pointer
};

struct Mutant {
  std::string what;  // in words
  Door door = Door::module_data;
  std::string image;
  bool wrapped = false;
  Wrapper wrapper;
  enum class Demand {
    refused_or_loaded,  // its PTX may be another now
    refused_or_right,   // its PTX is the sample's wherever it is taken
    right,              // no reader has a reason to refuse it
  } demand = Demand::refused_or_loaded;
};

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t index) : state_(seed * 0x9e3779b97f4a7c15u + index) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// The same for the same seed and index.
Mutant make_mutant(const std::vector<Sample>& samples, std::uint64_t seed, std::uint64_t index);

}  // namespace fatbin_fuzz
