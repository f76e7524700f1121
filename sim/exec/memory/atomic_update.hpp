// One atomic operation on memory of the host.
#pragma once

#include "sim/exec/memory/access.hpp"
#include "sim/exec/memory/atomic_values.hpp"

namespace aisp::sim {

__extension__ using Wide = unsigned __int128;

template <class Operation>
concept HasNative = requires(typename Operation::Value* at, typename Operation::Value b) {
  Operation::native(at, b);
};

inline Wide wide(U128 value) { return std::bit_cast<Wide>(value); }

// Old value; *at becomes `next` if it was `expected`. expected is brought up to date.
template <class T>
bool swap_if(T* at, T& expected, T next) {
  if constexpr (sizeof(T) == 16) {
    const Wide old =
        __sync_val_compare_and_swap(reinterpret_cast<Wide*>(at), wide(expected), wide(next));
    const bool done = old == wide(expected);
    expected = std::bit_cast<T>(old);
    return done;
  } else {
    return __atomic_compare_exchange_n(at, &expected, next, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

// `shared`: only this thread of the host sees the memory.
template <class Operation>
typename Operation::Value update(std::byte* where, typename Operation::Value b, bool shared) {
  using T = typename Operation::Value;
  T* at = reinterpret_cast<T*>(where);
  if (shared) {
    const T old = *at;
    *at = Operation::apply(old, b, false);
    return old;
  }
  if constexpr (HasNative<Operation>) return Operation::native(at, b);
  T old = *at;
  while (!swap_if(at, old, Operation::apply(old, b, true))) continue;
  return old;
}

}  // namespace aisp::sim
