// Runs a lambda once with symbols and gives the function it describes.
#pragma once

#include <tuple>
#include <utility>

#include "base/refuse.hpp"
#include "jit/ir/verify.hpp"
#include "jit/trace/control.hpp"
#include "jit/trace/tensors.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

struct Traced {
  Function function;
  std::vector<BoundArray> arrays;    // of the array parameters, in their order
  std::vector<unsigned> whole_axes;  // of each tensor, bit by axis: what its class of width changes
  std::vector<Choice> choices;
};

namespace detail {

template <class>
struct Parameters;
template <class L, class... P>
struct Parameters<void (L::*)(P...) const> {
  using Tuple = std::tuple<std::remove_cvref_t<P>...>;
};
template <class L, class... P>
struct Parameters<void (L::*)(P...)> : Parameters<void (L::*)(P...) const> {};

// `kinds`: what the lambda takes, "Input<2>" and the like.
void refuse_other_count(const Tracer& tracer, const std::vector<std::string>& kinds);
// An output without a store.
void refuse_unstored(const Function& function);

}  // namespace detail

template <class Lambda>
Traced trace(const std::string& name, const Lambda& lambda, const Signature& signature,
             Place place = {}) {
  using Tuple = typename detail::Parameters<decltype(&Lambda::operator())>::Tuple;
  Tracer tracer(name, signature, std::move(place));
  [&]<std::size_t... at>(std::index_sequence<at...>) {
    detail::refuse_other_count(tracer, {base::say(std::tuple_element_t<at, Tuple>::kind, "<",
                                                  std::tuple_element_t<at, Tuple>::rank, ">")...});
    // Braces: the parameters are made in their order.
    Tuple parameters{std::tuple_element_t<at, Tuple>()...};
    lambda(std::get<at>(parameters)...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>());
  verify(tracer.function());
  detail::refuse_unstored(tracer.function());
  return {tracer.function(), tracer.arrays(), tracer.whole_axes(), tracer.choices()};
}

}  // namespace aisp::jit
