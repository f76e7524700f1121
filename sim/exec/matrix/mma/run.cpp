#include "sim/exec/matrix/mma/run.hpp"

#include <algorithm>
#include <utility>

#include "base/number/format.hpp"
#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/matrix/mma/form.hpp"
#include "sim/exec/matrix/product/product.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/sparse.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {

namespace {

constexpr int max_rows = 16, max_columns = 8;

// One-bit elements go through whole words at a time.
int elements_per_register(Type type) { return type == Type::b1 ? 1 : 32 / register_bits(type); }
int words_of(Type type, int elements) { return type == Type::b1 ? elements / 32 : elements; }

std::uint32_t element_of(std::uint32_t word, int at, int bits) {
  return bits == 32 ? word : word >> at * bits & ((1u << bits) - 1);
}

struct Registers {  // of one operand
  const Ref* refs = nullptr;
  int count = 0;
};

// The maps of matrix/maps.hpp for all lanes: what they say of lane 0, and eight groups of four
// lanes from there. Asking them for every element would take longer than the product.
constexpr int group_of(int lane) { return lane / 4; }
constexpr int in_group(int lane) { return lane % 4; }

int load_a(const Warp& warp, const MmaForm& form, Registers from, std::uint32_t* a) {
  const int per = elements_per_register(form.a);
  const int width = words_of(form.a, form.products());
  for (int reg = 0; reg < from.count; ++reg) {
    const auto* words = warp.read<std::uint32_t>(from.refs[reg]);
    const MatrixElement first = mma_a(0, reg, 0, per, form.m);
    for (int lane = 0; lane < lanes; ++lane) {
      std::uint32_t* to =
          a + (first.row + group_of(lane)) * width + first.column + in_group(lane) * per;
      for (int at = 0; at < per; ++at) to[at] = element_of(words[lane], at, 32 / per);
    }
  }
  return width;
}

int load_b(const Warp& warp, const MmaForm& form, Registers from, std::uint32_t* b) {
  const int per = elements_per_register(form.b), n = form.n;
  for (int reg = 0; reg < from.count; ++reg) {
    const auto* words = warp.read<std::uint32_t>(from.refs[reg]);
    const MatrixElement first = mma_b(0, reg, 0, per);
    for (int lane = 0; lane < lanes; ++lane) {
      std::uint32_t* to =
          b + (first.row + in_group(lane) * per) * n + first.column + group_of(lane);
      for (int at = 0; at < per; ++at) to[at * n] = element_of(words[lane], at, 32 / per);
    }
  }
  return words_of(form.b, form.k());
}

void load_c(const Warp& warp, const MmaForm& form, Registers from, std::uint32_t* c) {
  const int per = elements_per_register(form.c);
  for (int reg = 0; reg < from.count; ++reg) {
    const auto* words = warp.read<std::uint32_t>(from.refs[reg]);
    const MatrixElement first = mma_c(0, reg * per, form.m);
    for (int lane = 0; lane < lanes; ++lane) {
      std::uint32_t* to =
          c + (first.row + group_of(lane)) * form.n + first.column + 2 * in_group(lane);
      for (int at = 0; at < per; ++at) to[at] = element_of(words[lane], at, 32 / per);
    }
  }
}

void store_d(Warp& warp, const MmaForm& form, Registers to, Mask mask, const std::uint32_t* c) {
  const int per = elements_per_register(form.d);
  for (int reg = 0; reg < to.count; ++reg) {
    if (to.refs[reg] == no_ref) continue;
    auto* words = warp.write<std::uint32_t>(to.refs[reg]);
    const MatrixElement first = mma_c(0, reg * per, form.m);
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const std::uint32_t* from =
          c + (first.row + group_of(lane)) * form.n + first.column + 2 * in_group(lane);
      words[lane] = per == 2 ? from[0] | from[1] << 16 : from[0];
    }
  }
}

struct Arrays {  // what a MatrixProduct points to
  std::uint32_t* a;
  std::uint32_t* b;
  std::uint8_t* index;
};

void fp8_to_f16(Type type, std::uint32_t* codes, int count) {
  for (int i = 0; i < count; ++i)
    codes[i] = base::encode<base::f16>(type == Type::e4m3 ? base::decode<base::e4m3>(codes[i])
                                                          : base::decode<base::e5m2>(codes[i]));
}

// Sorts the products of each row into those of the lower pairs of the registers and, behind them,
// those of the upper pairs.
void split_pairs(MatrixProduct& product, Arrays arrays) {
  const int count = product.products;
  for (int row = 0; row < product.m; ++row) {
    std::uint32_t* a = arrays.a + row * count;
    std::uint8_t* index = arrays.index + row * count;
    std::uint32_t codes[64];
    std::uint8_t rows[64];
    for (int at = 0; at < count; ++at) {
      const int to = at / 4 * 2 + at % 2 + at % 4 / 2 * (count / 2);
      codes[to] = a[at];
      rows[to] = product.index != nullptr ? index[at] : static_cast<std::uint8_t>(at);
    }
    std::copy_n(codes, count, a);
    std::copy_n(rows, count, index);
  }
  product.index = arrays.index;
}

// Tensor cores do mma.sync on fp8 as f16: one product of the lower pairs of the registers, one of
// the upper pairs, beginning with zero, and an ordinary addition of C. (wgmma is another unit.)
void multiply_fp8(MatrixProduct product, const MmaForm& form, Arrays arrays, FloatRule rule) {
  fp8_to_f16(form.a, arrays.a, product.m * product.products);
  fp8_to_f16(form.b, arrays.b, product.k * product.n);
  split_pairs(product, arrays);
  rule.terms = std::min(rule.terms, product.products / 2);
  std::uint32_t sums[max_rows * max_columns] = {};
  std::uint32_t* c = std::exchange(product.c, sums);
  multiply_floats(product, Type::f16, Type::f16, form.d, rule);
  add_accumulators(form.d, sums, c, product.m * product.n);
}

void multiply(const Warp& warp, const MmaForm& form, const MatrixProduct& product, Arrays arrays) {
  const FloatRule rule = float_rule(warp.block->grid->device->tensor, form.a, false);
  if (form.a == Type::b1)
    multiply_bits(product, form.exclusive_or);
  else if (is_integer(form.a))
    multiply_integers(product, form.a, form.b, form.saturate);
  else if (is_fp8(form.a))
    multiply_fp8(product, form, arrays, rule);
  else
    multiply_floats(product, form.a, form.b, form.d, rule);
}

struct Operands {
  Registers d, a, b, c;
};

// The list holds D, A, B and C one after the other; their sizes follow from the form.
Operands operands_of(const Warp& warp, const Op& op, const MmaForm& form) {
  Operands all;
  const Ref* next = warp.list(op);
  const auto take = [&](int count) {
    const Registers taken{next, count};
    next += count;
    return taken;
  };
  all.d = take(register_count(form.m, form.n, form.d));
  all.a = take(register_count(form.m, form.products(), form.a));
  all.b = take(register_count(form.n, form.k(), form.b));
  all.c = take(register_count(form.m, form.n, form.c));
  return all;
}

}  // namespace

Flow run_mma(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<MmaForm>(op);
  const Operands registers = operands_of(warp, op, form);
  alignas(32) std::uint32_t a[max_matrix_a], b[128 * max_columns], c[max_rows * max_columns];
  std::uint8_t index[max_matrix_a];
  MatrixProduct product{.m = form.m, .n = form.n};
  product.products = load_a(warp, form, registers.a, a);
  product.k = load_b(warp, form, registers.b, b);
  load_c(warp, form, registers.c, c);
  product.a = a;
  product.b = b;
  product.c = c;
  if (form.sparse) {
    sparse_index(form.a, form.k(), form.selector, warp.read<std::uint32_t>(op.a), index);
    product.index = index;
  }
  multiply(warp, form, product, {a, b, index});
  store_d(warp, form, registers.d, mask, c);
  warp.counters->tensor_operations += 2ull * form.m * form.n * form.k();
  return Flow::next;
}

Flow run_mma_double(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<MmaForm>(op);
  const Operands registers = operands_of(warp, op, form);
  double a[16 * 16], b[16 * 8], c[16 * 8];
  for (int lane = 0; lane < lanes; ++lane) {
    for (int reg = 0; reg < registers.a.count; ++reg) {
      const MatrixElement place = mma_a(lane, reg, 0, 1, form.m);
      a[place.row * form.k() + place.column] = warp.read<double>(registers.a.refs[reg])[lane];
    }
    for (int reg = 0; reg < registers.b.count; ++reg) {
      const MatrixElement place = mma_b(lane, reg, 0, 1);
      b[place.row * form.n + place.column] = warp.read<double>(registers.b.refs[reg])[lane];
    }
    for (int reg = 0; reg < registers.c.count; ++reg) {
      const MatrixElement place = mma_c(lane, reg, form.m);
      c[place.row * form.n + place.column] = warp.read<double>(registers.c.refs[reg])[lane];
    }
  }
  multiply_doubles(form.m, form.n, form.k(), a, b, c, static_cast<Round>(form.selector));
  for (int reg = 0; reg < registers.d.count; ++reg) {
    if (registers.d.refs[reg] == no_ref) continue;
    double* d = warp.write<double>(registers.d.refs[reg]);
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const MatrixElement place = mma_c(lane, reg, form.m);
      d[lane] = c[place.row * form.n + place.column];
    }
  }
  warp.counters->tensor_operations += 2ull * form.m * form.n * form.k();
  return Flow::next;
}

}  // namespace aisp::sim
