// links: cuda
// device: h200,sms=4,gpus=4
// Multicast objects: one address for the memory of four devices. A sum over all of them in two ways
// (loads that reduce and stores that reach all; reductions that reach all), a broadcast, and what
// the driver refuses.
#include <cuda.h>
#include <cuda_fp16.h>

#include <thread>

#include "check.hpp"

namespace {

constexpr int devices = 4, count = 4096, halves = 2048;

void require(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\n", what, name);
  std::exit(1);
}

// Memory of every device, bound to one object: `own` is a device's part, `all` the object.
struct Team {
  CUmemGenericAllocationHandle object{}, memory[devices]{};
  CUdeviceptr own[devices]{}, all = 0;
  std::size_t bytes = 0;
};

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

void let_reach(CUdeviceptr address, std::size_t bytes, int device) {
  CUmemAccessDesc access{};
  access.location = on_device(device).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(cuMemSetAccess(address, bytes, &access, 1));
}

// Each device is added and binds its memory in a thread of its own: binding waits for the others.
Team make_team(std::size_t parts) {
  Team team;
  CUmulticastObjectProp properties{};
  properties.numDevices = devices;
  CHECK(cuMulticastGetGranularity(&team.bytes, &properties, CU_MULTICAST_GRANULARITY_MINIMUM));
  team.bytes *= parts;
  properties.size = team.bytes;
  CHECK(cuMulticastCreate(&team.object, &properties));
  std::vector<std::thread> threads;
  for (int device = 0; device < devices; ++device)
    threads.emplace_back([&team, device] {
      CHECK(cuMulticastAddDevice(team.object, device));
      const CUmemAllocationProp memory = on_device(device);
      CHECK(cuMemCreate(&team.memory[device], team.bytes, &memory, 0));
      CHECK(cuMemAddressReserve(&team.own[device], team.bytes, 0, 0, 0));
      CHECK(cuMemMap(team.own[device], team.bytes, 0, team.memory[device], 0));
      let_reach(team.own[device], team.bytes, device);
      if (device % 2 == 0)
        CHECK(cuMulticastBindMem(team.object, 0, team.memory[device], 0, team.bytes, 0));
      else
        CHECK(cuMulticastBindAddr(team.object, 0, team.own[device], team.bytes, 0));
    });
  for (auto& thread : threads) thread.join();
  CHECK(cuMemAddressReserve(&team.all, team.bytes, 0, 0, 0));
  CHECK(cuMemMap(team.all, team.bytes, 0, team.object, 0));
  for (int device = 0; device < devices; ++device) let_reach(team.all, team.bytes, device);
  return team;
}

void give_back(Team& team) {
  CHECK(cuMemUnmap(team.all, team.bytes));
  CHECK(cuMemAddressFree(team.all, team.bytes));
  for (int device = 0; device < devices; ++device) {
    CHECK(cuMulticastUnbind(team.object, device, 0, team.bytes));
    CHECK(cuMemUnmap(team.own[device], team.bytes));
    CHECK(cuMemAddressFree(team.own[device], team.bytes));
    CHECK(cuMemRelease(team.memory[device]));
  }
  CHECK(cuMemRelease(team.object));
}

// A quarter of the sums each, which all devices get, and a count of those that are done.
__global__ void all_reduce(float* all, int* done, int device) {
  const int share = count / devices;
  for (int i = device * share + 4 * threadIdx.x; i < (device + 1) * share; i += 4 * blockDim.x) {
    float4 sum;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w)
                 : "l"(all + i)
                 : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(all + i),
                 "f"(sum.x), "f"(sum.y), "f"(sum.z), "f"(sum.w)
                 : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(done) : "memory");
}

// The same of halves, added in f32: every device reads the sums for itself.
__global__ void reduce_halves(const __half2* all, __half2* out) {
  for (int i = threadIdx.x; i < halves / 2; i += blockDim.x) {
    unsigned sum;
    asm volatile("multimem.ld_reduce.global.add.acc::f32.f16x2 %0, [%1];"
                 : "=r"(sum)
                 : "l"(all + i));
    out[i] = *reinterpret_cast<__half2*>(&sum);
  }
}

__global__ void broadcast(int* all, int seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("multimem.st.global.u32 [%0], %1;" ::"l"(all + i), "r"(seed + i) : "memory");
}

__global__ void add_to_all(unsigned* all, const unsigned* mine) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("multimem.red.global.add.u32 [%0], %1;" ::"l"(all + i), "r"(mine[i]) : "memory");
}

template <class T>
std::vector<T> read(CUdeviceptr from, std::size_t size) {
  std::vector<T> values(size);
  CHECK(cuMemcpyDtoH(values.data(), from, size * sizeof(T)));
  return values;
}

void synchronise() {
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
}

void sum_floats(const Team& team) {
  const std::size_t flags = team.bytes / 2;  // behind the numbers
  std::vector<double> want(count);
  for (int device = 0; device < devices; ++device) {
    const std::vector<float> values = reals(count, 20 + device);
    for (int i = 0; i < count; ++i) want[i] += values[i];
    CHECK(cuMemcpyHtoD(team.own[device], values.data(), count * sizeof(float)));
    CHECK(cuMemsetD8(team.own[device] + flags, 0, sizeof(int)));
  }
  synchronise();
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    all_reduce<<<1, 128>>>(reinterpret_cast<float*>(team.all),
                           reinterpret_cast<int*>(team.all + flags), device);
  }
  synchronise();
  const std::vector<float> first = read<float>(team.own[0], count);
  expect_close(first, want, 1e-6, "the sum");
  for (int device = 0; device < devices; ++device) {
    expect_equal(read<float>(team.own[device], count), first, "the same bits on every device");
    expect(read<int>(team.own[device] + flags, 1)[0] == devices, "all have said so to all");
  }
}

void sum_halves(const Team& team) {
  std::vector<float> exact(halves);
  for (int device = 0; device < devices; ++device) {
    const std::vector<float> values = reals(halves, 40 + device);
    std::vector<__half> rounded(halves);
    for (int i = 0; i < halves; ++i) {
      rounded[i] = __float2half(values[i]);
      exact[i] += __half2float(rounded[i]);
    }
    CHECK(cuMemcpyHtoD(team.own[device], rounded.data(), halves * sizeof(__half)));
  }
  synchronise();
  __half2* out[devices];
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&out[device], halves * sizeof(__half)));
    CHECK(cudaMemset(out[device], 0xff, halves * sizeof(__half)));
    reduce_halves<<<1, 128>>>(reinterpret_cast<__half2*>(team.all), out[device]);
  }
  synchronise();
  for (int device = 0; device < devices; ++device) {
    std::vector<__half> got(halves);
    CHECK(cudaMemcpy(got.data(), out[device], halves * sizeof(__half), cudaMemcpyDefault));
    for (int i = 0; i < halves; ++i)
      expect(__half_as_ushort(got[i]) == __half_as_ushort(__float2half(exact[i])),
             "one rounding of the sum in f32");
    CHECK(cudaFree(out[device]));
  }
}

void send_and_count(const Team& team) {
  std::vector<unsigned> want(count), mine[devices];
  unsigned* from[devices];
  CHECK(cudaSetDevice(2));
  broadcast<<<count / 128, 128>>>(reinterpret_cast<int*>(team.all), 70);
  synchronise();
  for (int i = 0; i < count; ++i) want[i] = 70u + i;
  for (int device = 0; device < devices; ++device)
    expect_equal(read<unsigned>(team.own[device], count), want, "broadcast");
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    mine[device] = numbers(count, 60 + device);
    CHECK(cudaMalloc(&from[device], count * sizeof(unsigned)));
    CHECK(cudaMemcpy(from[device], mine[device].data(), count * sizeof(unsigned),
                     cudaMemcpyHostToDevice));
    add_to_all<<<count / 128, 128>>>(reinterpret_cast<unsigned*>(team.all), from[device]);
    for (int i = 0; i < count; ++i) want[i] += mine[device][i];
  }
  synchronise();
  for (int device = 0; device < devices; ++device) {
    expect_equal(read<unsigned>(team.own[device], count), want, "added on every device");
    CHECK(cudaFree(from[device]));
  }
}

void expect_refused(CUresult got, CUresult want, const char* what) { expect(got == want, what); }

// What the driver takes and what it does not.
void refusals() {
  int supported = 0;
  CHECK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 1));
  EXPECT(supported == 1);
  CUmulticastObjectProp properties{};
  properties.numDevices = 2;
  std::size_t unit = 0;
  CHECK(cuMulticastGetGranularity(&unit, &properties, CU_MULTICAST_GRANULARITY_RECOMMENDED));
  properties.size = 2 * unit;
  CUmemGenericAllocationHandle object, memory[2], small;
  constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
  properties.size = unit + 1;
  expect_refused(cuMulticastCreate(&object, &properties), invalid, "an odd size");
  properties.size = 2 * unit;
  properties.numDevices = devices + 1;
  expect_refused(cuMulticastCreate(&object, &properties), invalid, "a device too many");
  properties.numDevices = 2;
  CHECK(cuMulticastCreate(&object, &properties));
  for (int device = 0; device < 2; ++device) {
    const CUmemAllocationProp at = on_device(device);
    CHECK(cuMemCreate(&memory[device], 2 * unit, &at, 0));
  }
  const CUmemAllocationProp elsewhere = on_device(2);
  CHECK(cuMemCreate(&small, unit, &elsewhere, 0));
  CHECK(cuMulticastAddDevice(object, 0));
  expect_refused(cuMulticastAddDevice(object, 0), invalid, "twice");
  CUdeviceptr address = 0;
  CHECK(cuMemAddressReserve(&address, 2 * unit, 0, 0, 0));
  // Nobody else will add the second one.
  expect_refused(cuMulticastBindMem(object, 0, memory[0], 0, unit, 0), CUDA_ERROR_ILLEGAL_STATE,
                 "one device is missing");
  expect_refused(cuMemMap(address, 2 * unit, 0, object, 0), CUDA_ERROR_ILLEGAL_STATE,
                 "one device is missing");
  CHECK(cuMulticastAddDevice(object, 1));
  expect_refused(cuMulticastAddDevice(object, 2), invalid, "the team is complete");
  expect_refused(cuMulticastBindMem(object, 0, small, 0, unit, 0), CUDA_ERROR_INVALID_DEVICE,
                 "a device outside of the team");
  expect_refused(cuMulticastBindMem(object, 4096, memory[0], 0, unit, 0), invalid, "an odd offset");
  expect_refused(cuMulticastBindMem(object, unit, memory[0], 0, 2 * unit, 0), invalid,
                 "behind the end of the object");
  expect_refused(cuMulticastBindMem(object, 0, memory[0], unit, 2 * unit, 0), invalid,
                 "behind the end of the memory");
  expect_refused(cuMulticastBindMem(object, 0, object, 0, unit, 0), invalid, "no memory");
  expect_refused(cuMulticastBindMem(memory[0], 0, memory[1], 0, unit, 0), invalid, "no object");
  CHECK(cuMulticastBindMem(object, unit, memory[0], 0, unit, 0));
  expect_refused(cuMulticastBindMem(object, 0, memory[0], 0, 2 * unit, 0), invalid,
                 "bound already");
  expect_refused(cuMulticastUnbind(object, 0, 0, unit), invalid, "nothing is bound there");
  CHECK(cuMulticastUnbind(object, 0, unit, unit));
  void* plain = nullptr;
  CHECK(cudaMalloc(&plain, unit));
  expect_refused(cuMulticastBindAddr(object, 0, reinterpret_cast<CUdeviceptr>(plain), unit, 0),
                 CUDA_ERROR_NOT_SUPPORTED, "not of cuMemCreate");
  CHECK(cudaFree(plain));
  CHECK(cuMemMap(address, 2 * unit, 0, object, 0));
  let_reach(address, 2 * unit, 0);
  expect(cuMemsetD8(address, 0, 16) != CUDA_SUCCESS, "a multicast address is no memory");
  CHECK(cuMemUnmap(address, 2 * unit));
  CHECK(cuMemAddressFree(address, 2 * unit));
  for (const auto handle : {memory[0], memory[1], small, object}) CHECK(cuMemRelease(handle));
}

}  // namespace

int main() {
  CHECK(cuInit(0));
  for (int device = 0; device < devices; ++device) {  // their contexts
    CHECK(cudaSetDevice(device));
    CHECK(cudaFree(nullptr));
  }
  Team team = make_team(1);
  sum_floats(team);
  sum_halves(team);
  send_and_count(team);
  give_back(team);
  refusals();
  return passed();
}
