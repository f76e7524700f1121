// A contraction's tensors in memory of host and device, and, element by element against float64,
// what D must be: by its definition, over all values of all modes.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/contract/problem.hpp"

namespace aisp::contraction_test {

using tile::Element;
using tile::device::ContractionProblem;
using tile::device::ContractionTensor;
using Values = std::map<char, std::int64_t>;  // of each mode

inline std::vector<std::int64_t> strides_of(const ContractionTensor& tensor) {
  return tensor.strides.empty() ? tile::device::dense_strides(tensor.extents) : tensor.strides;
}
inline std::int64_t offset_of(const ContractionTensor& tensor,
                              const std::vector<std::int64_t>& strides, const Values& at) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) offset += at.at(tensor.modes[i]) * strides[i];
  return offset;
}

inline Values extents_of(const ContractionProblem& problem) {
  Values extents;
  for (const ContractionTensor* tensor : {&problem.a, &problem.b, &problem.d})
    for (std::size_t i = 0; i < tensor->modes.size(); ++i)
      extents[tensor->modes[i]] = tensor->extents[i];
  return extents;
}

// Calls `with` for all values of `modes`, the others staying as they are in `at`.
template <class With>
void for_all(const std::string& modes, const Values& extents, Values at, const With& with) {
  for (const char mode : modes) at[mode] = 0;
  while (true) {
    with(at);
    std::size_t i = modes.size();
    while (i > 0 && ++at[modes[i - 1]] == extents.at(modes[i - 1])) at[modes[--i]] = 0;
    if (i == 0) return;
  }
}

// Modes that A and B sum over.
inline std::string summed(const ContractionProblem& problem) {
  std::string modes;
  for (const char mode : problem.a.modes)
    if (problem.d.modes.find(mode) == std::string::npos) modes += mode;
  return modes;
}

// A tensor's memory: poison wherever no element is, also a hundred bytes on either side.
class Memory {
 public:
  explicit Memory(const ContractionTensor& tensor) : tensor_(tensor), strides_(strides_of(tensor)) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < strides_.size(); ++i) last += (tensor.extents[i] - 1) * strides_[i];
    bytes_.assign(2 * margin + static_cast<std::size_t>(last + 1) * width(), 0xff);
    gemm_test::require(cudaMalloc(&device_, bytes_.size()), "cudaMalloc");
  }
  ~Memory() { cudaFree(device_); }
  Memory(const Memory&) = delete;

  void* data() const { return static_cast<char*>(device_) + margin; }
  void fill(std::uint64_t seed) {
    std::uint64_t count = 0;
    for_all(tensor_.modes, extents(), {}, [&](const Values& at) {
      const std::uint32_t code =
          gemm_test::encode(tensor_.element, gemm_test::unit_value(count++, seed));
      std::memcpy(&bytes_[place(at)], &code, width());
    });
  }
  void upload() {
    gemm_test::require(cudaMemcpy(device_, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice),
                       "upload");
  }
  void download() {
    gemm_test::require(cudaMemcpy(bytes_.data(), device_, bytes_.size(), cudaMemcpyDeviceToHost),
                       "download");
  }
  std::int64_t offset(const Values& at) const { return offset_of(tensor_, strides_, at); }
  double at(std::int64_t offset) const {
    std::uint32_t code = 0;
    std::memcpy(&code, &bytes_[margin + static_cast<std::size_t>(offset) * width()], width());
    return gemm_test::decode(tensor_.element, code);
  }
  // Of every place, whether an element is there or not.
  std::vector<double> numbers() const {
    std::vector<double> all((bytes_.size() - 2 * margin) / width());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = at(static_cast<std::int64_t>(i));
    return all;
  }
  bool gaps_untouched() const {
    std::vector<bool> owned(bytes_.size());
    for_all(tensor_.modes, extents(), {}, [&](const Values& at) {
      for (std::size_t i = 0; i < width(); ++i) owned[place(at) + i] = true;
    });
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (!owned[i] && bytes_[i] != 0xff) return false;
    return true;
  }

 private:
  static constexpr std::size_t margin = 112;  // a multiple of 16
  std::size_t width() const { return static_cast<std::size_t>(bytes_of(tensor_.element)); }
  std::size_t place(const Values& at) const {
    return margin + static_cast<std::size_t>(offset(at)) * width();
  }
  Values extents() const { return extents_of({.a = tensor_}); }

  ContractionTensor tensor_;
  std::vector<std::int64_t> strides_;
  std::vector<unsigned char> bytes_;
  void* device_ = nullptr;
};

// D poisoned; pointers of the problem are not looked at.
class Contraction {
 public:
  explicit Contraction(const ContractionProblem& problem)
      : problem_(problem), a_(problem.a), b_(problem.b), d_(problem.d) {
    a_.fill(1), b_.fill(2);
    for (Memory* memory : {&a_, &b_, &d_}) memory->upload();
    problem_.a.data = a_.data(), problem_.b.data = b_.data(), problem_.d.data = d_.data();
  }
  const ContractionProblem& problem() const { return problem_; }

  void check(const std::string& what) {
    gemm_test::require(cudaDeviceSynchronize(), what.c_str());
    d_.download();
    const Values extents = extents_of(problem_);
    Values none;
    for (const auto& [mode, extent] : extents) none[mode] = 0;
    std::vector<std::int64_t> a_steps, b_steps;  // to the terms of a sum
    for_all(summed(problem_), extents, none, [&](const Values& at) {
      a_steps.push_back(a_.offset(at));
      b_steps.push_back(b_.offset(at));
    });
    const std::vector<double> a = a_.numbers(), b = b_.numbers();
    std::vector<double> left(a_steps.size()), right(b_steps.size());
    for_all(problem_.d.modes, extents, none, [&](const Values& place) {
      const std::int64_t a_first = a_.offset(place), b_first = b_.offset(place);
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] = a[static_cast<std::size_t>(a_first + a_steps[i])];
        right[i] = b[static_cast<std::size_t>(b_first + b_steps[i])];
      }
      const auto [sum, off] = gemm_test::dot_product(left, right);
      const double want = problem_.alpha * sum, error = std::abs(problem_.alpha) * off;
      const double allowed =
          error + (std::abs(want) + error) * (gemm_test::rounding_of(problem_.d.element) + 0x1p-23);
      const double got = d_.at(d_.offset(place));
      if (std::abs(got - want) <= allowed) return;
      std::string where;
      for (const char mode : problem_.d.modes) where += base::say(' ', mode, '=', place.at(mode));
      std::fprintf(stderr, "%s: element%s is %g, not %g within %g\n", what.c_str(), where.c_str(),
                   got, want, allowed);
      std::exit(1);
    });
    if (d_.gaps_untouched()) return;
    std::fprintf(stderr, "%s: wrote between or around the elements of D\n", what.c_str());
    std::exit(1);
  }

 private:
  ContractionProblem problem_;
  Memory a_, b_, d_;
};

inline std::string named(const ContractionProblem& problem) {
  std::string text = problem.a.modes + ',' + problem.b.modes + "->" + problem.d.modes;
  for (const auto& [mode, extent] : extents_of(problem)) text += base::say(' ', mode, '=', extent);
  return text;
}

}  // namespace aisp::contraction_test
