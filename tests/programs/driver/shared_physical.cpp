// links: cuda
// Two processes map the same physical memory: the parent exports its handle as a descriptor, the
// child imports it, maps it at addresses of its own and scales what the parent wrote.
#include <fcntl.h>
#include <sys/wait.h>

#include <vector>

#include "../descriptor.hpp"
#include "driver.hpp"

namespace {

constexpr auto file_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr unsigned count = 5000;
int wrong_answers = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong_answers;
}
void refused(CUresult result, const char* what) {
  expect(result == CUDA_ERROR_INVALID_VALUE, what);
}

CUmemAllocationProp on_device_0(CUmemAllocationHandleType handles) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  properties.requestedHandleTypes = handles;
  return properties;
}

void* as_handle(int descriptor) { return reinterpret_cast<void*>(static_cast<long>(descriptor)); }

CUdeviceptr map(CUmemGenericAllocationHandle handle, std::size_t bytes) {
  CUdeviceptr address = 0;
  CHECK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  CHECK(cuMemMap(address, bytes, 0, handle, 0));
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(cuMemSetAccess(address, bytes, &access, 1));
  return address;
}
void unmap(CUdeviceptr address, std::size_t bytes) {
  CHECK(cuMemUnmap(address, bytes));
  CHECK(cuMemAddressFree(address, bytes));
}

CUcontext begin() {
  CUcontext context = nullptr;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  return context;
}

int child(int socket) {
  const CUcontext context = begin();
  std::size_t bytes = 0;
  const int descriptor = receive_descriptor(socket, &bytes, sizeof bytes);
  expect(descriptor >= 0, "a descriptor arrives");
  CUmemGenericAllocationHandle handle = 0, none = 0;
  const int other = open("/dev/null", O_RDWR);
  for (const int wrong : {-1, 700, other, socket})
    refused(cuMemImportFromShareableHandle(&none, as_handle(wrong), file_descriptor),
            "a descriptor of something else");
  CHECK(cuMemImportFromShareableHandle(&handle, as_handle(descriptor), file_descriptor));
  close(descriptor);
  refused(cuMemImportFromShareableHandle(&none, as_handle(descriptor), file_descriptor), "closed");
  CUmemAllocationProp properties{};
  CHECK(cuMemGetAllocationPropertiesFromHandle(&properties, handle));
  expect(properties.requestedHandleTypes == file_descriptor, "it may be exported again");
  const CUdeviceptr address = map(handle, bytes);
  CHECK(cuMemRelease(handle));  // the mapping keeps the memory
  CUmodule module;
  CUfunction scale;
  CHECK(cuModuleLoadData(&module, scale_and_shift));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CUdeviceptr data = address;
  unsigned n = count;
  float factor = 3;
  void* arguments[] = {&data, &n, &factor};
  CHECK(
      cuLaunchKernel(scale, (count + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  expect(tell(socket), "the parent is told");
  unmap(address, bytes);
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  return wrong_answers;
}

}  // namespace

int main() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  const pid_t process = fork();  // before anything of CUDA is called
  if (process == 0) {
    close(sockets[0]);
    _exit(child(sockets[1]));
  }
  close(sockets[1]);
  const CUcontext context = begin();
  int supported = 0;
  CHECK(cuDeviceGetAttribute(&supported,
                             CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
  expect(supported == 1, "the attribute");
  const CUmemAllocationProp shared = on_device_0(file_descriptor),
                            own = on_device_0(CU_MEM_HANDLE_TYPE_NONE),
                            fabric = on_device_0(CU_MEM_HANDLE_TYPE_FABRIC);
  std::size_t bytes = 0;
  CHECK(cuMemGetAllocationGranularity(&bytes, &shared, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle handle = 0, kept = 0, same = 0, none = 0;
  CHECK(cuMemCreate(&handle, bytes, &shared, 0));
  CHECK(cuMemCreate(&kept, bytes, &own, 0));
  expect(cuMemCreate(&none, bytes, &fabric, 0) == CUDA_ERROR_NOT_SUPPORTED, "handles of a fabric");
  int descriptor = -1;
  refused(cuMemExportToShareableHandle(&descriptor, kept, file_descriptor, 0), "not requested");
  refused(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_NONE, 0), "none");
  refused(cuMemExportToShareableHandle(&descriptor, handle, file_descriptor, 1), "flags");
  refused(cuMemExportToShareableHandle(&descriptor, 12345, file_descriptor, 0), "no handle");
  refused(cuMemExportToShareableHandle(nullptr, handle, file_descriptor, 0), "no place for it");
  CHECK(cuMemExportToShareableHandle(&descriptor, handle, file_descriptor, 0));
  const CUdeviceptr address = map(handle, bytes);
  std::vector<float> values(count);
  for (unsigned i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  CHECK(cuMemcpyHtoD(address, values.data(), count * sizeof(float)));
  // In this process the descriptor is one more handle of the same memory.
  CHECK(cuMemImportFromShareableHandle(&same, as_handle(descriptor), file_descriptor));
  const CUdeviceptr again = map(same, bytes);
  expect(send_descriptor(sockets[0], descriptor, &bytes, sizeof bytes), "it is handed out");
  close(descriptor);
  expect(await(sockets[0]), "the child has written");
  int wrong = 0;
  for (const CUdeviceptr place : {address, again}) {
    CHECK(cuMemcpyDtoH(values.data(), place, count * sizeof(float)));
    for (unsigned i = 0; i < count; ++i) wrong += values[i] != 3.0f * static_cast<float>(i);
  }
  int status = -1;
  expect(waitpid(process, &status, 0) == process && status == 0, "the child ends well");
  unmap(address, bytes);
  unmap(again, bytes);
  for (const CUmemGenericAllocationHandle last : {handle, kept, same}) CHECK(cuMemRelease(last));
  CHECK(cuCtxDestroy(context));
  return ended(wrong + wrong_answers);
}
