// device: h200,sms=4,gpus=3
// A wave on several devices: each has a slab with a ghost row on either side; the inner rows are
// computed while the edges travel to the neighbours in streams of their own.
#include <array>

#include "check.hpp"

namespace {

constexpr int width = 48, rows = 12, most = 4, steps = 10;

__global__ void advance(const float* now, const float* before, float* next, int first, int last) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y;
  if (x >= width || y > last) return;
  const int i = y * width + x, left = y * width + (x + width - 1) % width,
            right = y * width + (x + 1) % width;
  const float bend = now[left] + now[right] + now[i - width] + now[i + width] - 4 * now[i];
  next[i] = 2 * now[i] - before[i] + 0.3f * bend;
}

struct Slab {
  std::array<float*, 3> field;  // before, now, next by turns
  cudaStream_t inner, edge;
  cudaEvent_t inner_done, edge_done;
};

}  // namespace

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  devices = std::min(devices, most);
  const int total = devices * rows;
  const auto before = reals(total * width, 4), now = reals(total * width, 5);
  constexpr std::size_t row_bytes = width * sizeof(float), slab_bytes = (rows + 2) * row_bytes;
  std::vector<Slab> slabs(devices);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (const int other : {d - 1, d + 1}) {
      const int peer = (other + devices) % devices;
      int can = 0;
      if (peer == d) continue;
      CHECK(cudaDeviceCanAccessPeer(&can, d, peer));
      const auto enabled = can ? cudaDeviceEnablePeerAccess(peer, 0) : cudaSuccess;
      expect(enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled, "peer access");
      if (enabled != cudaSuccess) cudaGetLastError();  // two devices are neighbours on both sides
    }
    auto& slab = slabs[d];
    for (float*& field : slab.field) {
      CHECK(cudaMalloc(&field, slab_bytes));
      CHECK(cudaMemset(field, 0xff, slab_bytes));
    }
    for (int row = -1; row <= rows; ++row)  // with the ghosts
      for (int f = 0; f < 2; ++f)
        CHECK(cudaMemcpy(slab.field[f] + (row + 1) * width,
                         &(f ? now : before)[(d * rows + row + total) % total * width], row_bytes,
                         cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&slab.inner, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&slab.edge, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&slab.inner_done, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&slab.edge_done, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
  }
  for (int step = 0; step < steps; ++step) {
    const int was = step % 3, is = (step + 1) % 3, becomes = (step + 2) % 3;
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      auto& slab = slabs[d];
      // A step begins when both neighbours have sent their edges and this one's inner rows are
      // done.
      for (const int other : {d, (d + 1) % devices, (d + devices - 1) % devices})
        for (const auto stream : {slab.inner, slab.edge})
          if (step > 0) CHECK(cudaStreamWaitEvent(stream, slabs[other].edge_done));
      if (step > 0) CHECK(cudaStreamWaitEvent(slab.edge, slab.inner_done));
    }
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      auto& slab = slabs[d];
      for (const int row : {1, rows})
        advance<<<1, 64, 0, slab.edge>>>(slab.field[is], slab.field[was], slab.field[becomes], row,
                                         row);
      advance<<<dim3(1, rows - 2), 64, 0, slab.inner>>>(slab.field[is], slab.field[was],
                                                        slab.field[becomes], 2, rows - 1);
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(slab.inner_done, slab.inner));
      const int up = (d + devices - 1) % devices, down = (d + 1) % devices;
      CHECK(cudaMemcpyPeerAsync(slabs[up].field[becomes] + (rows + 1) * width, up,
                                slab.field[becomes] + width, d, row_bytes, slab.edge));
      CHECK(cudaMemcpyPeerAsync(slabs[down].field[becomes], down,
                                slab.field[becomes] + rows * width, d, row_bytes, slab.edge));
      CHECK(cudaEventRecord(slab.edge_done, slab.edge));
    }
  }
  std::vector<float> got(total * width);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got[d * rows * width], slabs[d].field[(steps + 1) % 3] + width,
                     rows * row_bytes, cudaMemcpyDeviceToHost));
  }
  std::vector<double> last(before.begin(), before.end()), here(now.begin(), now.end());
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(here.size());
    for (int y = 0; y < total; ++y)
      for (int x = 0; x < width; ++x) {
        const auto at = [&](int dx, int dy) {
          return here[(y + dy + total) % total * width + (x + dx + width) % width];
        };
        const double bend = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0);
        next[y * width + x] = 2 * at(0, 0) - last[y * width + x] + 0.3f * bend;
      }
    last.swap(here);
    here.swap(next);
  }
  expect_close(got, here, 1e-4, "wave");
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (float* field : slabs[d].field) CHECK(cudaFree(field));
    CHECK(cudaStreamDestroy(slabs[d].inner));
    CHECK(cudaStreamDestroy(slabs[d].edge));
    CHECK(cudaEventDestroy(slabs[d].inner_done));
    CHECK(cudaEventDestroy(slabs[d].edge_done));
  }
  return passed();
}
