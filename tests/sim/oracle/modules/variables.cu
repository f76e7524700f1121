// Variables of every space with initialisers; local arrays, unions, bit fields, wide integers.
struct Pair {
  int a;
  double b;
  const char* name;
};
__constant__ float weights[4] = {1.0f, -2.5f, 0x1p-10f, 3e38f};
__constant__ Pair pairs[2] = {{1, 2.0, "one"}, {3, -4.5, "three"}};
__device__ int counter = 7;
__device__ int* pointer = &counter;
__device__ int* inner[3] = {&counter, nullptr, &counter};
__device__ __managed__ long long shared_counter = -1;
__device__ unsigned char bytes[5] = {1, 2, 3, 4, 255};
__shared__ int module_shared[64];
struct Fields {
  unsigned a : 5, b : 11, c : 16;
};
template <class T>
__device__ T sum_of(const T* values, int n) {
  static __device__ T total;
  T own[32];
  for (int i = 0; i < 32; ++i) own[i] = values[(i * 7) % n];
  for (int i = 0; i < n; ++i) own[(i * 5) & 31] += values[i];
  total += own[n & 31];
  return own[(n + 3) & 31];
}
extern "C" __global__ void variables(double* out, const long long* in, Fields fields,
                                     Pair by_value) {
  extern __shared__ double dynamic[];
  __shared__ double fixed[32];
  fixed[threadIdx.x & 31] = in[threadIdx.x];
  module_shared[threadIdx.x & 63] = *pointer + bytes[threadIdx.x % 5];
  dynamic[threadIdx.x] = weights[threadIdx.x & 3] * pairs[threadIdx.x & 1].b;
  __syncthreads();
  fields.b += fields.a * fields.c;
  const __int128 wide = static_cast<__int128>(in[0]) * in[1] / (in[2] | 1);
  union {
    double d;
    unsigned u[2];
  } both{fixed[31 - (threadIdx.x & 31)]};
  atomicAdd(pointer, 1);
  out[threadIdx.x] = sum_of(fixed, 31) + dynamic[threadIdx.x ^ 1] + fields.b + both.u[1] +
                     static_cast<double>(wide >> 64) + module_shared[1] + *inner[2] +
                     by_value.name[0] + pairs[1].name[2] + sum_of(in, 9);
  shared_counter += in[3] % 1000 + in[4] / 77;
}
