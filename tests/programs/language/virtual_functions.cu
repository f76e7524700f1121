// links:
// Virtual functions, abstract bases, multiple inheritance and virtual destructors on the device;
// objects are made in one kernel and used in another.
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Named {
  __device__ virtual int name() const { return 0; }
};
__device__ int destroyed;

struct Rectangle : Shape, Named {
  float width, height;
  __device__ Rectangle(float width, float height) : width(width), height(height) {}
  __device__ float area() const override { return width * height; }
  __device__ int name() const override { return 1; }
  __device__ ~Rectangle() override { atomicAdd(&destroyed, 1); }
};
struct Square : Rectangle {
  __device__ explicit Square(float side) : Rectangle(side, side) {}
  __device__ int name() const override { return 2; }
};
struct Disc : Shape, Named {
  float radius;
  __device__ explicit Disc(float radius) : radius(radius) {}
  __device__ float area() const override { return 3 * radius * radius; }
  __device__ int name() const override { return 3; }
  __device__ ~Disc() override { atomicAdd(&destroyed, 100); }
};

__global__ void make(Shape** shapes, Named** names) {
  const int i = threadIdx.x;
  switch (i % 3) {
    case 0: {
      auto* made = new Rectangle(i, 2);
      shapes[i] = made;
      names[i] = made;
      break;
    }
    case 1: {
      auto* made = new Square(i);
      shapes[i] = made;
      names[i] = made;
      break;
    }
    default: {
      auto* made = new Disc(i);
      shapes[i] = made;
      names[i] = made;
    }
  }
}
__global__ void use(Shape** shapes, Named** names, float* areas, int* called) {
  areas[threadIdx.x] = shapes[threadIdx.x]->area();
  called[threadIdx.x] = names[threadIdx.x]->name();
}
__global__ void destroy(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  constexpr int count = 30;
  Shape** shapes = nullptr;
  Named** names = nullptr;
  float* areas = nullptr;
  int* called = nullptr;
  if (cudaMalloc(&shapes, count * sizeof(Shape*)) != cudaSuccess) return 1;
  if (cudaMalloc(&names, count * sizeof(Named*)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&areas, count * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&called, count * sizeof(int)) != cudaSuccess) return 1;
  make<<<1, count>>>(shapes, names);
  use<<<1, count>>>(shapes, names, areas, called);
  destroy<<<1, count>>>(shapes);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < count; ++i) {
    const float area = i % 3 == 0 ? 2.0f * i : i % 3 == 1 ? float(i * i) : 3.0f * i * i;
    if (areas[i] != area || called[i] != i % 3 + 1) {
      std::printf("shape %d: area %g, name %d\n", i, areas[i], called[i]);
      return 1;
    }
  }
  int ended = 0;
  if (cudaMemcpyFromSymbol(&ended, destroyed, sizeof ended) != cudaSuccess) return 1;
  if (ended != 20 + 1000) return 1;
  cudaFree(shapes);
  cudaFree(names);
  cudaFree(areas);
  cudaFree(called);
  std::printf("ok\n");
  return 0;
}
