// Says what it reads from standard input: `report_reads_input [LINES]` reads so many lines, or all.
#include <cuda_runtime.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

__global__ void nothing() {}

}  // namespace

int main(int count, char** words) {
  nothing<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) return 1;
  int left = count > 1 ? std::atoi(words[1]) : 1 << 20;
  std::string all, line;
  while (left-- > 0 && std::getline(std::cin, line)) all += line + ",";
  std::cout << "read " << all << "\n";
  return 0;
}
