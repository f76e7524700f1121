#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/rung.hpp"
#include "lab/device/clock_probe.hpp"
#include "lab/device/cuda_runtime.hpp"
#include "lab/device/device.hpp"
#include "lab/device/hardware.hpp"
#include "lab/device/simulator.hpp"
#include "lab/device/stream_gate.hpp"
#include "lab/measure/nvml.hpp"

namespace aisp::lab {
namespace {

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_{};
};

class GraphReplay : public Replay {
 public:
  GraphReplay(cudaStream_t stream, const std::function<void()>& work) : stream_(stream) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    cudaGraph_t graph{};
    try {
      work();
    } catch (...) {
      // The stream must not stay in a capture: other rungs use it after this one.
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const auto error = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(error, "cudaGraphInstantiate");
  }
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;
  ~GraphReplay() override { cudaGraphExecDestroy(executable_); }
  void enqueue() override { check_cuda(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_{};
};

// Devices on which this process has a context: asking the others to wait would make them one.
std::vector<int> used_devices_besides(int own) {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count < 2) return {};
  static const auto state = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &function, 7000,
                                                cudaEnableDefault, &found),
               "cudaGetDriverEntryPointByVersion");
    return reinterpret_cast<CUresult (*)(CUdevice, unsigned*, int*)>(function);
  }();
  std::vector<int> used;
  for (int device = 0; device < count; ++device) {
    unsigned flags = 0;
    int active = 0;
    if (device != own && state != nullptr && state(device, &flags, &active) == CUDA_SUCCESS &&
        active != 0)
      used.push_back(device);
  }
  return used;
}

std::string dotted(int version) { return base::say(version / 1000, '.', version % 1000 / 10); }

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

// "580.65.06"; on the simulator nothing; where NVML is missing, the CUDA version that the driver
// supports.
std::string driver_release(const std::string& uuid, int cuda_version) {
  if (on_simulator()) return "none (simulated)";
  const NvmlOpened nvml = open_nvml(uuid);
  const std::string release = nvml.gauge ? nvml.gauge->limits().driver : "";
  return release.empty() ? "CUDA " + dotted(cuda_version) : release;
}

// Of a simulated machine with several; a run that goes on must find as many.
int how_many_simulated() {
  int count = 0;
  if (on_simulator()) check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count > 1 ? count : 0;
}

DeviceRecord describe(int ordinal) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const std::string uuid = uuid_text(properties.uuid);
  return {.hardware = hardware_key(properties.name),
          .name = properties.name,
          .driver = driver_release(uuid, driver),
          .runtime = dotted(runtime),
          .uuid = uuid,
          .multiprocessors = properties.multiProcessorCount,
          .major = properties.major,
          .minor = properties.minor,
          .l2_bytes = properties.l2CacheSize,
          .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
          .simulated = on_simulator(),
          .simulated_devices = how_many_simulated()};
}

class CudaDevice : public Device {
 public:
  CudaDevice() {
    check_cuda(cudaSetDevice(0), "cudaSetDevice");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    info_ = describe(0);
    std::string problem;  // without it times have no clock beside them
    if (!info_.simulated) probe_ = open_clock_probe(info_.multiprocessors, problem);
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override { cudaStreamDestroy(stream_); }

  const DeviceRecord& info() const override { return info_; }
  cudaStream_t stream() const override { return stream_; }

  void* allocate(std::size_t bytes, Memory where) override {
    const bool pinned = where == Memory::pinned;
    const std::size_t some = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    const auto error = pinned ? cudaMallocHost(&memory, some) : cudaMalloc(&memory, some);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not sticky: the next size may fit
      const std::string asked = base::with_prefix(static_cast<double>(bytes), "B");
      throw std::runtime_error(
          pinned ? base::say("no ", asked,
                             " of pinned host memory to be had; choose smaller "
                             "--sizes")
                 : base::say("out of device memory: ", asked, " asked for, ",
                             base::with_prefix(static_cast<double>(free_bytes()), "B"),
                             " free; choose smaller --sizes"));
    }
    check_cuda(error, pinned ? "cudaMallocHost" : "cudaMalloc");
    return memory;
  }
  void release(void* memory, Memory where) override {
    where == Memory::pinned ? cudaFreeHost(memory) : cudaFree(memory);
  }

  std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }

  void upload(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "upload");
    synchronize();
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "download");
    synchronize();
  }
  void fill(void* memory, int byte, std::size_t bytes) override {
    check_cuda(cudaMemsetAsync(memory, byte, bytes, stream_), "cudaMemsetAsync");
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }

  void synchronize() override {
    check_cuda(cudaGetLastError(), "kernel launch");
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  Timed time(const Sample& sample) override {
    // The simulator's clock stands still while the host works.
    const bool held = sample.start == Start::held && !info_.simulated;
    if (held) gate_.close(stream_);
    Milliseconds host{};
    try {
      sample.first();
      if (probe_) probe_->before(stream_);
      record(start_);
      const auto began = Clock::now();
      sample.work();
      host = Clock::now() - began;
      record(stop_);
      sample.last();
      if (probe_) probe_->after(stream_);
      record(last_);
    } catch (...) {
      gate_.open();
      throw;
    }
    if (held) std::this_thread::sleep_for(Milliseconds(sample.hold_ms));
    gate_.open();
    sample.meanwhile();
    const double busy_after = wait_for_other_streams(sample.linger_ms);
    return {.ms = between(start_, stop_),
            .sm_mhz = probe_ ? probe_->megahertz() : std::nullopt,
            .host_ms = info_.simulated ? std::nullopt : std::optional(host.count()),
            .busy_after_ms = busy_after};
  }

  std::unique_ptr<Replay> record(const std::function<void()>& work) override {
    return std::make_unique<GraphReplay>(stream_, work);
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;

  void record(const Event& event) {
    check_cuda(cudaEventRecord(event.get(), stream_), "cudaEventRecord");
  }
  static double between(const Event& first, const Event& second) {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, first.get(), second.get()),
               "cudaEventElapsedTime");
    return milliseconds;
  }

  // Waits for the launch stream, lets `linger_ms` pass, then waits for all other streams of this
  // process. Returns how many milliseconds those took: by the host's clock, or exactly by the
  // simulator's, which does not advance meanwhile.
  double wait_for_other_streams(double linger_ms) {
    check_cuda(cudaGetLastError(), "kernel launch");
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    auto began = Clock::now();
    // Without sleep: a thread that has slept finds its caches cold, and the next call takes longer.
    for (const auto end = began + Milliseconds(linger_ms); began < end;) began = Clock::now();
    check_cuda(cudaDeviceSynchronize(), "work in a stream other than the launch stream");
    for (const int other : used_devices_besides(0)) {
      check_cuda(cudaSetDevice(other), "cudaSetDevice");
      const auto error = cudaDeviceSynchronize();
      check_cuda(cudaSetDevice(0), "cudaSetDevice");
      check_cuda(error, "work in a stream of another device");
    }
    if (!info_.simulated) return Milliseconds(Clock::now() - began).count();
    record(idle_);
    synchronize();
    return between(last_, idle_);
  }

  cudaStream_t stream_{};
  DeviceRecord info_;
  Event start_, stop_;
  Event last_, idle_;  // the end of all that the launch stream has to do, and of all streams
  StreamGate gate_;
  std::unique_ptr<ClockProbe> probe_;
};

}  // namespace

std::unique_ptr<Device> open_cuda_device() { return std::make_unique<CudaDevice>(); }

DeviceRecord cuda_device_info() { return describe(0); }

std::string why_no_cuda_device() {
  if (cuda_runtime() != CudaRuntime::found) return "no libcudart.so.13 of a CUDA toolkit was found";
  int count = 0, driver = 0;
  const auto error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return "";
  cudaGetLastError();
  cudaDriverGetVersion(&driver);
  if (driver == 0) return "no NVIDIA driver on this machine";
  if (error == cudaErrorInsufficientDriver)
    return "the NVIDIA driver supports CUDA " + dotted(driver) + ", aisp needs 13.0";
  if (error == cudaErrorNoDevice || count == 0)
    return "the driver sees no GPU (is CUDA_VISIBLE_DEVICES set?)";
  return base::say("the CUDA runtime answers ", cudaGetErrorName(error), " (",
                   cudaGetErrorString(error), ")");
}

}  // namespace aisp::lab
