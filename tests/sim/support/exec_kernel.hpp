// A kernel made of a few lines of PTX, for tests of what an instruction does beyond its values:
// what it refuses, what faults, what is counted, what is printed.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "sim/exec/host_level.hpp"
#include "sim/launch/launch.hpp"

namespace aisp::exec_kernel {

struct Kernel {
  std::string body;
  std::string before = "";  // at module scope
  std::string target = "sm_90a";
  std::uint32_t grid = 1, block = 32, cluster = 1;
  std::vector<std::uint32_t> in = std::vector<std::uint32_t>(256);  // at %d0
  std::size_t out_words = 64;                                       // at %d1
  std::string name = "kernel";
  std::string device = "h200";
  std::uint32_t dynamic = 0;                               // bytes of dynamic shared memory
  sim::Dim3 grid_yz = {}, block_yz = {}, cluster_yz = {};  // their x is not used
  sim::Observer* observer = nullptr;
  std::vector<std::uint32_t> out = {};  // what lies there before; the rest is 0
  std::string module = "";              // the whole text, in place of body, before and target
};

struct Result {
  std::string refused;  // by the parser or decoder; empty otherwise
  sim::LaunchResult launch;
  std::vector<std::uint32_t> out, in;
  std::string fault() const { return launch.fault ? launch.fault->text : ""; }
};

inline std::string text_of(const Kernel& kernel) {
  if (!kernel.module.empty()) return kernel.module;
  return ".version 9.0\n.target " + kernel.target + "\n.address_size 64\n" + kernel.before +
         "\n.visible .entry " + kernel.name +
         "(.param .u64 in, .param .u64 out) {\n"
         ".reg .pred %p<4>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"
         ".reg .f32 %f<9>;\n.reg .f64 %e<9>;\n.reg .b128 %w<3>;\n"
         ".shared .align 32 .b8 shared_bytes[1024];\n.local .align 16 .b8 local_bytes[64];\n"
         "ld.param.u64 %d0, [in];\nld.param.u64 %d1, [out];\nmov.u32 %r0, %tid.x;\n"
         "mov.u32 %r1, shared_bytes;\n" +
         kernel.body + "\nret;\n}\n";
}

inline sim::Program load(const Kernel& kernel, sim::Memory& memory) {
  const sim::Placer place = [&](const sim::VariablePlacement& variable) {
    return reinterpret_cast<std::uint64_t>(
        memory.allocate(variable.bytes, sim::MemoryKind::module_global, std::string(variable.name),
                        variable.align));
  };
  const sim::Writer write = [](std::uint64_t address, const void* bytes, std::size_t size) {
    std::memcpy(reinterpret_cast<void*>(address), bytes, size);
  };
  return sim::decode(sim::ptx::parse(text_of(kernel)), sim::opcode_table(), place, write);
}

// The decoder's refusal, or nothing.
inline std::string refusal(const Kernel& kernel) {
  sim::Memory memory(1 << 24);
  try {
    load(kernel, memory);
  } catch (const sim::ptx::Refused& refused) {
    return refused.what();
  }
  return "";
}

inline Result run(const Kernel& kernel, const sim::Settings& settings = {}) {
  sim::Memory memory(1 << 24);
  Result result;
  try {
    const sim::Program program = load(kernel, memory);
    const std::size_t in_bytes = kernel.in.size() * 4, out_bytes = kernel.out_words * 4;
    void* in = memory.allocate(in_bytes, sim::MemoryKind::device);
    void* out = memory.allocate(out_bytes, sim::MemoryKind::device);
    std::memcpy(in, kernel.in.data(), in_bytes);
    std::memset(out, 0, out_bytes);
    std::memcpy(out, kernel.out.data(), std::min(out_bytes, kernel.out.size() * 4));
    const std::uint64_t params[] = {reinterpret_cast<std::uint64_t>(in),
                                    reinterpret_cast<std::uint64_t>(out)};
    result.launch = sim::launch(
        program, *program.kernel(kernel.name), sim::device_model(kernel.device), memory, settings,
        {.grid = {kernel.grid, kernel.grid_yz.y, kernel.grid_yz.z},
         .block = {kernel.block, kernel.block_yz.y, kernel.block_yz.z},
         .cluster = {kernel.cluster, kernel.cluster_yz.y, kernel.cluster_yz.z},
         .explicit_cluster = kernel.cluster > 1,
         .dynamic_shared = kernel.dynamic,
         .observer = kernel.observer},
        std::as_bytes(std::span(params)), 0);
    result.out.resize(kernel.out_words);
    result.in.resize(kernel.in.size());
    std::memcpy(result.out.data(), out, out_bytes);
    std::memcpy(result.in.data(), in, in_bytes);
  } catch (const sim::ptx::Refused& refused) {
    result.refused = refused.what();
  }
  return result;
}

}  // namespace aisp::exec_kernel
