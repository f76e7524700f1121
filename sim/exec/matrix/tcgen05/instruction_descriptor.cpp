#include "sim/exec/matrix/tcgen05/instruction_descriptor.hpp"

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::say;

struct Fields {
  std::uint32_t bits;
  MmaKind kind;
  std::uint32_t at(int first, int count) const { return bits >> first & ((1u << count) - 1); }
  [[noreturn]] void refuse(const std::string& why) const {
    misuse(say("tcgen05.mma.kind::", name_of(kind), ": ", why), bits);
  }
  void require_zero(int first, int count) const {
    if (at(first, count) == 0) return;
    const std::string place =
        count == 1 ? say("bit ", first) : say("bits ", first, "-", first + count - 1);
    refuse(say(place, " of the instruction descriptor are ", at(first, count), ", not 0"));
  }
};

Type narrow_type(const Fields& fields, std::uint32_t code, char operand) {
  switch (code) {
    case 0:
      return Type::e4m3;
    case 1:
      return Type::e5m2;
    case 3:
      return Type::e2m3;
    case 4:
      return Type::e3m2;
    case 5:
      return Type::e2m1;
    default:
      fields.refuse(
          say("type ", code, " of ", operand, ": 0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2, 5 e2m1"));
  }
}

Type operand_type(const Fields& fields, std::uint32_t code, char operand) {
  switch (fields.kind) {
    case MmaKind::f16:
      if (code > 1) fields.refuse(say("type ", code, " of ", operand, ": 0 f16, 1 bf16"));
      return code == 0 ? Type::f16 : Type::bf16;
    case MmaKind::tf32:
      if (code != 2) fields.refuse(say("type ", code, " of ", operand, ": 2 tf32"));
      return Type::tf32;
    case MmaKind::i8:
      if (code > 1) fields.refuse(say("type ", code, " of ", operand, ": 0 u8, 1 s8"));
      return code == 0 ? Type::u8 : Type::s8;
    case MmaKind::f8f6f4:
    case MmaKind::mxf8f6f4:
      return narrow_type(fields, code, operand);
    default:
      if (code != 1) fields.refuse(say("type ", code, " of ", operand, ": 1 e2m1"));
      return Type::e2m1;
  }
}

Type result_type(const Fields& fields, Type a) {
  const std::uint32_t code = fields.at(4, 2);
  const bool halves =
      (fields.kind == MmaKind::f16 && a == Type::f16) || fields.kind == MmaKind::f8f6f4;
  if (fields.kind == MmaKind::i8) {
    if (code != 2) fields.refuse(say("type ", code, " of D: 2 s32"));
    return Type::s32;
  }
  if (code == 1) return Type::f32;
  if (code == 0 && halves) return Type::f16;
  fields.refuse(say("type ", code, " of D with .", name_of(a), ": 1 f32", halves ? ", 0 f16" : ""));
}

int depth_of(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16:
      return 16;
    case MmaKind::tf32:
      return 8;
    case MmaKind::mxf4:
    case MmaKind::mxf4nvf4:
      return 64;
    default:
      return 32;
  }
}

void check_rows(const Fields& fields, const MmaForm& form, int m) {
  const bool scaled = has_block_scales(form.kind);
  const bool good = form.weight_stationary ? m == 32 || m == 64 || m == 128
                    : form.pair            ? m == 256 || m == 128
                                           : m == 128 || (m == 64 && !scaled);
  if (!good)
    fields.refuse(say("M ", m,
                      form.weight_stationary ? ": 32, 64 or 128 with .ws"
                      : form.pair            ? ": 128 or 256 with .cta_group::2"
                      : scaled               ? ": 128 with .cta_group::1"
                                             : ": 64 or 128 with .cta_group::1"));
  if (scaled && form.pair && form.sparse && m == 128)
    fields.refuse("M 128: 256 with .cta_group::2, block scales and a sparse A");
  if (scaled && form.pair && m == 128)
    fields.refuse(
        "M 128 of a pair with block scales is not modelled: how the scales of A lie is "
        "not published");
}

void check_columns(const Fields& fields, const MmaForm& form, const MmaShape& shape) {
  const int n = shape.n;
  if (form.weight_stationary) {
    if (n != 64 && n != 128 && (n != 256 || form.sparse))
      fields.refuse(say("N ", n, ": 64, 128", form.sparse ? "" : " or 256", " with .ws"));
    return;
  }
  const bool whole = form.kind == MmaKind::i8;
  int step = form.pair ? 16 : 8;
  if (whole) step = form.pair ? 32 : n > 32 ? 16 : 8;
  const bool bytes = shape.b == Type::e4m3 || shape.b == Type::e5m2 || whole;
  if (bytes && shape.b_mn_major) step = form.pair ? 32 : 16;
  if (n == 0 || n > 256 || n % step != 0)
    fields.refuse(say("N ", n, ": multiples of ", step, " up to 256"));
}

void check_majors(const Fields& fields, const MmaForm& form, const MmaShape& shape) {
  const auto may = [](Type type) {
    return type != Type::e2m1 && type != Type::e2m3 && type != Type::e3m2;
  };
  if ((shape.a_mn_major && !may(shape.a)) || (shape.b_mn_major && !may(shape.b)))
    fields.refuse("elements of 4 and 6 bits are K-major");
  if (shape.a_mn_major && form.a_in_tensor_memory)
    fields.refuse("A in tensor memory is K-major: bit 15 of the instruction descriptor is 0");
}

void read_plain(const Fields& fields, const MmaForm& form, MmaShape& shape) {
  shape.selector = static_cast<int>(fields.at(0, 2));
  shape.saturate = fields.at(3, 1) != 0;
  if (shape.saturate && form.kind != MmaKind::i8) fields.refuse("bit 3, saturation, is of i8");
  if (form.kind == MmaKind::i8 && fields.at(13, 2) != 0) fields.refuse("i8 is not negated");
  if (shape.selector != 0 && !form.sparse) fields.require_zero(0, 2);
  const bool selects = form.kind == MmaKind::f16 || form.kind == MmaKind::tf32;
  if (shape.selector != 0 && !selects)
    fields.refuse(say("sparsity selector ", shape.selector, ": it is 0 for this kind"));
  if (shape.selector > 1)
    fields.refuse(say("sparsity selector ", shape.selector,
                      " is not modelled: which column it selects is not published"));
  fields.require_zero(23, 1);
  fields.require_zero(29, 1);
  if (fields.at(30, 2) != 0)
    fields.refuse("bits 30-31, the maximum shift of .ws, are not modelled");
  shape.d = result_type(fields, shape.a);
}

void read_scaled(const Fields& fields, const MmaForm& form, MmaShape& shape) {
  fields.require_zero(0, 2);
  fields.require_zero(3, 1);
  fields.require_zero(24, 3);
  shape.d = Type::f32;
  shape.scales_are_powers = fields.at(23, 1) != 0;
  shape.b_scale = static_cast<int>(fields.at(4, 2));
  shape.a_scale = static_cast<int>(fields.at(29, 2));
  if (form.kind != MmaKind::mxf8f6f4) {
    if (fields.at(31, 1) != 0) fields.refuse("bit 31, a K of 96, is of sm_103a");
    if (fields.at(15, 2) != 0) fields.require_zero(15, 2);
  } else {
    fields.require_zero(31, 1);
  }
  if (!shape.scales_are_powers && form.scale_vector != 4)
    fields.refuse("scales of ue4m3 are of .block16: bit 23 of the instruction descriptor is 1");
  for (const int id : {shape.a_scale, shape.b_scale})
    if (id % form.scale_vector != 0)
      fields.refuse(say("scale id ", id, ": ",
                        form.scale_vector == 4 ? "0 where a word holds four scales"
                                               : "0 or 2 where a word holds two scales"));
}

}  // namespace

const char* name_of(MmaKind kind) {
  constexpr const char* names[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return names[static_cast<int>(kind)];
}

MmaShape mma_shape(std::uint32_t bits, const MmaForm& form) {
  const Fields fields{bits, form.kind};
  MmaShape shape;
  if ((fields.at(2, 1) != 0) != form.sparse)
    fields.refuse(form.sparse
                      ? "bit 2 of the instruction descriptor says dense, the instruction .sp"
                      : "bit 2 of the instruction descriptor says sparse");
  fields.require_zero(6, 1);
  const bool fours = form.kind == MmaKind::mxf4 || form.kind == MmaKind::mxf4nvf4;
  shape.a = operand_type(fields, fields.at(7, 3), 'A');
  shape.b = operand_type(fields, fields.at(10, fours ? 2 : 3), 'B');
  if (fours) fields.require_zero(12, 1);
  if (form.kind == MmaKind::f16 && shape.a != shape.b)
    fields.refuse("A and B are both f16 or both bf16");
  shape.negate_a = fields.at(13, 1) != 0;
  shape.negate_b = fields.at(14, 1) != 0;
  shape.a_mn_major = fields.at(15, 1) != 0;
  shape.b_mn_major = fields.at(16, 1) != 0;
  shape.n = static_cast<int>(fields.at(17, 6)) * 8;
  shape.m = static_cast<int>(fields.at(24, 5)) * 16;
  shape.k = depth_of(form.kind) * (form.sparse ? 2 : 1);
  if (has_block_scales(form.kind)) {
    shape.m = static_cast<int>(fields.at(27, 2)) * 128;
    read_scaled(fields, form, shape);
  } else {
    read_plain(fields, form, shape);
  }
  check_rows(fields, form, shape.m);
  check_columns(fields, form, shape);
  check_majors(fields, form, shape);
  if (form.shifts_a && shape.m < 128) fields.refuse(".ashift needs M 128 or 256");
  if (form.a_in_tensor_memory && form.weight_stationary && shape.m != 128)
    fields.refuse(say("A in tensor memory with .ws and M ", shape.m,
                      " is not modelled: how it lies is not published"));
  return shape;
}

}  // namespace aisp::sim
