#include "lab/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/element.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

// What one range of elements shows; ranges are merged in any order.
template <class Sum>
struct Tally {
  std::int64_t wrong = 0, nan = 0, first = nowhere;
  double worst_ulp = 0;
  Sum error_square = 0, want_square = 0;

  void merge(const Tally& other) {
    wrong += other.wrong;
    nan += other.nan;
    first = std::min(first, other.first);
    worst_ulp = std::max(worst_ulp, other.worst_ulp);
    error_square += other.error_square;
    want_square += other.want_square;
  }
};

// How far an element may be off.
struct Limit {
  Tolerance tolerance{};
  const double* allowed = nullptr;  // of every element, in place of the tolerance

  double at(std::int64_t i, double size) const {
    return allowed != nullptr ? allowed[i] : tolerance.absolute + tolerance.relative * size;
  }
};

// The reference as far as the type can hold it.
template <class Element>
double clamped(double want) {
  if constexpr (Element::format.saturates)
    if (!std::isnan(want)) return std::clamp(want, -Element::largest, Element::largest);
  return want;
}

// Whether got is right where got or want is NaN or infinite.
template <class Element>
bool right_beyond_finite(double got, double want, double allowed) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(want)) return got == want;
  if constexpr (Element::integer) return false;
  const double overflow = Element::largest + Element::ulp(Element::largest) / 2;
  return std::signbit(got) == std::signbit(want) && std::abs(want) + allowed >= overflow;
}

template <class Element, class Sum>
Tally<Sum> compare(const std::byte* got, const double* want, std::int64_t first, std::int64_t last,
                   const Limit& limit) {
  Tally<Sum> tally;
  for (std::int64_t i = first; i < last; ++i) {
    const double is = load_element<Element>(got, i), should = clamped<Element>(want[i]);
    const double error = std::abs(is - should), size = std::abs(should);
    const double allowed = limit.at(i, size);
    bool right = error <= allowed;
    if (std::isfinite(error)) {
      tally.worst_ulp = std::max(tally.worst_ulp, error / Element::ulp(size));
      tally.error_square += Sum(error) * error;
      tally.want_square += Sum(size) * size;
    } else {
      right = right_beyond_finite<Element>(is, should, allowed);
      tally.nan += std::isnan(is) && !right;
    }
    if (right) continue;
    ++tally.wrong;
    tally.first = std::min(tally.first, i);
  }
  return tally;
}

// Ratios of extreme doubles overflow; stored results have to be finite.
double bounded(long double value) {
  return static_cast<double>(std::min<long double>(value, std::numeric_limits<double>::max()));
}

std::string print(const char* format, double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, digits, value);
  return buffer;
}

template <class Element>
std::string describe_first(const Tensor& what, std::int64_t at, double got, double want) {
  const int digits = what.dtype == Dtype::f64 ? 17 : 9;
  std::string text = base::say(", first at ", coordinate(what.shape, at), ": got ",
                               print("%.*g", got, digits), ", want ", print("%.*g", want, digits));
  const double ulps = (got - want) / Element::ulp(want);
  if (std::isfinite(ulps))
    text += " (" +
            (std::abs(ulps) < 1e9 && ulps == std::nearbyint(ulps) ? print("%+.*f", ulps, 0)
                                                                  : print("%+.*g", ulps, 3)) +
            " ulp)";
  return text;
}

template <class Element>
Judgement judge_as(const Tensor& what, const std::byte* got, std::span<const double> want,
                   const Limit& limit) {
  // Squares of the largest doubles overflow a double, those of every other type do not.
  using Sum =
      std::conditional_t<std::is_same_v<typename Element::Stored, double>, long double, double>;
  const std::int64_t count = what.count();
  Tally<Sum> tally;
  std::mutex guard;
  base::parallel_ranges(count, [&](std::int64_t first, std::int64_t last) {
    const auto part = compare<Element, Sum>(got, want.data(), first, last, limit);
    const std::lock_guard lock(guard);
    tally.merge(part);
  });

  const Sum ratio = tally.error_square / (tally.want_square > 0 ? tally.want_square : Sum{1});
  Judgement result{.right = tally.wrong == 0,
                   .elements = count,
                   .wrong = tally.wrong,
                   .worst_ulp = bounded(tally.worst_ulp),
                   .relative_norm = bounded(std::sqrt(ratio))};
  result.report = what.name + ": ";
  if (result.right) {
    result.report += base::say(count, " right");
  } else {
    result.report += base::say(tally.wrong, " of ", count, " wrong");
    const double is = load_element<Element>(got, tally.first);
    result.report += describe_first<Element>(
        what, tally.first, is, clamped<Element>(want[static_cast<std::size_t>(tally.first)]));
  }
  if (tally.nan > 0)
    result.report +=
        base::say("; ", tally.nan, tally.nan == 1 ? " is" : " are", " NaN (never written?)");
  result.report += "; worst " + print("%.*g", result.worst_ulp, 2) + " ulp, relative norm " +
                   print("%.*e", result.relative_norm, 1);
  return result;
}

Judgement judge_within(const Tensor& what, std::span<const std::byte> got,
                       std::span<const double> want, const Limit& limit) {
  if (static_cast<std::int64_t>(got.size()) != what.bytes() ||
      static_cast<std::int64_t>(want.size()) != what.count())
    throw std::logic_error(base::say(what.name, ": ", what.count(), " elements of ",
                                     name_of(what.dtype), " cannot be compared: got ", got.size(),
                                     " bytes and ", want.size(), " reference values"));
  return with_element(what.dtype, [&]<class Element>() {
    return judge_as<Element>(what, got.data(), want, limit);
  });
}

}  // namespace

Judgement judge(const Tensor& what, std::span<const std::byte> got, std::span<const double> want,
                const Tolerance& tolerance) {
  return judge_within(what, got, want, {.tolerance = tolerance});
}

Judgement judge(const Tensor& what, std::span<const std::byte> got, std::span<const double> want,
                std::span<const double> allowed) {
  if (allowed.size() != want.size())
    throw std::logic_error(base::say(what.name, ": ", want.size(), " reference values, and ",
                                     allowed.size(), " bounds for them"));
  return judge_within(what, got, want, {.allowed = allowed.data()});
}

Judgement judge_all(std::span<const Judgement> outputs) {
  Judgement all;
  for (const auto& each : outputs) {
    all.right = all.right && each.right;
    all.elements += each.elements;
    all.wrong += each.wrong;
    all.worst_ulp = std::max(all.worst_ulp, each.worst_ulp);
    all.relative_norm = std::max(all.relative_norm, each.relative_norm);
  }
  std::vector<std::string> reports;
  for (const auto& each : outputs)
    if (each.right == all.right) reports.push_back(each.report);
  all.report = base::join(reports, "; ");
  return all;
}

}  // namespace aisp::lab
