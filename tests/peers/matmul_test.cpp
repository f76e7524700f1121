// What a product asks of cuBLASLt, seen by a stand-in for the library: layouts, batches, epilogues,
// the two ways to add in fp8. And how the fastest algorithm is chosen.
#include "peers/cublaslt/matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/refuse.hpp"
#include "peers/cublaslt/choose.hpp"

using namespace aisp;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What the stand-in was told. One product at a time.
struct Told {
  struct Matrix {
    cudaDataType type;
    std::uint64_t rows, columns;
    std::int64_t leading;
    std::map<int, std::int64_t> attributes;
  };
  std::vector<Matrix> layouts;
  std::vector<std::map<int, std::int64_t>> operations;
  std::vector<cublasComputeType_t> computes;
  std::vector<cudaDataType> scales;
  std::vector<int> asked;  // how many offers, per call of the heuristic
  int offered = 0, matmuls = 0;
  cublasStatus_t runs = CUBLAS_STATUS_SUCCESS;
};
Told told;

// Handles are indices into the lists above, plus one.
template <class Handle>
Handle handle_of(std::size_t count) {
  return reinterpret_cast<Handle>(count);
}

std::int64_t number(const void* value, std::size_t bytes) {
  std::int64_t read = 0;
  std::memcpy(&read, value, bytes);
  return read;
}

peers::CublasLt stand_in() {
  peers::CublasLt made{};
  made.status_string = [](cublasStatus_t) { return "not supported"; };
  made.layout_create = [](cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                          std::uint64_t columns, std::int64_t leading) {
    told.layouts.push_back({type, rows, columns, leading, {}});
    *layout = handle_of<cublasLtMatrixLayout_t>(told.layouts.size());
    return CUBLAS_STATUS_SUCCESS;
  };
  made.layout_set = [](cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                       const void* value, std::size_t bytes) {
    const auto index = reinterpret_cast<std::size_t>(layout) - 1;
    told.layouts.at(index).attributes[attribute] = number(value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  made.layout_destroy = [](cublasLtMatrixLayout_t) { return CUBLAS_STATUS_SUCCESS; };
  made.operation_create = [](cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                             cudaDataType scale) {
    told.operations.emplace_back();
    told.computes.push_back(compute);
    told.scales.push_back(scale);
    *operation = handle_of<cublasLtMatmulDesc_t>(told.operations.size());
    return CUBLAS_STATUS_SUCCESS;
  };
  made.operation_set = [](cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                          const void* value, std::size_t bytes) {
    const auto index = reinterpret_cast<std::size_t>(operation) - 1;
    told.operations.at(index)[attribute] = number(value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  made.operation_destroy = [](cublasLtMatmulDesc_t) { return CUBLAS_STATUS_SUCCESS; };
  made.preference_create = [](cublasLtMatmulPreference_t* preference) {
    *preference = handle_of<cublasLtMatmulPreference_t>(1);
    return CUBLAS_STATUS_SUCCESS;
  };
  made.preference_set = [](cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                           const void*, std::size_t) { return CUBLAS_STATUS_SUCCESS; };
  made.preference_destroy = [](cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; };
  made.heuristic = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                      cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                      cublasLtMatmulPreference_t, int most,
                      cublasLtMatmulHeuristicResult_t* results, int* offered) {
    told.asked.push_back(most);
    *offered = told.offered;
    for (int i = 0; i < told.offered; ++i) {
      results[i] = {};
      results[i].state = CUBLAS_STATUS_SUCCESS;
    }
    return told.offered > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  };
  made.matmul = [](cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*,
                   cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t, const void*,
                   const void*, cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t,
                   const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t) {
    ++told.matmuls;
    return told.runs;
  };
  return made;
}

class MatmulOf : public testing::Test {
 protected:
  void SetUp() override { told = {}; }

  peers::Matmul product(const peers::MatmulShape& shape) {
    return {{.library = library_,
             .handle = nullptr,
             .workspace = nullptr,
             .workspace_bytes = 1 << 20,
             .flush = nullptr,
             .flush_bytes = 0},
            shape};
  }

  peers::CublasLt library_ = stand_in();
};

TEST_F(MatmulOf, ARowMajorMatrixIsTheLibrarysTransposedOne) {
  product({.m = 3, .n = 8, .k = 16, .in = CUDA_R_16BF, .out = CUDA_R_16BF});
  ASSERT_EQ(told.layouts.size(), 3u);
  const auto extents = [](const Told::Matrix& matrix) {
    return std::vector<std::uint64_t>{matrix.rows, matrix.columns,
                                      static_cast<std::uint64_t>(matrix.leading)};
  };
  EXPECT_THAT(extents(told.layouts[0]), ElementsAre(16, 3, 16)) << "A (m, k)";
  EXPECT_THAT(extents(told.layouts[1]), ElementsAre(16, 8, 16)) << "B (n, k)";
  EXPECT_THAT(extents(told.layouts[2]), ElementsAre(8, 3, 8)) << "C (m, n)";
  EXPECT_TRUE(told.layouts[0].attributes.empty()) << "no batch";
  EXPECT_EQ(told.operations.at(0).at(CUBLASLT_MATMUL_DESC_TRANSA), CUBLAS_OP_T);
}

TEST_F(MatmulOf, ABatchHasCountAndStridesOnEveryMatrix) {
  product({.m = 4,
           .n = 8,
           .k = 16,
           .in = CUDA_R_16BF,
           .out = CUDA_R_16BF,
           .epilogue = CUBLASLT_EPILOGUE_RELU,
           .batch = 128,
           .a_stride = 64,
           .c_stride = 32});
  const std::int64_t strides[] = {64, 0, 32};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& attributes = told.layouts.at(i).attributes;
    EXPECT_EQ(attributes.at(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT), 128);
    EXPECT_EQ(attributes.at(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET), strides[i]);
  }
  EXPECT_EQ(told.operations.at(0).at(CUBLASLT_MATMUL_DESC_EPILOGUE), CUBLASLT_EPILOGUE_RELU);
}

TEST_F(MatmulOf, Int8AddsInIntegers) {
  product({.m = 4,
           .n = 16,
           .k = 16,
           .in = CUDA_R_8I,
           .out = CUDA_R_32I,
           .compute = CUBLAS_COMPUTE_32I});
  EXPECT_EQ(told.computes.at(0), CUBLAS_COMPUTE_32I);
  EXPECT_EQ(told.scales.at(0), CUDA_R_32I);
}

TEST_F(MatmulOf, Fp8IsSearchedWithAndWithoutFastAccumulation) {
  auto fp8 = product({.m = 4, .n = 16, .k = 16, .in = CUDA_R_8F_E4M3, .out = CUDA_R_16BF});
  ASSERT_EQ(told.operations.size(), 2u);
  EXPECT_FALSE(told.operations[0].contains(CUBLASLT_MATMUL_DESC_FAST_ACCUM));
  EXPECT_EQ(told.operations[1].at(CUBLASLT_MATMUL_DESC_FAST_ACCUM), 1);
  EXPECT_THROW(fp8.search({}, 32), base::Refusal);
  EXPECT_THAT(told.asked, ElementsAre(32, 32));
}

TEST_F(MatmulOf, TheHeuristicIsToldTheBias) {
  auto biased = product({.m = 4,
                         .n = 16,
                         .k = 16,
                         .in = CUDA_R_16BF,
                         .out = CUDA_R_32F,
                         .epilogue = CUBLASLT_EPILOGUE_BIAS});
  const float bias[16] = {};
  EXPECT_THROW(biased.search({.bias = bias}), base::Refusal);
  const auto& attributes = told.operations.at(0);
  EXPECT_EQ(attributes.at(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE), CUDA_R_32F);
  EXPECT_EQ(attributes.at(CUBLASLT_MATMUL_DESC_BIAS_POINTER),
            reinterpret_cast<std::intptr_t>(&bias));
}

TEST_F(MatmulOf, WhatNoAlgorithmRunsIsRefusedWithTheNumbers) {
  const peers::MatmulShape shape{.m = 4, .n = 16, .k = 32, .in = CUDA_R_16BF, .out = CUDA_R_16BF};
  const auto refusal = [&]() -> std::string {
    auto made = product(shape);
    try {
      made.search({}, 8);
    } catch (const base::Refusal& refused) {
      EXPECT_EQ(refused.exit(), base::Exit::environment);
      return refused.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(), HasSubstr("no algorithm for 4x16x32"));
  EXPECT_EQ(told.matmuls, 0);
  told.offered = 3;
  told.runs = CUBLAS_STATUS_NOT_SUPPORTED;
  EXPECT_THAT(refusal(), HasSubstr("no algorithm")) << "offered, but none runs";
  EXPECT_EQ(told.matmuls, 3);
}

TEST(ChooseFastest, TakesTheSmallestMedianNotTheLuckiestSample) {
  std::vector<int> calls(6);
  // Candidate 2 is fastest on the whole; 4 has one lucky sample in ten.
  const auto time = [&](std::size_t i) {
    const int call = calls[i]++;
    if (i == 4 && call % 10 == 3) return 0.1f;
    return i == 2 ? 1.0f : 2.0f + static_cast<float>(i);
  };
  EXPECT_EQ(peers::choose_fastest(6, time), 2u);
  EXPECT_EQ(calls[2], 20) << "five with all, 15 with the finalists";
  EXPECT_EQ(calls[5], 5) << "the two slowest are left out of the second turn";
}

TEST(ChooseFastest, TakesTurns) {
  std::vector<std::size_t> order;
  peers::choose_fastest(3, [&](std::size_t i) {
    order.push_back(i);
    return static_cast<float>(i);
  });
  ASSERT_EQ(order.size(), 60u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 3);
  EXPECT_EQ(peers::choose_fastest(1, [](std::size_t) { return 1.0f; }), 0u);
}

}  // namespace
