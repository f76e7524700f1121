// device: b200,sms=4
// One tile of D = A * B^T with a structured sparse A, which the host prunes and compresses: NVFP4
// (four of eight elements in pairs) and MXFP8 (two of four) with block scales and two columns of
// metadata for an instruction, bf16 with one column that the sparsity selector chooses. Metadata
// and scales go from shared to tensor memory by tcgen05.cp. The reference multiplies the pruned
// matrix in double; small numbers make every sum exact.
#include "blackwell.cuh"
#include "check.hpp"

namespace {

constexpr int tile = 128, threads = 128, steps = 2, products = 2;  // products of a step
constexpr int a_row = 64, b_row = 128;                             // bytes of a step
constexpr int a_bytes = tile * a_row, b_bytes = tile * b_row;
constexpr int meta_bytes = tile * 16,
              scale_bytes = 512;  // four columns of metadata, a block of scales
constexpr int shared_bytes = a_bytes + b_bytes + meta_bytes + 4 * scale_bytes + 1024;
constexpr int columns = 256, meta_column = 128, a_scales = 160, b_scales = 192;

enum class Format { nvfp4, mxfp8, bf16 };
constexpr int bits_of(Format format) {
  return format == Format::nvfp4 ? 4 : format == Format::mxfp8 ? 8 : 16;
}
// Of one step: elements along k, elements that a nibble of metadata describes, and those of a
// scale.
constexpr int depth_of(Format format) { return b_row * 8 / bits_of(format); }
constexpr int group_of(Format format) { return format == Format::nvfp4 ? 8 : 4; }
constexpr int block_of(Format format) { return format == Format::nvfp4 ? 32 : 64; }

__device__ void copy_words(std::uint32_t to, const std::uint8_t* from, int bytes) {
  for (int i = static_cast<int>(threadIdx.x); i < bytes / 4; i += threads)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i * 4),
                 "r"(reinterpret_cast<const std::uint32_t*>(from)[i])
                 : "memory");
}
// Rows of 64 bytes with the 64-byte swizzle.
__device__ std::uint64_t describe_64(std::uint32_t address) {
  return (address & 0x3ffff) >> 4 | std::uint64_t{8 * 64 / 16} << 32 | std::uint64_t{1} << 46 |
         std::uint64_t{4} << 61;
}
__device__ void fill(std::uint32_t to, const std::uint8_t* from, int row_bytes) {
  const int chunks = row_bytes / 16;
  for (int i = static_cast<int>(threadIdx.x); i < tile * chunks; i += threads) {
    const uint4 value = reinterpret_cast<const uint4*>(from)[i];
    std::uint32_t at = static_cast<std::uint32_t>(i) * 16;
    at ^= (at >> 7 & (row_bytes == 128 ? 7 : 3)) << 4;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to + at), "r"(value.x),
                 "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  }
}

// `what`: the shape and the types; the rest of the instruction descriptor is the product's.
template <Format format>
__device__ void issue(std::uint32_t tensor, std::uint32_t a_at, std::uint32_t b_at, int i,
                      bool accumulate) {
  const std::uint64_t x = describe_64(a_at + 32 * i), y = blackwell::describe(b_at + 64 * i);
  const std::uint32_t id = static_cast<std::uint32_t>(i), shape = std::uint32_t{tile / 8} << 17;
  const std::uint32_t metadata = tensor + meta_column;
  if constexpr (format == Format::nvfp4)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %7, 0;"
        " tcgen05.mma.sp.cta_group::1.kind::mxf4nvf4.block_scale.block16"
        " [%0], %1, %2, [%3], %4, [%5], [%6], p; }" ::"r"(tensor),
        "l"(x), "l"(y), "r"(metadata + 2 * id),
        "r"(shape | 1u << 27 | 1u << 2 | 1u << 7 | 1u << 10), "r"(tensor + a_scales + 4 * id),
        "r"(tensor + b_scales + 4 * id), "r"(static_cast<int>(accumulate))
        : "memory");
  else if constexpr (format == Format::mxfp8)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %7, 0;"
        " tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale"
        " [%0], %1, %2, [%3], %4, [%5], [%6], p; }" ::"r"(tensor),
        "l"(x), "l"(y), "r"(metadata + 2 * id),
        "r"(shape | 1u << 27 | 1u << 2 | 1u << 23 | id << 4 | id << 29), "r"(tensor + a_scales),
        "r"(tensor + b_scales), "r"(static_cast<int>(accumulate))
        : "memory");
  else
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %5, 0;"
        " tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%3], %4, p; }" ::"r"(tensor),
        "l"(x), "l"(y), "r"(metadata), "r"(blackwell::bf16_product(tile, tile) | 1u << 2 | id),
        "r"(static_cast<int>(accumulate))
        : "memory");
}

template <Format format>
__global__ void __launch_bounds__(threads)
    multiply(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* metadata,
             const std::uint8_t* sa, const std::uint8_t* sb, float* d) {
  extern __shared__ std::uint8_t memory[];
  __shared__ std::uint64_t done;
  __shared__ std::uint32_t base;
  const std::uint32_t b_at = (blackwell::shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t a_at = b_at + b_bytes, meta_at = a_at + a_bytes, sa_at = meta_at + meta_bytes,
                      sb_at = sa_at + 2 * scale_bytes;
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
    fill(a_at, a + step * a_bytes, a_row);
    fill(b_at, b + step * b_bytes, b_row);
    copy_words(meta_at, metadata + step * meta_bytes, meta_bytes);
    copy_words(sa_at, sa + step * 2 * scale_bytes, 2 * scale_bytes);
    copy_words(sb_at, sb + step * 2 * scale_bytes, 2 * scale_bytes);
    blackwell::fence_for_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      blackwell::after_sync();
      asm volatile("tcgen05.cp.cta_group::1.128x128b [%0], %1;" ::"r"(tensor + meta_column),
                   "l"(blackwell::describe_rows(meta_at))
                   : "memory");
      for (int i = 0; i < 2; ++i) {
        asm volatile(
            "tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(tensor + a_scales + 4 * i),
            "l"(blackwell::describe_rows(sa_at + i * scale_bytes))
            : "memory");
        asm volatile(
            "tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(tensor + b_scales + 4 * i),
            "l"(blackwell::describe_rows(sb_at + i * scale_bytes))
            : "memory");
      }
      for (int i = 0; i < products; ++i) issue<format>(tensor, a_at, b_at, i, step + i != 0);
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

// Codes of 0, 1, -1, 2, -2.
constexpr float values[] = {0, 1, -1, 2, -2};
constexpr unsigned nvfp4_codes[] = {0, 2, 10, 4, 12};
constexpr unsigned mxfp8_codes[] = {0x00, 0x38, 0xb8, 0x40, 0xc0};
constexpr unsigned bf16_codes[] = {0, 0x3f80, 0xbf80, 0x4000, 0xc000};
unsigned code_of(Format format, unsigned pick) {
  return format == Format::nvfp4   ? nvfp4_codes[pick]
         : format == Format::mxfp8 ? mxfp8_codes[pick]
                                   : bf16_codes[pick];
}
void put(std::uint8_t* row, int at, int bits, unsigned code) {
  for (int bit = at * bits, i = 0; i < bits; ++bit, ++i)
    row[bit / 8] |= static_cast<std::uint8_t>((code >> i & 1) << bit % 8);
}

struct Operand {
  std::vector<std::uint8_t> bytes, scales;
  std::vector<double> values;  // with their scales: tile x k
};

// The block scales of a step: of NVFP4 four of each product in a block of 512 bytes, of MXFP8 one
// of each in the first block. `power`: of two.
void put_scale(Operand& made, Format format, int row, int step, int of_step, unsigned power) {
  const int block = format == Format::nvfp4 ? of_step / 4 : 0;
  made.scales[(step * 2 + block) * scale_bytes + 16 * (row % 32) + 4 * (row / 32) + of_step % 4] =
      static_cast<std::uint8_t>(format == Format::nvfp4 ? 0x38 + 8 * power : 127 + power);
}

// Where the nibble of a group of a step belongs: rows of 16 bytes are lanes of four columns.
void put_nibble(std::vector<std::uint8_t>& metadata, Format format, int row, int step, int group,
                unsigned nibble) {
  const int of_product = depth_of(format) / group_of(format) / products;
  const int product = group / of_product, at = group % of_product;
  int lane = row, column = 2 * product + at / 8, place = at % 8;
  if (format == Format::bf16) {
    lane = row / 16 * 16 + row % 8 + at / 4 * 8;
    column = product;
    place = at % 4 + row / 8 % 2 * 4;
  }
  metadata[step * meta_bytes + lane * 16 + column * 4 + place / 2] |=
      static_cast<std::uint8_t>(nibble << place % 2 * 4);
}

Operand make(Format format, unsigned seed, bool sparse, std::vector<std::uint8_t>& metadata) {
  constexpr unsigned legal[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  const int depth = depth_of(format), all = steps * depth, unit = group_of(format) / 4;
  const int row_bytes = sparse ? a_row : b_row;
  Operand made{std::vector<std::uint8_t>(steps * tile * row_bytes),
               std::vector<std::uint8_t>(steps * 2 * scale_bytes), std::vector<double>(tile * all)};
  const auto random = numbers(3 * tile * all, seed);
  for (int row = 0; row < tile; ++row)
    for (int k = 0; k < all; ++k) {
      const int step = k / depth, inside = k % depth, group = inside / group_of(format);
      const unsigned pick = (random[row * all + k] >> 16) % 5;
      const unsigned power = (random[tile * all + row * 64 + k / block_of(format)] >> 20) % 3;
      const bool scaled = format != Format::bf16;
      if (scaled) put_scale(made, format, row, step, inside / block_of(format), power);
      std::uint8_t* to = made.bytes.data() + (step * tile + row) * row_bytes;
      int stored = inside;
      if (sparse) {
        const unsigned nibble =
            legal[(random[2 * tile * all + row * all + k / group_of(format)] >> 16) % 6];
        if (k % group_of(format) == 0) put_nibble(metadata, format, row, step, group, nibble);
        const unsigned position = static_cast<unsigned>(inside % group_of(format) / unit);
        if (position != (nibble & 3) && position != nibble >> 2) continue;  // pruned
        stored = group * 2 * unit + (position == (nibble & 3) ? 0 : unit) + inside % unit;
      }
      put(to, stored, bits_of(format), code_of(format, pick));
      made.values[row * all + k] = values[pick] * (scaled ? 1u << power : 1u);
    }
  return made;
}

template <Format format>
void check(const char* what) {
  std::vector<std::uint8_t> metadata(steps * meta_bytes), none;
  const Operand a = make(format, 5, true, metadata), b = make(format, 6, false, none);
  const OnDevice<std::uint8_t> device_a(a.bytes), device_b(b.bytes), device_metadata(metadata),
      device_sa(a.scales), device_sb(b.scales);
  const OnDevice<float> device_d(tile * tile);
  CHECK(cudaFuncSetAttribute(multiply<format>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));
  multiply<format><<<1, threads, shared_bytes>>>(device_a.get(), device_b.get(),
                                                 device_metadata.get(), device_sa.get(),
                                                 device_sb.get(), device_d.get());
  finish();
  const int k = steps * depth_of(format);
  std::vector<float> want(tile * tile);
  for (int row = 0; row < tile; ++row)
    for (int column = 0; column < tile; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += a.values[row * k + i] * b.values[column * k + i];
      want[row * tile + column] = static_cast<float>(sum);
    }
  expect_equal(device_d.fetch(), want, what);
}

}  // namespace

int main() {
  check<Format::nvfp4>("sparse NVFP4");
  check<Format::mxfp8>("sparse MXFP8");
  check<Format::bf16>("sparse bf16");
  return passed();
}
