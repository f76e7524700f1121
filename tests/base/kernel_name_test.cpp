// Names of kernels as lines for people show them.
#include "base/kernel_name.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

using aisp::base::short_kernel_name;
using aisp::base::shown_kernel_name;

namespace {

const std::string library_kernel =
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
    "int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarp<7>>, "
    "void>, (cutlass::Kind)3>(cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
    "int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarp<7>>, "
    "void>::Params)";

TEST(KernelName, ShortOnesStayWhole) {
  EXPECT_EQ(short_kernel_name("scale(float*, int)"), "scale(float*, int)");
  EXPECT_EQ(short_kernel_name("void f<int>(int const*)"), "void f<int>(int const*)");
}

TEST(KernelName, ALibraryKernelKeepsItsTemplateAndFirstArguments) {
  EXPECT_EQ(short_kernel_name(library_kernel),
            "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<...>, "
            "(cutlass::Kind)3>(cutlass::gemm::kernel::GemmUniversal<...>::Pa...)");
}

TEST(KernelName, OnlyTheFirstOfManyArgumentsAreShown) {
  std::string many = "void kernel<first, second";
  for (int i = 0; i < 40; ++i) many += ", (bool)1";
  EXPECT_EQ(
      short_kernel_name(many + ">(int*)"),
      "kernel<first, second, (bool)1, (bool)1, (bool)1, (bool)1, (bool)1, (bool)1, ...>(int*)");
}

TEST(KernelName, ResultsWithArgumentsOperatorsAndLambdasAreNoNames) {
  const std::string filler(130, 'x');
  EXPECT_EQ(short_kernel_name("std::enable_if<true, void>::type run<" + filler + ">()"),
            "run<" + filler.substr(0, 45) + "...>()");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::f<" + filler + ">(int)"),
            "(anonymous namespace)::f<" + filler.substr(0, 45) + "...>(int)");
  EXPECT_EQ(short_kernel_name("void g<" + filler + ">(main::{lambda(int)#1})"),
            "g<" + filler.substr(0, 45) + "...>(main::{...})");
  EXPECT_EQ(short_kernel_name("void A<" + filler + ">::operator()(int) const"),
            "A<" + filler.substr(0, 45) + "...>::operator()(int) const");
}

TEST(KernelName, WhatIsNoNameAtAllEndsToo) {
  for (const char* text : {"<<<<", "((((", "a<b", "a>b>c", "operator<"})
    EXPECT_NO_THROW(short_kernel_name(std::string(130, 'y') + text)) << text;
}

TEST(KernelName, TheEnvironmentAsksForWholeNames) {
  setenv("AISP_SIM_FULL_NAMES", "1", 1);
  EXPECT_EQ(shown_kernel_name(library_kernel), library_kernel);
  unsetenv("AISP_SIM_FULL_NAMES");
  EXPECT_EQ(shown_kernel_name(library_kernel), short_kernel_name(library_kernel));
}

}  // namespace
