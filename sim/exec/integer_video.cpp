// Video instructions on two or four packed values, with plain operands (no byte selection or
// merging): d = op per part, or with .add the sum of the full results plus c.
#include "sim/exec/integer.hpp"

#include <algorithm>

namespace sim {
namespace {

enum class Video { add, sub, average, difference, min, max, equal, unequal, lt, le, gt, ge };

// imm: which parts are signed, and what becomes of the result.
enum VideoFlag : u64 { signed_result = 1, signed_a = 2, signed_b = 4, saturate = 8, sum = 16 };

int part_of(u32 word, int part, int bits, bool is_signed) {
  const u32 raised = word << (32 - bits * (part + 1));
  return is_signed ? static_cast<s32>(raised) >> (32 - bits)
                   : static_cast<int>(raised >> (32 - bits));
}

template <Video what>
int video(int a, int b) {
  switch (what) {
    case Video::add:
      return a + b;
    case Video::sub:
      return a - b;
    case Video::average:
      return (a + b + (a + b >= 0)) >> 1;  // halves away from zero
    case Video::difference:
      return std::abs(a - b);
    case Video::min:
      return std::min(a, b);
    case Video::max:
      return std::max(a, b);
    case Video::equal:
      return a == b;
    case Video::unequal:
      return a != b;
    case Video::lt:
      return a < b;
    case Video::le:
      return a <= b;
    case Video::gt:
      return a > b;
    case Video::ge:
      return a >= b;
  }
}

template <Video what, int parts>
u32 video_word(u32 a, u32 b, u32 c, u64 flags) {
  constexpr int bits = 32 / parts;
  const int lowest = flags & signed_result ? -(1 << (bits - 1)) : 0;
  const int highest = flags & signed_result ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  u32 packed = 0, total = c;
  for (int part = 0; part < parts; ++part) {
    int value = video<what>(part_of(a, part, bits, (flags & signed_a) != 0),
                            part_of(b, part, bits, (flags & signed_b) != 0));
    if (flags & saturate) value = std::clamp(value, lowest, highest);
    packed |= (static_cast<u32>(value) & ((1u << bits) - 1)) << (part * bits);
    total += static_cast<u32>(value);
  }
  return flags & sum ? total : packed;
}

template <Video what, int parts>
Flow run_video(Warp& warp, const Op& op, Mask mask) {
  return map3<u32, u32>(warp, op, mask, [&](u32 a, u32 b, u32 c) {
    return video_word<what, parts>(a, b, c, op.imm);
  });
}

u64 flag_if(bool condition, VideoFlag flag) { return condition ? u64{flag} : 0; }

void bind_words(Binding& b, u64 flags) {
  b.op.imm = flags;
  bind_operands(b, Type::u32, {Type::u32, Type::u32, Type::u32});
}

Type word_type(Binding& b) { return b.type_of({Type::u32, Type::s32}); }

template <Video what, int parts>
void bind_video(Binding& b) {
  u64 flags = flag_if(is_signed(word_type(b)), signed_result);
  flags |= flag_if(is_signed(word_type(b)), signed_a);
  flags |= flag_if(is_signed(word_type(b)), signed_b);
  if (b.accept("sat")) {
    flags |= saturate;
  } else if (b.accept("add")) {
    flags |= sum;
  }
  bind_words(b, flags);
  b.op.run = run_video<what, parts>;
}

template <int parts>
void bind_vset(Binding& b) {
  u64 flags = flag_if(is_signed(word_type(b)), signed_a);
  flags |= flag_if(is_signed(word_type(b)), signed_b);
  static constexpr Handler handlers[] = {
      run_video<Video::equal, parts>, run_video<Video::unequal, parts>,
      run_video<Video::lt, parts>,    run_video<Video::le, parts>,
      run_video<Video::gt, parts>,    run_video<Video::ge, parts>};
  const int which = b.accept_one_of({"eq", "ne", "lt", "le", "gt", "ge"});
  if (which < 0) b.refuse("needs one of .eq .ne .lt .le .gt .ge");
  flags |= flag_if(b.accept("add"), sum);
  bind_words(b, flags);
  b.op.run = handlers[which];
}

}  // namespace

std::span<const OpcodeRow> video_rows() {
  using enum OpClass;
  static constexpr std::string_view packed = ".{u,s}32 x3, .sat, .add; operands without selectors";
  static constexpr std::string_view scalar = "refused";
  static const OpcodeRow rows[] = {
      {"vadd2", integer, bind_video<Video::add, 2>, packed},
      {"vadd4", integer, bind_video<Video::add, 4>, packed},
      {"vsub2", integer, bind_video<Video::sub, 2>, packed},
      {"vsub4", integer, bind_video<Video::sub, 4>, packed},
      {"vavrg2", integer, bind_video<Video::average, 2>, packed},
      {"vavrg4", integer, bind_video<Video::average, 4>, packed},
      {"vabsdiff2", integer, bind_video<Video::difference, 2>, packed},
      {"vabsdiff4", integer, bind_video<Video::difference, 4>, packed},
      {"vmin2", integer, bind_video<Video::min, 2>, packed},
      {"vmin4", integer, bind_video<Video::min, 4>, packed},
      {"vmax2", integer, bind_video<Video::max, 2>, packed},
      {"vmax4", integer, bind_video<Video::max, 4>, packed},
      {"vset2", integer, bind_vset<2>, ".{u,s}32 x2 with a comparison, .add"},
      {"vset4", integer, bind_vset<4>, ".{u,s}32 x2 with a comparison, .add"},
      {"vadd", integer, nullptr, scalar},
      {"vsub", integer, nullptr, scalar},
      {"vabsdiff", integer, nullptr, scalar},
      {"vmin", integer, nullptr, scalar},
      {"vmax", integer, nullptr, scalar},
      {"vshl", integer, nullptr, scalar},
      {"vshr", integer, nullptr, scalar},
      {"vmad", integer, nullptr, scalar},
      {"vset", integer, nullptr, scalar},
  };
  return rows;
}

}  // namespace sim
