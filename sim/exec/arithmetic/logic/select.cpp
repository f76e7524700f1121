// lop3 and prmt: bits by a truth table, bytes by a selector.
#include <algorithm>

#include "sim/exec/arithmetic/combine.hpp"
#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/arithmetic/logic/logic.hpp"
#include "sim/exec/form.hpp"

namespace aisp::sim {
namespace {

// Bit i of the table is the result for (a, b, c) = the bits of i. Each level of selection halves
// the table: by c first, then b, then a.
struct Lop3 {
  explicit Lop3(u32 table) {
    for (int pair = 0; pair < 4; ++pair) {
      clear[pair] = table >> (2 * pair) & 1 ? ~0u : 0;
      flip[pair] = clear[pair] ^ (table >> (2 * pair + 1) & 1 ? ~0u : 0);
    }
  }
  u32 operator()(u32 a, u32 b, u32 c) const {
    const u32 by_c[] = {clear[0] ^ (c & flip[0]), clear[1] ^ (c & flip[1]),
                        clear[2] ^ (c & flip[2]), clear[3] ^ (c & flip[3])};
    const u32 low = by_c[0] ^ (b & (by_c[0] ^ by_c[1]));
    const u32 high = by_c[2] ^ (b & (by_c[2] ^ by_c[3]));
    return low ^ (a & (low ^ high));
  }
  u32 clear[4], flip[4];
};

struct Lop3Form {
  u8 table = 0;
  Combine combine = Combine::none;
  bool negated = false;  // q
};

Flow lop3(Warp& warp, const Op& op, Mask mask) {
  return map3<u32, u32>(warp, op, mask, Lop3(form_of<Lop3Form>(op).table));
}

// With '_' for the result.
Flow nothing(Warp&, const Op&, Mask) { return Flow::next; }

// d|p: p = (d != 0) and / or q.
Flow lop3_predicate(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<Lop3Form>(op);
  const Lop3 function(form.table);
  const u32* a = warp.read<u32>(op.a);
  const u32* b = warp.read<u32>(op.b);
  const u32* c = warp.read<u32>(op.c);
  u32* d = op.dst == no_ref ? nullptr : warp.write<u32>(op.dst);
  Mask nonzero = 0;
  each_lane(mask, [&](int lane) {
    const u32 value = function(a[lane], b[lane], c[lane]);
    nonzero |= static_cast<Mask>(value != 0) << lane;
    if (d != nullptr) d[lane] = value;
  });
  const Mask q = warp.predicate(op.d) ^ (form.negated ? all_lanes : 0);
  const bool either = form.combine == Combine::disjunction;
  warp.set_predicate(op.dst2, mask, either ? nonzero | q : nonzero & q);
  return Flow::next;
}

constexpr Word<Combine> lop3_combinations[] = {
    {"and", Combine::conjunction},
    {"or", Combine::disjunction},
};

}  // namespace

void bind_lop3(Binding& b) {
  Lop3Form form{.combine = b.accept(lop3_combinations).value_or(Combine::none)};
  b.expect("b32");
  if (form.combine == Combine::none) {
    b.expect_operands(5, 5);
    const bool kept = b.operand(0).kind != ptx::Operand::Kind::sink;
    if (kept)
      b.op.dst = b.write(0, Type::b32);
    else
      b.ignore(b.operand(0));
    b.op.run = kept ? lop3 : nothing;
  } else {
    b.expect_operands(6, 6);
    const ptx::Operand& results = b.operand(0);
    if (results.kind != ptx::Operand::Kind::pair) b.refuse("lop3 with .and or .or writes d|p");
    if (results.parts[0].kind == ptx::Operand::Kind::sink) {
      b.ignore(results.parts[0]);
    } else {
      b.op.dst = b.write(results.parts[0], Type::b32);
    }
    b.op.dst2 = b.write_predicate(results.parts[1]);
    if (b.op.dst2 == no_ref) b.refuse("the predicate cannot be thrown away");
    b.op.d = b.read_predicate(b.operand(5), form.negated);
    b.op.run = lop3_predicate;
  }
  b.op.a = b.read(1, Type::b32);
  b.op.b = b.read(2, Type::b32);
  b.op.c = b.read(3, Type::b32);
  form.table = static_cast<u8>(b.constant(b.operand(4)));
  set_form(b.op, form);
}

namespace {

// Four nibbles choose the bytes of d among the eight of b:a; bit 3 of a nibble replicates the sign
// of the byte.
struct Permute {
  u32 operator()(u32 a, u32 b, u32 selector) const {
    u32 result = 0;
    for (int byte = 0; byte < 4; ++byte) {
      const u32 choice = selector >> (4 * byte);
      const u32 word = choice & 4 ? b : a;  // words, not double words: twice the lanes per vector
      const u32 value = word >> (8 * (choice & 3)) & 0xff;
      const u32 sign = value & 0x80 ? 0xff : 0;
      result |= (choice & 8 ? sign : value) << (8 * byte);
    }
    return result;
  }
};

// A constant selector without signs, in Op::imm: the sources and shifts are the same for all lanes.
Flow permute_constant(Warp& warp, const Op& op, Mask mask) {
  const u32* in[4];
  u32 shift[4];
  for (int byte = 0; byte < 4; ++byte) {
    const u64 choice = op.imm >> (4 * byte);
    in[byte] = warp.read<u32>(choice & 4 ? op.b : op.a);
    shift[byte] = 8 * (choice & 3);
  }
  u32* d = warp.write<u32>(op.dst);
  each_lane(mask, [&](int lane) {
    u32 result = 0;
    for (int byte = 0; byte < 4; ++byte) {
      result |= (in[byte][lane] >> shift[byte] & 0xff) << (8 * byte);
    }
    d[lane] = result;
  });
  return Flow::next;
}

enum class PermuteMode { forward, backward, replicate8, clamp_left, clamp_right, replicate16 };
// The named modes: which byte goes where, given the low two bits n of the selector.
template <PermuteMode mode>
struct PermuteNamed {
  u32 operator()(u32 a, u32 b, u32 selector) const {
    const u32 n = selector & 3;
    u32 choices = 0;
    for (u32 byte = 0; byte < 4; ++byte) choices |= choice(n, byte) << (4 * byte);
    return Permute{}(a, b, choices);
  }
  static u32 choice(u32 n, u32 byte) {
    switch (mode) {
      case PermuteMode::forward:
        return n + byte;
      case PermuteMode::backward:
        return (n - byte) & 7;
      case PermuteMode::replicate8:
        return n;
      case PermuteMode::clamp_left:
        return std::max(n, byte);
      case PermuteMode::clamp_right:
        return std::min(n, byte);
      case PermuteMode::replicate16:
        return (n & 1) * 2 + (byte & 1);
    }
  }
};
template <PermuteMode mode>
constexpr Handler permute_named = apply<PermuteNamed<mode>, u32, u32, u32, u32>;

}  // namespace

void bind_prmt(Binding& b) {
  b.expect("b32");
  static constexpr Word<Handler> modes[] = {
      {"f4e", permute_named<PermuteMode::forward>},
      {"b4e", permute_named<PermuteMode::backward>},
      {"rc8", permute_named<PermuteMode::replicate8>},
      {"ecl", permute_named<PermuteMode::clamp_left>},
      {"ecr", permute_named<PermuteMode::clamp_right>},
      {"rc16", permute_named<PermuteMode::replicate16>},
  };
  const auto named = b.accept(modes);
  bind_operands(b, Type::b32, {Type::b32, Type::b32, Type::b32});
  b.op.run = named ? *named : apply<Permute, u32, u32, u32, u32>;
  const ptx::Operand& selector = b.operand(3);
  if (!named && b.is_constant(selector) && (b.constant(selector) & 0x8888) == 0) {
    b.op.imm = static_cast<u64>(b.constant(selector));
    b.op.run = permute_constant;
  }
}

}  // namespace aisp::sim
