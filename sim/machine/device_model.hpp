// The device the simulator pretends to be: read from a data file, sim/devices/<name>.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aisp::sim {

struct DeviceModel {
  std::string key;   // "h200"
  int devices = 1;   // how many of them the machine has, all alike: "gpus=4"
  std::string name;  // "NVIDIA H200 (simulated)"
  int major = 9, minor = 0;
  bool arch_specific = true;  // runs PTX for exactly this architecture, such as sm_90a
  int multiprocessors = 132;
  int threads_per_sm = 2048, blocks_per_sm = 32, warps_per_sm = 64;
  int registers_per_sm = 65536, registers_per_block = 65536, register_unit = 256;  // per warp
  int max_registers_per_thread = 255;
  std::int64_t shared_per_sm = 233472, shared_per_block = 49152, shared_per_block_optin = 232448;
  std::int64_t shared_reserved = 1024, shared_unit = 128;
  int tensor_columns = 0;  // of tensor memory in every SM; 0: it has none
  int max_cluster = 8, max_cluster_nonportable = 16;  // 1: the device has no clusters
  // SMs that can hold one cluster together: all its blocks run in one group, which must have at
  // least as many SMs as the cluster has blocks. Together all multiprocessors.
  std::vector<int> cluster_groups;
  std::int64_t l2_bytes = 62914560, memory_bytes = 0, constant_bytes = 65536;
  std::int64_t persisting_l2_bytes = 0;
  int clock_khz = 1980000, memory_clock_khz = 3201000, memory_bus_bits = 6144;
  double copy_gb_per_s = 4252, pcie_gb_per_s = 55;  // what copies are charged
  bool coherent_host = false;  // kernels reach all of the host's memory, pinned or not
  double peer_gb_per_s = 450;  // ... from one device to another, over the links between them
  // Tensor-core arithmetic: how many products are summed at once and how many fractional bits the
  // aligned sum keeps (MMA-Sim). Per input class.
  struct TensorRule {
    int f16_terms, f16_bits, tf32_terms, tf32_bits, fp8_terms, fp8_bits;
    int fp4_bits;  // of block-scaled e2m1
  } tensor{16, 25, 8, 25, 32, 13, 0};
};

inline constexpr int most_devices = 16;

// "h200", "a100", "b200", "gb200", "h200,sms=8,gpus=4". Refuses an unknown name with the known
// ones.
DeviceModel device_model(const std::string& spec);

}  // namespace aisp::sim
