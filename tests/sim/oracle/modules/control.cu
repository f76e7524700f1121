// printf, assert, trap, recursion, function pointers, virtual calls, switches.
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

using Function = float (*)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ Function table[] = {twice, square};

__device__ __noinline__ int choose(int which, int x) {
  switch (which) {
    case 0:
      return x + 11;
    case 1:
      return x * 7;
    case 2:
      return x - 13;
    case 3:
      return x ^ 0x55;
    case 4:
      return x << 3;
    case 5:
      return x / 3;
    case 6:
      return x % 10;
    case 9:
      return -x;
    default:
      return 0;
  }
}

extern "C" __global__ void __launch_bounds__(128) control(float* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Square square_shape(in[i]);
  Circle circle_shape(in[i]);
  const Shape* shape = in[i] & 1 ? static_cast<const Shape*>(&square_shape) : &circle_shape;
  assert(in[i] >= 0);
  if (in[i] > 1000000) __trap();
  printf("%d %f %s %lld\n", in[i], out[i], "text", static_cast<long long>(i));
  out[i] = shape->area() + ackermann(in[i] & 1, 2) + table[in[i] & 1](out[i]) + choose(in[i], i);
}
