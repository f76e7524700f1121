// How fast the kernels of the exchange move memory, beside a copy: each runs alone on the lab's
// device, between events.
#pragma once

#include <memory>

#include "chapters/ch14/quantized_allreduce/shape.hpp"
#include "comm/quantized/kernels.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {

class KernelRates {
 public:
  // For two ranks or more.
  KernelRates(const SumShape& shape, bool simulated);
  ~KernelRates();

  // Enqueues copies of all ranks' numbers but rank 0's, their quantisation, and the sum of all.
  void measure(const lab::Launch& launch);

  // Of the last measurement that has ended: bytes read and written in a second.
  double copy_terabytes() const;
  double quantize_of_copy() const;
  double sum_of_copy() const;

 private:
  struct Buffers;

  SumShape shape_;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace aisp::ch14
