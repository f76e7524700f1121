// Binding of the wgmma instructions, and their table.
#include "base/refuse.hpp"
#include "sim/exec/matrix/modifiers.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/sparse.hpp"
#include "sim/exec/matrix/wgmma/form.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int a_registers = 4;

// Bytes of k that one instruction takes: 32; twice as many of a sparse product's B.
int depth_of(Type type, bool sparse) { return 32 * 8 / register_bits(type) * (sparse ? 2 : 1); }

bool has_types(const WgmmaForm& form) {
  switch (form.a) {
    case Type::f16:
      return form.b == form.a && (form.d == Type::f16 || form.d == Type::f32);
    case Type::bf16:
    case Type::tf32:
      return form.b == form.a && form.d == Type::f32;
    case Type::e4m3:
    case Type::e5m2:
      return is_fp8(form.b) && (form.d == Type::f16 || form.d == Type::f32);
    case Type::s8:
    case Type::u8:
      return (form.b == Type::s8 || form.b == Type::u8) && form.d == Type::s32;
    case Type::b1:
      return form.b == form.a && form.d == Type::s32 && !form.sparse;
    default:
      return false;
  }
}

bool is_whole(Type type) { return is_integer(type) || type == Type::b1; }

bool has_width(int n, Type type) {
  if (n < 8 || n > 256 || n % 8 != 0) return false;
  return !is_whole(type) || n <= 24 || n % 16 == 0;  // integers: 8, 16, 24, 32, 48, 64, ...
}

void check(const Binding& b, const MatrixModifiers& modifiers, const WgmmaForm& form) {
  if (!has_types(form))
    b.refuse(say("there is no ", form.sparse ? "sparse " : "", "wgmma of .", name_of(form.a),
                 " and .", name_of(form.b), " with .", name_of(form.d)));
  if (modifiers.m != 64 || modifiers.k != depth_of(form.a, form.sparse) ||
      !has_width(modifiers.n, form.a))
    b.refuse(say("the shape is to be m64nNk", depth_of(form.a, form.sparse),
                 " with N 8 to 256 in "
                 "steps of 8 (integers: 8, 16, 24, 32, 48, 64, ...)"));
  if (form.saturate && !is_integer(form.a)) b.refuse("'.satfinite' is for integers");
  if ((modifiers.bits == BitOperation::conjunction) != (form.a == Type::b1) ||
      modifiers.bits == BitOperation::exclusive_or)
    b.refuse("'.and.popc' goes with .b1");
}

bool flag(Binding& b, int index) {
  const std::int64_t value = b.constant(b.operand(index));
  if (value != 0 && value != 1) b.refuse(say("operand ", index + 1, " is to be 0 or 1"));
  return value == 1;
}

bool is_minus(Binding& b, int index) {
  const std::int64_t value = b.constant(b.operand(index));
  if (value != -1 && value != 1) b.refuse(say("operand ", index + 1, " is to be -1 or 1"));
  return value == -1;
}

void bind_metadata(Binding& b, WgmmaForm& form, int index) {
  b.op.c = b.read(index, Type::b32);
  const std::int64_t selector = b.constant(b.operand(index + 1));
  const int choices = 4 / (nibbles_per_row(form.a, form.k()) / 4);
  if (selector < 0 || selector >= choices)
    b.refuse(
        say("the sparsity selector is ", selector, ", of this shape it is less than ", choices));
  form.selector = static_cast<std::uint16_t>(selector);
}

void bind_wgmma(Binding& b) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  if (modifiers.types.size() != 3) b.refuse("three types are expected, of D, A and B");
  WgmmaForm form{.a = modifiers.types[1], .b = modifiers.types[2], .d = modifiers.types[0]};
  form.sparse = modifiers.sparse;
  form.saturate = modifiers.saturate;
  check(b, modifiers, form);
  form.eighth_n = static_cast<std::uint8_t>(modifiers.n / 8);
  form.quarter_k = static_cast<std::uint8_t>(modifiers.k / 4);
  form.a_in_registers = b.operand(1).kind == ptx::Operand::Kind::vector;

  const bool is_half = form.a == Type::f16 || form.a == Type::bf16;
  const int scale_d = form.sparse ? 5 : 3;
  const int signs = is_whole(form.a) ? 0 : 2;
  const int transposes = is_half ? (form.a_in_registers ? 1 : 2) : 0;
  b.expect_operands(scale_d + 1 + signs + transposes, scale_d + 1 + signs + transposes);

  list_registers(b, 0, form.accumulators(), form.d == Type::f16 ? Type::b32 : form.d,
                 Use::read_write);
  if (form.a_in_registers)
    list_registers(b, 1, a_registers, Type::b32, Use::read);
  else
    b.op.a = b.read(1, Type::b64);
  b.op.b = b.read(2, Type::b64);
  if (form.sparse) bind_metadata(b, form, 3);
  bool negated = false;
  b.op.d = b.read_predicate(b.operand(scale_d), negated);
  form.scale_d_negated = negated;
  if (signs != 0) {
    form.negate_a = is_minus(b, scale_d + 1);
    form.negate_b = is_minus(b, scale_d + 2);
  }
  if (transposes == 2) form.a_mn_major = flag(b, scale_d + 3);
  if (transposes != 0) form.b_mn_major = flag(b, scale_d + signs + transposes);
  b.keep_registers();
  set_form(b.op, form);
  b.op.run = run_wgmma;
}

void expect_sync_aligned(Binding& b) {
  b.expect("sync");
  b.expect("aligned");
}

void bind_fence(Binding& b) {
  expect_sync_aligned(b);
  b.expect_operands(0, 0);
  b.op.run = run_wgmma_fence;
}

void bind_commit(Binding& b) {
  expect_sync_aligned(b);
  b.expect_operands(0, 0);
  b.op.run = run_wgmma_commit;
}

void bind_wait(Binding& b) {
  expect_sync_aligned(b);
  b.expect_operands(1, 1);
  const std::int64_t left = b.constant(b.operand(0));
  if (left < 0) b.refuse("the number of groups is not to be negative");
  b.op.imm = static_cast<std::uint64_t>(left);
  b.op.run = run_wgmma_wait;
}

constexpr OpcodeRow rows[] = {
    {"wgmma.fence", OpClass::fence, bind_fence, ".sync.aligned", sm_90a_only},
    {"wgmma.commit_group", OpClass::barrier, bind_commit, ".sync.aligned", sm_90a_only},
    {"wgmma.wait_group", OpClass::barrier, bind_wait, ".sync.aligned N", sm_90a_only},
    {"wgmma.mma_async", OpClass::tensor, bind_wgmma,
     "{.sp}.sync.aligned.m64nNkK of f16 (into f16, f32), bf16, tf32, e4m3, e5m2 (into f16, f32), "
     "s8, u8 {.satfinite}, b1 (.and.popc); A by descriptor or in registers",
     sm_90a_only},
};

}  // namespace

std::span<const OpcodeRow> wgmma_rows() { return rows; }

}  // namespace aisp::sim
