// multimem instructions on a multicast object of three devices: the result of every form, compared
// element by element with a reference in float64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "base/number/format.hpp"
#include "base/refuse.hpp"
#include "tests/sim/support/multicast_rig.hpp"

using namespace aisp;

namespace {

using base::say;
using namespace multicast_rig;

// ---- A type of the instructions: what its elements are, and the register that holds them.
struct TypeRow {
  const char* name;
  int register_bytes, element_bytes;
  std::vector<int> vectors;
  std::vector<const char*> operations;
  char letter;  // of registers
};
const std::vector<const char*> order = {"add", "min", "max"}, bits = {"and", "or", "xor"},
                               sum = {"add"}, extremes = {"min", "max"};
const TypeRow types[] = {
    {"b32", 4, 4, {1}, bits, 'r'},           {"b64", 8, 8, {1}, bits, 'd'},
    {"u32", 4, 4, {1}, order, 'r'},          {"s32", 4, 4, {1}, order, 'r'},
    {"u64", 8, 8, {1}, order, 'd'},          {"s64", 8, 8, {1}, extremes, 'd'},
    {"f32", 4, 4, {1, 2, 4}, sum, 'f'},      {"f64", 8, 8, {1}, sum, 'e'},
    {"f16", 2, 2, {2, 4, 8}, order, 'h'},    {"bf16", 2, 2, {2, 4, 8}, order, 'h'},
    {"f16x2", 4, 2, {1, 2, 4}, order, 'r'},  {"bf16x2", 4, 2, {1, 2, 4}, order, 'r'},
    {"e4m3", 1, 1, {4, 8}, order, 'c'},      {"e5m2", 1, 1, {4, 8}, order, 'c'},
    {"e4m3x2", 2, 1, {2, 4, 8}, order, 'h'}, {"e5m2x2", 2, 1, {2, 4, 8}, order, 'h'},
    {"e4m3x4", 4, 1, {1, 2, 4}, order, 'r'}, {"e5m2x4", 4, 1, {1, 2, 4}, order, 'r'},
};

bool starts(const std::string& text, const char* with) { return text.starts_with(with); }

// A float of the type's elements, as float64, and back by rounding to nearest even.
double value_of(const std::string& type, std::uint64_t code) {
  const auto narrow = static_cast<std::uint32_t>(code);
  if (starts(type, "f16")) return base::decode<base::f16>(narrow);
  if (starts(type, "bf16")) return base::decode<base::bf16>(narrow);
  if (starts(type, "e4m3")) return base::decode<base::e4m3>(narrow);
  if (starts(type, "e5m2")) return base::decode<base::e5m2>(narrow);
  if (type == "f32") return std::bit_cast<float>(narrow);
  return std::bit_cast<double>(code);
}
std::uint64_t code_of(const std::string& type, double value) {
  if (starts(type, "f16")) return base::encode<base::f16>(value);
  if (starts(type, "bf16")) return base::encode<base::bf16>(value);
  if (starts(type, "e4m3")) return base::encode<base::e4m3>(value);
  if (starts(type, "e5m2")) return base::encode<base::e5m2>(value);
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

// Of two elements; `precision` is the type in which sums are kept.
std::uint64_t combined(const TypeRow& type, const std::string& operation, std::uint64_t a,
                       std::uint64_t b) {
  const std::string name = type.name;
  if (operation == "and") return a & b;
  if (operation == "or") return a | b;
  if (operation == "xor") return a ^ b;
  const bool least = operation == "min";
  if (name[0] == 'u' || name[0] == 's') {
    if (operation == "add") return a + b;
    bool a_first = a < b;
    if (name == "s32") a_first = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    if (name == "s64") a_first = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    return a_first == least ? a : b;
  }
  const double x = value_of(name, a), y = value_of(name, b);
  if (operation == "add") return code_of(name, x + y);
  return (x < y) == least ? a : b;
}

// Elements whose sums need rounding and are finite; integers are all bits.
std::uint64_t random_element(const TypeRow& type, std::mt19937_64& random) {
  const std::string name = type.name;
  if (name[0] == 'u' || name[0] == 's' || (name[0] == 'b' && name[1] != 'f')) return random();
  const double exponent = std::uniform_int_distribution<int>(-4, 4)(random);
  const double fraction = std::uniform_real_distribution<double>(-1, 1)(random);
  return code_of(name, std::ldexp(fraction, static_cast<int>(exponent)));
}

std::uint64_t element_at(const std::byte* memory, const TypeRow& type, int index) {
  std::uint64_t code = 0;
  std::memcpy(&code, memory + index * type.element_bytes,
              static_cast<std::size_t>(type.element_bytes));
  return code;
}
void put_element(std::byte* memory, const TypeRow& type, int index, std::uint64_t code) {
  std::memcpy(memory + index * type.element_bytes, &code,
              static_cast<std::size_t>(type.element_bytes));
}

struct Form {
  const TypeRow& type;
  int vector;
  std::string operation, wide;  // wide: ".acc::f32"

  int lane_bytes() const { return type.register_bytes * vector; }
  int elements() const { return lanes_used * lane_bytes() / type.element_bytes; }
  std::string suffix() const {
    return (operation.empty() ? "" : "." + operation) + wide +
           (vector > 1 ? say(".v", vector) : "") + "." + type.name;
  }
  // %d0, %d1, %d9 and %d10 are addresses.
  std::string name(int i) const { return say("%", type.letter, type.letter == 'd' ? 12 : i + 1); }
  std::string registers() const {
    std::string all;
    for (int i = 0; i < vector; ++i) all += say(i > 0 ? ", " : "", name(i));
    return vector > 1 ? "{" + all + "}" : all;
  }
  // The lane's place behind an address, and its registers in or out of memory there.
  std::string place(const char* from, const char* to) const {
    return say("mad.wide.u32 ", to, ", %r0, ", lane_bytes(), ", ", from, ";\n");
  }
  std::string each(const std::function<std::string(std::string, int)>& line) const {
    std::string all;
    for (int i = 0; i < vector; ++i) all += line(name(i), i);
    return all;
  }
  std::string memory_type() const { return say(".b", 8 * type.register_bytes); }
};

void fill(std::byte* memory, const Form& form, std::mt19937_64& random) {
  for (int i = 0; i < form.elements(); ++i)
    put_element(memory, form.type, i, random_element(form.type, random));
}

void expect_elements(const std::byte* got, const Form& form,
                     const std::function<std::uint64_t(int)>& want, const std::string& what) {
  for (int i = 0; i < form.elements(); ++i) {
    std::uint64_t wanted = want(i);
    if (form.type.element_bytes < 8) wanted &= (1ull << 8 * form.type.element_bytes) - 1;
    ASSERT_EQ(element_at(got, form.type, i), wanted) << what << ", element " << i;
  }
}

class MultimemForms : public testing::TestWithParam<int> {
 protected:
  const TypeRow& type() const { return types[GetParam()]; }
};

class MultimemWiderSums : public MultimemForms {};   // of types that have a wider one
class MultimemReductions : public MultimemForms {};  // there are none of 8-bit floats

std::vector<int> types_where(const std::function<bool(const TypeRow&)>& fits) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(std::size(types)); ++i)
    if (fits(types[i])) found.push_back(i);
  return found;
}
std::string type_name(const testing::TestParamInfo<int>& info) { return types[info.param].name; }
INSTANTIATE_TEST_SUITE_P(Types, MultimemForms,
                         testing::Range(0, static_cast<int>(std::size(types))), type_name);
INSTANTIATE_TEST_SUITE_P(Types, MultimemWiderSums,
                         testing::ValuesIn(types_where([](const TypeRow& type) {
                           return type.element_bytes <= 2;
                         })),
                         type_name);
INSTANTIATE_TEST_SUITE_P(Types, MultimemReductions,
                         testing::ValuesIn(types_where([](const TypeRow& type) {
                           return type.element_bytes > 1;
                         })),
                         type_name);

// Every third element: the second device's part is lost beside the first one's in the wider
// precision too, and the third one's takes the first away again.
void lose_a_part(Rig& rig, const Form& form) {
  const std::string name = form.type.name;
  const int large = starts(name, "e4m3") ? 8 : 14, small = starts(name, "e4m3") ? -9 : -13;
  const double parts[team] = {std::ldexp(1, large), std::ldexp(1, small), -std::ldexp(1, large)};
  for (int i = 0; i < form.elements(); i += 3)
    for (int d = 0; d < team; ++d)
      put_element(rig.of_device[rig.range.team[static_cast<std::size_t>(d)]], form.type, i,
                  code_of(name, parts[d]));
}

void check_ld_reduce(const Form& form, const std::function<std::uint64_t(const Rig&, int)>& want) {
  std::mt19937_64 random(1);
  Rig rig;
  for (std::byte* memory : rig.of_device) fill(memory, form, random);
  if (!form.wide.empty()) lose_a_part(rig, form);
  const std::string body =
      form.place("%d0", "%d9") +
      say("multimem.ld_reduce", form.suffix(), " ", form.registers(), ", [%d9];\n") +
      form.place("%d1", "%d10") + form.each([&](const std::string& name, int i) {
        return say("st.global", form.memory_type(), " [%d10+", i * form.type.register_bytes, "], ",
                   name, ";\n");
      });
  ASSERT_EQ(rig.run(body), "") << body;
  expect_elements(
      rig.out, form, [&](int i) { return want(rig, i); }, form.suffix());
}

TEST_P(MultimemForms, LoadsReduceTheMemoryOfAllDevices) {
  for (const char* operation : type().operations)
    for (const int vector : type().vectors)
      check_ld_reduce({type(), vector, operation, ""}, [&](const Rig& rig, int i) {
        std::uint64_t all = element_at(rig.of_device[rig.range.team[0]], type(), i);
        for (int d = 1; d < team; ++d)
          all = combined(type(), operation, all,
                         element_at(rig.of_device[rig.range.team[d]], type(), i));
        return all;
      });
}

// Sums of three are exact in float64, and rounded to f32 or f16 after each step.
TEST_P(MultimemWiderSums, LoadsAddInAWiderPrecision) {
  const std::string name = type().name;
  const bool bytes = type().element_bytes == 1;
  for (const int vector : type().vectors)
    check_ld_reduce({type(), vector, "add", bytes ? ".acc::f16" : ".acc::f32"},
                    [&](const Rig& rig, int i) {
                      double all = value_of(name, element_at(rig.of_device[1], type(), i));
                      for (const int device : {2, 0}) {
                        all += value_of(name, element_at(rig.of_device[device], type(), i));
                        all = bytes ? value_of("f16", code_of("f16", all))
                                    : static_cast<double>(static_cast<float>(all));
                      }
                      return code_of(name, all);
                    });
}

TEST_P(MultimemForms, StoresReachTheMemoryOfAllDevices) {
  for (const int vector : type().vectors) {
    const Form form{type(), vector, "", ""};
    std::mt19937_64 random(2);
    Rig rig;
    fill(rig.out, form, random);
    const std::string body = form.place("%d1", "%d10") +
                             form.each([&](const std::string& name, int i) {
                               return say("ld.global", form.memory_type(), " ", name, ", [%d10+",
                                          i * type().register_bytes, "];\n");
                             }) +
                             form.place("%d0", "%d9") +
                             say("multimem.st", form.suffix(), " [%d9], ", form.registers(), ";\n");
    ASSERT_EQ(rig.run(body), "") << body;
    for (const std::byte* memory : rig.of_device)
      expect_elements(
          memory, form, [&](int i) { return element_at(rig.out, type(), i); }, form.suffix());
  }
}

TEST_P(MultimemReductions, ReachTheMemoryOfAllDevices) {
  const bool pair = type().register_bytes > type().element_bytes;
  for (const std::string operation : type().operations)
    for (const int vector : type().vectors) {
      if (pair && vector == 1 && operation != "add") continue;  // as vectors only
      const Form form{type(), vector, operation, ""};
      std::mt19937_64 random(3);
      Rig rig;
      for (std::byte* memory : rig.of_device) fill(memory, form, random);
      fill(rig.out, form, random);
      std::vector<std::vector<std::byte>> before;
      for (const std::byte* memory : rig.of_device) before.emplace_back(memory, memory + page);
      const std::string body =
          form.place("%d1", "%d10") + form.each([&](const std::string& name, int i) {
            return say("ld.global", form.memory_type(), " ", name, ", [%d10+",
                       i * type().register_bytes, "];\n");
          }) +
          form.place("%d0", "%d9") +
          say("multimem.red", form.suffix(), " [%d9], ", form.registers(), ";\n");
      ASSERT_EQ(rig.run(body), "") << body;
      for (int d = 0; d < team; ++d)
        expect_elements(
            rig.of_device[d], form,
            [&](int i) {
              return combined(type(), operation,
                              element_at(before[static_cast<std::size_t>(d)].data(), type(), i),
                              element_at(rig.out, type(), i));
            },
            form.suffix());
    }
}

}  // namespace
