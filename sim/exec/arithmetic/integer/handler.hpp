// How handlers of integer, logic and bit instructions are made: a functor on C++ integers, the
// types of its operands, and the loop over lanes around it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/exec/lanes.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

using u8 = std::uint8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// What a value of T occupies per lane in a register.
template <class T>
using Lane = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
inline constexpr int width = 8 * sizeof(T);

template <class T>
constexpr Lane<T> to_lane(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

// The type that holds every product of two T.
template <class T>
struct Wider {
  using type = std::conditional_t<std::is_signed_v<T>, s64, u64>;
};
template <>
struct Wider<u16> {
  using type = u32;
};
template <>
struct Wider<s16> {
  using type = s32;
};
template <>
struct Wider<u64> {
  __extension__ using type = unsigned __int128;
};
template <>
struct Wider<s64> {
  __extension__ using type = __int128;
};
template <class T>
using Wide = typename Wider<T>::type;

// dst = F(a, b, ...): result of type D, sources of the types S from a, b, c, d in this order.
template <class F, class D, class... S>
Flow apply(Warp& warp, const Op& op, Mask mask) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    const Ref refs[] = {op.a, op.b, op.c, op.d};
    const std::tuple<const Lane<S>*...> in{warp.read<Lane<S>>(refs[i])...};
    Lane<D>* out = warp.write<Lane<D>>(op.dst);
    each_lane(mask, [&](int lane) {
      out[lane] = to_lane<D>(F{}(static_cast<S>(std::get<i>(in)[lane])...));
    });
    return Flow::next;
  }
  (std::make_index_sequence<sizeof...(S)>{});
}

// Calls pick.operator()<T>() with the C++ type of an integer or bit type; bit types are unsigned.
template <class Pick>
Handler pick_integer(Type type, Pick pick) {
  switch (type) {
    case Type::s16:
      return pick.template operator()<s16>();
    case Type::s32:
      return pick.template operator()<s32>();
    case Type::s64:
      return pick.template operator()<s64>();
    default:
      break;
  }
  switch (bits_of(type)) {
    case 16:
      return pick.template operator()<u16>();
    case 64:
      return pick.template operator()<u64>();
    default:
      return pick.template operator()<u32>();
  }
}
// The same where the sign does not matter.
template <class Pick>
Handler pick_width(Type type, Pick pick) {
  switch (bits_of(type)) {
    case 16:
      return pick.template operator()<u16>();
    case 64:
      return pick.template operator()<u64>();
    default:
      return pick.template operator()<u32>();
  }
}

// Which half of a result that is twice as wide: true for the upper one.
inline constexpr Word<bool> halves_of_product[] = {{"lo", false}, {"hi", true}};

// The last modifier that is a type: the one that tells integers from floats.
Type last_type(const Binding& binding);

// Binds operand 0 as the result and the following ones as sources a, b, c, d; refuses another
// number of operands.
void bind_operands(Binding& binding, Type result, std::initializer_list<Type> sources);

}  // namespace aisp::sim
