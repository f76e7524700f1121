#include "sim/exec/async/reduce.hpp"

#include <cstring>

#include "sim/exec/memory/atomic_values.hpp"

namespace aisp::sim {
namespace {

template <class Operation, bool flush = false>
void reduce(std::byte* into, const std::byte* from, std::size_t bytes) {
  using T = typename Operation::Value;
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T with;
    std::memcpy(&with, from + at, sizeof(T));
    T* target = reinterpret_cast<T*>(into + at);
    T old = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(target, &old, Operation::apply(old, with, flush), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      continue;
  }
}

struct ReducerRow {
  ReduceOp op;
  Type type;
  Reducer reducer;
};

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

constexpr ReducerRow reducers[] = {
    {ReduceOp::add, Type::u32, reduce<AtomicAdd<U32>>},
    {ReduceOp::add, Type::s32, reduce<AtomicAdd<U32>>},
    {ReduceOp::add, Type::u64, reduce<AtomicAdd<U64>>},
    {ReduceOp::add, Type::f32, reduce<AtomicAddF32>},
    {ReduceOp::add, Type::f64, reduce<AtomicAddF64>},
    {ReduceOp::add, Type::f16, reduce<AtomicHalf<base::f16, HalfOp::add>>},
    {ReduceOp::add, Type::bf16, reduce<AtomicHalf<base::bf16, HalfOp::add>>},
    {ReduceOp::min, Type::u32, reduce<AtomicMin<U32>>},
    {ReduceOp::min, Type::s32, reduce<AtomicMin<S32>>},
    {ReduceOp::min, Type::u64, reduce<AtomicMin<U64>>},
    {ReduceOp::min, Type::s64, reduce<AtomicMin<S64>>},
    {ReduceOp::min, Type::f16, reduce<AtomicHalf<base::f16, HalfOp::min>>},
    {ReduceOp::min, Type::bf16, reduce<AtomicHalf<base::bf16, HalfOp::min>>},
    {ReduceOp::max, Type::u32, reduce<AtomicMax<U32>>},
    {ReduceOp::max, Type::s32, reduce<AtomicMax<S32>>},
    {ReduceOp::max, Type::u64, reduce<AtomicMax<U64>>},
    {ReduceOp::max, Type::s64, reduce<AtomicMax<S64>>},
    {ReduceOp::max, Type::f16, reduce<AtomicHalf<base::f16, HalfOp::max>>},
    {ReduceOp::max, Type::bf16, reduce<AtomicHalf<base::bf16, HalfOp::max>>},
    {ReduceOp::inc, Type::u32, reduce<AtomicIncrement>},
    {ReduceOp::dec, Type::u32, reduce<AtomicDecrement>},
    {ReduceOp::bit_and, Type::b32, reduce<AtomicAnd<U32>>},
    {ReduceOp::bit_and, Type::b64, reduce<AtomicAnd<U64>>},
    {ReduceOp::bit_or, Type::b32, reduce<AtomicOr<U32>>},
    {ReduceOp::bit_or, Type::b64, reduce<AtomicOr<U64>>},
    {ReduceOp::bit_xor, Type::b32, reduce<AtomicXor<U32>>},
    {ReduceOp::bit_xor, Type::b64, reduce<AtomicXor<U64>>},
};

// The bit operations of TMA treat the integer types of a tensor as bits, except for s64.
Type reduced_as(ReduceOp op, TensorType type) {
  const bool bits = op >= ReduceOp::bit_and;
  switch (type) {
    case TensorType::u32:
      return bits ? Type::b32 : Type::u32;
    case TensorType::s32:
      return bits ? Type::b32 : Type::s32;
    case TensorType::u64:
      return bits ? Type::b64 : Type::u64;
    case TensorType::s64:
      return Type::s64;
    case TensorType::f16:
      return Type::f16;
    case TensorType::bf16:
      return Type::bf16;
    case TensorType::f64:
      return Type::f64;
    case TensorType::f32:
    case TensorType::tf32:
      return Type::f32;
    default:
      return Type::none;
  }
}

}  // namespace

Reducer find_reducer(ReduceOp op, Type type) {
  if (op == ReduceOp::none) return nullptr;
  for (const ReducerRow& row : reducers)
    if (row.op == op && row.type == type) return row.reducer;
  return nullptr;
}

Reducer find_reducer(ReduceOp op, TensorType type) {
  if (type == TensorType::f32_ftz || type == TensorType::tf32_ftz)
    return op == ReduceOp::add ? reduce<AtomicAddF32, true> : nullptr;
  return find_reducer(op, reduced_as(op, type));
}

}  // namespace aisp::sim
