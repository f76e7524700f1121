// Channels of every kind and width, read as they are and as fractions, and copied back.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int count = 64;

template <class T>
__global__ void read(cudaTextureObject_t texture, T* out) {
  out[threadIdx.x] = tex1D<T>(texture, threadIdx.x + 0.5f);
}

template <class T>
cudaChannelFormatDesc describe() {
  return cudaCreateChannelDesc<T>();
}
template <>
cudaChannelFormatDesc describe<__half2>() {
  return cudaCreateChannelDescHalf2();
}

// Reads an array of `In` as `Out` and compares with what `want` makes of the bits.
template <class In, class Out, class Want>
bool reads_right(const char* name, cudaTextureReadMode mode, bool srgb, Want want) {
  constexpr int channels = sizeof(Out) / 4;
  std::vector<In> values(count);
  unsigned state = sizeof(In) * 97 + channels;
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < count * sizeof(In); ++i)
    bytes[i] = static_cast<unsigned char>(next_random(state) >> 24);
  const cudaChannelFormatDesc desc = describe<In>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, count));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), count * sizeof(In), count * sizeof(In), 1,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = cudaAddressModeClamp;
  how.readMode = mode;
  how.sRGB = srgb;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  Out* out;
  CHECK(cudaMalloc(&out, count * sizeof(Out)));
  read<Out><<<1, count>>>(texture, out);
  CHECK(cudaGetLastError());
  std::vector<Out> got(count);
  CHECK(cudaMemcpy(got.data(), out, count * sizeof(Out), cudaMemcpyDeviceToHost));
  std::vector<In> back(count);
  CHECK(cudaMemcpy2DFromArray(back.data(), count * sizeof(In), array, 0, 0, count * sizeof(In), 1,
                              cudaMemcpyDeviceToHost));
  bool right = std::memcmp(back.data(), values.data(), count * sizeof(In)) == 0;
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < channels; ++c) {
      const auto* is = reinterpret_cast<const unsigned*>(&got[i]) + c;
      right &= want(
          reinterpret_cast<const unsigned char*>(&values[i]) + c * (sizeof(In) / channels), *is, c);
    }
  if (!right) std::fprintf(stderr, "wrong: %s\n", name);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  return right;
}

float float_of(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
T value_at(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool near(unsigned got, double want) { return std::fabs(float_of(got) - want) <= 1e-6; }

}  // namespace

int main() {
  constexpr auto element = cudaReadModeElementType;
  constexpr auto fraction = cudaReadModeNormalizedFloat;
  bool right = true;
  right &= reads_right<unsigned char, unsigned>(
      "u8", element, false, [](auto* at, unsigned got, int) { return got == *at; });
  right &= reads_right<signed char, int>("s8", element, false, [](auto* at, unsigned got, int) {
    return static_cast<int>(got) == value_at<signed char>(at);
  });
  right &= reads_right<ushort4, uint4>("u16x4", element, false, [](auto* at, unsigned got, int) {
    return got == value_at<unsigned short>(at);
  });
  right &= reads_right<short2, int2>("s16x2", element, false, [](auto* at, unsigned got, int) {
    return static_cast<int>(got) == value_at<short>(at);
  });
  right &= reads_right<uint4, uint4>("u32x4", element, false, [](auto* at, unsigned got, int) {
    return got == value_at<unsigned>(at);
  });
  right &= reads_right<uchar4, float4>(
      "unorm8x4", fraction, false,
      [](auto* at, unsigned got, int) { return near(got, *at / 255.0); });
  right &= reads_right<char2, float2>("snorm8x2", fraction, false, [](auto* at, unsigned got, int) {
    return near(got, std::fmax(value_at<signed char>(at) / 127.0, -1.0));
  });
  right &=
      reads_right<ushort2, float2>("unorm16x2", fraction, false, [](auto* at, unsigned got, int) {
        return near(got, value_at<unsigned short>(at) / 65535.0);
      });
  right &=
      reads_right<short4, float4>("snorm16x4", fraction, false, [](auto* at, unsigned got, int) {
        return near(got, std::fmax(value_at<short>(at) / 32767.0, -1.0));
      });
  right &= reads_right<uchar4, float4>("srgb", fraction, true, [](auto* at, unsigned got, int c) {
    const double code = *at / 255.0;
    const double linear = code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4);
    return std::fabs(float_of(got) - (c == 3 ? code : linear)) <= 1.0 / 256;  // as an H200 errs
  });
  right &= reads_right<__half2, float2>("f16x2", element, false, [](auto* at, unsigned got, int) {
    const float want = __half2float(value_at<__half>(at));
    return std::isnan(want) ? std::isnan(float_of(got)) : float_of(got) == want;
  });
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
