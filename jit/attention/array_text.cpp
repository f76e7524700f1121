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
// To within 2^-22 for every argument: what counts of a score is how far off it is, not how much of itself.
__device__ __forceinline__ float tanh_f32(float x) {
  return fmaf(-2.0f, __fdividef(1.0f, power_of_two(x * 2.8853900817779268f) + 1.0f), 1.0f);
}
)";
}

}  // namespace aisp::jit
