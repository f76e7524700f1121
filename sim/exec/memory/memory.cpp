// Rows of the memory instructions, and those of them that only advise the caches.
#include "sim/exec/memory/memory.hpp"

#include <bit>

#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {

int access_bytes(const Binding& binding, Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
    case Type::b128:
      return bits_of(type) / 8;
    default:
      binding.refuse("not a type of memory accesses");
  }
}

void check_width(const Binding& binding, const MemoryModifiers& m) {
  const int bits = bits_of(m.type) * m.vector();
  const bool global = m.space == ptx::Space::none || m.space == ptx::Space::global;
  if (bits > 256 || (m.vector() == 8 && bits != 256) ||
      (bits == 256 && (m.type == Type::b128 || !global)))
    binding.refuse("an access of " + std::to_string(bits) + " bits: 128 is the most, and 256 as " +
                   ".v8 of 32 or .v4 of 64 bits in global memory from sm_100");
  if (bits == 256) binding.require(sm_100, "an access of 256 bits");
}

namespace {

Flow nothing(Warp&, const Op&, Mask) { return Flow::next; }

enum class PrefetchLevel : std::uint8_t { cache, eviction };
constexpr Word<ptx::Space> prefetch_spaces[] = {
    {"global", ptx::Space::global},
    {"local", ptx::Space::local},
    {"const", ptx::Space::constant},
    {"param", ptx::Space::param},
};
constexpr Word<PrefetchLevel> prefetch_levels[] = {
    {"L1", PrefetchLevel::cache},
    {"L2", PrefetchLevel::cache},
    {"L2::evict_last", PrefetchLevel::eviction},
    {"L2::evict_normal", PrefetchLevel::eviction},
};

// Whatever is prefetched, an address that leads nowhere does no harm.
void bind_prefetch(Binding& b) {
  const ptx::Space space = b.accept(prefetch_spaces).value_or(ptx::Space::none);
  if (b.accept("tensormap")) {
    if (space == ptx::Space::global || space == ptx::Space::local)
      b.refuse("a tensor map is prefetched from .const, .param or generic");
  } else {
    if (space == ptx::Space::constant || space == ptx::Space::param)
      b.refuse("only a tensor map is prefetched from this space");
    const PrefetchLevel level = b.one_of(prefetch_levels, "the level is missing");
    if (level == PrefetchLevel::eviction && space == ptx::Space::local)
      b.refuse("an eviction priority is for global memory");
  }
  b.expect_operands(1, 1);
  b.address(0);
  b.op.run = nothing;
}

void bind_prefetchu(Binding& b) {
  b.expect("L1");
  b.expect_operands(1, 1);
  b.address(0);
  b.op.run = nothing;
}

void expect_128_bytes(Binding& b) {
  b.expect_operands(2, 2);
  if (b.constant(b.operand(1)) != 128) b.refuse("the size must be 128");
}

void bind_applypriority(Binding& b) {
  b.accept("global");
  b.expect("L2::evict_normal");
  expect_128_bytes(b);
  b.address(0);
  b.op.run = nothing;
}

// The bytes may hold anything afterwards; they keep what they held.
Flow discard(Warp& warp, const Op& op, Mask mask) {
  std::byte* at[lanes];
  locate(warp, op, mask, 128, Access::write, at);
  return wrote(warp);
}

void bind_discard(Binding& b) {
  const auto space = b.accept("global") ? ptx::Space::global : ptx::Space::none;
  b.expect("L2");
  expect_128_bytes(b);
  set_form(b.op, bind_address(b, b.operand(0), space, false));
  b.op.run = discard;
}

Flow give_policy(Warp& warp, const Op& op, Mask mask) {
  auto* d = warp.write<std::uint64_t>(op.dst);
  each_lane(mask, [&](int lane) { d[lane] = op.imm; });
  return Flow::next;
}

Flow copy_policy(Warp& warp, const Op& op, Mask mask) {
  return map1<std::uint64_t, std::uint64_t>(warp, op, mask, [](std::uint64_t a) { return a; });
}

// Policies are opaque and have no effect here: another value for each priority. Those of evict_last
// and evict_first are the ones that programs also carry as constants.
constexpr Word<std::uint64_t> policies[] = {
    {"L2::evict_last", 0x14f0000000000000},
    {"L2::evict_normal", 0x16f0000000000000},
    {"L2::evict_first", 0x12f0000000000000},
    {"L2::evict_unchanged", 0x10f0000000000000},
};

void bind_fraction(Binding& b, const ptx::Operand& operand) {
  const ptx::Expression& value = operand.value;
  if (b.is_constant(operand) && value.kind != ptx::Expression::Kind::integer) {
    const double fraction = value.kind == ptx::Expression::Kind::f64
                                ? std::bit_cast<double>(value.bits)
                                : std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    if (!(fraction > 0 && fraction <= 1)) b.refuse("the fraction lies above 0 and at most at 1");
  }
  b.read(operand, Type::f32);
}

enum class PolicyForm : std::uint8_t { fractional, range, copy };
constexpr Word<PolicyForm> policy_forms[] = {
    {"fractional", PolicyForm::fractional},
    {"range", PolicyForm::range},
    {"cvt", PolicyForm::copy},
};

void bind_createpolicy(Binding& b) {
  const PolicyForm form = b.one_of(policy_forms, ".fractional, .range or .cvt is missing");
  if (form == PolicyForm::copy) {
    b.expect("L2");
    b.expect("b64");
    b.expect_operands(2, 2);
    b.op.a = b.read(1, Type::b64);
    b.op.dst = b.write(0, Type::b64);
    b.op.run = copy_policy;
    return;
  }
  if (form == PolicyForm::range) b.accept("global");
  b.op.imm = b.one_of(policies, "the primary priority is missing");
  b.accept_any({"L2::evict_first", "L2::evict_unchanged"});
  b.expect("b64");
  if (form == PolicyForm::fractional) {
    b.expect_operands(1, 2);
    if (b.operands() == 2) bind_fraction(b, b.operand(1));
  } else {
    b.expect_operands(4, 4);
    b.address(1);
    b.read(2, Type::u32);
    b.read(3, Type::u32);
  }
  b.op.dst = b.write(0, Type::b64);
  b.op.run = give_policy;
}

constexpr OpcodeRow rows[] = {
    {"ld", OpClass::load, bind_ld,
     "all spaces, .v2 .v4 .v8, 8 to 128 bits; .weak .volatile .relaxed .acquire .mmio .nc, cache "
     "operators and hints"},
    {"ldu", OpClass::load, bind_ldu, ".global and generic, .v2 .v4"},
    {"st", OpClass::store, bind_st,
     "all spaces, .v2 .v4 .v8, 8 to 128 bits; .weak .volatile .relaxed .release .mmio, cache "
     "operators and hints"},
    {"st.bulk", OpClass::store, bind_bulk_fill, ".weak, generic, .shared::cta: zeros", sm_100},
    {"multimem.ld_reduce", OpClass::load, bind_multimem_ld_reduce,
     ".add .min .max .and .or .xor on 32 and 64 bits, f16 bf16 f32 f64, from sm_100a e4m3 e5m2, "
     "packed and as vectors; .acc::f32 .acc::f16; .weak .relaxed .acquire",
     sm_90},
    {"multimem.st", OpClass::store, bind_multimem_st, "the same types; .weak .relaxed .release",
     sm_90},
    {"multimem.red", OpClass::atomic, bind_multimem_red,
     "the same operations without 8-bit floats; .relaxed .release", sm_90},
    {"prefetch", OpClass::other, bind_prefetch, ".L1 .L2 .L2::evict_*, .tensormap: no effect"},
    {"prefetchu", OpClass::other, bind_prefetchu, ".L1: no effect"},
    {"applypriority", OpClass::other, bind_applypriority, ".L2::evict_normal: no effect"},
    {"discard", OpClass::other, bind_discard, ".L2: checked, no effect"},
    {"createpolicy", OpClass::other, bind_createpolicy, ".fractional .range .cvt: opaque values"},
};

}  // namespace

std::span<const OpcodeRow> memory_rows() { return rows; }

}  // namespace aisp::sim
