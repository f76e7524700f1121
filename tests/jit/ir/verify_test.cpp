// What the verifier refuses, in whole lines, and what the printer writes.
#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "jit/ir/builder.hpp"
#include "jit/ir/print.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

static Function doubling() {
  Function function;
  function.name = "doubling";
  function.parameters = {{Parameter::Role::input, "x", Element::bf16, 1},
                         {Parameter::Role::output, "y", Element::f32, 1}};
  Builder builder(function);
  const Place place{"user.cpp", 5};
  const auto with = [](std::vector<std::int64_t> integers) {
    Attributes attributes;
    attributes.integers = std::move(integers);
    return attributes;
  };
  const Id n = builder.value(Opcode::extent, {}, with({0, 0})), size = builder.index(64);
  const Id start = builder.value(Opcode::block, {n, size}, with({0}));
  const Id from = builder.value(Opcode::view, {start, n}, with({0, 64}));
  const Id v = builder.value(Opcode::load, {from});
  const Id twice = builder.value(Opcode::add, {v, v}, {}, place);
  const Id m = builder.value(Opcode::extent, {}, with({1, 0}));
  const Id to = builder.value(Opcode::view, {start, m}, with({1, 64}));
  builder.effect(Opcode::store, {twice, to}, {}, place);
  return function;
}

static std::string fault(const Function& function) {
  try {
    verify(function);
  } catch (const base::Refusal& refused) {
    return refused.what();
  }
  return "right";
}

TEST(Verify, AcceptsAndPrints) {
  EXPECT_EQ(fault(doubling()), "right");
  EXPECT_EQ(print(doubling()),
            "program doubling(in x: bf16[1], out y: f32[1])\n"
            "  %0 = extent x axis 0 : index\n"
            "  %1 = constant 64 : index\n"
            "  %2 = block %0, %1 dimension 0 : index\n"
            "  %3 = view %2, %0 of x : view bf16(64)\n"
            "  %4 = load %3 : f32(64)\n"
            "  %5 = add %4, %4 : f32(64)  // user.cpp:5\n"
            "  %6 = extent y axis 0 : index\n"
            "  %7 = view %2, %6 of y : view f32(64)\n"
            "  store %5, %7  // user.cpp:5\n");
}

TEST(Verify, RefusesInOneLine) {
  Function function = doubling();
  function.body.body[5].operands.pop_back();
  EXPECT_EQ(fault(function), "user.cpp:5: add: takes 2 operands: got 1");

  function = doubling();
  std::swap(function.body.body[4], function.body.body[5]);
  EXPECT_EQ(fault(function), "user.cpp:5: add: value 4 is not defined before its use");

  function = doubling();
  function.values[5].type.extents = {32};
  EXPECT_EQ(fault(function), "user.cpp:5: add: gives f32(64), the value is f32(32)");

  function = doubling();
  function.parameters[1].role = Parameter::Role::input;
  EXPECT_EQ(fault(function), "user.cpp:5: store: y is read only");

  function = doubling();
  function.body.body[3].attributes.integers[0] = 7;
  EXPECT_EQ(fault(function), "doubling: view: there is no such parameter; the program has 2");

  function = doubling();
  function.body.body.push_back({Opcode::yield});
  EXPECT_EQ(fault(function), "doubling: yield: stands outside of any region");

  function = doubling();
  function.body.body[5].results = {4};
  EXPECT_EQ(fault(function), "user.cpp:5: add: value 4 is defined twice");
}

}  // namespace aisp::jit
