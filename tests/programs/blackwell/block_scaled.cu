// device: b200,sms=4
// One tile of D = A * B^T in NVFP4: 4-bit elements with a scale of 8 bits for every sixteen, which
// go from shared to tensor memory by tcgen05.cp, four copies of each row, in front of the products
// that use them; then in MXFP8 with scales that are powers of two, whose number is in the
// instruction descriptor. Small integers make every sum exact.
#include "blackwell.cuh"
#include "check.hpp"

namespace {

constexpr int tile = 128, threads = 128, steps = 2;
constexpr int row_bytes = 128;  // of one stage: 256 elements of 4 bits, 128 of 8
constexpr int operand_bytes = tile * row_bytes, scale_bytes = 512;
constexpr int shared_bytes = 2 * operand_bytes + 8 * scale_bytes + 1024;
constexpr int columns = 256, a_scales = 128, b_scales = 160;

__device__ void fill(std::uint32_t to, const std::uint8_t* from, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * 8; i += threads) {
    const int row = i / 8, chunk = i % 8;
    const uint4 value = reinterpret_cast<const uint4*>(from)[i];
    const std::uint32_t at = to + row * row_bytes + (chunk ^ row % 8) * 16;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
  }
}
// Scale j of row r stands in byte 16 * (r % 32) + 4 * (r / 32) + j of its block.
__device__ void fill_scales(std::uint32_t to, const std::uint8_t* from, int blocks) {
  for (int i = static_cast<int>(threadIdx.x); i < blocks * scale_bytes / 4; i += threads)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i * 4),
                 "r"(reinterpret_cast<const std::uint32_t*>(from)[i])
                 : "memory");
}
__device__ void copy_scales(std::uint32_t to, std::uint32_t from) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to),
               "l"(blackwell::describe_rows(from))
               : "memory");
}

// `fours`: NVFP4, four products of 64 elements in a stage with a block of scales each; otherwise
// MXFP8, four of 32 with the four scales of one block.
template <bool fours>
__global__ void __launch_bounds__(threads)
    multiply(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* sa,
             const std::uint8_t* sb, float* d) {
  extern __shared__ std::uint8_t memory[];
  __shared__ std::uint64_t done;
  __shared__ std::uint32_t base;
  constexpr int blocks = fours ? 4 : 1;  // of scales in a stage
  const std::uint32_t start = (blackwell::shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t b_at = start + operand_bytes, sa_at = b_at + operand_bytes,
                      sb_at = sa_at + 4 * scale_bytes;
  const std::uint32_t barrier = blackwell::shared_address(&done);
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp == 0) blackwell::allocate<1>(blackwell::shared_address(&base), columns);
  if (threadIdx.x == 0) {
    blackwell::barrier_init(barrier, 1);
    blackwell::barrier_init_fence();
  }
  __syncthreads();
  const std::uint32_t tensor = base;
  for (int step = 0; step < steps; ++step) {
    fill(start, a + step * operand_bytes, tile);
    fill(b_at, b + step * operand_bytes, tile);
    fill_scales(sa_at, sa + step * blocks * scale_bytes, blocks);
    fill_scales(sb_at, sb + step * blocks * scale_bytes, blocks);
    blackwell::fence_for_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      blackwell::after_sync();
      for (int i = 0; i < blocks; ++i) {
        copy_scales(tensor + a_scales + 4 * i, sa_at + i * scale_bytes);
        copy_scales(tensor + b_scales + 4 * i, sb_at + i * scale_bytes);
      }
      for (int i = 0; i < 4; ++i) {
        const std::uint64_t x = blackwell::describe(start + 32 * i),
                            y = blackwell::describe(b_at + 32 * i);
        const int accumulate = step + i != 0;
        const std::uint32_t shape = 1u << 27 | std::uint32_t{tile / 8} << 17;
        if (fours) {
          asm volatile(
              "{ .reg .pred p; setp.ne.b32 p, %6, 0;"
              " tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16"
              " [%0], %1, %2, %3, [%4], [%5], p; }" ::"r"(tensor),
              "l"(x), "l"(y), "r"(shape | 1u << 7 | 1u << 10), "r"(tensor + a_scales + 4 * i),
              "r"(tensor + b_scales + 4 * i), "r"(accumulate)
              : "memory");
        } else {
          const std::uint32_t id = static_cast<std::uint32_t>(i);
          asm volatile(
              "{ .reg .pred p; setp.ne.b32 p, %6, 0;"
              " tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale"
              " [%0], %1, %2, %3, [%4], [%5], p; }" ::"r"(tensor),
              "l"(x), "l"(y), "r"(shape | 1u << 23 | id << 4 | id << 29), "r"(tensor + a_scales),
              "r"(tensor + b_scales), "r"(accumulate)
              : "memory");
        }
      }
      blackwell::commit<1>(barrier);
    }
    blackwell::barrier_wait(barrier, step & 1);
    __syncwarp();
    blackwell::after_sync();
  }
#pragma unroll 1  // it waits in every turn
  for (int column = 0; column < tile; column += 8) {
    std::uint32_t values[8];
    blackwell::load_columns(values, tensor + (warp * 32 << 16) + column);
    blackwell::wait_loads();
    for (int i = 0; i < 8; ++i) d[threadIdx.x * tile + column + i] = __uint_as_float(values[i]);
  }
  blackwell::before_sync();
  __syncthreads();
  if (warp == 0) blackwell::give_back<1>(tensor, columns);
}

constexpr float e2m1_values[16] = {0,     0.5f,  1,  1.5f,  2,  3,  4,  6,
                                   -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
// 0, +-1, +-2 in e4m3.
constexpr std::uint8_t e4m3_codes[] = {0x00, 0x38, 0xb8, 0x40, 0xc0};
constexpr float e4m3_values[] = {0, 1, -1, 2, -2};

struct Operand {
  std::vector<std::uint8_t> bytes, scales;
  std::vector<float> values;  // with their scales: tile x (steps * elements of a stage)
};

template <bool fours>
Operand make(unsigned seed) {
  constexpr int elements = fours ? 256 : 128, per_scale = fours ? 16 : 32;
  constexpr int blocks = fours ? 4 : 1, all = steps * elements;
  Operand made{std::vector<std::uint8_t>(steps * operand_bytes),
               std::vector<std::uint8_t>(steps * blocks * scale_bytes),
               std::vector<float>(tile * all)};
  const auto random = numbers(tile * all * 2, seed);
  for (int row = 0; row < tile; ++row)
    for (int k = 0; k < all; ++k) {
      const int step = k / elements, inside = k % elements;
      const unsigned pick = random[row * all + k] >> 16;
      float value;
      if (fours) {
        made.bytes[step * operand_bytes + row * row_bytes + inside / 2] |=
            static_cast<std::uint8_t>((pick & 15) << inside % 2 * 4);
        value = e2m1_values[pick & 15];
      } else {
        made.bytes[step * operand_bytes + row * row_bytes + inside] = e4m3_codes[pick % 5];
        value = e4m3_values[pick % 5];
      }
      const int scale = inside / per_scale;  // of the stage; four to a block
      const unsigned power = (random[tile * all + row * 64 + k / per_scale] >> 20) % 3;
      const int at =
          (step * blocks + scale / 4) * scale_bytes + 16 * (row % 32) + 4 * (row / 32) + scale % 4;
      made.scales[at] = static_cast<std::uint8_t>(fours ? 0x38 + 8 * power : 127 + power);
      made.values[row * all + k] = value * static_cast<float>(1u << power);
    }
  return made;
}

template <bool fours>
void check(const char* what) {
  const Operand a = make<fours>(5), b = make<fours>(6);
  const OnDevice<std::uint8_t> device_a(a.bytes), device_b(b.bytes), device_sa(a.scales),
      device_sb(b.scales);
  const OnDevice<float> device_d(tile * tile);
  CHECK(cudaFuncSetAttribute(multiply<fours>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));
  multiply<fours><<<1, threads, shared_bytes>>>(device_a.get(), device_b.get(), device_sa.get(),
                                                device_sb.get(), device_d.get());
  finish();
  const int k = static_cast<int>(a.values.size()) / tile;
  std::vector<float> want(tile * tile);
  for (int row = 0; row < tile; ++row)
    for (int column = 0; column < tile; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += double(a.values[row * k + i]) * b.values[column * k + i];
      want[row * tile + column] = static_cast<float>(sum);
    }
  expect_equal(device_d.fetch(), want, what);
}

}  // namespace

int main() {
  check<true>("NVFP4");
  check<false>("MXFP8");
  return passed();
}
