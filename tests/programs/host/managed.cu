// A list and a table in managed memory that host and device build by turns: advice, prefetches to
// the device and back, a stream that owns a part of it, __managed__ variables.
#include <cstring>
#include <new>

#include "check.hpp"

namespace {

struct Node {
  int value;
  Node* next;
};
__managed__ int visited = 0;
__managed__ Node* head = nullptr;

__global__ void walk(int add) {
  for (Node* at = head; at; at = at->next) {
    at->value += add;
    ++visited;
  }
}
__global__ void scale(float* data, int count, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= by;
}

void check_list() {
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    void* memory = nullptr;
    CHECK(cudaMallocManaged(&memory, sizeof(Node)));
    head = new (memory) Node{i, head};
  }
  walk<<<1, 1>>>(100);
  finish();
  expect(visited == count, "nodes visited");
  for (int i = count - 1; i >= 0; --i) {
    Node* node = head;
    expect(node->value == 100 + i, "a node's value");
    head = node->next;
    CHECK(cudaFree(node));
  }
  expect(head == nullptr, "the list ends");
}

void check_prefetch() {
  constexpr int count = 5000;
  float* data = nullptr;
  CHECK(cudaMallocManaged(&data, count * sizeof(float)));
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  CHECK(cudaMemAdvise(data, count * sizeof(float), cudaMemAdviseSetPreferredLocation, device));
  CHECK(cudaMemAdvise(data, count * sizeof(float), cudaMemAdviseSetAccessedBy, host));
  const auto start = reals(count, 1);
  std::memcpy(data, start.data(), count * sizeof(float));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemPrefetchAsync(data, count * sizeof(float), device, 0, stream));
  scale<<<blocks_for(count, 128), 128, 0, stream>>>(data, count, 2);
  CHECK(cudaMemPrefetchAsync(data, count * sizeof(float), host, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < count; ++i) expect(data[i] == 2 * start[i], "scaled");
  CHECK(cudaMemAdvise(data, count * sizeof(float), cudaMemAdviseUnsetPreferredLocation, device));
  CHECK(cudaMemAdvise(data, count * sizeof(float), cudaMemAdviseSetReadMostly, device));
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, data + 3));
  expect(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == data + 3 &&
             attributes.devicePointer == data + 3,
         "attributes of a managed pointer");
  // A part that belongs to one stream: the host may touch it while another stream works.
  float* attached = nullptr;
  CHECK(cudaMallocManaged(&attached, 1000 * sizeof(float), cudaMemAttachHost));
  for (int i = 0; i < 1000; ++i) attached[i] = 1;
  CHECK(cudaStreamAttachMemAsync(stream, attached, 0, cudaMemAttachSingle));
  CHECK(cudaStreamSynchronize(stream));
  scale<<<8, 128, 0, stream>>>(attached, 1000, 3);
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 1000; ++i) expect(attached[i] == 3, "attached memory");
  CHECK(cudaFree(attached));
  CHECK(cudaFree(data));
  CHECK(cudaStreamDestroy(stream));
}

void check_range_attributes() {
  char* data = nullptr;
  constexpr std::size_t bytes = 1 << 16;
  CHECK(cudaMallocManaged(&data, bytes));
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0};
  int read_mostly = -1, preferred = -1, last = -1;
  CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemRangeGetAttribute(&read_mostly, sizeof(int), cudaMemRangeAttributeReadMostly, data,
                                 bytes));
  CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, device));
  CHECK(cudaMemRangeGetAttribute(&preferred, sizeof(int), cudaMemRangeAttributePreferredLocation,
                                 data, bytes));
  expect(read_mostly == 1 && preferred == 0, "advice can be asked for");
  CHECK(cudaMemPrefetchAsync(data, bytes, device, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemRangeGetAttribute(&last, sizeof(int), cudaMemRangeAttributeLastPrefetchLocation,
                                 data, bytes));
  expect(last == 0, "where it was prefetched to");
  CHECK(cudaFree(data));
}

}  // namespace

int main() {
  check_list();
  check_prefetch();
  check_range_attributes();
  return passed();
}
