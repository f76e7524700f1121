// What the programs share: a call that fails ends the program, a wrong value too.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) require((call), #call)

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}
#define EXPECT(condition) expect((condition), #condition)

// After a launch: it was taken, and it ran.
inline void finish() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
constexpr unsigned blocks_for(int count, int per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

// How a program ends when all was right.
inline int passed() {
  std::puts("ok");
  return 0;
}

// The same numbers on every machine.
inline std::vector<unsigned> numbers(std::size_t count, unsigned seed) {
  std::vector<unsigned> values(count);
  for (auto& value : values) value = seed = seed * 1664525u + 1013904223u;
  return values;
}

// Values in [low, high).
inline std::vector<float> reals(std::size_t count, unsigned seed, float low = -1, float high = 1) {
  std::vector<float> values;
  values.reserve(count);
  for (const unsigned bits : numbers(count, seed))
    values.push_back(low + (high - low) * static_cast<float>(bits >> 8) * 0x1p-24f);
  return values;
}

// Every element within `allowed` of what is wanted; a NaN is not.
template <class Got, class Want>
void expect_close(const std::vector<Got>& got, const std::vector<Want>& want, double allowed,
                  const char* what) {
  expect(got.size() == want.size(), what);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])) <= allowed) continue;
    std::fprintf(stderr, "%s: element %zu is %.9g, not %.9g within %g\n", what, i,
                 static_cast<double>(got[i]), static_cast<double>(want[i]), allowed);
    std::exit(1);
  }
}
template <class T>
void expect_equal(const std::vector<T>& got, const std::vector<T>& want, const char* what) {
  expect_close(got, want, 0, what);
}

// Device memory that holds no number anybody could expect until it is written.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    CHECK(cudaMalloc(&memory_, count * sizeof(T)));
    CHECK(cudaMemset(memory_, 0xff, count * sizeof(T)));
    CHECK(
        cudaDeviceSynchronize());  // a stream that does not wait for the default one may come next
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    CHECK(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(memory_); }
  T* get() const { return memory_; }
  std::size_t size() const { return count_; }
  std::vector<T> fetch() const {
    std::vector<T> values(count_);
    CHECK(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  T* memory_ = nullptr;
};
