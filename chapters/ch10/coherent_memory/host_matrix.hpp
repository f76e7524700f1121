// The matrix of a launch in the host's memory. The lab gives inputs as device memory; before a run,
// outside of its time, the matrix is brought to where a program has its data, and the run then
// reads it there alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// Pageable: what malloc gives. Managed: cudaMallocManaged, with its pages on the host.
enum class HostKind { pageable, managed };

class HostMatrix {
 public:
  HostMatrix(HostKind kind, std::int64_t bytes);
  HostMatrix(const HostMatrix&) = delete;
  HostMatrix& operator=(const HostMatrix&) = delete;
  ~HostMatrix();

  // The launch's first input, waited for.
  void match(const lab::Launch& launch);
  char* get() const { return memory_; }

 private:
  HostKind kind_;
  std::size_t bytes_;
  char* memory_ = nullptr;
};

// Those of the launches that a rung has seen, made at first use.
class HostMatrices {
 public:
  explicit HostMatrices(HostKind kind) : kind_(kind) {}
  void before_run(const lab::Launch& launch);
  const HostMatrix& of(const lab::Launch& launch) const;

 private:
  HostKind kind_;
  std::map<const void*, std::unique_ptr<HostMatrix>> matrices_;  // by the input's address
};

// On the device's side, and on the host's.
cudaMemLocation on_device();
cudaMemLocation on_host();

}  // namespace aisp::ch10
