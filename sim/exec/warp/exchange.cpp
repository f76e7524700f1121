// Instructions in which the lanes of a warp see each other: shfl, vote, match, redux, elect,
// activemask and bar.warp.sync. Lanes that run together may carry different membermasks (tiles of
// cooperative groups): each distinct mask is a group of its own.
#include "sim/exec/warp/group.hpp"

#include "sim/exec/form.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

enum class Shuffle { up, down, bfly, idx };

// Operand d: bits 4..0 the last lane of a segment, bits 12..8 the lane bits that name the segment.
template <Shuffle mode>
Flow shfl(Warp& warp, const Op& op, Mask mask) {
  const Mask together = assemble(warp, op, mask);
  if (together == 0) return Flow::wait;
  const auto* a = warp.read<std::uint32_t>(op.a);
  const auto* b = warp.read<std::uint32_t>(op.b);
  const auto* c = warp.read<std::uint32_t>(op.d);
  std::int32_t source[lanes];
  std::uint32_t inside[lanes], values[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    const auto segment = static_cast<std::int32_t>(c[lane] >> 8 & 31);
    const auto by = static_cast<std::int32_t>(b[lane] & 31);
    const std::int32_t first = lane & segment;
    const std::int32_t last = first | (static_cast<std::int32_t>(c[lane] & 31) & ~segment);
    std::int32_t from = lane;
    if constexpr (mode == Shuffle::up) from = lane - by;
    if constexpr (mode == Shuffle::down) from = lane + by;
    if constexpr (mode == Shuffle::bfly) from = lane ^ by;
    if constexpr (mode == Shuffle::idx) from = first | (by & ~segment);
    const bool ok = mode == Shuffle::up ? from >= last : from <= last;
    source[lane] = (ok ? from : lane) & 31;
    inside[lane] = ok;
  }
  for (int lane = 0; lane < lanes; ++lane) values[lane] = a[source[lane]];
  write_words(warp, op.dst, together, values);
  if (op.dst2 != no_ref) {
    Mask result = 0;
    for (int lane = 0; lane < lanes; ++lane) result |= inside[lane] << lane;
    warp.set_predicate(op.dst2, together, result);
  }
  return Flow::next;
}

struct VoteForm {
  bool negated = false;  // the predicate
};

enum class Vote { all, any, uni, ballot };

template <Vote mode>
Flow vote(Warp& warp, const Op& op, Mask mask) {
  const Mask together = assemble(warp, op, mask);
  if (together == 0) return Flow::wait;
  const Mask yes =
      (warp.predicate(op.a) ^ (form_of<VoteForm>(op).negated ? all_lanes : 0)) & together;
  std::uint32_t ballots[lanes];
  Mask result = 0;
  each_group(warp, op, together, [&](Mask group) {
    const Mask votes = yes & group;
    if constexpr (mode == Vote::ballot) {
      each_lane(group, [&](int lane) { ballots[lane] = votes; });
    } else {
      const bool all = votes == group, any = votes != 0;
      const bool holds = mode == Vote::all ? all : mode == Vote::any ? any : all || !any;
      if (holds) result |= group;
    }
  });
  if constexpr (mode == Vote::ballot)
    write_words(warp, op.dst, together, ballots);
  else
    warp.set_predicate(op.dst, together, result);
  return Flow::next;
}

template <class T, bool all>
Flow match(Warp& warp, const Op& op, Mask mask) {
  const Mask together = assemble(warp, op, mask);
  if (together == 0) return Flow::wait;
  const auto* a = warp.read<T>(op.a);
  std::uint32_t values[lanes];
  Mask agreed = 0;
  each_group(warp, op, together, [&](Mask group) {
    each_lane(group, [&](int lane) {
      Mask same = 0;
      for (int other = 0; other < lanes; ++other)
        same |= static_cast<Mask>(a[other] == a[lane]) << other;
      values[lane] = same & group;
    });
    if (!all) return;
    const bool one_value = values[std::countr_zero(group) % lanes] == group;
    if (one_value) agreed |= group;
    each_lane(group, [&](int lane) { values[lane] = one_value ? group : 0; });
  });
  write_words(warp, op.dst, together, values);
  warp.set_predicate(op.dst2, together, agreed);
  return Flow::next;
}

Flow elect(Warp& warp, const Op& op, Mask mask) {
  const Mask together = assemble(warp, op, mask);
  if (together == 0) return Flow::wait;
  std::uint32_t leaders[lanes];
  Mask leading = 0;
  each_group(warp, op, together, [&](Mask group) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(group));
    leading |= 1u << leader;
    each_lane(group, [&](int lane) { leaders[lane] = leader; });
  });
  write_words(warp, op.dst, together, leaders);
  warp.set_predicate(op.dst2, together, leading);
  return Flow::next;
}

Flow activemask(Warp& warp, const Op& op, Mask mask) {
  auto* d = warp.write<std::uint32_t>(op.dst);
  each_lane(mask, [&](int lane) { d[lane] = mask; });
  return Flow::next;
}

Flow sync_warp(Warp& warp, const Op& op, Mask mask) {
  const Mask needed = members(warp, op.c, mask);
  return meet(warp, mask, needed, warp.read<std::uint32_t>(op.c)) ? Flow::next : Flow::wait;
}

// `d` or `d|p`.
void bind_pair(Binding& b, Type type) {
  const ptx::Operand& operand = b.operand(0);
  if (operand.kind != ptx::Operand::Kind::pair) {
    b.op.dst = b.write(operand, type);
    return;
  }
  b.op.dst = b.write(operand.parts[0], type);
  b.op.dst2 = b.write_predicate(operand.parts[1]);
}

void bind_shfl(Binding& b) {
  constexpr Word<Handler> modes[] = {{"up", shfl<Shuffle::up>},
                                     {"down", shfl<Shuffle::down>},
                                     {"bfly", shfl<Shuffle::bfly>},
                                     {"idx", shfl<Shuffle::idx>}};
  b.op.run = mode_with_sync(b, modes);
  b.expect("b32");
  b.expect_operands(5, 5);
  b.op.a = b.read(1, Type::b32);
  b.op.b = b.read(2, Type::u32);
  b.op.d = b.read(3, Type::u32);
  b.op.c = b.read(4, Type::b32);
  bind_pair(b, Type::b32);
}

void bind_vote(Binding& b) {
  constexpr Word<Handler> modes[] = {{"all", vote<Vote::all>},
                                     {"any", vote<Vote::any>},
                                     {"uni", vote<Vote::uni>},
                                     {"ballot", vote<Vote::ballot>}};
  b.op.run = mode_with_sync(b, modes);
  const bool ballot = b.op.run == vote<Vote::ballot>;
  b.expect(ballot ? "b32" : "pred");
  b.expect_operands(3, 3);
  VoteForm form;
  b.op.a = b.read_predicate(b.operand(1), form.negated);
  b.op.c = b.read(2, Type::b32);
  b.op.dst = ballot ? b.write(0, Type::b32) : b.write_predicate(b.operand(0));
  set_form(b.op, form);
}

void bind_match(Binding& b) {
  constexpr Word<bool> modes[] = {{"any", false}, {"all", true}};
  const bool all = mode_with_sync(b, modes);
  const Type type = b.type_of({Type::b32, Type::b64});
  b.expect_operands(3, 3);
  if (!all && b.operand(0).kind == ptx::Operand::Kind::pair)
    b.refuse("match.any gives no predicate");
  b.op.a = b.read(1, type);
  b.op.c = b.read(2, Type::b32);
  bind_pair(b, Type::b32);
  if (type == Type::b32)
    b.op.run = all ? match<std::uint32_t, true> : match<std::uint32_t, false>;
  else
    b.op.run = all ? match<std::uint64_t, true> : match<std::uint64_t, false>;
}

void bind_elect(Binding& b) {
  b.expect("sync");
  b.expect_operands(2, 2);
  if (b.operand(0).kind != ptx::Operand::Kind::pair) b.refuse("the result is written d|p");
  if (b.operand(0).parts[1].kind == ptx::Operand::Kind::sink)
    b.refuse("the predicate of elect cannot be discarded with '_'");
  b.op.c = b.read(1, Type::b32);
  bind_pair(b, Type::b32);
  b.op.run = elect;
}

void bind_activemask(Binding& b) {
  b.expect("b32");
  b.expect_operands(1, 1);
  b.op.dst = b.write(0, Type::b32);
  b.op.run = activemask;
}

void bind_sync_warp(Binding& b) {
  b.expect_operands(1, 1);
  b.op.c = b.read(0, Type::b32);
  b.op.run = sync_warp;
}

constexpr OpcodeRow rows[] = {
    {"shfl", OpClass::shuffle, bind_shfl, ".sync.{up,down,bfly,idx}.b32, d|p"},
    {"vote", OpClass::shuffle, bind_vote, ".sync.{all,any,uni}.pred, .sync.ballot.b32"},
    {"match", OpClass::shuffle, bind_match, ".{any,all}.sync.{b32,b64}, d|p"},
    {"redux", OpClass::shuffle, bind_redux,
     ".sync.{add,min,max}.{u32,s32}, .{and,or,xor}.b32, .{min,max}{.abs}{.NaN}.f32"},
    {"elect", OpClass::shuffle, bind_elect, ".sync d|p", sm_90},
    {"activemask", OpClass::shuffle, bind_activemask, ".b32"},
    {"bar.warp.sync", OpClass::barrier, bind_sync_warp, ""},
};

}  // namespace

std::span<const OpcodeRow> warp_rows() { return rows; }

}  // namespace aisp::sim
