// Two processes share a memory pool: the parent exports the pool as a descriptor and allocations of
// it as data; the child imports both, writes with a kernel, and frees. Wrong input gives errors.
#include <fcntl.h>
#include <sys/wait.h>

#include "check.hpp"
#include "descriptor.hpp"

namespace {

constexpr int count = 3000;
constexpr auto file_descriptor = cudaMemHandleTypePosixFileDescriptor;

struct Exported {
  cudaMemPoolPtrExportData first, second, of_other_pool;
};

__global__ void number(int* values, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = first + i;
}
__global__ void add(int* values, int summand) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += summand;
}

void refused(cudaError_t error, const char* what) {
  expect(error == cudaErrorInvalidValue, what);
  (void)cudaGetLastError();
}

void* as_handle(int descriptor) { return reinterpret_cast<void*>(static_cast<long>(descriptor)); }

int child(int socket) {
  Exported exported{};
  const int descriptor = receive_descriptor(socket, &exported, sizeof exported);
  EXPECT(descriptor >= 0);
  cudaMemPool_t pool = nullptr, none = nullptr;
  const int other = open("/dev/null", O_RDWR);
  int ends[2];
  EXPECT(other >= 0 && pipe(ends) == 0);
  for (const int wrong : {-1, 700, other, ends[0], socket})
    refused(cudaMemPoolImportFromShareableHandle(&none, as_handle(wrong), file_descriptor, 0),
            "a descriptor of something else is no pool");
  CHECK(cudaMemPoolImportFromShareableHandle(&pool, as_handle(descriptor), file_descriptor, 0));
  close(descriptor);  // the pool is there without it
  refused(cudaMemPoolImportFromShareableHandle(&none, as_handle(descriptor), file_descriptor, 0),
          "a closed descriptor");
  int *first = nullptr, *second = nullptr, *wrong = nullptr;
  CHECK(cudaMemPoolImportPointer(reinterpret_cast<void**>(&first), pool, &exported.first));
  CHECK(cudaMemPoolImportPointer(reinterpret_cast<void**>(&second), pool, &exported.second));
  refused(cudaMemPoolImportPointer(reinterpret_cast<void**>(&wrong), pool, &exported.of_other_pool),
          "a pointer of another pool");
  cudaMemPoolPtrExportData made_up{};
  refused(cudaMemPoolImportPointer(reinterpret_cast<void**>(&wrong), pool, &made_up), "made up");
  cudaMemPool_t standard = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  refused(cudaMemPoolImportPointer(reinterpret_cast<void**>(&wrong), standard, &exported.first),
          "a pool that is not imported");
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  // An imported pool has no memory of its own.
  refused(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&wrong), 64, pool, stream), "allocate");
  refused(cudaDeviceSetMemPool(0, pool), "the device's pool");
  refused(cudaMemPoolExportPointer(&made_up, first), "an imported pointer");
  int copy = 0;
  refused(cudaMemPoolExportToShareableHandle(&copy, pool, file_descriptor, 0), "an imported pool");
  std::vector<int> got(count), want(count);
  CHECK(cudaMemcpyAsync(got.data(), first, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < count; ++i) want[i] = 7 + i;
  expect_equal(got, want, "what the parent's kernel wrote");
  add<<<blocks_for(count, 128), 128, 0, stream>>>(second, 1000);
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(second));
  refused(cudaFree(second), "freed twice");
  EXPECT(tell(socket) && await(socket));
  // Freed by the process that has allocated it: no handle of it is good any more.
  refused(cudaMemPoolImportPointer(reinterpret_cast<void**>(&wrong), pool, &exported.first),
          "a pointer that was freed");
  CHECK(cudaMemPoolDestroy(pool));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}

cudaMemPool_t create_pool(cudaMemAllocationHandleType handles) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = handles;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  CHECK(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

}  // namespace

int main() {
  int sockets[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const pid_t process = fork();  // before anything of CUDA is called
  if (process == 0) {
    close(sockets[0]);
    _exit(child(sockets[1]));
  }
  close(sockets[1]);
  int types = 0;
  CHECK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  EXPECT((types & file_descriptor) != 0);
  const cudaMemPool_t pool = create_pool(file_descriptor), other = create_pool(file_descriptor),
                      own = create_pool(cudaMemHandleTypeNone);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *first = nullptr, *second = nullptr, *of_other = nullptr, *kept = nullptr;
  CHECK(cudaMallocFromPoolAsync(&first, count * sizeof(int), pool, stream));
  CHECK(cudaMallocFromPoolAsync(&second, count * sizeof(int), pool, stream));
  CHECK(cudaMallocFromPoolAsync(&of_other, 64, other, stream));
  CHECK(cudaMallocFromPoolAsync(&kept, 64, own, stream));
  number<<<blocks_for(count, 128), 128, 0, stream>>>(first, 7);
  number<<<blocks_for(count, 128), 128, 0, stream>>>(second, 0);
  Exported exported{};
  CHECK(cudaMemPoolExportPointer(&exported.first, first));
  CHECK(cudaMemPoolExportPointer(&exported.second, second));
  CHECK(cudaMemPoolExportPointer(&exported.of_other_pool, of_other));
  cudaMemPoolPtrExportData none;
  refused(cudaMemPoolExportPointer(&none, kept), "a pool without a handle type");
  int local = 0, descriptor = -1;
  refused(cudaMemPoolExportPointer(&none, &local), "no memory of a pool");
  refused(cudaMemPoolExportToShareableHandle(&descriptor, own, file_descriptor, 0), "no handle");
  refused(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypeNone, 0), "none");
  refused(cudaMemPoolExportToShareableHandle(&descriptor, pool, file_descriptor, 1), "flags");
  CHECK(cudaMemPoolExportToShareableHandle(&descriptor, pool, file_descriptor, 0));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(send_descriptor(sockets[0], descriptor, &exported, sizeof exported));
  close(descriptor);
  EXPECT(await(sockets[0]));
  std::vector<int> got(count), want(count);
  CHECK(cudaMemcpyAsync(got.data(), second, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaFreeAsync(second, stream));
  CHECK(cudaFreeAsync(of_other, stream));
  CHECK(cudaFreeAsync(kept, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < count; ++i) want[i] = 1000 + i;
  expect_equal(got, want, "what the child's kernel added");
  EXPECT(tell(sockets[0]));
  int status = -1;
  EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  // Memory of the pool is as good as new.
  CHECK(cudaMallocFromPoolAsync(&first, count * sizeof(int), pool, stream));
  number<<<blocks_for(count, 128), 128, 0, stream>>>(first, 0);
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolDestroy(pool));
  CHECK(cudaMemPoolDestroy(other));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaStreamDestroy(stream));
  return passed();
}
