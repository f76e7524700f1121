// Every operation of tile programs: the table of docs/jit.md has exactly those that exist, and the
// kernel is within the error that the table states, special values included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/number/format.hpp"
#include "tests/jit/support/program_test.hpp"

namespace aisp::jit {

using testing::Memory;

namespace {

struct Function1 {
  const char* name;
  Tile (*of)(Arg);
  Number (*truth)(const Number&);
  const char* error;  // as the table writes it
  double (*most)(double);
};

double none(double) { return 0; }
double one(double) { return 1; }
double two(double) { return 2; }
double four(double) { return 4; }
double two_and_size(double x) { return 2 + std::fabs(x); }
double four_and_size(double x) { return 4 + std::fabs(x); }
double six_and_size(double x) { return 6 + std::fabs(x); }
double of_gelu(double x) { return 6 + 2 * x * x; }
double of_gelu_tanh(double x) { return 8 + std::fabs(x * x * x); }

// Conditions become 0 and 1 in memory.
#define AISP_FUNCTION(name, error, most)                                                       \
  {                                                                                            \
#name, [](Arg x) { return name(x); }, [](const Number& x) { return name(x); }, error, most \
  }
const std::vector<Function1> functions{
    AISP_FUNCTION(abs, "0", none),
    AISP_FUNCTION(exp, "2 + abs(x)", two_and_size),
    AISP_FUNCTION(exp2, "2", two),
    AISP_FUNCTION(expm1, "1", one),
    AISP_FUNCTION(log, "1", one),
    AISP_FUNCTION(log2, "1", one),
    AISP_FUNCTION(log1p, "1", one),
    AISP_FUNCTION(sqrt, "0", none),
    AISP_FUNCTION(rsqrt, "2", two),
    AISP_FUNCTION(tanh, "2", two),
    AISP_FUNCTION(sigmoid, "4 + abs(x)", four_and_size),
    AISP_FUNCTION(erf, "2", two),
    AISP_FUNCTION(erfc, "4", four),
    AISP_FUNCTION(sin, "2", two),
    AISP_FUNCTION(cos, "2", two),
    AISP_FUNCTION(floor, "0", none),
    AISP_FUNCTION(ceil, "0", none),
    AISP_FUNCTION(round, "0", none),
    AISP_FUNCTION(trunc, "0", none),
    AISP_FUNCTION(relu, "0", none),
    AISP_FUNCTION(silu, "6 + abs(x)", six_and_size),
    AISP_FUNCTION(gelu, "6 + 2 x^2", of_gelu),
    AISP_FUNCTION(gelu_tanh, "8 + abs(x)^3", of_gelu_tanh),
    AISP_FUNCTION(softplus, "4 + abs(x)", four_and_size),
    AISP_FUNCTION(reciprocal, "2", two),
    AISP_FUNCTION(square, "0", none),
    AISP_FUNCTION(sign, "0", none),
    AISP_FUNCTION(isnan, "0", none),
    AISP_FUNCTION(isinf, "0", none),
    AISP_FUNCTION(isfinite, "0", none),
};

// Of two and three operands; the third is x + 1.5.
struct Function3 {
  const char* name;
  Tile (*of)(Arg, Arg, Arg);
  Number (*truth)(const Number&, const Number&, const Number&);
  const char* error;
  double most;
};
#define AISP_OPERATOR(name, expression, error, most)                                              \
  {                                                                                               \
    name, [](Arg a, [[maybe_unused]] Arg b, [[maybe_unused]] Arg c) { return Tile(expression); }, \
        [](const Number& a, [[maybe_unused]] const Number& b,                                     \
           [[maybe_unused]] const Number& c) -> Number { return expression; },                    \
        error, most                                                                               \
  }
const std::vector<Function3> operators{
    AISP_OPERATOR("+", a + b, "0", 0),
    AISP_OPERATOR("-", a - b, "0", 0),
    AISP_OPERATOR("*", a* b, "0", 0),
    AISP_OPERATOR("/", a / b, "2", 2),
    AISP_OPERATOR("pow", pow(a, b), "4", 4),
    AISP_OPERATOR("max", max(a, b), "0", 0),
    AISP_OPERATOR("min", min(a, b), "0", 0),
    AISP_OPERATOR("max", max(a, 0), "0", 0),  // an integer is a number
    AISP_OPERATOR("min", min(6, a), "0", 0),
    AISP_OPERATOR("clamp", clamp(a, -1, 2), "0", 0),
    AISP_OPERATOR("fma", fma(a, b, c), "0", 0),
    AISP_OPERATOR("where", where(a < b, c, 0), "0", 0),
};

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> table_of_docs() {
  const std::string text = file_text(AISP_SOURCE_DIR "/docs/jit.md");
  const std::string part = text.substr(text.find("### Operations"));
  const std::string rows = part.substr(0, part.find("\n### ", 10));
  std::map<std::string, std::string> table;
  const std::regex row(R"(\n\| (`.+?`) \| .* \| ([^|]*) (?=\|\n))"), name(R"(`([^`]+)`)");
  for (std::sregex_iterator at(rows.begin(), rows.end(), row), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator each(names.begin(), names.end(), name); each != end; ++each)
      table[(*each)[1]] = (*at)[2];
  }
  return table;
}

// What the headers declare: `Tile name(Arg …` and the makers of tiles.
std::set<std::string> declared() {
  std::set<std::string> names;
  const std::regex declaration(R"(\nTile (\w+|operator\S+)\()");
  for (const char* header : {"functions", "derived"}) {
    const std::string text =
        file_text(std::string(AISP_SOURCE_DIR "/jit/trace/") + header + ".hpp");
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
      std::string name = (*at)[1];
      if (name.starts_with("operator")) name = name.substr(8);
      names.insert(name == "||" ? "\\|\\|" : name);
    }
  }
  return names;
}

TEST(Operations, TheTableHasThoseThatExist) {
  const auto table = table_of_docs();
  std::set<std::string> written;
  for (const auto& [name, error] : table) written.insert(name);
  EXPECT_EQ(written, declared());
  for (const Function1& each : functions) EXPECT_EQ(table.at(each.name), each.error) << each.name;
  for (const Function3& each : operators) EXPECT_EQ(table.at(each.name), each.error) << each.name;
}

// Ulps between the kernel's result and the right one rounded to f32; 0 where both are NaN.
double ulps(double got, double right) {
  const double nearest = rounded(f32, right);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : INFINITY;
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) || got != 0 ? 0 : 0.25;
  if (std::isinf(nearest) || std::isinf(got)) return INFINITY;
  if (std::fabs(nearest) < 0x1p-126) return std::fabs(got) <= 0x1p-126 ? 0 : INFINITY;
  return std::fabs(got - nearest) / base::ulp(base::f32, nearest);
}

std::vector<double> arguments(bool wide) {
  std::vector<double> all{0.0,  -0.0,  1.0,      -1.0,          0.5,        -0.5,     1.5,
                          2.5,  -2.5,  INFINITY, -INFINITY,     NAN,        0x1p-126, 3e-5,
                          1e-7, -1e-7, 0x1p-24,  1.0 + 0x1p-23, 0.99999994, 8388609.0};
  if (wide)
    for (const double one :
         {1e10, -1e10, 3.0e38, 87.0, -87.0, 100.0, -104.0, 200.0, -200.0, 40000.0})
      all.push_back(one);
  std::mt19937 random(7);
  std::normal_distribution<double> near(0, 2), far(0, 20);
  while (all.size() < 500) all.push_back(all.size() % 4 == 0 ? far(random) : near(random));
  for (double& each : all) each = rounded(f32, each);
  return all;
}

class OperationsOnDevice : public testing::ProgramTest {
 protected:
  Memory given(const std::vector<double>& values) {
    return Memory(f32, {{static_cast<std::int64_t>(values.size())}, values});
  }
};

TEST_F(OperationsOnDevice, AreAsNearAsTheTableStates) {
  const std::vector<double> x = arguments(true), a = arguments(false);
  const auto count = static_cast<std::int64_t>(x.size()),
             all = static_cast<std::int64_t>(functions.size());
  std::vector<double> b = a;
  std::rotate(b.begin(), b.begin() + 123, b.end());
  const auto third = [](double value) { return rounded(f32, value + 1.5); };
  const auto pairs = static_cast<std::int64_t>(operators.size());
  const Program program = this->program(
      "operations", [&](Input<1> in, Input<1> left, Input<1> right, Output<2> y, Output<2> z) {
        auto first = blocks(in.extent(0), 128);
        auto v = in.load({first}, {128}), l = left.load({first}, {128}),
             r = right.load({first}, {128});
        for (int at = 0; at < static_cast<int>(functions.size()); ++at)
          y.store({at, first}, reshape(functions[static_cast<std::size_t>(at)].of(v), {1, 128}));
        for (int at = 0; at < static_cast<int>(operators.size()); ++at)
          z.store({at, first},
                  reshape(operators[static_cast<std::size_t>(at)].of(l, r, l + 1.5), {1, 128}));
      });
  const Memory in = given(x), left = given(a), right = given(b);
  const Memory y = output(f32, {all, count}), z = output(f32, {pairs, count});
  program(stream, in.tensor(), left.tensor(), right.tensor(), y.tensor(), z.tensor());
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const std::vector<double> got = y.values(), got_pairs = z.values();
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (std::size_t at = 0; at < x.size(); ++at) {
      const double truth = functions[f].truth(Number(x[at])).value();
      EXPECT_LE(ulps(got[f * x.size() + at], truth),
                std::isnan(x[at]) ? 0 : functions[f].most(x[at]))
          << functions[f].name << '(' << x[at] << ") = " << truth << ", got "
          << got[f * x.size() + at];
    }
  for (std::size_t f = 0; f < operators.size(); ++f)
    for (std::size_t at = 0; at < a.size(); ++at) {
      const double truth =
          operators[f].truth(Number(a[at]), Number(b[at]), Number(third(a[at]))).value();
      EXPECT_LE(ulps(got_pairs[f * a.size() + at], truth), operators[f].most)
          << operators[f].name << " of " << a[at] << " and " << b[at] << " = " << truth << ", got "
          << got_pairs[f * a.size() + at];
    }
}

// What reductions give for the elements of one row or column.
struct Line {
  double sum = 0, size = 0, prod = 1, mean = 0, var = 0, squares = 0, most = -INFINITY,
         least = INFINITY, log_sum_exp = 0;
  int argmax = 0, argmin = 0, over = 0;
};
Line line_of(const std::vector<double>& row) {
  Line made;
  for (std::size_t at = 0; at < row.size(); ++at) {
    made.sum += row[at], made.size += std::fabs(row[at]), made.prod *= row[at];
    if (row[at] > made.most) made.most = row[at], made.argmax = static_cast<int>(at);
    if (row[at] < made.least) made.least = row[at], made.argmin = static_cast<int>(at);
    made.over += row[at] > 1.2 ? 1 : 0;
  }
  made.mean = made.sum / static_cast<double>(row.size());
  for (const double each : row) {
    made.squares += (each - made.mean) * (each - made.mean);
    made.log_sum_exp += std::exp(each - made.most);
  }
  made.var = made.squares / static_cast<double>(row.size());
  made.log_sum_exp = std::log(made.log_sum_exp) + made.most;
  return made;
}

// Along rows (the rows schedule) and along columns (plain), in tensors whose ends are inside of a
// tile: mean and var count what is there.
TEST_F(OperationsOnDevice, ReduceAlongBothAxes) {
  constexpr std::int64_t rows = 5, columns = 77;
  host = {testing::random_tensor(f32, {rows, columns}, 11)};
  for (double& each : host[0].values) each = rounded(f32, 1 + each / 8);  // products stay small
  const Memory x(f32, host[0]);
  for (const int along : {1, 0}) {
    const std::int64_t lines = along == 1 ? rows : columns, length = along == 1 ? columns : rows;
    const Program program = this->program(
        along == 1 ? "along_rows" : "along_columns",
        [=](Input<2> in, Output<2> sums, Output<2> products, Output<2> means, Output<2> vars,
            Output<2> largest, Output<2> smallest, Output<2> first, Output<2> last, Output<2> some,
            Output<2> every, Output<2> exponents, Output<2> shares) {
          const Axis axis(along - 2);  // axis(-1) is the last one
          auto start = blocks(in.extent(1 - along), along == 1 ? 2 : 32);
          const Starts at = along == 1 ? Starts{start, 0} : Starts{0, start};
          auto v = in.load(at, along == 1 ? Sizes{2, whole} : Sizes{whole, 32});
          sums.store(at, sum(v, axis)), products.store(at, prod(v, axis));
          means.store(at, mean(v, axis)), vars.store(at, var(v, axis));
          largest.store(at, max(v, axis)), smallest.store(at, min(v, axis));
          first.store(at, argmax(v, axis)), last.store(at, argmin(v, axis));
          some.store(at, any(v > 1.2, axis)), every.store(at, all(v > 0.8, axis));
          exponents.store(at, log_sum_exp(v, axis)), shares.store(at, softmax(v, axis));
        });
    std::vector<Memory> made;
    std::vector<Tensor> tensors{x.tensor()};
    for (int at = 0; at < 12; ++at) {
      const std::int64_t kept = at == 11 ? length : 1;
      made.push_back(along == 1 ? output(f32, {lines, kept}) : output(f32, {kept, lines}));
      tensors.push_back(made.back().tensor());
    }
    program.launch(stream, tensors);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(program.inspect_for(tensors).schedule, along == 1 ? "rows" : "plain");
    const double unit = static_cast<double>(length) * 0x1p-24;  // n roundings
    for (std::int64_t line = 0; line < lines; ++line) {
      std::vector<double> row;
      for (std::int64_t at = 0; at < length; ++at)
        row.push_back(host[0].values[static_cast<std::size_t>(along == 1 ? line * columns + at
                                                                         : at * columns + line)]);
      const Line right = line_of(row);
      const auto got = [&](int which) {
        return made[static_cast<std::size_t>(which)].values()[static_cast<std::size_t>(line)];
      };
      EXPECT_NEAR(got(0), right.sum, unit * right.size);
      EXPECT_NEAR(got(1), right.prod, unit * std::fabs(right.prod));
      EXPECT_NEAR(got(2), right.mean, unit * right.size / static_cast<double>(length) + 0x1p-22);
      EXPECT_NEAR(got(3), right.var, unit * (right.var + right.size * 0x1p-20) + 0x1p-24);
      EXPECT_EQ(got(4), right.most);
      EXPECT_EQ(got(5), right.least);
      EXPECT_EQ(got(6), right.argmax);
      EXPECT_EQ(got(7), right.argmin);
      EXPECT_EQ(got(8), right.over > 0 ? 1 : 0);
      EXPECT_EQ(got(9), right.least > 0.8 ? 1 : 0);
      EXPECT_NEAR(got(10), right.log_sum_exp, unit + 0x1p-20);
      for (std::int64_t at = 0; at < length; ++at) {
        const double share = made[11].values()[static_cast<std::size_t>(
            along == 1 ? line * columns + at : at * columns + line)];
        const double wanted = std::exp(row[static_cast<std::size_t>(at)] - right.log_sum_exp);
        EXPECT_NEAR(share, wanted, wanted * (unit + 0x1p-20));
      }
    }
  }
}

// Rows of -inf, which a mask leaves, with one infinity, and with a NaN.
TEST_F(OperationsOnDevice, LogSumExpOfInfinities) {
  constexpr double inf = INFINITY;
  host = {{{5, 4}, {-inf, -inf, -inf, -inf,  //
                    -inf, 1,    -inf, 1,     //
                    0,    inf,  -inf, 3,     //
                    inf,  inf,  inf,  inf,   //
                    NAN,  -inf, 2,    inf}}};
  const Memory x(f32, host[0]);
  const Program program =
      this->program("log_sum_exp_of_infinities", [](Input<2> in, Output<2> out) {
        auto row = blocks(in.extent(0), 2);
        out.store({row, 0}, log_sum_exp(in.load({row, 0}, {2, whole}), axis(1)));
      });
  Memory made = output(f32, {5, 1});
  program(stream, x.tensor(), made.tensor());
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const std::vector<double> got = made.values();
  EXPECT_EQ(got[0], -inf);
  EXPECT_NEAR(got[1], 1 + std::log(2.0), 0x1p-20);
  EXPECT_EQ(got[2], inf);
  EXPECT_EQ(got[3], inf);
  EXPECT_TRUE(std::isnan(got[4]));
}

}  // namespace
}  // namespace aisp::jit
