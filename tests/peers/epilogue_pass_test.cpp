// The pass behind cuBLASLt's product, on a GPU or on the simulator: of a v in f32 it is judged as
// every rung, of a v in bf16 as a peer that rounds between its kernels.
#include "peers/cublaslt/epilogue_pass.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "lab/case/rung.hpp"
#include "lab/judge/epilogue_problem.hpp"
#include "tests/lab/judge/judged_problem.hpp"

using namespace aisp;

namespace {

constexpr std::int64_t m = 37, n = 64, k = 128;

class DeviceBytes {
 public:
  explicit DeviceBytes(std::vector<std::byte> data) : size_(data.size()) {
    void* memory = nullptr;
    lab::check_cuda(cudaMalloc(&memory, size_), "cudaMalloc");
    memory_.reset(memory);
    lab::check_cuda(cudaMemcpy(memory, data.data(), size_, cudaMemcpyHostToDevice), "upload");
  }
  void* get() const { return memory_.get(); }
  std::vector<std::byte> fetch() const {
    std::vector<std::byte> data(size_);
    lab::check_cuda(cudaMemcpy(data.data(), get(), size_, cudaMemcpyDeviceToHost), "download");
    return data;
  }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::size_t size_;
  std::unique_ptr<void, Free> memory_;
};

DeviceBytes values_in(lab::Dtype dtype, const std::vector<double>& values) {
  std::vector<std::byte> data(values.size() * static_cast<std::size_t>(lab::bytes_of(dtype)));
  for (std::size_t i = 0; i < values.size(); ++i)
    lab::write_element(dtype, data.data(), static_cast<std::int64_t>(i), values[i]);
  return DeviceBytes(std::move(data));
}

// Outputs that nobody has written are NaN.
DeviceBytes poisoned(const lab::Tensor& tensor) {
  return DeviceBytes(
      std::vector<std::byte>(static_cast<std::size_t>(tensor.bytes()), std::byte{0xff}));
}

// The product plus the bias, exact.
std::vector<double> arguments(const lab::JudgedProblem& from) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = from.inputs[2][i % n];
    for (std::int64_t j = 0; j < k; ++j)
      sum += from.inputs[0][i / n * k + j] * from.inputs[1][i % n * k + j];
    v.push_back(sum);
  }
  return v;
}

class EpiloguePassOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "no device; peers.on_simulator runs it on the simulator";
  }

  // What the judge says of each output, with the tolerance of rungs or of peers that round.
  static std::vector<lab::Judgement> judgements(lab::Epilogue epilogue, bool v_is_bf16,
                                                bool as_rounded) {
    const lab::JudgedProblem made(lab::epilogue_problem("an_epilogue", {"", {m, n, k}}, epilogue));
    const bool quantise = epilogue == lab::Epilogue::quantise;
    const DeviceBytes v =
        values_in(v_is_bf16 ? lab::Dtype::bf16 : lab::Dtype::f32, arguments(made));
    std::vector<DeviceBytes> outputs;
    for (const auto& output : made.problem.outputs) outputs.push_back(poisoned(output.tensor));
    const DeviceBytes scale =
        values_in(lab::Dtype::f32, {quantise ? double{made.inputs[3][0]} : 1.0});
    peers::enqueue({.v = v.get(),
                    .v_is_bf16 = v_is_bf16,
                    .scale = quantise ? static_cast<const float*>(scale.get()) : nullptr,
                    .d = outputs[0].get(),
                    .amax = static_cast<float*>(outputs[1].get()),
                    .aux = quantise ? outputs[2].get() : nullptr,
                    .count = m * n},
                   1, nullptr);
    lab::check_cuda(cudaDeviceSynchronize(), "epilogue_pass");
    std::vector<lab::Judgement> all;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto& output = made.problem.outputs[i];
      // In bf16 the product has written v to aux itself.
      const auto got = i == 2 && v_is_bf16 ? v.fetch() : outputs[i].fetch();
      all.push_back(lab::judge(output.tensor, got, made.expected[i],
                               as_rounded ? *output.rounded_between : output.tolerance));
    }
    return all;
  }
};

TEST_F(EpiloguePassOnDevice, OfAnF32ArgumentIsRightAsEveryRungIs) {
  for (const auto epilogue : {lab::Epilogue::silu, lab::Epilogue::quantise})
    for (const auto& judgement : judgements(epilogue, false, false))
      EXPECT_TRUE(judgement.right) << judgement.report;
}

TEST_F(EpiloguePassOnDevice, OfABf16ArgumentIsRightAsAPeerThatRounds) {
  for (const auto epilogue : {lab::Epilogue::silu, lab::Epilogue::quantise})
    for (const auto& judgement : judgements(epilogue, true, true))
      EXPECT_TRUE(judgement.right) << judgement.report;
  EXPECT_FALSE(judgements(lab::Epilogue::silu, true, false)[0].right) << "and not as a rung";
}

TEST_F(EpiloguePassOnDevice, TheBiasIsRoundedToNearest) {
  const DeviceBytes from = values_in(lab::Dtype::f32, {1.0, 1.00390625, 1.01171875, -0.3});
  const DeviceBytes to(std::vector<std::byte>(8));
  peers::enqueue_to_bf16(static_cast<const float*>(from.get()), to.get(), 4, nullptr);
  lab::check_cuda(cudaDeviceSynchronize(), "to_bf16");
  const auto got = to.fetch();
  const double want[] = {1.0, 1.0, 1.015625, -0.30078125};
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(lab::read_element(lab::Dtype::bf16, got.data(), i), want[i]) << i;
}

}  // namespace
