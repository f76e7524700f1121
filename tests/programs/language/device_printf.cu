// links:
// printf on the device: what a GPU's knows of conversions, flags, widths, strings and 32 arguments,
// compared with the host's own printf.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__device__ const char in_memory[] = "in global memory";
constexpr const char* literal = "literal";

__host__ __device__ inline void say_numbers(int width, long long wide) {
  printf("%d %i %u %o %x %X %c %%\n", -5, 7, 4000000000u, 8, 0xbeef, 0xbeef, 'q');
  printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%#o]\n", 42, 42, 42, 42, 42, 255, 8);
  printf("[%*d] [%-*d]\n", width, 9, width, 9);
  printf("%lld %llu %llx %ld %lu\n", wide, 18446744073709551615ull, 0x123456789abcdefll, -3L, 3UL);
  printf("%f %e %g %E %G %a\n", 1.5, 12345.678, 0.0001, 2.5e-7, 1e20, 1.0);
  printf("%.3f %10.2e %-10.1g| %+.0f %#.0f\n", 2.0 / 3, 1234.5, 0.5, 3.0, 3.0);
  printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 0.0);
}
__host__ __device__ inline void say_strings(const char* text, const char* literal) {
  printf("%s|%10s|%-10s|%.3s\n", text, literal, literal, literal);
  printf("no arguments\n");
  printf("%s", "");
  printf("a line without its end, ");
  printf("and the end\n");
}
__host__ __device__ inline void say_many() {
  printf(
      "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d "
      "%d %d\n",
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
      27, 28, 29, 30, 31, 32);
}

__global__ void speak(int width, long long wide, int* returned) {
  say_numbers(width, wide);
  say_strings(in_memory, literal);
  say_many();
  returned[0] = printf("%d and %s\n", 1, "two");  // how many arguments were printed
  returned[1] = printf("none\n");
}

__global__ void speak_all() { printf("block %d thread %d\n", blockIdx.x, threadIdx.x); }

static std::string output_of(void (*speaker)()) {
  std::fflush(stdout);
  const int kept = dup(1);
  std::FILE* file = std::tmpfile();
  dup2(fileno(file), 1);
  speaker();
  std::fflush(stdout);
  dup2(kept, 1);
  close(kept);
  std::string text;
  std::rewind(file);
  char piece[256];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, n);
  std::fclose(file);
  return text;
}

static int* returned;

int main() {
  cudaMallocManaged(&returned, 2 * sizeof(int));
  const std::string expected = output_of([] {
    say_numbers(6, -9000000000ll);
    say_strings("in global memory", literal);
    say_many();
    printf("1 and two\nnone\n");
  });
  const std::string got = output_of([] {
    speak<<<1, 1>>>(6, -9000000000ll, returned);
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
  });
  if (got != expected) {
    std::printf("expected:\n%sgot:\n%s", expected.c_str(), got.c_str());
    return 1;
  }
  if (returned[0] != 2 || returned[1] != 0) {
    std::printf("returned %d and %d\n", returned[0], returned[1]);
    return 1;
  }
  const std::string lines = output_of([] {
    speak_all<<<3, 40>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
  });
  for (int block = 0; block < 3; ++block)
    for (int thread = 0; thread < 40; ++thread) {
      char line[64];
      std::snprintf(line, sizeof line, "block %d thread %d\n", block, thread);
      if (lines.find(line) == std::string::npos) {
        std::printf("missing: %s", line);
        return 1;
      }
    }
  cudaFree(returned);
  std::printf("ok\n");
  return 0;
}
