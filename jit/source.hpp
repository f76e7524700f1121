// A user's own CUDA C++ on the tile library, compiled at run time: the text, its kernels, launches.
//
//   const jit::Source source("scale", text);
//   source.kernel("scale").launch(stream, {.grid = blocks, .block = 128}, x, 2.0f, count);
//
// The text may include the headers of tile/ below tile/device and what these include. It is
// compiled at the first launch for the device that is current then, or taken from the cache.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "jit/cache/store.hpp"
#include "jit/run/kernel.hpp"

namespace aisp::jit {

struct SourceOptions {
  std::vector<std::string> further{};  // words for the compiler, such as -DROWS=4
  std::string architecture{};          // empty: the current device's
  Store* store = nullptr;              // null: the one in base::home()
};

class Source;

// By its name; cheap to make and to copy. Its source must outlive it.
class SourceKernel {
 public:
  // Arguments are passed by their types: a pointer for a pointer, a float for a float. Refuses
  // those that do not fit, and a stream under capture while a compile is due.
  template <class... Arguments>
  void launch(cudaStream_t stream, const LaunchShape& shape, const Arguments&... arguments) const {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...),
                  "a kernel's arguments are copied byte by byte");
    const std::array<Argument, sizeof...(Arguments)> all{
        Argument{&arguments, static_cast<int>(sizeof arguments)}...};
    launch_all(stream, shape, all);
  }
  template <class... Arguments>
  void launch(cudaStream_t stream, dim3 grid, dim3 block, const Arguments&... arguments) const {
    launch(stream, LaunchShape{.grid = grid, .block = block}, arguments...);
  }

 private:
  friend class Source;
  SourceKernel(const Source& source, std::string entry)
      : source_(&source), entry_(std::move(entry)) {}
  void launch_all(cudaStream_t stream, const LaunchShape& shape,
                  std::span<const Argument> arguments) const;

  const Source* source_;
  std::string entry_;
};

class Source {
 public:
  // Nothing is compiled yet.
  Source(std::string name, std::string text, SourceOptions options = {});

  SourceKernel kernel(std::string entry) const { return {*this, std::move(entry)}; }

  // Compiles and loads for the current device now, so that no launch has to.
  void prepare() const;

  // What was compiled for the current device; compiles where nothing was.
  const Compiled& compiled() const;

  const std::string& name() const { return text_.name; }

 private:
  friend class SourceKernel;
  struct Variant;
  const Variant& variant(const std::string& architecture) const;
  const Variant* ready(const std::string& architecture) const;
  std::string architecture() const;

  KernelText text_;
  SourceOptions options_;
  mutable std::mutex guard_;
  mutable std::map<std::string, std::shared_ptr<const Variant>> variants_;  // by architecture
};

}  // namespace aisp::jit
