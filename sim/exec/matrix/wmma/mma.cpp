// wmma.mma: the product of fragments, which lie as mma's tiles do.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/number/format.hpp"
#include "sim/exec/matrix/product/product.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/wmma/form.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

constexpr int max_elements = 512;

struct Fragment2D {
  WmmaShape shape;
  WmmaRole role{};
  Type type{};
  const Ref* refs = nullptr;

  // One-bit elements count by the word.
  int per() const { return type == Type::b1 || type == Type::f64 ? 1 : 32 / register_bits(type); }
  WmmaShape counted() const {
    return type == Type::b1 ? WmmaShape{shape.m, shape.n, shape.k / 32} : shape;
  }
  int rows() const { return role == WmmaRole::b ? counted().k : shape.m; }
  int columns() const { return role == WmmaRole::a ? counted().k : shape.n; }
  int registers() const { return rows() * columns() / (lanes * per()); }  // without repeated ones
  int place(int lane, int reg, int at) const {
    const MatrixElement place = role == WmmaRole::a   ? wmma_a(counted(), lane, reg, at, per())
                                : role == WmmaRole::b ? wmma_b(counted(), lane, reg, at, per())
                                                      : wmma_c(shape, lane, reg * per() + at);
    return place.row * columns() + place.column;
  }
};

template <class Element>
void read(const Warp& warp, const Fragment2D& from, Element* to) {
  const int bits = static_cast<int>(8 * sizeof(Element)) / from.per();
  for (int reg = 0; reg < from.registers(); ++reg) {
    const Element* words = warp.read<Element>(from.refs[reg]);
    for (int lane = 0; lane < lanes; ++lane) {
      if constexpr (std::is_same_v<Element, double>) {
        to[from.place(lane, reg, 0)] = words[lane];
      } else {
        for (int at = 0; at < from.per(); ++at)
          to[from.place(lane, reg, at)] = words[lane] >> at * bits & ~Element{0} >> (32 - bits);
      }
    }
  }
}

template <class Element>
void write(Warp& warp, const Fragment2D& to, Mask mask, const Element* from) {
  const int bits = static_cast<int>(8 * sizeof(Element)) / to.per();
  for (int reg = 0; reg < to.registers(); ++reg) {
    if (to.refs[reg] == no_ref) continue;
    Element* words = warp.write<Element>(to.refs[reg]);
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      if constexpr (std::is_same_v<Element, double>) {
        words[lane] = from[to.place(lane, reg, 0)];
      } else {
        Element word = 0;
        for (int at = 0; at < to.per(); ++at) word |= from[to.place(lane, reg, at)] << at * bits;
        words[lane] = word;
      }
    }
  }
}

void widen_halves(std::uint32_t* codes, int count) {
  for (int i = 0; i < count; ++i)
    codes[i] = std::bit_cast<std::uint32_t>(static_cast<float>(base::decode<base::f16>(codes[i])));
}

void narrow_to_halves(std::uint32_t* codes, int count) {
  for (int i = 0; i < count; ++i) {
    const float value = std::bit_cast<float>(codes[i]);
    codes[i] = value != value ? 0x7fffu : base::encode<base::f16>(value);
  }
}

void multiply(const Warp& warp, const WmmaForm& form, const MatrixProduct& product) {
  if (form.a == Type::b1) return multiply_bits(product, form.exclusive_or);
  if (is_integer(form.a)) return multiply_integers(product, form.a, form.b, form.saturate);
  FloatRule rule = float_rule(warp.block->grid->device->tensor, form.a, false);
  if (form.a == Type::tf32) rule.terms = std::min(rule.terms, 4);  // done as m16n8k4
  const bool halves = form.c == Type::f16 && form.d == Type::f16;
  const int count = product.m * product.n;
  if (!halves && form.c == Type::f16) widen_halves(product.c, count);
  multiply_floats(product, form.a, form.b, halves ? Type::f16 : Type::f32, rule);
  if (!halves && form.d == Type::f16) narrow_to_halves(product.c, count);
}

}  // namespace

Flow run_wmma_mma(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<WmmaForm>(op);
  const WmmaShape shape = wmma_shapes()[form.shape].shape;
  const Ref* refs = warp.list(op);
  const auto take = [&](WmmaRole role, Type type) {
    const Fragment2D fragment{shape, role, type, refs};
    refs += wmma_registers(shape, role, type);
    return fragment;
  };
  const Fragment2D d = take(WmmaRole::accumulator, form.d), a = take(WmmaRole::a, form.a);
  const Fragment2D b = take(WmmaRole::b, form.b), c = take(WmmaRole::accumulator, form.c);
  if (form.a == Type::f64) {
    double in_a[8 * 4], in_b[4 * 8], in_c[8 * 8];
    read(warp, a, in_a);
    read(warp, b, in_b);
    read(warp, c, in_c);
    multiply_doubles(shape.m, shape.n, shape.k, in_a, in_b, in_c, form.round);
    write(warp, d, mask, in_c);
  } else {
    std::uint32_t in_a[max_elements], in_b[max_elements], in_c[max_elements];
    read(warp, a, in_a);
    read(warp, b, in_b);
    read(warp, c, in_c);
    multiply(warp, form,
             {.m = shape.m,
              .n = shape.n,
              .products = a.columns(),
              .k = b.rows(),
              .a = in_a,
              .b = in_b,
              .c = in_c});
    write(warp, d, mask, in_c);
  }
  warp.counters->tensor_operations += 2ull * shape.m * shape.n * shape.k;
  return Flow::next;
}

}  // namespace aisp::sim
