// sured: lanes go one after the other, each one atomic operation of the host.
#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/image/surface.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/memory/atomic_values.hpp"

namespace aisp::sim {
namespace {

template <class Operation>
void combine(std::byte* where, std::uint64_t value) {
  using T = typename Operation::Value;
  T* const at = reinterpret_cast<T*>(where);
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, Operation::apply(old, static_cast<T>(value), true),
                                      false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    continue;
}

using Combine = void (*)(std::byte*, std::uint64_t);

// Combine of the form, or, of .p, as the channels of the surface are signed or not.
template <Combine as_unsigned, Combine as_signed>
Flow run_reduce(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<SurfaceForm>(op);
  const Ref value = *warp.list(op);
  for (Mask left = mask; left != 0;) {
    Mask same = left;
    const TexelImage& image = object_of(warp, op, same, true).image;
    left &= ~same;
    if (form.formatted && (image.format.bytes() != 4 || image.format.bits != 32 ||
                           image.format.kind == ChannelKind::floating))
      throw Fault{FaultKind::illegal_instruction,
                  "sured.p needs a surface of one 32-bit integer per texel", 0,
                  std::countr_zero(same)};
    const bool is_signed = form.formatted && image.format.kind == ChannelKind::is_signed;
    const SurfacePlace place = locate_surface(warp, op, same, image, form,
                                              {.access = Access::atomic,
                                               .order = MemoryOrder::relaxed,
                                               .scope = Scope::gpu,
                                               .bytes = form.bytes,
                                               .path = MemoryPath::surface});
    for (Mask rest = place.inside; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t b =
          form.wide ? warp.read<std::uint64_t>(value)[lane] : warp.read<std::uint32_t>(value)[lane];
      (is_signed ? as_signed : as_unsigned)(place.at[lane], b);
    }
    wrote(warp);
  }
  return Flow::next;
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class Operation>
constexpr Handler one = run_reduce<combine<Operation>, combine<Operation>>;
template <class Unsigned, class Signed>
constexpr Handler by_format = run_reduce<combine<Unsigned>, combine<Signed>>;

enum class ReduceOp : std::uint8_t { add, min, max, and_, or_ };
constexpr Word<ReduceOp> reduce_words[] = {
    {"add", ReduceOp::add},  {"min", ReduceOp::min}, {"max", ReduceOp::max},
    {"and", ReduceOp::and_}, {"or", ReduceOp::or_},
};

struct ReduceRow {
  ReduceOp operation;
  Type type;
  bool formatted;
  Handler run;
};
constexpr ReduceRow reductions[] = {
    {ReduceOp::add, Type::u32, false, one<AtomicAdd<u32>>},
    {ReduceOp::add, Type::s32, false, one<AtomicAdd<u32>>},
    {ReduceOp::add, Type::u64, false, one<AtomicAdd<u64>>},
    {ReduceOp::min, Type::u32, false, one<AtomicMin<u32>>},
    {ReduceOp::min, Type::s32, false, one<AtomicMin<s32>>},
    {ReduceOp::min, Type::u64, false, one<AtomicMin<u64>>},
    {ReduceOp::min, Type::s64, false, one<AtomicMin<s64>>},
    {ReduceOp::max, Type::u32, false, one<AtomicMax<u32>>},
    {ReduceOp::max, Type::s32, false, one<AtomicMax<s32>>},
    {ReduceOp::max, Type::u64, false, one<AtomicMax<u64>>},
    {ReduceOp::max, Type::s64, false, one<AtomicMax<s64>>},
    {ReduceOp::and_, Type::b32, false, one<AtomicAnd<u32>>},
    {ReduceOp::or_, Type::b32, false, one<AtomicOr<u32>>},
    {ReduceOp::add, Type::b32, true, one<AtomicAdd<u32>>},
    {ReduceOp::min, Type::b32, true, by_format<AtomicMin<u32>, AtomicMin<s32>>},
    {ReduceOp::max, Type::b32, true, by_format<AtomicMax<u32>, AtomicMax<s32>>},
    {ReduceOp::and_, Type::b32, true, one<AtomicAnd<u32>>},
    {ReduceOp::or_, Type::b32, true, one<AtomicOr<u32>>},
};

}  // namespace

void bind_sured(Binding& b) {
  SurfaceForm form;
  form.formatted = b.accept("p");
  if (!form.formatted) b.expect("b");
  const ReduceOp operation = b.one_of(reduce_words, ".add, .min, .max, .and or .or is missing");
  form.geometry = take_surface_geometry(b, false);
  const Type type = b.type();
  form.bounds = take_bounds(b);
  for (const ReduceRow& row : reductions)
    if (row.operation == operation && row.type == type && row.formatted == form.formatted)
      b.op.run = row.run;
  if (b.op.run == nullptr) b.refuse("no such operation on this type");
  form.bytes = static_cast<std::uint8_t>(bits_of(type) / 8);
  form.wide = form.bytes == 8;
  b.expect_operands(2, 2);
  b.list(b.read(b.parts(b.operand(1)).front(), type));
  form.coordinates = bind_coordinates(b, b.operand(0), form.geometry, Type::s32);
  set_form(b.op, form);
}

}  // namespace aisp::sim
