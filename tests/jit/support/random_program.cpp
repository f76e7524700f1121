#include "tests/jit/support/random_program.hpp"

#include "base/refuse.hpp"

namespace aisp::jit::testing {

static const int array_numbers[64] = {};
static const Array<int> numbers(array_numbers, 64, "numbers");

static HostTensor array_tensor() {
  HostTensor tensor{{64}, {}};
  for (int at = 0; at < 64; ++at) tensor.values.push_back(at * 7 % 13 - 6);
  return tensor;
}

// Rows of (r, w) tiles; every third one reduces along columns too, which the plain schedule takes.
static auto two_axes(int seed, int rows, int width, bool plain) {
  return [=](Input<2> a, Input<2> b, Input<1> c, Output<2> y, Output<2> z) {
    RandomProgram random(seed);
    auto row = blocks(y.extent(0), rows);
    const Size columns = width == 0 ? Size(whole) : Size(width);
    auto [r, start] =
        std::pair(row, width == 0 ? Index(IndexArg(0).id()) : blocks(y.extent(1), width));
    auto u = a.load({r, start}, {rows, columns}), v = b.load({r, start}, {rows, columns});
    auto w = c.load({start}, {columns});
    auto position = iota({rows, u.extents()[1]}, axis(1));
    auto result = random.elementwise({u, v, u + w, to(numbers[position % 64], f32) * 0.1}, {u, v},
                                     3 + random.below(7), true);
    if (plain) result = result - sum(tanh(result), axis(0)) * 0.1 + transpose(transpose(v));
    y.store({r, start}, result);
    z.store({r, start}, max(result, axis(1)) + w * 0.5);
  };
}

static auto one_axis(int seed, int width) {
  return [=](Input<1> a, Input<1> b, Output<1> y) {
    RandomProgram random(seed);
    auto start = blocks(y.extent(0), width);
    auto u = a.load({start}, {width}), v = b.load({start}, {width});
    auto before = a.load({start - 1}, {width});  // one to the left: element 0 is outside
    y.store_part({start},
                 random.elementwise({u, v, before}, {u, v, before}, 2 + random.below(8), false));
  };
}

static auto three_axes(int seed, int middle) {
  return [=](Input<3> a, Input<2> b, Output<3> y) {
    RandomProgram random(seed);
    auto [i, j] = blocks({y.extent(0), y.extent(1)}, {2, middle});
    auto u = a.load({i, j, 0}, {2, middle, whole});
    auto v = b.load({j, 0}, {middle, whole});
    y.store({i, j, 0}, random.elementwise({u, u + v}, {u}, 2 + random.below(6), true));
  };
}

static auto product(int seed, int m, int n, int k) {
  return [=](Input<2> a, Input<2> b, Input<1> bias, Output<2> d) {
    RandomProgram random(seed);
    auto [i, j] = blocks({d.extent(0), d.extent(1)}, {m, n});
    const bool exponentials = random.below(2) == 0;
    auto sums = loop(a.extent(1), k, zeros({m, n}), [&](Index at, Tile sums) {
      if (exponentials)  // operands that are computed, and not 0 outside
        return dot(exp(min(a.load({i, at}, {m, k}), 1.0)) * 0.1, transpose(b.load({j, at}, {n, k})),
                   sums);
      return dot(a.at({i, at}, {m, k}), transpose(b.at({j, at}, {n, k})), sums);
    });
    auto v = sums * 0.05 + bias.load({j}, {n});
    d.store({i, j}, random.elementwise({v}, {bias.load({j}, {n})}, 1 + random.below(4),
                                       random.below(2) == 0));
  };
}

Trial random_trial(int seed) {
  RandomProgram random(seed * 7919 + 1);
  const auto lying = [&](bool rows) {
    return random.below(2) == 0 ? Lying{} : Lying{random.below(5), rows ? random.below(4) : 0};
  };
  const std::string name = base::say("random", seed);
  std::vector<Lying> places;
  Signature signature;
  const auto tensor = [&](Element element, std::vector<std::int64_t> extents) {
    places.push_back(lying(extents.size() > 1));
    signature.tensors.push_back(facts(element, std::move(extents), places.back()));
  };
  // Outputs in a format that holds what comes out; e4m3 and s8 saturate on both sides alike.
  const std::int64_t rows = 1 + random.below(7),
                     columns = 1 + random.below(random.below(3) == 0 ? 1500 : 90);
  switch (random.below(5)) {
    case 0:
    case 1: {
      for (int at = 0; at < 2; ++at) tensor(random.element(), {rows, columns});
      tensor(random.element(), {columns});
      for (int at = 0; at < 2; ++at) tensor(random.element(), {rows, columns});
      const int width = random.below(3) == 0 ? 1 << random.below(8) : 0;
      return trial(Program(name, two_axes(seed, 1 + random.below(4), width,
                                          columns < 200 && random.below(3) == 0)),
                   signature, places, seed, {array_tensor()});
    }
    case 2:
      for (int at = 0; at < 3; ++at) tensor(random.element(), {columns * 3});
      return trial(Program(name, one_axis(seed, 1 + random.below(600))), signature, places, seed);
    case 3:
      tensor(random.element(), {3, rows, columns});
      tensor(random.element(), {rows, columns});
      tensor(random.element(), {3, rows, columns});
      return trial(Program(name, three_axes(seed, 1 + random.below(3))), signature, places, seed);
    default: {
      const std::int64_t m = 1 + random.below(20), n = 1 + random.below(20),
                         k = 1 + random.below(40);
      const Element operands = random.element();
      tensor(operands, {m, k});
      tensor(operands, {n, k});
      tensor(f32, {n});
      tensor(random.element(), {m, n});
      return trial(Program(name, product(seed, 8, 1 + random.below(16), 8)), signature, places,
                   seed);
    }
  }
}

namespace {

class SpecialProgram {
 public:
  explicit SpecialProgram(int seed) : random_(static_cast<unsigned>(seed) * 2654435761u) {}

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  double number() { return special_numbers[random_() % special_numbers.size()]; }
  Element element() {
    constexpr Element all[] = {f32, f32, f32, f16, bf16, e4m3, e5m2, s8};
    return all[below(8)];
  }

  // Signs of zeros show in quotients; constants of one program are compared with each other only
  // where several of them are in it.
  Tile step(const Tile& a, const Tile& b) {
    const double c = number(), d = number();
    switch (below(20)) {
      case 0:
        return where(a > c, b, d);
      case 1:
        return where(a == a, c, d);
      case 2:
        return where(a < b, c, d);
      case 3:
        return min(a, c);
      case 4:
        return max(a, c);
      case 5:
        return min(max(a, c), d);
      case 6:
        return min(a, b) + max(b, a);
      case 7:
        return a + c;
      case 8:
        return a - c;
      case 9:
        return a * c + b;
      case 10:
        return a / c;
      case 11:
        return 1.0 / a;
      case 12:
        return abs(a) * d;
      case 13:
        return -a;
      case 14:
        return a + -full(whole_row(a), c);
      case 15:
        return to(to(a, s32), f32) + to(to(full(whole_row(a), c), s32), f32) * 0.5;
      case 16:
        return to(a, element()) * 1.0;
      case 17:
        return sqrt(a);
      case 18:
        return below(2) == 0 ? b + max(a, axis(1)) : b + min(a, axis(1));
      default:
        return where(to(Arg(c), s8) == to(a, s8), a, to(Arg(d), bf16));
    }
  }

 private:
  static Sizes whole_row(const Tile& tile) { return {1, tile.extents()[1]}; }
  std::mt19937 random_;
};

}  // namespace

static auto special(int seed) {
  return [=](Input<2> a, Input<2> b, Output<2> x, Output<2> y, Output<2> z) {
    SpecialProgram random(seed);
    auto row = blocks(x.extent(0), 1);
    std::vector<Tile> pool{a.load({row, 0}, {1, whole}), b.load({row, 0}, {1, whole})};
    const auto any = [&] {
      return pool[static_cast<std::size_t>(random.below(static_cast<int>(pool.size())))];
    };
    for (int step = 0; step < 7; ++step) {
      const Tile one = any(), other = any();
      pool.push_back(random.step(one, other));
    }
    x.store({row, 0}, pool[4]);
    y.store({row, 0}, pool[6]);
    z.store({row, 0}, pool.back());
  };
}

Trial special_trial(int seed) {
  SpecialProgram random(seed + 1000);
  const std::vector<std::int64_t> extents{3, 40 + random.below(30)};
  Signature signature;
  for (int at = 0; at < 5; ++at) signature.tensors.push_back(facts(random.element(), extents));
  Trial made = trial(Program(base::say("special", seed), special(seed)), signature,
                     {{}, {}, {}, {}, {}}, seed);
  for (std::size_t at = 0; at < 2; ++at)
    made.tensors[at] = special_tensor(signature.tensors[at].element, extents,
                                      static_cast<unsigned>(seed) * 2 + static_cast<unsigned>(at));
  return made;
}

}  // namespace aisp::jit::testing
