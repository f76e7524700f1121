// device: b200,sms=4
// The end of attention for one tile of 128 queries: S = Q * K^T in tensor memory, P = S cut at zero
// and rounded to bf16, written back over S's own columns, and O = P * V with P as an operand from
// tensor memory. Generic stores fill shared memory, so proxies have to be told.
#include "blackwell.cuh"
#include "tests/programs/tensor_cores/gemm_check.hpp"

namespace {

using bf16 = __nv_bfloat16;

constexpr int queries = 128, keys = 64, head = 64, threads = 128;
constexpr int row_bytes = 128;  // of 64 elements
constexpr int q_at = 0, k_at = queries * row_bytes, v_at = k_at + keys * row_bytes;
constexpr int shared_bytes = v_at + head * row_bytes + 1024;
constexpr int columns = 128, o_column = 64;

// A row-major tile with rows of 128 bytes, as the swizzle has it.
__device__ void fill(std::uint32_t to, const bf16* from, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * 8; i += threads) {
    const int row = i / 8, chunk = i % 8;
    const uint4 value = reinterpret_cast<const uint4*>(from)[i];
    const std::uint32_t at = to + row * row_bytes + (chunk ^ row % 8) * 16;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
  }
}

__device__ std::uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}

__global__ void __launch_bounds__(threads)
    attend(const bf16* q, const bf16* k, const bf16* v_transposed, float* o, int tiles) {
  extern __shared__ std::uint8_t memory[];
  __shared__ std::uint64_t done;
  __shared__ std::uint32_t base;
  const std::uint32_t start = (blackwell::shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t barrier = blackwell::shared_address(&done);
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp == 0) blackwell::allocate<1>(blackwell::shared_address(&base), columns);
  if (threadIdx.x == 0) {
    blackwell::barrier_init(barrier, 1);
    blackwell::barrier_init_fence();
  }
  fill(start + q_at, q + blockIdx.x * queries * head, queries);
  __syncthreads();
  const std::uint32_t tensor = base;
  const std::uint32_t mine = tensor + (warp * 32 << 16);
  std::uint32_t parity = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fill(start + k_at, k + tile * keys * head, keys);
    fill(start + v_at, v_transposed + tile * keys * head, head);
    blackwell::fence_for_async();
    blackwell::before_sync();
    __syncthreads();
    if (threadIdx.x == 0) {
      blackwell::after_sync();
      for (int i = 0; i < head; i += 16)
        blackwell::multiply<1>(tensor, blackwell::describe(start + q_at + i * 2),
                               blackwell::describe(start + k_at + i * 2),
                               blackwell::bf16_product(queries, keys), i != 0);
      blackwell::commit<1>(barrier);
    }
    blackwell::barrier_wait(barrier, parity);
    parity ^= 1;
    __syncwarp();
    blackwell::after_sync();
#pragma unroll 1  // it waits in every turn
    for (int column = 0; column < keys; column += 16) {
      std::uint32_t low[8], high[8], p[8];
      blackwell::load_columns(low, mine + column);
      blackwell::load_columns(high, mine + column + 8);
      blackwell::wait_loads();
      for (int i = 0; i < 4; ++i) {
        const auto cut = [](std::uint32_t bits) { return fmaxf(__uint_as_float(bits), 0.0f); };
        p[i] = pack(cut(low[2 * i]), cut(low[2 * i + 1]));
        p[4 + i] = pack(cut(high[2 * i]), cut(high[2 * i + 1]));
      }
      // Sixteen columns of f32 become eight of bf16, which end before the next sixteen begin.
      blackwell::store_columns(mine + column / 2, p);
    }
    blackwell::wait_stores();
    blackwell::before_sync();
    __syncthreads();
    if (threadIdx.x == 0) {
      blackwell::after_sync();
      for (int i = 0; i < keys; i += 16)
        blackwell::multiply_from(tensor + o_column, tensor + i / 2,
                                 blackwell::describe(start + v_at + i * 2),
                                 blackwell::bf16_product(queries, head), tile + i != 0);
      blackwell::commit<1>(barrier);
    }
    blackwell::barrier_wait(barrier, parity);
    parity ^= 1;
    __syncwarp();
    blackwell::after_sync();
  }
#pragma unroll 1
  for (int column = 0; column < head; column += 8) {
    std::uint32_t values[8];
    blackwell::load_columns(values, mine + o_column + column);
    blackwell::wait_loads();
    for (int i = 0; i < 8; ++i)
      o[(blockIdx.x * queries + threadIdx.x) * head + column + i] = __uint_as_float(values[i]);
  }
  blackwell::before_sync();
  __syncthreads();
  if (warp == 0) blackwell::give_back<1>(tensor, columns);
}

}  // namespace

int main() {
  constexpr int tiles = 3, blocks = 2;
  const auto q = unit_values<bf16>(blocks * queries * head, 1),
             k = unit_values<bf16>(tiles * keys * head, 2),
             v = unit_values<bf16>(tiles * keys * head, 3);  // tile by tile, head x keys
  const OnDevice<bf16> device_q(q), device_k(k), device_v(v);
  const OnDevice<float> device_o(blocks * queries * head);
  CHECK(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  attend<<<blocks, threads, shared_bytes>>>(device_q.get(), device_k.get(), device_v.get(),
                                            device_o.get(), tiles);
  finish();
  const auto o = device_o.fetch();
  for (int row = 0; row < blocks * queries; ++row) {
    double want[head] = {}, magnitude[head] = {};
    for (int key = 0; key < tiles * keys; ++key) {
      double s = 0;
      for (int i = 0; i < head; ++i)
        s += double(float(q[row * head + i])) * float(k[key * head + i]);
      // One rounding of P more or less is allowed for below.
      const double p = float(bf16(float(s > 0 ? s : 0)));
      for (int i = 0; i < head; ++i) {
        const double product = p * float(v[(key / keys * head + i) * keys + key % keys]);
        want[i] += product;
        magnitude[i] += p;
      }
    }
    for (int i = 0; i < head; ++i) {
      const double got = o[static_cast<std::size_t>(row) * head + i];
      if (std::abs(got - want[i]) <= magnitude[i] * 0x1p-12 + 1e-4) continue;
      std::fprintf(stderr, "element (%d, %d) is %g, not %g\n", row, i, got, want[i]);
      return 1;
    }
  }
  return passed();
}
