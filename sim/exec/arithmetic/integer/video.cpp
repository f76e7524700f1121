// Video instructions on two or four packed values, with plain operands (no byte selection or
// merging): d = op per part, or with .add the sum of the full results plus c.
#include "sim/exec/arithmetic/integer/video.hpp"

#include <algorithm>

#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/form.hpp"

namespace aisp::sim {
namespace {

enum class Video { add, sub, average, difference, min, max, equal, unequal, lt, le, gt, ge };

// Which parts are signed, and what becomes of the result.
struct VideoForm {
  bool signed_result = false, signed_a = false, signed_b = false;
  bool saturate = false, sum = false;
};

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
u32 video_word(u32 a, u32 b, u32 c, const VideoForm& form) {
  constexpr int bits = 32 / parts;
  const int lowest = form.signed_result ? -(1 << (bits - 1)) : 0;
  const int highest = form.signed_result ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  u32 packed = 0, total = c;
  for (int part = 0; part < parts; ++part) {
    int value =
        video<what>(part_of(a, part, bits, form.signed_a), part_of(b, part, bits, form.signed_b));
    if (form.saturate) value = std::clamp(value, lowest, highest);
    packed |= (static_cast<u32>(value) & ((1u << bits) - 1)) << (part * bits);
    total += static_cast<u32>(value);
  }
  return form.sum ? total : packed;
}

template <Video what, int parts>
Flow run_video(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<VideoForm>(op);
  return map3<u32, u32>(
      warp, op, mask, [&](u32 a, u32 b, u32 c) { return video_word<what, parts>(a, b, c, form); });
}

void bind_words(Binding& b, const VideoForm& form) {
  set_form(b.op, form);
  bind_operands(b, Type::u32, {Type::u32, Type::u32, Type::u32});
}

bool take_sign(Binding& b) { return is_signed(b.type_of({Type::u32, Type::s32})); }

template <Video what, int parts>
void bind_video(Binding& b) {
  VideoForm form;
  form.signed_result = take_sign(b);
  form.signed_a = take_sign(b);
  form.signed_b = take_sign(b);
  form.saturate = b.accept("sat");
  form.sum = !form.saturate && b.accept("add");
  bind_words(b, form);
  b.op.run = run_video<what, parts>;
}

template <int parts>
void bind_vset(Binding& b) {
  VideoForm form;
  form.signed_a = take_sign(b);
  form.signed_b = take_sign(b);
  static constexpr Word<Handler> comparisons[] = {
      {"eq", run_video<Video::equal, parts>}, {"ne", run_video<Video::unequal, parts>},
      {"lt", run_video<Video::lt, parts>},    {"le", run_video<Video::le, parts>},
      {"gt", run_video<Video::gt, parts>},    {"ge", run_video<Video::ge, parts>},
  };
  const Handler run = b.one_of(comparisons, "needs one of .eq .ne .lt .le .gt .ge");
  form.sum = b.accept("add");
  bind_words(b, form);
  b.op.run = run;
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

}  // namespace aisp::sim
