// links:
// Inline PTX as people and compilers write it: vectors of one, blanks and comments, signs, bases
// and expressions of constants, sinks, modifiers in another order, scopes and labels.
#include <cstdio>

__global__ void spell(const int* in, int* out, float* floats) {
  const int i = threadIdx.x;
  int loaded, moved, sum, low, chosen;
  asm volatile("ld.global.b32 { %0 }, [ %1 + (2 * 2 - 4) ] ;" : "=r"(loaded) : "l"(in + i));
  asm("mov.b32 %0, %1;" : "=r"(moved) : "r"(loaded));
  asm("add /* two */ .s32 %0 , %1 , - (- 0x10 ) + 0b11 ; // and a comment"
      : "=r"(sum)
      : "r"(moved));
  asm("{ .reg .b32 $high ; mov.b64 { %0 , $high } , %1 ; }" : "=r"(low) : "l"((long long)sum));
  asm("{\n\t.reg .pred %%p<3>;\n\tsetp.lt.s32 %%p1|_, %1, 1 ? 020 : 7;\n\t"
      "and.pred %%p2, !%%p1, !%%p1;\n\tselp.s32 %0, 100U, -(1), %%p2;\n\t}"
      : "=r"(chosen)
      : "r"(i));
  int counted = 0;
  asm volatile(
      "{ .reg .pred p; .reg .b32 n;\n\tmov.u32 n, 0;\nAGAIN_%=: add.u32 n, n, +1;\n\t"
      "setp.ne.u32 p, n, 5;\n\t@p bra.uni AGAIN_%=;\n\tmov.b32 %0, n; }"
      : "=r"(counted));
  float scaled;
  asm("fma.f32.rn %0, %1, 0f40000000, 15.0e-1;" : "=f"(scaled) : "f"((float)i));
  asm volatile("st.f32.global [%0], {%1};" ::"l"(floats + i), "f"(scaled) : "memory");
  asm volatile("st.global.b32 [%0], {%1};" ::"l"(out + i), "r"(low + chosen + counted) : "memory");
}

int main() {
  constexpr int count = 32;
  int *in = nullptr, *out = nullptr;
  float* floats = nullptr;
  if (cudaMallocManaged(&in, count * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&out, count * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&floats, count * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < count; ++i) in[i] = 1000 * i;
  spell<<<1, count>>>(in, out, floats);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    const int expected = 1000 * i + 19 + (i < 16 ? -1 : 100) + 5;
    if (out[i] != expected || floats[i] != 2.0f * i + 1.5f) {
      std::printf("thread %d: %d, not %d; %g\n", i, out[i], expected, floats[i]);
      return 1;
    }
  }
  cudaFree(in);
  cudaFree(out);
  cudaFree(floats);
  std::printf("ok\n");
  return 0;
}
