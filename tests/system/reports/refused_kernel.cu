// Two kernels of one file: one can run, the other has an instruction that the simulator does not
// model and a name as libraries make them.
#include <cstdio>
#include <cstring>

template <int number, class... More>
struct Stage {};

template <class Schedule, class Epilogue, int width>
struct Universal {
  struct Params {
    int* out;
  };
};

template <class Operator>
__global__ void device_kernel(typename Operator::Params params) {
  asm("vadd.s32.s32.s32 %0, %0, %0;" : "+r"(*params.out));
}
__global__ void plain(int* out) { *out = 1; }

using Library = Universal<Stage<1, Stage<2, Stage<3, float, double, long long, unsigned long>>>,
                          Stage<4, Stage<5, Stage<6, float, double, long long, unsigned long>>>, 9>;

int main(int count, char** words) {
  int* out = nullptr;
  if (cudaMalloc(&out, sizeof(int)) != cudaSuccess) return 1;
  if (count > 1 && std::strcmp(words[1], "library") == 0)
    device_kernel<Library><<<1, 1>>>({out});
  else
    plain<<<1, 1>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
