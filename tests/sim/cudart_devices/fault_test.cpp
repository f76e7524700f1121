// A kernel in memory that its device has no access to. Each case runs in a process of its own: the
// device is lost, and only that one.
#include <cstdio>
#include <cstdlib>

#include "tests/sim/cudart_devices/support.hpp"

using namespace aisp;

namespace {

using devices::ints_on;
using devices::On;

void expect(cudaError_t got, cudaError_t wanted, const char* what) {
  if (got == wanted) return;
  std::fprintf(stderr, "%s: %s instead of %s\n", what, cudaGetErrorName(got),
               cudaGetErrorName(wanted));
  std::_Exit(1);
}
#define EXPECT_RETURNS(call, wanted) expect(call, wanted, #call)

// Device 1 reads what device 2 has.
void read_theirs(int* theirs) {
  const On there(1);
  EXPECT_RETURNS(devices::launch_add(ints_on(1, 64), theirs, 64, nullptr), cudaSuccess);
}

[[noreturn]] void end_with(cudaError_t wanted) {
  {
    const On there(1);
    EXPECT_RETURNS(cudaDeviceSynchronize(), wanted);
    void* memory = nullptr;
    EXPECT_RETURNS(cudaMalloc(&memory, 4), wanted);
  }
  // The others go on.
  for (const int device : {0, 2, 3}) {
    const On there(device);
    int* memory = ints_on(device, 64);
    EXPECT_RETURNS(devices::launch_mark(memory, 64, nullptr), cudaSuccess);
    EXPECT_RETURNS(cudaDeviceSynchronize(), cudaSuccess);
  }
  std::_Exit(0);
}

[[noreturn]] void never_opened() {
  read_theirs(ints_on(2, 64));
  end_with(cudaErrorIllegalAddress);
}

[[noreturn]] void opened_the_other_way() {
  {
    const On there(2);
    EXPECT_RETURNS(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  }
  read_theirs(ints_on(2, 64));
  end_with(cudaErrorIllegalAddress);
}

[[noreturn]] void closed_again() {
  int* theirs = ints_on(2, 64);
  {
    const On there(1);
    EXPECT_RETURNS(cudaDeviceEnablePeerAccess(2, 0), cudaSuccess);
  }
  read_theirs(theirs);
  {
    const On there(1);
    EXPECT_RETURNS(cudaDeviceDisablePeerAccess(2), cudaSuccess);
  }
  read_theirs(theirs);
  end_with(cudaErrorIllegalAddress);
}

[[noreturn]] void opened_after_the_launch() {
  read_theirs(ints_on(2, 64));
  const On there(1);
  EXPECT_RETURNS(cudaDeviceEnablePeerAccess(2, 0), cudaErrorIllegalAddress);
  end_with(cudaErrorIllegalAddress);
}

[[noreturn]] void by_the_copy_engine() {
  const char* from = reinterpret_cast<const char*>(ints_on(2, 64));
  const On there(1);
  char* to = reinterpret_cast<char*>(ints_on(1, 64));
  void* args[] = {&to, &from};
  EXPECT_RETURNS(cudaLaunchKernel(kernels::copy_in_bulk(), dim3(1), dim3(1), args, 0, nullptr),
                 cudaSuccess);
  end_with(cudaErrorIllegalAddress);
}

int* pooled_on(int device) {
  const On there(device);
  void* memory = nullptr;
  EXPECT_RETURNS(cudaMallocAsync(&memory, 256, nullptr), cudaSuccess);
  EXPECT_RETURNS(cudaDeviceSynchronize(), cudaSuccess);
  return static_cast<int*>(memory);
}

// Peer access is about cudaMalloc; a pool has a list of its own.
[[noreturn]] void in_a_pool() {
  {
    const On there(1);
    EXPECT_RETURNS(cudaDeviceEnablePeerAccess(2, 0), cudaSuccess);
  }
  read_theirs(pooled_on(2));
  end_with(cudaErrorIllegalAddress);
}

[[noreturn]] void in_a_pool_that_is_open() {
  cudaMemPool_t pool{};
  EXPECT_RETURNS(cudaDeviceGetDefaultMemPool(&pool, 2), cudaSuccess);
  int* before = pooled_on(2);
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 1;
  cudaMemAccessFlags flags{};
  EXPECT_RETURNS(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
  if (flags != cudaMemAccessFlagsProtNone) std::_Exit(2);
  access.flags = cudaMemAccessFlagsProtReadWrite;
  EXPECT_RETURNS(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  EXPECT_RETURNS(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
  if (flags != cudaMemAccessFlagsProtReadWrite) std::_Exit(3);
  read_theirs(before);
  read_theirs(pooled_on(2));
  end_with(cudaSuccess);
}

class PeerFaultDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

constexpr const char* report =
    "no peer access: read of 4 bytes at 0x[0-9a-f]+, 0 bytes into allocation #[0-9]+ "
    "\\(256 bytes at 0x[0-9a-f]+\\) of device 2; the kernel runs on device 1, which has not called "
    "cudaDeviceEnablePeerAccess for device 2\n";

TEST_F(PeerFaultDeathTest, TheReportNamesBothDevices) {
  EXPECT_EXIT(never_opened(), testing::ExitedWithCode(0), report);
}
TEST_F(PeerFaultDeathTest, AccessHasADirection) {
  EXPECT_EXIT(opened_the_other_way(), testing::ExitedWithCode(0), report);
}
TEST_F(PeerFaultDeathTest, AccessEnds) {
  EXPECT_EXIT(closed_again(), testing::ExitedWithCode(0), report);
}
TEST_F(PeerFaultDeathTest, AccessThatIsAskedForTooLateIsNone) {
  EXPECT_EXIT(opened_after_the_launch(), testing::ExitedWithCode(0), report);
}
TEST_F(PeerFaultDeathTest, AsynchronousCopiesNeedItAsWell) {
  EXPECT_EXIT(by_the_copy_engine(), testing::ExitedWithCode(0),
              "no peer access: read of 64 bytes .* device 1.* device 2");
}
TEST_F(PeerFaultDeathTest, PoolsAreOpenedByThemselves) {
  EXPECT_EXIT(in_a_pool(), testing::ExitedWithCode(0),
              "the kernel runs on device 1, to which cudaMemPoolSetAccess has not opened the pool "
              "of device 2\n");
  EXPECT_EXIT(in_a_pool_that_is_open(), testing::ExitedWithCode(0), "^$");
}

}  // namespace
