// Names, operands, control flow and calls of decoded programs.
#include "tests/sim/program/decode_support.hpp"

namespace aisp::sim::testing {
namespace {

template <class T>
T constant(const Program& program, Ref ref, int lane) {
  EXPECT_TRUE(ref & constant_bit);
  T value;
  std::memcpy(&value, program.constants.data() + (ref & ~constant_bit) + lane * sizeof(T),
              sizeof(T));
  return value;
}

TEST(Decode, ConstantsAreBroadcastOnce) {
  const Program program = decode_text(kernel("add.s32 %r1, %r2, -1;\n"
                                             "add.u32 %r1, %r1, 0xffffffff;\n"
                                             "add.u16 %rs1, %rs1, -1;\n"
                                             "add.u64 %rd1, %rd1, -1;\n"
                                             "add.f32 %f1, %f1, 1.5;\n"
                                             "add.f64 %fd1, %fd1, 0f3F800000;\n"
                                             "and.pred %p1, %p1, 1;"))
                              .program;
  const auto& ops = program.ops;
  EXPECT_EQ(constant<std::uint32_t>(program, ops[0].b, 31), 0xffffffffu);
  EXPECT_EQ(ops[0].b, ops[1].b);
  EXPECT_EQ(constant<std::uint32_t>(program, ops[2].b, 7), 0xffffu);
  EXPECT_EQ(constant<std::uint64_t>(program, ops[3].b, 31), ~std::uint64_t{0});
  EXPECT_EQ(constant<float>(program, ops[4].b, 3), 1.5f);
  EXPECT_EQ(constant<double>(program, ops[5].b, 3), 1.0);
  EXPECT_EQ(constant<Mask>(program, ops[6].b, 0), all_lanes);
  for (const Op& op : ops)
    if (op.b != no_ref) {
      EXPECT_EQ((op.b & ~constant_bit) % 64, 0u);
    }
}

TEST(Decode, OperandWidthsFollowPtxas) {
  const std::pair<const char*, bool> cases[] = {
      {"add.s32 %r1, %f1, %r2;", false},
      {"add.f32 %f1, %r1, %f2;", true},
      {"add.f32 %f1, %s1, %f2;", false},
      {"add.b32 %f1, %s1, %r2;", true},
      {"add.u16 %rs1, %r1, %rs2;", false},
      {"add.f32 %f1, %f2, 1;", false},
      {"add.s32 %r1, %r2, 1.5;", false},
      {"mov.b32 %r1, 0f3F800000;", true},
      {"mov.b32 %r1, 1.5;", false},
      {"mov.b64 %rd1, 1.5;", true},
      {"ld.global.u8 %rd1, [%rd2];", true},
      {"ld.global.u8 %f1, [%rd2];", false},
      {"ld.global.f32 %rd1, [%rd2];", true},
      {"ld.global.f32 %fd1, [%rd2];", false},
      {"ld.global.u64 %r1, [%rd2];", false},
      {"st.global.b8 [%rd2], %fd1;", true},
      {"ld.global.u32 %r1, [%f1];", false},
      {"mov.u32 %r1, %tid.x;", true},
      {"mov.u64 %rd1, %tid.x;", false},
      {"mov.f32 %f1, %tid.x;", false},
      {"add.u32 %r1, %r2, %tid.x;", false},
      {"mov.u16 %rs1, %tid.x;", true},
      {"mov.u64 %rd1, %gridid;", true},
      {"mov.u32 %r1, %gridid;", true},
      {"mov.pred %p1, %is_explicit_cluster;", true},
      {"mov.u32 %r1, %is_explicit_cluster;", false},
      {"mov.u32 %r1, %clock;", true},
      {"add.u32 %r1, %r2, %clock;", false},
      {"mov.u32 %r1, %tid.w;", true},
      {"add.s32 _, %r1, %r2;", false},
      {"setp.eq.s32 _, %r1, %r2;", true},
      {"mov.b64 {%r1, _}, %rd1;", true},
      {"@%p1 add.s32 %r1, %r1, %r1;", true},
      {"@%r1 add.s32 %r1, %r1, %r1;", false},
      {"add.b128 %q1, %q2, %q0;", true},
      {"add.b128 %q1, %rd1, %q0;", false},
  };
  for (const auto& [text, accepted] : cases)
    EXPECT_EQ(refusal(kernel(text)) == "accepted", accepted) << text;
}

TEST(Decode, RefusalsNameLineReasonAndStatement) {
  EXPECT_EQ(refusal(kernel("frobnicate.u32 %r1;")),
            "line 8: 'frobnicate' is not an instruction of PTX this simulator knows: "
            "frobnicate.u32 %r1;");
  EXPECT_EQ(refusal(kernel("tex.u32 %r1;")), "line 8: 'tex' is known, not modelled: tex.u32 %r1;");
  EXPECT_EQ(refusal(kernel("add.u32.sat %r1, %r2, %r3;")),
            "line 8: '.sat' is not modelled here: add.u32.sat %r1, %r2, %r3;");
  EXPECT_EQ(refusal(kernel("setp.eq.s32 %p1, %r2, %r3, %r4;")),
            "line 8: an operand is left over: this form is not modelled: "
            "setp.eq.s32 %p1, %r2, %r3, %r4;");
  EXPECT_EQ(refusal(kernel("add.u32 %r1, %r2, %x;")),
            "line 8: '%x' is not declared: add.u32 %r1, %r2, %x;");
  EXPECT_EQ(refusal(kernel("add.u32 %r1, %r2, %r99;")),
            "line 8: '%r99' is not declared: add.u32 %r1, %r2, %r99;");
  EXPECT_EQ(refusal(kernel("bra nowhere;")),
            "line 8: 'nowhere' is not a label of this scope: bra nowhere;");
  EXPECT_EQ(refusal(kernel(".reg .b32 %r1;")),
            "line 8: '%r1' is declared twice in this scope: .reg .b32 %r1;");
  EXPECT_EQ(refusal(kernel("L: L: ret;")),
            "line 8: 'L' is declared twice in this scope: L: L: ret;");
  EXPECT_EQ(refusal(kernel("{ L: } bra L;")), "line 8: 'L' is not a label of this scope: bra L;");
}

TEST(Decode, InnerScopesHideOuterNames) {
  const Program program = decode_text(kernel("mov.b32 %r1, 1;\n"
                                             "{ .reg .b64 %r1; mov.b64 %r1, 2; }\n"
                                             "{ .reg .b64 %r<3>; mov.b64 %r1, 3;\n"
                                             "  st.global.b64 [%rd1], %r1; }\n"
                                             "{ bra L; } L: st.global.b32 [%rd1], %r1;"))
                              .program;
  EXPECT_EQ(constant<std::uint64_t>(program, program.ops[1].a, 0), 2u);
  EXPECT_EQ(program.ops[0].dst, program.ops[5].b);
  EXPECT_EQ(program.ops[4].target, 5u);
}

TEST(Decode, VectorRegistersHaveElements) {
  const Program program =
      decode_text(kernel(".reg .v2 .f32 v; mov.b64 v, %rd1; add.f32 %f1, v.x, v.y;")).program;
  ASSERT_EQ(program.ops[0].list_size, 2);
  EXPECT_EQ(program.lists[0], program.ops[1].a);
  EXPECT_EQ(program.lists[1], program.ops[1].b);
}

TEST(Decode, BranchesMeetAtThePostDominator) {
  const Program program = decode_text(kernel("  @%p1 bra A;\n"                 // 0
                                             "  mov.b32 %r1, 1;\n"             // 1
                                             "  bra B;\n"                      // 2
                                             "A: @%p2 exit;\n"                 // 3
                                             "  mov.b32 %r1, 2;\n"             // 4
                                             "B: @%p3 bra B;\n"                // 5
                                             "  st.global.b32 [%rd1], %r1;\n"  // 6
                                             "  @!%p1 bra B;\n"                // 7
                                             "  bra.uni C;\n"                  // 8
                                             "C:"))
                              .program;
  ASSERT_EQ(program.ops.size(), 10u);  // an implicit ret
  EXPECT_EQ(program.ops[0].join, Program::no_join) << "a lane may exit on one side";
  EXPECT_EQ(program.ops[0].target, 3u);
  EXPECT_EQ(program.ops[3].join, Program::no_join);
  EXPECT_EQ(program.ops[5].target, 5u);
  EXPECT_EQ(program.ops[5].join, 6u);
  EXPECT_EQ(program.ops[7].join, 8u);
  EXPECT_EQ(program.ops[8].target, 9u);
  EXPECT_TRUE(program.ops[7].guard_negated);
}

TEST(Decode, EndlessLoopsStillHaveJoins) {
  const Program program = decode_text(kernel("A: @%p1 bra B; mov.b32 %r1, 1; B: bra A;")).program;
  EXPECT_EQ(program.ops.size(), 3u);
  EXPECT_EQ(program.ops[0].join, 2u);
}

TEST(Decode, JumpTablesHoldPcs) {
  const Program program = decode_text(kernel("T: .branchtargets A, B, A;\n"
                                             "brx.idx %r1, T;\n"
                                             "A: mov.b32 %r1, 1; B: ret;"))
                              .program;
  EXPECT_EQ(program.ops[0].imm, 3u);
  EXPECT_EQ(program.jump_tables, (std::vector<std::uint32_t>{1, 2, 1}));
  EXPECT_EQ(program.ops[0].join, 2u);
}

TEST(Decode, FunctionsPassParametersThroughFrames) {
  const std::string function =
      ".func (.param .b64 r) f(.param .b32 a, .param .b64 b)\n"
      "{ .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p; .local .b32 tmp[4];\n"
      "  ld.param.b32 %r1, [a]; @%p bra L; st.local.b32 [tmp+4], %r1; ret;\n"
      "  L: st.param.b64 [r], %rd1; ret; }\n";
  const Program program =
      decode_text(function + kernel("{ .param .b32 x; .param .b64 y; .param .b64 z;\n"
                                    "st.param.b32 [x], 1; call (z), f, (x, y);\n"
                                    "ld.param.b64 %rd1, [z]; }\n"
                                    "call (%rd2), f, (%r1, 7);\n ld.param.u32 %r1, [n];"))
          .program;
  const Routine& f = program.routines[0];
  EXPECT_EQ(f.results[0].offset, 0u);
  EXPECT_EQ(f.params[0].offset, 8u);
  EXPECT_EQ(f.params[1].offset, 16u);
  EXPECT_EQ(f.frame_bytes, 48u);
  EXPECT_EQ(program.ops[0].imm, 8u);
  EXPECT_EQ(program.ops[0].d, 1u) << "in the frame";
  EXPECT_EQ(program.ops[1].join, Program::join_at_return);
  EXPECT_EQ(program.ops[2].imm, 28u);
  const CallSite& site = program.calls[0];
  EXPECT_EQ(site.routine, 0u);
  EXPECT_EQ(site.in[0].from, 0u);
  EXPECT_EQ(site.in[0].to, 8u);
  EXPECT_EQ(site.in[1].from, 8u);
  EXPECT_EQ(site.out[0].from, 0u);
  EXPECT_EQ(site.out[0].to, 16u);
  const Routine& k = *program.kernel("k");
  EXPECT_EQ(k.frame_bytes, 32u);
  const Op* ops = program.ops.data() + k.entry;
  EXPECT_EQ(ops[1].join, k.entry + 2);
  EXPECT_EQ(ops[3].kind, OpClass::store);  // copies of %r1 and 7
  EXPECT_EQ(ops[4].kind, OpClass::store);
  EXPECT_EQ(ops[5].kind, OpClass::branch);
  EXPECT_EQ(ops[6].kind, OpClass::load);
  EXPECT_EQ(ops[7].d, 2u) << "in the constant bank";
  EXPECT_EQ(ops[7].imm, 8u);
  EXPECT_EQ(k.param_bytes, 12u);
}

TEST(Decode, RegisterFormalsAreCopied) {
  const Program program =
      decode_text(".func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, 1; ret; }\n" +
                  kernel("call (%r1), f, (5);"))
          .program;
  ASSERT_EQ(program.routines[0].end, 4u);
  EXPECT_EQ(program.ops[0].kind, OpClass::load);
  EXPECT_EQ(program.ops[0].dst, program.ops[1].a);
  EXPECT_EQ(program.ops[2].kind, OpClass::store);
  EXPECT_EQ(program.ops[2].b, program.ops[1].dst);
}

TEST(Decode, BuiltinsRecursionAndIndirectCalls) {
  const std::string functions =
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".extern .func missing;\n"
      ".func g;\n"
      ".func f { call g; ret; }\n"
      ".func g { call f; ret; }\n"
      ".func h { ret; }\n"
      ".alias i, h;\n";
  const Program program =
      decode_text(functions + kernel("call (%r1), vprintf, (%rd1, %rd2);\n"
                                     "P: .callprototype _ ();\n"
                                     "mov.u64 %rd1, h; call %rd1, (), P; call i;"))
          .program;
  EXPECT_EQ(program.calls[2].builtin, "vprintf");
  EXPECT_EQ(program.calls[3].routine, CallSite::indirect);
  EXPECT_EQ(program.calls[4].routine, 2u);
  EXPECT_TRUE(program.routines[0].may_recurse);
  EXPECT_TRUE(program.routines[1].may_recurse);
  EXPECT_FALSE(program.routines[2].may_recurse);
  EXPECT_TRUE(program.kernel("k")->uses_functions);
  EXPECT_NE(refusal(functions + kernel("call missing;")).find("nothing defines it"),
            std::string::npos);
  EXPECT_NE(refusal(functions + kernel("call h, (%r1);")).find("takes 0 arguments"),
            std::string::npos);
  EXPECT_NE(refusal(functions + kernel("call nowhere;")).find("'nowhere' is not a function"),
            std::string::npos);
}

TEST(Decode, DirectivesOfKernels) {
  const Program program = decode_text(
                              ".visible .entry k() .maxntid 128, 2, 1 .minnctapersm 3\n"
                              ".reqnctapercluster 2, 1, 1 { ret; }")
                              .program;
  const Routine& k = *program.kernel("k");
  EXPECT_EQ(k.max_threads, 256);
  EXPECT_EQ(k.min_blocks, 3);
  EXPECT_EQ(k.required_cluster[0], 2);
  EXPECT_EQ(program.architecture, 90);
  EXPECT_EQ(program.line_text(4).substr(0, 8), ".visible");
}

TEST(Decode, LongestRowWins) {
  static const OpcodeRow rows[] = {{"cp", {}, nullptr, ""},
                                   {"cp.async", {}, nullptr, ""},
                                   {"cp.async.bulk.tensor", {}, nullptr, ""},
                                   {"cpx", {}, nullptr, ""}};
  const OpcodeTable table({rows});
  ptx::Instruction instruction;
  instruction.root = "cp";
  instruction.modifiers = {"async", "bulk", "shared"};
  int used = 0;
  EXPECT_EQ(table.find(instruction, used)->name, "cp.async");
  EXPECT_EQ(used, 1);
  instruction.modifiers[2] = "tensor";
  EXPECT_EQ(table.find(instruction, used)->name, "cp.async.bulk.tensor");
  EXPECT_EQ(used, 3);
  instruction.root = "c";
  EXPECT_EQ(table.find(instruction, used), nullptr);
}

}  // namespace
}  // namespace aisp::sim::testing
