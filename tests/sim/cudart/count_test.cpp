// What the simulator's library counts between two calls.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/sim/cudart/exported.hpp"
#include "tests/sim/cudart/kernels.hpp"

namespace {

using nlohmann::json;

int start() { return exported<int()>("aispCountStart")(); }
void stop() { exported<void()>("aispCountStop")(); }
json read() { return json::parse(exported<const char*()>("aispCountRead")()); }

class Counted : public testing::Test {
 protected:
  Counted() { EXPECT_EQ(cudaMalloc(&device_, 4096), cudaSuccess); }
  ~Counted() override {
    stop();
    cudaFree(device_);
  }
  void store(int threads) {
    int count = threads;
    void* arguments[] = {&device_, &count};
    EXPECT_EQ(cudaLaunchKernel(kernels::store_index(), 1, static_cast<unsigned>(threads), arguments,
                               0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void* device_ = nullptr;
};

TEST_F(Counted, WhatKernelsDidSinceTheStart) {
  store(64);
  ASSERT_EQ(start(), 1);
  EXPECT_EQ(read().at("launches"), 0) << "what ran before does not count";
  store(64);
  const json one = read();
  EXPECT_EQ(one.at("launches"), 1);
  EXPECT_GT(one.at("instructions").get<int>(), 4);
  // 64 integers are written; each of the two warps reads one sector with the number to add.
  EXPECT_EQ(one.at("L2 bytes"), 256 + 2 * 32);
  EXPECT_EQ(one.at("distinct bytes"), 256 + 32);
  EXPECT_EQ(one.at("wavefronts"), 0);
  EXPECT_EQ(one.at("tensor operations"), 0);
  store(64);
  const json two = read();
  EXPECT_EQ(two.at("launches"), 2);
  EXPECT_EQ(two.at("instructions"), 2 * one.at("instructions").get<int>());
  EXPECT_EQ(two.at("L2 bytes"), 2 * (256 + 2 * 32));
  EXPECT_EQ(two.at("distinct bytes"), 256 + 32) << "the same ones again";
  ASSERT_EQ(start(), 1);
  EXPECT_EQ(read().at("launches"), 0) << "a new start begins at zero";
}

TEST_F(Counted, NothingAfterTheEnd) {
  ASSERT_EQ(start(), 1);
  stop();
  store(64);
  EXPECT_EQ(read(), json::object());
}

}  // namespace
