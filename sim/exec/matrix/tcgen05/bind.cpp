// Binding of tcgen05.mma, and its rows.
#include "base/refuse.hpp"
#include "sim/exec/matrix/tcgen05/form.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/exec/tensor_memory/words.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Kind : std::uint8_t { pair, kind, sparse, block_scale, vector, shift, collector };
enum class Collector : std::uint8_t { fill_a, use_a, lastuse_a, discard_a, b };

constexpr Modifier words[] = {
    {"cta_group::1", Kind::pair, 1},
    {"cta_group::2", Kind::pair, 2},
    {"kind::f16", Kind::kind, MmaKind::f16},
    {"kind::tf32", Kind::kind, MmaKind::tf32},
    {"kind::f8f6f4", Kind::kind, MmaKind::f8f6f4},
    {"kind::i8", Kind::kind, MmaKind::i8},
    {"kind::mxf8f6f4", Kind::kind, MmaKind::mxf8f6f4},
    {"kind::mxf4", Kind::kind, MmaKind::mxf4},
    {"kind::mxf4nvf4", Kind::kind, MmaKind::mxf4nvf4},
    {"sp", Kind::sparse},
    {"block_scale", Kind::block_scale},
    {"scale_vec::1X", Kind::vector, 1},
    {"scale_vec::2X", Kind::vector, 2},
    {"scale_vec::4X", Kind::vector, 4},
    {"block16", Kind::vector, 16},
    {"block32", Kind::vector, 32},
    {"ashift", Kind::shift},
    {"collector::a::fill", Kind::collector, Collector::fill_a},
    {"collector::a::use", Kind::collector, Collector::use_a},
    {"collector::a::lastuse", Kind::collector, Collector::lastuse_a},
    {"collector::a::discard", Kind::collector, Collector::discard_a},
};

// Buffers of B: .collector::b0::fill to .collector::b3::discard.
std::optional<Modifier> other_word(std::string_view text) {
  constexpr std::string_view prefix = "collector::b";
  if (!text.starts_with(prefix) || text.size() < prefix.size() + 3) return std::nullopt;
  const char buffer = text[prefix.size()];
  const std::string_view use = text.substr(prefix.size() + 1);
  const bool known = use == "::fill" || use == "::use" || use == "::lastuse" || use == "::discard";
  if (buffer < '0' || buffer > '3' || !known) return std::nullopt;
  return Modifier{text, Kind::collector, Collector::b};
}

// How many scales the k of one instruction has: 32 elements of 8 bits, 64 of 4. An instruction with
// a sparse A has as many for twice the k.
std::uint8_t scale_vector(const Binding& b, const ModifierSet& given, MmaKind kind) {
  const int word = given.get(Kind::vector, 0);
  if (!has_block_scales(kind)) {
    if (word != 0 || given.has(Kind::block_scale))
      b.refuse(say("kind::", name_of(kind), " has no block scales"));
    return 0;
  }
  if (!given.has(Kind::block_scale)) b.refuse("'.block_scale' is missing");
  switch (kind) {
    case MmaKind::mxf8f6f4:
      if (word != 0 && word != 1 && word != 32) b.refuse("kind::mxf8f6f4 has .block32 scales");
      return 1;
    case MmaKind::mxf4:
      if (word != 0 && word != 2 && word != 32) b.refuse("kind::mxf4 has .block32 scales");
      return 2;
    default:
      if (word != 2 && word != 32 && word != 4 && word != 16)
        b.refuse("kind::mxf4nvf4 asks for .block16 or .block32");
      return word == 2 || word == 32 ? 2 : 4;
  }
}

void check_collector(const Binding& b, const ModifierSet& given, const MmaForm& form) {
  if (!given.has(Kind::collector)) return;
  const auto use = given.get(Kind::collector, Collector::b);
  if ((use == Collector::b) != form.weight_stationary)
    b.refuse("A has the collector buffer of tcgen05.mma, B those of tcgen05.mma.ws");
  if (form.shifts_a && (use == Collector::fill_a || use == Collector::use_a))
    b.refuse(".ashift goes with .collector::a::lastuse or .collector::a::discard");
}

MmaForm take_form(Binding& b, bool weight_stationary) {
  const ModifierSet given = b.read_all({.words = words, .other = other_word});
  if (!given.has(Kind::pair)) b.refuse("'.cta_group::1' or '.cta_group::2' is missing");
  if (!given.has(Kind::kind)) b.refuse("the kind, such as .kind::f16, is missing");
  MmaForm form;
  form.kind = given.get(Kind::kind, MmaKind::f16);
  form.pair = given.get(Kind::pair, 1) == 2;
  form.weight_stationary = weight_stationary;
  form.sparse = given.has(Kind::sparse);
  form.shifts_a = given.has(Kind::shift);
  form.scale_vector = scale_vector(b, given, form.kind);
  if (weight_stationary && (form.pair || has_block_scales(form.kind) || form.shifts_a))
    b.refuse("tcgen05.mma.ws is of .cta_group::1, without block scales and without .ashift");
  if (form.shifts_a && has_block_scales(form.kind)) b.refuse(".ashift has no block scales");
  check_collector(b, given, form);
  return form;
}

void bind_lanes(Binding& b, MmaForm& form, int operand) {
  form.masks_lanes = true;
  const auto& parts = b.parts(b.operand(operand));
  if (static_cast<int>(parts.size()) != form.mask_words())
    b.refuse(say("disable-output-lane is ", form.mask_words(), " words, not ", parts.size()));
  for (const ptx::Operand& part : parts) {
    if (b.is_constant(part)) b.refuse("the words of disable-output-lane are registers");
    b.list(b.read(part, Type::b32));
  }
}

// From `next` on: enable-input-d and what may follow it.
void bind_rest(Binding& b, MmaForm& form, int next) {
  if (next < b.operands() && b.operand(next).kind == ptx::Operand::Kind::vector) {
    if (has_block_scales(form.kind) || form.weight_stationary)
      b.refuse("this form has no disable-output-lane");
    bind_lanes(b, form, next++);
  }
  b.expect_operands(next + 1, next + (has_block_scales(form.kind) ? 1 : 2));
  bool negated = false;
  b.op.d = b.read_predicate(b.operand(next++), negated);
  form.accumulate_negated = negated;
  if (next == b.operands()) return;
  if (form.weight_stationary) {
    b.op.dst2 = b.read(next, Type::b64);
    return;
  }
  const std::int64_t scale = b.constant(b.operand(next));
  if (form.kind != MmaKind::f16 && form.kind != MmaKind::tf32)
    b.refuse(say("kind::", name_of(form.kind), " has no scale-input-d"));
  if (scale < 0 || scale > 15) b.refuse(say("scale-input-d is 0 to 15, not ", scale));
  form.scale_d = static_cast<std::uint8_t>(scale);
}

void bind_mma_as(Binding& b, bool weight_stationary) {
  MmaForm form = take_form(b, weight_stationary);
  b.expect_operands(5, 9);
  form.a_in_tensor_memory = b.operand(1).kind == ptx::Operand::Kind::address;
  if (form.shifts_a && !form.a_in_tensor_memory) b.refuse(".ashift needs A in tensor memory");
  bind_tensor_address(b, form.slots, 0, b.operand(0));
  if (form.a_in_tensor_memory)
    bind_tensor_address(b, form.slots, form.a_slot(), b.operand(1));
  else
    b.op.a = b.read(1, Type::b64);
  b.op.b = b.read(2, Type::b64);
  int next = 3;
  if (form.sparse) bind_tensor_address(b, form.slots, form.metadata_slot(), b.operand(next++));
  b.op.c = b.read(next++, Type::b32);
  if (has_block_scales(form.kind))
    for (int i = 0; i < 2; ++i)
      bind_tensor_address(b, form.slots, form.scales_slot() + i, b.operand(next++));
  bind_rest(b, form, next);
  set_form(b.op, form);
  b.op.run = run_tensor_mma;
}

void bind_mma(Binding& b) { bind_mma_as(b, false); }
void bind_mma_ws(Binding& b) { bind_mma_as(b, true); }

constexpr OpcodeRow rows[] = {
    {"tcgen05.mma", OpClass::tensor, bind_mma,
     "{.sp}.cta_group::{1,2}.kind::{f16,tf32,f8f6f4,i8,mxf8f6f4,mxf4,mxf4nvf4} {.block_scale "
     ".scale_vec::{1X,2X,4X} .block16 .block32} {.ashift} {.collector::a}; A by descriptor or in "
     "tensor memory, disable-output-lane, scale-input-d",
     sm_100a},
    {"tcgen05.mma.ws", OpClass::tensor, bind_mma_ws,
     "{.sp}.cta_group::1.kind::{f16,tf32,f8f6f4,i8} {.collector::b0 to b3}, zero-column mask",
     sm_100a},
};

}  // namespace

std::span<const OpcodeRow> tensor_mma_rows() { return rows; }

}  // namespace aisp::sim
