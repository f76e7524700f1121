// Pictures as JPEG has them: 8x8 blocks, a discrete cosine transform by two small products in
// shared memory, quantisation to integers in zigzag order, and the way back.
#include <array>

#include "check.hpp"

namespace {

constexpr int edge = 8, cells = edge * edge;

// The order in which a diagonal walk from the corner meets the cells.
constexpr std::array<int, cells> zigzag_order() {
  std::array<int, cells> order{};
  int at = 0;
  for (int diagonal = 0; diagonal < 2 * edge - 1; ++diagonal)
    for (int i = 0; i <= diagonal; ++i) {
      const int row = diagonal % 2 == 0 ? diagonal - i : i, column = diagonal - row;
      if (row < edge && column < edge) order[at++] = row * edge + column;
    }
  return order;
}
static_assert(zigzag_order()[2] == 8 && zigzag_order()[63] == 63);

struct Constants {
  float cosines[edge][edge];  // of frequency and place
  int order[cells];
};
__constant__ Constants constants;
__device__ float step_of(int cell) { return 4.0f + static_cast<float>(cell / edge + cell % edge); }

__global__ void forward(const float* in, short* out, int width) {
  __shared__ float pixels[edge][edge], half[edge][edge], whole[cells];
  const int x = threadIdx.x, y = threadIdx.y;
  pixels[y][x] = in[(blockIdx.y * edge + y) * width + blockIdx.x * edge + x] - 128;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < edge; ++i) sum += constants.cosines[x][i] * pixels[y][i];
  half[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < edge; ++i) sum += constants.cosines[y][i] * half[i][x];
  whole[y * edge + x] = sum;
  __syncthreads();
  const int cell = constants.order[y * edge + x];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * cells + y * edge + x] =
      static_cast<short>(__float2int_rn(whole[cell] / step_of(cell)));
}

__global__ void backward(const short* in, float* out, int width) {
  __shared__ float whole[cells], half[edge][edge];
  const int x = threadIdx.x, y = threadIdx.y;
  const int cell = constants.order[y * edge + x];
  whole[cell] = in[(blockIdx.y * gridDim.x + blockIdx.x) * cells + y * edge + x] * step_of(cell);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < edge; ++i) sum += constants.cosines[i][x] * whole[y * edge + i];
  half[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < edge; ++i) sum += constants.cosines[i][y] * half[i][x];
  out[(blockIdx.y * edge + y) * width + blockIdx.x * edge + x] =
      fminf(fmaxf(rintf(sum + 128), 0), 255);
}

}  // namespace

int main() {
  constexpr int across = 6, down = 4, width = across * edge, height = down * edge;
  auto image = reals(width * height, 8, 0, 255);
  for (float& value : image) value = std::floor(value);
  Constants host;
  for (int k = 0; k < edge; ++k)
    for (int n = 0; n < edge; ++n)
      host.cosines[k][n] = static_cast<float>(std::cos(M_PI / edge * (n + 0.5) * k) *
                                              std::sqrt((k == 0 ? 1.0 : 2.0) / edge));
  const auto order = zigzag_order();
  std::copy(order.begin(), order.end(), host.order);
  CHECK(cudaMemcpyToSymbol(constants, &host, sizeof host));
  const OnDevice<float> in(image), back(image.size());
  const OnDevice<short> coefficients(image.size());
  forward<<<dim3(across, down), dim3(edge, edge)>>>(in.get(), coefficients.get(), width);
  backward<<<dim3(across, down), dim3(edge, edge)>>>(coefficients.get(), back.get(), width);
  finish();

  const auto got = coefficients.fetch();
  const auto again = back.fetch();
  for (int block = 0; block < across * down; ++block) {
    const int first = block / across * edge * width + block % across * edge;
    double kept[cells];
    for (int i = 0; i < cells; ++i) {
      const int cell = order[i], row = cell / edge, column = cell % edge;
      double sum = 0;
      for (int p = 0; p < cells; ++p)
        sum += double(host.cosines[row][p / edge]) * host.cosines[column][p % edge] *
               (image[first + p / edge * width + p % edge] - 128);
      const int value = got[block * cells + i];
      const double exact = sum / (4.0 + row + column);
      expect(std::abs(value - exact) <= 0.5 + 1e-4, "coefficient");  // a tie may go either way
      kept[cell] = value * (4.0 + row + column);
    }
    for (int p = 0; p < cells; ++p) {
      double sum = 128;
      for (int cell = 0; cell < cells; ++cell)
        sum +=
            kept[cell] * host.cosines[cell / edge][p / edge] * host.cosines[cell % edge][p % edge];
      const double value = again[first + p / edge * width + p % edge];
      expect(value == std::floor(value), "pixels are whole");
      expect(std::abs(value - std::min(std::max(sum, 0.0), 255.0)) <= 0.5 + 1e-3, "pixel");
    }
  }
  return passed();
}
