#include "jit/attention/array_text.hpp"

#include <cctype>

#include "base/refuse.hpp"

namespace aisp::jit {

std::vector<std::string> array_names(const Function& function) {
  std::vector<std::string> names;
  for (const Parameter& one : function.parameters) {
    std::string name;
    for (const char letter : one.name)
      name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    // Behind a number, so that no name is another's, or a word of C++.
    names.push_back(base::say("array", names.size(), "_", name));
  }
  return names;
}

static const char* stored_type(Element element) {
  return element == Element::f32 ? "float" : element == Element::s32 ? "int" : "signed char";
}

std::string array_members(const Function& function) {
  std::string text;
  const auto names = array_names(function);
  for (std::size_t at = 0; at < names.size(); ++at)
    text += base::say("  ArrayOf<", stored_type(function.parameters[at].element), "> ", names[at],
                      ";\n");
  return text;
}

std::string attention_helpers() {
  return R"(
template <class T>
struct ArrayOf {
  const T* data;
  long long count;
};
// 0 outside of the array.
__device__ __forceinline__ float read(const ArrayOf<float>& array, int at) {
  return at >= 0 && at < array.count ? array.data[at] : 0.0f;
}
__device__ __forceinline__ int read(const ArrayOf<int>& array, int at) {
  return at >= 0 && at < array.count ? array.data[at] : 0;
}
__device__ __forceinline__ float read(const ArrayOf<signed char>& array, int at) {
  return at >= 0 && at < array.count ? static_cast<float>(array.data[at]) : 0.0f;
}
// Relative error below 2^-20, without a branch: a series for small arguments, by way of an exponential for others.
__device__ __forceinline__ float tanh_f32(float x) {
  const float size = fabsf(x), square = x * x;
  const float power = power_of_two(size * 2.8853900817779268f);  // e^2x
  const float large = copysignf(1.0f - __fdividef(2.0f, power + 1.0f), x);
  float series = fmaf(square, -0.00886323552990219f, 0.021869488536155202f);
  series = fmaf(series, square, -0.05396825396825397f);
  series = fmaf(series, square, 0.13333333333333333f);
  series = fmaf(series, square, -0.3333333333333333f);
  const float small = fmaf(x * square, series, x);
  return size > 44.0f ? copysignf(1.0f, x) : size < 0.35f ? small : large;
}
)";
}

}  // namespace aisp::jit
