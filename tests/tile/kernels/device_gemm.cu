// The library's one call: every recipe by its name, then the choice of gemm() for all types,
// majors, batches, ragged and unaligned shapes, and grouped products, against float64. Prints "ok"
// and returns 0 when all is right.
#include <memory>

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/gemm/grouped.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;
using namespace tile::device;
using tile::bytes_of;
using TestMatrix = gemm_test::Matrix;
using tile::Activation;
using tile::device::KernelDescription;

struct Asked {
  Element a = Element::bf16, b = Element::bf16, d = Element::bf16;
  Major a_major = Major::k, b_major = Major::k, d_major = Major::k;
  Size size{};
  float alpha = 1, beta = 0;
  bool bias = false;
  Activation activation = Activation::none;
  bool aligned = true;  // else lines of odd length, from an odd element on
};

// The operands of a product in device memory, and D poisoned.
class Product {
 public:
  explicit Product(const Asked& asked)
      : asked_(asked),
        a_(made(asked.a, asked.a_major, asked.size.m, asked.size.k)),
        b_(made(asked.b, asked.b_major, asked.size.n, asked.size.k)),
        c_(made(asked.d, asked.d_major, asked.size.m, asked.size.n)),
        d_(made(asked.d, asked.d_major, asked.size.m, asked.size.n)),
        bias_(std::make_unique<TestMatrix>(asked.d, 1, 1, asked.size.n, asked.size.n, 1, 0)) {
    a_->fill(1, asked.size.batch);
    b_->fill(2, asked.size.batch);
    if (asked.d != Element::s32) c_->fill(3, asked.size.batch);
    if (asked.bias) bias_->fill(4, 1);
    for (auto* matrix : {&a_, &b_, &c_, &d_, &bias_}) (*matrix)->upload();
  }

  GemmProblem problem() const {
    const Size& size = asked_.size;
    return {.m = size.m,
            .n = size.n,
            .k = size.k,
            .batch = size.batch,
            .a = described(*a_, asked_.a_major),
            .b = described(*b_, asked_.b_major),
            .c = described(*c_, asked_.d_major),
            .d = described(*d_, asked_.d_major),
            .alpha = asked_.alpha,
            .beta = asked_.beta,
            .bias = {.data = asked_.bias ? bias_->data() : nullptr},
            .activation = asked_.activation};
  }
  void check(const std::string& what) {
    require(cudaDeviceSynchronize(), what.c_str());
    d_->download();
    const auto finish = [&](DotProduct sum, int batch, int row, int column) {
      const bool exact = asked_.a == Element::s8 && asked_.b == Element::s8;
      const double alpha = asked_.alpha;
      DotProduct all{alpha * sum.value, exact ? 0 : std::abs(alpha) * sum.error};
      const auto add = [&](double term) {
        all.error += 0x1p-23 * (std::abs(term) + std::abs(all.value));
        all.value += term;
      };
      if (asked_.beta != 0) add(asked_.beta * c_->at(batch, row, column));
      if (asked_.bias) add(bias_->at(0, 0, column));
      return activated(all);
    };
    const auto narrow = [](Element element) {
      return element == Element::e4m3 || element == Element::e5m2;
    };
    const auto fp8 = [](Numbers a, Numbers b) { return fp8_dot_product(a, b, a.size() + 32); };
    const bool cut = current_machine().architecture == 90;  // later ones keep all bits of a product
    if (cut && narrow(asked_.a) && narrow(asked_.b))
      check_each(what.c_str(), *a_, *b_, *d_, asked_.size.batch, fp8, finish);
    else
      check_each(what.c_str(), *a_, *b_, *d_, asked_.size.batch, dot_product, finish);
  }

 private:
  // No activation changes faster than 1.13 times its argument; the device's tanh adds 2^-12 of it.
  DotProduct activated(DotProduct x) const {
    const double v = x.value;
    switch (asked_.activation) {
      case Activation::relu:
        return {std::max(v, 0.0), x.error};
      case Activation::gelu:
        return {v / 2 * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))),
                1.13 * x.error + 0x1p-11 * std::abs(v)};
      case Activation::silu:
        return {v / (1 + std::exp(-v)), 1.13 * x.error + 0x1p-11 * std::abs(v)};
      default:
        return x;
    }
  }

  std::unique_ptr<TestMatrix> made(Element element, Major major, int rows, int columns) const {
    const int length = major == Major::k ? columns : rows,
              lines = major == Major::k ? rows : columns;
    const int unit = 16 / bytes_of(element);
    const std::int64_t line = asked_.aligned ? (ceil_div(length, unit) + 1) * unit : length + 3;
    const std::int64_t batch_stride = line * lines + (asked_.aligned ? 0 : 5);
    return std::make_unique<TestMatrix>(element, asked_.size.batch, rows, columns,
                                        major == Major::k ? line : 1, major == Major::k ? 1 : line,
                                        batch_stride, asked_.aligned ? 0 : 1);
  }
  static tile::device::Matrix described(const TestMatrix& matrix, Major major) {
    return {matrix.data(), matrix.element,
            major == Major::k ? matrix.row_stride : matrix.column_stride, major,
            matrix.batch_stride};
  }

  Asked asked_;
  std::unique_ptr<TestMatrix> a_, b_, c_, d_, bias_;
};

std::string label(const std::string& recipe, const Asked& asked) {
  const auto major = [](Major major) { return major == Major::k ? "" : "'"; };
  return base::say(recipe, ' ', name_of(asked.a), major(asked.a_major), " x ", name_of(asked.b),
                   major(asked.b_major), " -> ", name_of(asked.d), major(asked.d_major));
}

// More than one tile in each direction, more than one lap of the ring where that is cheap.
Asked asked_of(const KernelDescription& recipe) {
  const KernelDescription& config = recipe;
  const bool transposed = config.out_major == Major::mn;
  const bool stored_transposed = transposed && config.a != config.b;  // A and B cannot be exchanged
  // TMA stores whole 16 bytes; registers any number of columns.
  const int contiguous = config.tma_store ? 16 / bytes_of(config.out) : 13;
  const int rows = config.tile_m * config.cluster_m + (transposed ? contiguous : 7);
  const int columns = config.tile_n + (transposed ? 13 : contiguous);
  Asked asked{config.a, config.b, config.out, config.a_major, config.b_major};
  if (stored_transposed) asked.d_major = Major::mn;
  const bool exchanged = transposed && !stored_transposed;
  const int k = 3 * config.tile_k - 16 / bytes_of(config.b);
  asked.size = {exchanged ? columns : rows, exchanged ? rows : columns, k, 1};
  if (config.out != Element::s32) asked.alpha = 0.75f;
  if (recipe.epilogue.c && config.out != Element::s32 && !transposed) asked.beta = -0.5f;
  asked.bias = recipe.epilogue.bias != tile::BiasAlong::none;
  if (recipe.epilogue.activation) asked.activation = Activation::gelu;
  asked.aligned = recipe.family != Family::general;
  return asked;
}

void run_recipes() {
  const Machine machine = current_machine();
  for (const KernelDescription& recipe : gemm_recipes()) {
    const bool scaled = recipe.scaling != tile::Scaling::none;  // device_scaled_sm100a.cu
    if (!runs_on(recipe, machine) || scaled) continue;
    const Asked asked = asked_of(recipe);
    Product product(asked);
    const LaunchChoice launch{.raster = {tile::Raster::Along::n, 2},
                              .splits = recipe.schedule == ScheduleKind::whole_tiles ? 1 : 2};
    const Plan plan = plan_gemm(product.problem(), {recipe.name, launch});
    plan.run();
    plan.run();  // what the first run left in the workspace must not matter
    product.check(label(recipe.name, asked));
  }
}

void run_gemm(const Asked& asked) {
  Product product(asked);
  const std::string recipe = plan_gemm(product.problem()).choice().recipe;
  gemm(product.problem());
  product.check(label("gemm by " + recipe, asked));
}

void run_choices() {
  using enum Element;
  using enum Major;
  for (const Major a : {k, mn})
    for (const Major b : {k, mn})
      for (const Major d : {k, mn})
        run_gemm({bf16, bf16, bf16, a, b, d, {70, 40, 72, 1}, 0.5f, 2.0f});
  for (const int rows : {1, 3, 13}) run_gemm({.size = {rows, 136, 520, 1}});
  run_gemm({.size = {13, 72, 64, 1}, .alpha = 2, .beta = 1});
  run_gemm({.d_major = mn, .size = {40, 3, 80, 1}});
  run_gemm({f16, f16, f16, k, mn, k, {65, 48, 40, 3}, 1, 0.5f});
  run_gemm({tf32, tf32, f32, k, k, mn, {65, 48, 36, 2}});
  run_gemm({tf32, tf32, f32, mn, mn, k, {33, 20, 36, 1}});
  run_gemm({f32, f32, f32, k, mn, k, {33, 20, 36, 1}, 0.5f, 0.5f});
  run_gemm({e4m3, e5m2, bf16, k, k, mn, {33, 48, 80, 2}});
  run_gemm({s8, s8, s32, k, k, mn, {33, 48, 80, 2}});
  run_gemm({bf16, s8, bf16, k, k, k, {33, 48, 80, 1}});
  run_gemm({s8, bf16, bf16, k, k, k, {33, 48, 80, 1}});
  if (current_machine().architecture >= 89)  // rows of D are not aligned
    run_gemm({e4m3, e4m3, e4m3, k, k, k, {33, 49, 80, 1}, 0.125f});
  run_gemm({.size = {129, 137, 77, 2}, .alpha = 1, .beta = 1, .aligned = false});
  run_gemm({.d = f32, .size = {66, 51, 64, 1}});
  run_gemm({.size = {1, 1, 1, 1}, .aligned = false});
}

// By the rule: each architecture has kernels of its own for a bias and an activation, for aligned
// operands and for any others. One of the two alone goes to the same kernels.
void run_epilogues() {
  using enum Element;
  using enum Major;
  using enum Activation;
  for (const Element type : {bf16, f16})
    for (const Activation activation : {none, relu, gelu, silu})
      run_gemm({.a = type,
                .b = type,
                .d = type,
                .size = {70, 136, 72, 1},
                .alpha = 0.5f,
                .beta = 2,
                .bias = true,
                .activation = activation});
  run_gemm({.size = {200, 264, 136, 2}, .bias = true, .activation = silu});
  run_gemm({.size = {200, 264, 136, 1}, .activation = relu});
  run_gemm({.b_major = mn, .size = {40, 136, 80, 1}, .bias = true, .activation = gelu});
  run_gemm({.a_major = mn, .size = {40, 136, 80, 1}, .bias = true, .activation = gelu});
  run_gemm({.d_major = mn, .size = {40, 136, 80, 1}, .bias = true, .activation = gelu});
  run_gemm({.size = {70, 51, 64, 1}, .bias = true, .activation = gelu});
  run_gemm(
      {.size = {129, 137, 77, 2}, .beta = 1, .bias = true, .activation = silu, .aligned = false});
  for (const int rows : {1, 13, 70, 100})  // few rows, a long sum
    run_gemm({.size = {rows, 136, 1032, 1}, .bias = true, .activation = gelu});
}

// One B for a batch: folded into one product where the rows of A and D go on, else not.
void run_shared_weights(int rows_between) {
  const int batch = 3, m = 20, n = 24, k = 40;
  const auto rows = [&](Element element, int columns) {
    const std::int64_t stride = columns + 8;
    return std::make_unique<TestMatrix>(element, batch, m, columns, stride, 1,
                                        (m + rows_between) * stride);
  };
  const auto a = rows(Element::bf16, k), d = rows(Element::bf16, n);
  TestMatrix b(Element::bf16, batch, n, k, k, 1, 0);
  a->fill(1, batch);
  b.fill(2, 1);
  for (TestMatrix* matrix : {a.get(), &b, d.get()}) matrix->upload();
  GemmProblem problem{.m = m, .n = n, .k = k, .batch = batch};
  problem.a = {a->data(), a->element, a->row_stride, Major::k, a->batch_stride};
  problem.b = {b.data(), b.element, b.row_stride, Major::k, 0};
  problem.d = {d->data(), d->element, d->row_stride, Major::k, d->batch_stride};
  gemm(problem);
  require(cudaDeviceSynchronize(), "shared weights");
  d->download();
  check("shared weights", {m, n, k, batch}, *a, b, *d);
}

void run_groups(Element in, Element out) {
  const int rows[] = {130, 0, 1, 300, 0, 17};
  std::vector<std::unique_ptr<Product>> products;
  std::vector<GemmProblem> problems;
  int group = 0;
  for (const int m : rows) {
    const int unit = 16 / bytes_of(in);
    const Size size{std::max(m, 1), 40 + 96 * (group % 3), (5 + 9 * (group % 2)) * unit, 1};
    products.push_back(
        std::make_unique<Product>(Asked{.a = in, .b = in, .d = out, .size = size, .alpha = 0.5f}));
    problems.push_back(products.back()->problem());
    problems.back().m = m;
    ++group;
  }
  gemm_grouped(problems);
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (problems[i].m > 0) products[i]->check(base::say("group ", i, " in ", name_of(in)));
  gemm_grouped({});
  const GemmProblem& empty = problems[1];
  gemm_grouped({&empty, 1});
}

}  // namespace

int main() try {
  run_recipes();
  run_choices();
  run_epilogues();
  run_shared_weights(0);
  run_shared_weights(2);
  if (current_machine().architecture >= 90) {
    run_groups(Element::bf16, Element::bf16);
    run_groups(Element::f16, Element::f16);
    run_groups(Element::e4m3, Element::bf16);
  }
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
