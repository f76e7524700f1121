// Half, bf16 and fp8 arithmetic, mathematical functions, integer intrinsics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void halves(__half2* h, __nv_bfloat162* b, __nv_fp8x4_e4m3* f, float* out) {
  const int i = threadIdx.x;
  h[i] = __hfma2_relu(h[i], __hmul2_sat(h[i], h[i + 1]), __hadd2(h[i], __float2half2_rn(0.5f)));
  h[i] = __hmax2_nan(h[i], h2exp2(h2log(h[i + 2])));
  b[i] = __hfma2(b[i], __hmul2(b[i], b[i + 1]), __float2bfloat162_rn(0.25f));
  b[i] = __hmin2(b[i], h2sqrt(h2rcp(b[i + 2])));
  out[i] = __half2float(hsin(__low2half(h[i]))) + __bfloat162float(htanh(__high2bfloat16(b[i])));
  f[i] = __nv_fp8x4_e4m3(make_float4(out[i], 1.0f, -2.0f, 500.0f));
  out[i] += static_cast<float4>(f[i + 1]).y + (__hlt2(h[i], h[i + 1]).x > __half(0) ? 1.0f : 0.0f);
  out[i] += __half2int_rn(h[i].x) + __half2ull_rz(h[i].y) + __bfloat162short_rd(b[i].x);
  atomicAdd(&h[0], h[i]);
  atomicAdd(&b[0], b[i]);
}
extern "C" __global__ void functions(double* d, float* f) {
  const int i = threadIdx.x;
  d[i] = sin(d[i]) + cos(d[i]) * exp(d[i]) - log(d[i]) + pow(d[i], 1.5) + tgamma(d[i]) + erf(d[i]) +
         fmod(d[i], 3.0) + cbrt(d[i]) + atan2(d[i], 2.0) + sqrt(d[i]) + rsqrt(d[i]) + j0(d[i]) +
         nearbyint(d[i]) + __dadd_ru(d[i], 1.0) + __ddiv_rz(d[i], 3.0) + ldexp(d[i], 3);
  f[i] = sinf(f[i]) + tanf(f[i]) * expf(f[i]) - logf(f[i]) + powf(f[i], 1.5f) + lgammaf(f[i]) +
         fmodf(f[i], 3.0f) + __expf(f[i]) + __sinf(f[i]) + __fdividef(f[i], 3.0f) + tanhf(f[i]) +
         __fsqrt_ru(f[i]) + __frcp_rd(f[i]) + normcdff(f[i]) + rintf(f[i]) + __saturatef(f[i]) +
         remquof(f[i], 2.0f, (int*)f);
}
extern "C" __global__ void integers(unsigned* u, long long* l) {
  const int i = threadIdx.x;
  u[i] = __popc(u[i]) + __clz(u[i]) + __brev(u[i]) + __ffs(u[i]) +
         __byte_perm(u[i], u[i + 1], 0x2143) + __funnelshift_lc(u[i], u[i + 1], u[i + 2]) +
         __dp4a(u[i], u[i + 1], u[i + 2]) + __dp2a_lo(u[i], u[i + 1], u[i + 2]) +
         __vadd4(u[i], u[i + 1]) + __vabsdiffu4(u[i], u[i + 1]) + __vmaxs2(u[i], u[i + 1]) +
         __umulhi(u[i], u[i + 1]) + __usad(u[i], u[i + 1], u[i + 2]) +
         __vimax3_u32(u[i], u[i + 1], u[i + 2]) + __vimax_s16x2_relu(u[i], u[i + 1]) +
         __rhadd(u[i], 5);
  l[i] = __clzll(l[i]) + __mul64hi(l[i], l[i + 1]) + l[i] / (l[i + 1] | 1) + l[i] % 1000 +
         clock64() + clock();
}
