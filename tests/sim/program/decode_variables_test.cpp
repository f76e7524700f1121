// Where variables lie and what they start with.
#include "tests/sim/program/decode_support.hpp"

namespace aisp::sim::testing {
namespace {

template <class T>
T written(const Decoded& decoded, const std::string& name, std::size_t index) {
  for (const GlobalVariable& variable : decoded.program.variables)
    if (variable.name == name) {
      T value;
      std::memcpy(&value, decoded.written.at(variable.address).data() + index * sizeof(T),
                  sizeof(T));
      return value;
    }
  ADD_FAILURE() << name;
  return {};
}

std::uint64_t address(const Decoded& decoded, const std::string& name) {
  for (const GlobalVariable& variable : decoded.program.variables)
    if (variable.name == name) return variable.address;
  return 0;
}

TEST(DecodeVariables, InitialValues) {
  const Decoded decoded = decode_text(
      ".global .align 8 .u64 later = generic(table)+8;\n"
      ".const .align 4 .b32 table[4] = {1, -2, 0xff};\n"
      ".global .f32 ratio = 1.5;\n"
      ".global .align 1 .b8 text[] = {104, 105, 0};\n"
      ".global .align 8 .u64 callee = f;\n"
      ".global .align 8 .b8 bytes[8] = {0xFF(table), 0xFF00(table)};\n"
      ".func f { ret; }\n");
  EXPECT_EQ(written<std::uint64_t>(decoded, "later", 0), address(decoded, "table") + 8);
  EXPECT_EQ(written<std::int32_t>(decoded, "table", 1), -2);
  EXPECT_EQ(written<std::int32_t>(decoded, "table", 3), 0);
  EXPECT_EQ(written<float>(decoded, "ratio", 0), 1.5f);
  EXPECT_EQ(decoded.written.at(address(decoded, "text")).size(), 3u);
  EXPECT_EQ(decoded.program.routine_at(written<std::uint64_t>(decoded, "callee", 0)), 0);
  EXPECT_EQ(written<std::uint8_t>(decoded, "bytes", 0), address(decoded, "table") & 0xff);
  EXPECT_EQ(written<std::uint8_t>(decoded, "bytes", 1), address(decoded, "table") >> 8 & 0xff);
}

TEST(DecodeVariables, RefusedOnes) {
  EXPECT_NE(refusal(".global .u32 x; .global .u32 x;").find("declared twice"), std::string::npos);
  EXPECT_NE(refusal(".shared .u32 x = 1;").find("initial"), std::string::npos);
  EXPECT_NE(refusal(".global .u32 x[2] = {1, 2, 3};"), "accepted");
  EXPECT_NE(refusal(".global .u64 x = y;").find("'y' is not declared"), std::string::npos);
  EXPECT_EQ(refusal(".extern .global .u32 x; .global .u32 x = 3;"), "accepted");
}

// Functions' shared variables come first in every kernel that calls them; a module's variable costs
// only those kernels that use it.
TEST(DecodeVariables, SharedMemoryIsLaidOutPerKernel) {
  const Program program =
      decode_text(
          ".extern .shared .align 128 .b8 dynamic[];\n"
          ".shared .align 4 .b8 big[40000];\n"
          ".shared .align 4 .b32 common;\n"
          ".func f { .reg .b32 %r1; mov.u32 %r1, common; ret; }\n"
          ".entry a { .reg .b32 %r1; .shared .b64 own; call f; mov.u32 %r1, own; ret; }\n"
          ".entry b { .reg .b32 %r1; mov.u32 %r1, big+4; ret; }\n"
          ".entry c { .reg .b64 %r1; .shared .b8 own; mov.u64 %r1, dynamic; ret; }\n")
          .program;
  const Routine& a = *program.kernel("a");
  const Routine& b = *program.kernel("b");
  const Routine& c = *program.kernel("c");
  EXPECT_EQ(a.static_shared, 16u);
  EXPECT_EQ(b.static_shared, 40000u);
  EXPECT_EQ(c.static_shared, 128u);
  EXPECT_EQ(program.ops[program.routines[0].entry].imm, 0u);
  EXPECT_EQ(program.ops[a.entry + 1].imm, 8u);
  EXPECT_EQ(program.ops[b.entry].imm, 4u);
  ASSERT_EQ(a.specials.size(), 2u) << "its own base and the function's";
  ASSERT_EQ(b.specials.size(), 1u);
  EXPECT_EQ(b.specials[0].what, Special::own_shared_base);
  EXPECT_EQ(b.specials[0].slot, program.ops[b.entry].a);
  EXPECT_FALSE(b.specials[0].wide);
  EXPECT_EQ(c.specials[0].what, Special::dynamic_shared_base);
  EXPECT_TRUE(c.specials[0].wide);
}

TEST(DecodeVariables, AddressesOfVariables) {
  const Decoded decoded = decode_text(".global .align 8 .b64 g[2];\n" +
                                      kernel("mov.u64 %rd1, g+8; ld.global.b64 %rd2, [g];"));
  const Op& move = decoded.program.ops[0];
  std::uint64_t base = 0;
  std::memcpy(&base, decoded.program.constants.data() + (move.a & ~constant_bit), sizeof base);
  EXPECT_EQ(base + move.imm, address(decoded, "g") + 8);
  EXPECT_EQ(decoded.program.ops[1].a, move.a);
  EXPECT_NE(refusal(".global .u32 g;\n" + kernel("mov.u32 %r1, g;")).find("does not fit"),
            std::string::npos);
}

}  // namespace
}  // namespace aisp::sim::testing
