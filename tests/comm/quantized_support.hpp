// Numbers that are hard to quantise, the exchange as the host computes it, bit for bit, and ranks
// with buffers in device memory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "comm/cuda.hpp"
#include "comm/quantized/error_bound.hpp"
#include "comm/quantized/exchange.hpp"

namespace aisp::tests {

using Numbers = std::vector<float>;

// What block_codes.hpp says of one block: its numbers as they come out.
Numbers through_codes(comm::Codes codes, const Numbers& block);

// The sum as the exchange makes it.
Numbers quantized_sum(comm::Codes codes, const std::vector<Numbers>& inputs);

std::vector<double> exact_sum(const std::vector<Numbers>& inputs);
std::vector<double> error_bound(comm::Codes codes, const std::vector<Numbers>& inputs);

// The largest error in units of its bound; infinity where an element is NaN that should not be, or
// the other way round.
double worst_of_bound(const Numbers& got, const std::vector<double>& want,
                      const std::vector<double>& bound);

// Uniform numbers of both signs; those of a block have a size of their own on each rank.
Numbers random_numbers(int rank, std::int64_t count, std::uint32_t seed);

// One call's buffers and streams; rank r is on devices[r].
class RanksWithNumbers {
 public:
  // `shift` floats lie before the numbers: 1 leaves them without alignment.
  RanksWithNumbers(const std::vector<int>& devices, const std::vector<Numbers>& inputs,
                   bool in_place = false, int shift = 0);

  const std::vector<comm::Part>& parts() const { return parts_; }
  std::vector<cudaStream_t> streams() const;
  // In stream order, without a wait: the sends hold other numbers, the receives NaN.
  void set(const std::vector<Numbers>& inputs);
  // In stream order, without a wait: a copy of the receives, which are NaN from then on.
  void take();
  // What was taken, when everything has ended.
  std::vector<Numbers> taken() const;

 private:
  struct Rank {
    Rank(int device, std::size_t bytes)
        : stream(device), sends(device, bytes), receives(device, bytes), copy(device, bytes) {}
    comm::Stream stream;
    comm::Memory sends, receives, copy;
  };
  std::size_t count_;
  std::vector<Rank> ranks_;
  std::vector<comm::Part> parts_;
};

// One all-reduce of the inputs: what every rank has got.
std::vector<Numbers> all_reduce(comm::QuantizedExchange& exchange,
                                const std::vector<Numbers>& inputs, bool in_place = false,
                                int shift = 0);

}  // namespace aisp::tests
