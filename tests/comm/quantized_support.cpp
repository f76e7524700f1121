#include "tests/comm/quantized_support.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/number/format.hpp"

namespace aisp::tests {
namespace {

template <comm::Codes codes>
Numbers through(const Numbers& block) {
  float amax = 0;
  for (const float x : block)  // infinity stays, whatever follows
    amax = std::max(amax, std::isnan(x) ? std::numeric_limits<float>::infinity() : std::abs(x));
  const float scale = comm::block_scale<codes>(amax);
  const float lift = scale < 0x1p-64f ? 0x1p64f : 1.0f;
  const float reciprocal = scale == 0 ? 0.0f : 1.0f / (scale * lift);
  Numbers out;
  for (const float x : block) {
    float code = 0;
    if constexpr (codes == comm::Codes::int8)
      code = std::fma(x * lift, reciprocal, 0x1.8p23f) - 0x1.8p23f;
    else
      code = static_cast<float>(base::rounded_to<base::e4m3>(x * lift * reciprocal));
    out.push_back(code * scale);
  }
  return out;
}

}  // namespace

Numbers through_codes(comm::Codes codes, const Numbers& block) {
  return codes == comm::Codes::int8 ? through<comm::Codes::int8>(block)
                                    : through<comm::Codes::e4m3>(block);
}

Numbers quantized_sum(comm::Codes codes, const std::vector<Numbers>& inputs) {
  const auto ranks = inputs.size(), count = inputs[0].size();
  if (ranks == 1) return inputs[0];
  const auto each = static_cast<std::size_t>(
      comm::segment_elements(static_cast<std::int64_t>(count), static_cast<int>(ranks)));
  Numbers result;
  for (std::size_t at = 0; at < count; at += comm::block_elements) {
    const auto size = std::min<std::size_t>(comm::block_elements, count - at);
    const auto block = [&](std::size_t rank) {
      const auto begin = inputs[rank].begin() + static_cast<std::ptrdiff_t>(at);
      return Numbers(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    const std::size_t owner = at / each;
    Numbers sum = block(owner);
    for (std::size_t i = 1; i < ranks; ++i) {
      const Numbers share = through_codes(codes, block((owner + i) % ranks));
      for (std::size_t k = 0; k < size; ++k) sum[k] += share[k];
    }
    const Numbers told = through_codes(codes, sum);
    result.insert(result.end(), told.begin(), told.end());
  }
  return result;
}

std::vector<double> exact_sum(const std::vector<Numbers>& inputs) {
  std::vector<double> sum(inputs[0].size());
  for (const auto& input : inputs)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += input[i];
  return sum;
}

std::vector<double> error_bound(comm::Codes codes, const std::vector<Numbers>& inputs) {
  std::vector<const float*> pointers;
  for (const auto& input : inputs) pointers.push_back(input.data());
  std::vector<double> bound(inputs[0].size(), -1.0);
  comm::quantized_error(codes, pointers, bound);
  return bound;
}

double worst_of_bound(const Numbers& got, const std::vector<double>& want,
                      const std::vector<double>& bound) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(bound[i]) && std::isnan(got[i])) continue;
    const double error = std::abs(got[i] - want[i]);
    if (!std::isfinite(error) || std::isnan(bound[i]))
      return std::numeric_limits<double>::infinity();
    if (error > 0) worst = std::max(worst, error / bound[i]);
  }
  return worst;
}

Numbers random_numbers(int rank, std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed * 64 + static_cast<std::uint32_t>(rank));
  Numbers numbers(static_cast<std::size_t>(count));
  float size = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % comm::block_elements == 0) size = std::ldexp(1.0f, static_cast<int>(generator() % 8));
    numbers[i] = size * static_cast<float>(static_cast<std::int32_t>(generator())) * 0x1p-31f;
  }
  return numbers;
}

RanksWithNumbers::RanksWithNumbers(const std::vector<int>& devices,
                                   const std::vector<Numbers>& inputs, bool in_place, int shift)
    : count_(inputs[0].size()) {
  const std::size_t bytes = (count_ + static_cast<std::size_t>(shift)) * sizeof(float);
  for (const int device : devices) ranks_.emplace_back(device, bytes);
  for (const auto& rank : ranks_) {
    auto* send = reinterpret_cast<float*>(rank.sends.get()) + shift;
    auto* receive = reinterpret_cast<float*>(rank.receives.get()) + shift;
    parts_.push_back({send, in_place ? send : receive, rank.stream.get()});
  }
  set(inputs);
}

std::vector<cudaStream_t> RanksWithNumbers::streams() const {
  std::vector<cudaStream_t> all;
  for (const auto& rank : ranks_) all.push_back(rank.stream.get());
  return all;
}

void RanksWithNumbers::set(const std::vector<Numbers>& inputs) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].receives.fill(0xff, parts_[r].stream);
    comm::check(cudaMemcpyAsync(const_cast<void*>(parts_[r].send), inputs[r].data(),
                                count_ * sizeof(float), cudaMemcpyHostToDevice, parts_[r].stream),
                "set");
  }
}

void RanksWithNumbers::take() {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    comm::check(cudaMemcpyAsync(ranks_[r].copy.get(), parts_[r].receive, count_ * sizeof(float),
                                cudaMemcpyDeviceToDevice, parts_[r].stream),
                "take");
    comm::check(cudaMemsetAsync(parts_[r].receive, 0xff, count_ * sizeof(float), parts_[r].stream),
                "clear");
  }
}

std::vector<Numbers> RanksWithNumbers::taken() const {
  std::vector<Numbers> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    comm::check(cudaStreamSynchronize(parts_[r].stream), "cudaStreamSynchronize");
    Numbers& got = all.emplace_back(count_);
    comm::check(cudaMemcpy(got.data(), ranks_[r].copy.get(), count_ * sizeof(float),
                           cudaMemcpyDeviceToHost),
                "taken");
  }
  return all;
}

std::vector<Numbers> all_reduce(comm::QuantizedExchange& exchange,
                                const std::vector<Numbers>& inputs, bool in_place, int shift) {
  std::vector<int> devices;
  for (const auto& who : exchange.local()) devices.push_back(who.device);
  RanksWithNumbers ranks(devices, inputs, in_place, shift);
  exchange.all_reduce(static_cast<std::int64_t>(inputs[0].size()), ranks.parts());
  ranks.take();
  return ranks.taken();
}

}  // namespace aisp::tests
