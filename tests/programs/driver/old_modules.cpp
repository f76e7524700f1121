// links: cuda
// Modules of PTX 1.x for devices of sm_1x, as compilers of that time wrote them: mad.f32 without a
// rounding, functions without .approx before PTX 1.4, entries without a list of parameters, special
// registers of 16 bits, debug information in lines of @@DWARF. cuModuleLoadData compiles them for
// the device at hand.
#include <cmath>
#include <vector>

#include "driver.hpp"

static const char* const of_1_4 = R"(
	.version 1.4
	.target sm_10, map_f64_to_f32
	// an ordinary module of 2009
	.file	1	"<command-line>"
	.file	2	"saxpy.cu"
	.entry saxpy (
		.param .u64 __cudaparm_saxpy_x,
		.param .u64 __cudaparm_saxpy_y,
		.param .f32 __cudaparm_saxpy_a,
		.param .s32 __cudaparm_saxpy_n)
	{
	.reg .u16 %rh<4>;
	.reg .u32 %r<6>;
	.reg .u64 %rd<8>;
	.reg .f32 %f<6>;
	.reg .pred %p<3>;
	.loc	2	3	0
$LDWbegin_saxpy:
	mov.u16 	%rh1, %ctaid.x;
	mov.u16 	%rh2, %ntid.x;
	mul.wide.u16 	%r1, %rh1, %rh2;
	cvt.u32.u16 	%r2, %tid.x;
	add.u32 	%r3, %r2, %r1;
	ld.param.s32 	%r4, [__cudaparm_saxpy_n];
	setp.le.s32 	%p1, %r4, %r3;
	@%p1 bra 	$Lt_0_1026;
	.loc	2	7	0
	cvt.s64.s32 	%rd1, %r3;
	mul.lo.u64 	%rd2, %rd1, 4;
	ld.param.u64 	%rd3, [__cudaparm_saxpy_y];
	add.u64 	%rd4, %rd3, %rd2;
	ld.global.f32 	%f1, [%rd4+0];
	ld.param.u64 	%rd5, [__cudaparm_saxpy_x];
	add.u64 	%rd6, %rd5, %rd2;
	ld.global.f32 	%f2, [%rd6+0];
	ld.param.f32 	%f3, [__cudaparm_saxpy_a];
	mad.f32 	%f4, %f2, %f3, %f1;
	st.global.f32 	[%rd4+0], %f4;
$Lt_0_1026:
	exit;
$LDWend_saxpy:
	} // saxpy

	.entry sum (
		.param .u64 __cudaparm_sum_in,
		.param .u64 __cudaparm_sum_out)
	{
	.reg .u32 %r<12>;
	.reg .u64 %rd<16>;
	.reg .f32 %f<8>;
	.reg .pred %p<4>;
	.shared .align 4 .b8 __cuda_partial[512];
	cvt.u32.u16 	%r1, %tid.x;
	cvt.u32.u16 	%r2, %ctaid.x;
	cvt.u32.u16 	%r3, %ntid.x;
	mul24.lo.u32 	%r4, %r2, %r3;
	add.u32 	%r5, %r4, %r1;
	cvt.u64.u32 	%rd1, %r5;
	mul.lo.u64 	%rd2, %rd1, 4;
	ld.param.u64 	%rd3, [__cudaparm_sum_in];
	add.u64 	%rd4, %rd3, %rd2;
	ld.global.f32 	%f1, [%rd4+0];
	mov.u64 	%rd5, __cuda_partial;
	cvt.u64.u32 	%rd6, %r1;
	mul.lo.u64 	%rd7, %rd6, 4;
	add.u64 	%rd8, %rd5, %rd7;
	st.shared.f32 	[%rd8+0], %f1;
	bar.sync 	0;
	shr.u32 	%r6, %r3, 1;
$Lt_1_2306:
	setp.le.u32 	%p1, %r6, %r1;
	@%p1 bra 	$Lt_1_2562;
	add.u32 	%r7, %r6, %r1;
	cvt.u64.u32 	%rd9, %r7;
	mul.lo.u64 	%rd10, %rd9, 4;
	add.u64 	%rd11, %rd5, %rd10;
	ld.shared.f32 	%f2, [%rd8+0];
	ld.shared.f32 	%f3, [%rd11+0];
	add.f32 	%f4, %f2, %f3;
	st.shared.f32 	[%rd8+0], %f4;
$Lt_1_2562:
	bar.sync 	0;
	shr.u32 	%r6, %r6, 1;
	mov.u32 	%r8, 0;
	setp.ne.u32 	%p2, %r6, %r8;
	@%p2 bra 	$Lt_1_2306;
	setp.ne.u32 	%p3, %r1, %r8;
	@%p3 bra 	$Lt_1_3074;
	ld.shared.f32 	%f5, [__cuda_partial+0];
	cvt.u64.u32 	%rd12, %r2;
	mul.lo.u64 	%rd13, %rd12, 4;
	ld.param.u64 	%rd14, [__cudaparm_sum_out];
	add.u64 	%rd15, %rd14, %rd13;
	st.global.f32 	[%rd15+0], %f5;
$Lt_1_3074:
	exit;
	} // sum

	@@DWARF .section .debug_info, "",@progbits
	@@DWARF .byte	0x34, 0x04, 0x00, 0x00, 0x02, 0x00
	@@DWARF .4byte	.debug_abbrev
	@@DWARF .quad	$LDWbegin_saxpy
)";

// Before 1.4: parameters in the body, functions without modifiers.
static const char* const of_1_2 = R"(
	.version 1.2
	.target sm_12
	.const .align 4 .f32 half = 0f3f000000;
	.entry functions
	{
	.param .u64 __cudaparm_functions_data;
	.reg .u32 %r<4>;
	.reg .u64 %rd<6>;
	.reg .f32 %f<12>;
	cvt.u32.u16 	%r1, %tid.x;
	cvt.u64.u32 	%rd1, %r1;
	mul.lo.u64 	%rd2, %rd1, 4;
	ld.param.u64 	%rd3, [__cudaparm_functions_data];
	add.u64 	%rd4, %rd3, %rd2;
	ld.global.f32 	%f1, [%rd4+0];
	sin.f32 	%f2, %f1;
	cos.f32 	%f3, %f1;
	mul.f32 	%f4, %f2, %f2;
	mad.f32 	%f5, %f3, %f3, %f4;
	sqrt.f32 	%f6, %f1;
	rsqrt.f32 	%f7, %f1;
	mad.f32 	%f5, %f6, %f7, %f5;
	lg2.f32 	%f8, %f1;
	ex2.f32 	%f8, %f8;
	div.f32 	%f8, %f8, %f1;
	add.f32 	%f5, %f5, %f8;
	rcp.f32 	%f9, %f1;
	mad.f32 	%f5, %f9, %f1, %f5;
	ld.const.f32 	%f10, [half];
	mul.f32 	%f5, %f5, %f10;
	st.global.f32 	[%rd4+0], %f5;
	exit;
	}
)";

static CUfunction load(const char* code, const char* name) {
  CUmodule module;
  CUfunction function;
  CHECK(cuModuleLoadData(&module, code));
  CHECK(cuModuleGetFunction(&function, module, name));
  return function;
}

static CUdeviceptr upload(const std::vector<float>& from) {
  CUdeviceptr to;
  CHECK(cuMemAlloc(&to, from.size() * sizeof(float)));
  CHECK(cuMemcpyHtoD(to, from.data(), from.size() * sizeof(float)));
  return to;
}
static std::vector<float> download(CUdeviceptr from, std::size_t count) {
  std::vector<float> to(count);
  CHECK(cuMemcpyDtoH(to.data(), from, count * sizeof(float)));
  CHECK(cuMemFree(from));
  return to;
}

int main() {
  constexpr unsigned n = 1000, block = 128, blocks = (n + block - 1) / block;
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  int wrong = 0;

  std::vector<float> x(n), y(n), ones(blocks * block, 0.25f);
  for (unsigned i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i) * 0.37f - 150;
    y[i] = static_cast<float>(i % 17) / 3;
  }
  y[7] = 0x1p-130f;  // too small for sm_1x, which takes it for zero
  x[7] = 0;
  CUdeviceptr device_x = upload(x), device_y = upload(y), device_in = upload(ones),
              device_out = upload(std::vector<float>(blocks));
  float a = 1.1f;
  int count = n;
  void* saxpy[] = {&device_x, &device_y, &a, &count};
  CHECK(
      cuLaunchKernel(load(of_1_4, "saxpy"), blocks, 1, 1, block, 1, 1, 0, nullptr, saxpy, nullptr));
  void* sum[] = {&device_in, &device_out};
  CHECK(cuLaunchKernel(load(of_1_4, "sum"), blocks, 1, 1, block, 1, 1, 0, nullptr, sum, nullptr));
  const std::vector<float> got = download(device_y, n), sums = download(device_out, blocks);
  for (unsigned i = 0; i < n; ++i) wrong += got[i] != (i == 7 ? 0 : std::fma(x[i], a, y[i]));
  for (const float value : sums) wrong += value != 0.25f * block;

  std::vector<float> arguments(block);
  for (unsigned i = 0; i < block; ++i) arguments[i] = 0.05f * static_cast<float>(i + 1);
  CUdeviceptr device_data = upload(arguments);
  void* functions[] = {&device_data};
  CHECK(cuLaunchKernel(load(of_1_2, "functions"), 1, 1, 1, block, 1, 1, 0, nullptr, functions,
                       nullptr));
  // sin^2 + cos^2, sqrt / sqrt, 2^log2(x) / x and x / x, each 1 up to the approximations' errors.
  for (const float value : download(device_data, block)) wrong += std::abs(value - 2) > 1e-5f;
  CHECK(cuMemFree(device_x));
  CHECK(cuMemFree(device_in));

  if (wrong != 0) {
    std::printf("%d wrong\n", wrong);
    return 1;
  }
  std::puts("ok");
  return 0;
}
