// How fast the simulator is on this machine: warp instructions per second on loops that a kernel
// is made of, and how many times longer they take under the hazard checker. Asserts nothing about
// seconds.
//   build/bin/sim_speed [threads] [part of a line's name, or =name] [runs, of which the fastest
//   counts]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "base/refuse.hpp"
#include "sim/exec/host_level.hpp"
#include "sim/launch/launch.hpp"
#include "sim/watch/process_watch.hpp"
#include "tools/sim_speed_products.hpp"

using namespace aisp;

namespace {

using base::say;

constexpr std::uint32_t blocks = 64, threads = 256;

// A kernel that does `body` sixteen times in each of `rounds`; # is the number of the copy. Offers
// it %f0-%f15 and constants %f17, %f18; %rd2, %rd3 (4 and 16 bytes of its own in global memory);
// %r5, %r7 (the same in shared memory), %r8 (far from the neighbours'), %rd8 (the same in global
// memory that all blocks read); %r11 and %r12, 16 bytes in the order of a 128-byte swizzle, of one
// thread and of two; an mbarrier for one warp's bulk copies; descriptors %rd4, %rd5 and
// accumulators %d0-%d31 for wgmma.
constexpr const char* prologue = R"(.version 9.0
.target sm_90a
.address_size 64
.visible .entry run(.param .u64 out)
{
  .reg .f32 %f<20>, %d<32>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .reg .pred %p<3>;
  .shared .align 128 .b8 tile[4096];
  .shared .align 8 .b64 barrier;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 256, %r1;
  mad.wide.u32 %rd2, %r3, 4, %rd1;
  mad.wide.u32 %rd3, %r3, 16, %rd1;
  add.s64 %rd3, %rd3, 65536;
  add.s64 %rd6, %rd1, 65536;
  add.s64 %rd7, %rd1, 327680;
  mov.u32 %r4, tile;
  mad.lo.s32 %r5, %r1, 4, %r4;
  mad.lo.s32 %r7, %r1, 16, %r4;
  mul.lo.s32 %r8, %r1, 516;
  and.b32 %r8, %r8, 4092;
  cvt.u64.u32 %rd8, %r8;
  add.s64 %rd8, %rd8, %rd6;
  add.s32 %r8, %r8, %r4;
  shl.b32 %r11, %r1, 4;
  shl.b32 %r12, %r1, 1;
  and.b32 %r12, %r12, 112;
  xor.b32 %r11, %r11, %r12;
  and.b32 %r12, %r11, 2047;
  add.s32 %r11, %r11, %r4;
  add.s32 %r12, %r12, %r4;
  mov.u32 %r9, barrier;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r9], 1;
  or.b32 %r10, %r1, 0x3F803F80;
  st.shared.v4.b32 [%r7], {%r10, %r10, %r10, %r10};
  fence.proxy.async;
  bar.sync 0;
  cvt.u64.u32 %rd4, %r4;
  shr.u64 %rd4, %rd4, 4;
  or.b64 %rd4, %rd4, 0x0000001000080000;
  add.s64 %rd5, %rd4, 128;
  mov.f32 %f17, 0f3F800001;
  mov.f32 %f18, 0f33800000;
)";

std::string numbered(std::string line, int number) {
  for (std::size_t at; (at = line.find('#')) != std::string::npos;)
    line.replace(at, 1, say(number));
  return "  " + line + "\n";
}

std::string loop_of(const std::string& body, int rounds) {
  std::string text = prologue;
  for (int i = 0; i < 16; ++i) text += numbered("cvt.rn.f32.u32 %f#, %r1;", i);
  for (int i = 0; i < 32; ++i) text += numbered("mov.f32 %d#, 0f00000000;", i);
  text += say("  mov.u32 %r6, ", rounds, ";\nloop:\n");
  for (int i = 0; i < 16; ++i) text += numbered(body, i);
  text += "  add.s32 %r6, %r6, -1;\n  setp.ne.s32 %p0, %r6, 0;\n  @%p0 bra loop;\n";
  for (int i = 1; i < 16; ++i) text += numbered("add.f32 %f0, %f0, %f#;", i);
  for (int i = 0; i < 32; ++i) text += numbered("add.f32 %f0, %f0, %d#;", i);
  return text + "  st.global.f32 [%rd2], %f0;\n  ret;\n}\n";
}

std::string product() {
  std::string sums = "%d0";
  for (int i = 1; i < 32; ++i) sums += say(", %d", i);
  return "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" + sums +
         "}, %rd4, %rd5, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;"
         " wgmma.wait_group.sync.aligned 0;";
}

// One thread fetches 4 KiB and all wait for it.
constexpr const char* bulk_copy =
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 4096;"
    " @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%r4], [%rd6], 4096, [%r9];"
    " wait#: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], # & 1; @!%p2 bra wait#;"
    " bar.sync 0;";

struct Shape {
  const char* device = "h200";
  std::uint32_t blocks = ::blocks, threads = ::threads, cluster = 1;
};

struct Kernel {
  Shape shape;
  sim::Program program;
  sim::Memory memory{std::int64_t{1} << 32};
  std::uint64_t out = 0;

  explicit Kernel(const std::string& text, Shape shape = {})
      : shape(shape),
        program(sim::decode(
            sim::ptx::parse(text), sim::opcode_table(),
            [](const sim::VariablePlacement&) { return 0ull; },
            [](std::uint64_t, const void*, std::size_t) {})),
        out(reinterpret_cast<std::uint64_t>(
            memory.allocate(blocks * threads * 20 + 4, sim::MemoryKind::device))) {}

  // Seconds and warp instructions. Of one thread the time on the processor: other programs that run
  // on the machine do not count.
  std::pair<double, double> run(const char* name, const sim::Settings& settings) {
    const sim::DeviceModel device = sim::device_model(shape.device);
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t start_on_cpu = std::clock();
    const sim::LaunchResult result =
        sim::launch(program, *program.kernel("run"), device, memory, settings,
                    {.grid = {shape.blocks, 1, 1},
                     .block = {shape.threads, 1, 1},
                     .cluster = {shape.cluster, 1, 1},
                     .explicit_cluster = shape.cluster > 1},
                    std::as_bytes(std::span(&out, 1)), 0);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const double on_cpu = static_cast<double>(std::clock() - start_on_cpu) / CLOCKS_PER_SEC;
    const double seconds = settings.host_threads == 1 ? on_cpu : passed.count();
    if (result.fault) base::refuse(base::Exit::wrong, name, ": ", result.fault->text);
    return {seconds, static_cast<double>(result.warp_instructions)};
  }
};

constexpr double goal = 3;  // times the plain simulator's seconds, on every line

// Adds up what the hazard checker costs, as logarithms.
struct Cost {
  double sum = 0, most = 0;
  int count = 0;
  void add(double ratio) {
    sum += std::log(ratio);
    most = std::max(most, ratio);
    ++count;
  }
};

const char* wanted = "";  // part of the names of lines; after = a whole name
int runs = 1;

bool is_wanted(const char* name) {
  return *wanted == '=' ? std::strcmp(name, wanted + 1) == 0 : std::strstr(name, wanted) != nullptr;
}

// The fastest of several runs: what else the machine does only ever adds to a time.
std::pair<double, double> fastest(Kernel& kernel, const char* name, const sim::Settings& settings) {
  auto best = kernel.run(name, settings);
  for (int run = 1; run < runs; ++run) best = std::min(best, kernel.run(name, settings));
  return best;
}

void report(const char* name, const std::string& text, sim::Settings settings, Cost* cost,
            Shape shape = {}) {
  if (!is_wanted(name)) return;
  Kernel kernel(text, shape);
  const auto [seconds, instructions] = fastest(kernel, name, settings);
  std::printf("%-28s %12.0f warp instructions  %7.3f s  %8.1f M/s", name, instructions, seconds,
              instructions / seconds * 1e-6);
  if (cost != nullptr) {
    double checked = 0;
    for (int run = 0; run < runs; ++run) {
      sim::watch::ProcessWatch process("");
      settings.hazards = &process;
      const double now = kernel.run(name, settings).first;
      checked = run == 0 ? now : std::min(checked, now);
      if (process.findings.size() != 0)
        base::refuse(base::Exit::wrong, name, ": the checker reports ", process.findings.size(),
                     " findings in a correct loop");
    }
    cost->add(checked / seconds);
    std::printf("  checked %7.3f s  %5.2f x%s", checked, checked / seconds,
                checked > goal * seconds ? "  over the goal" : "");
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** words) try {
  const int host_threads = count > 1 ? std::atoi(words[1]) : 1;
  if (count > 2) wanted = words[2];
  if (count > 3) runs = std::max(1, std::atoi(words[3]));
  std::printf("%d thread%s\n", host_threads, host_threads == 1 ? "" : "s");
  Cost cost;
  const std::string ffma = loop_of("fma.rn.f32 %f#, %f#, %f17, %f18;", 2000);
  report("ffma, checks off", ffma, {.host_threads = host_threads, .check_memory = false}, nullptr);
  report("ffma, checks on", ffma, {.host_threads = host_threads}, &cost);
  const std::string load = loop_of("ld.global.f32 %f#, [%rd2];", 1000);
  report("ld.global, checks off", load, {.host_threads = host_threads, .check_memory = false},
         nullptr);
  report("ld.global, checks on", load, {.host_threads = host_threads}, &cost);
  constexpr struct {
    const char* name;
    const char* body;
    int rounds;
  } loops[] = {
      {"integer", "mad.lo.s32 %r3, %r3, 5, %r1;", 2000},
      {"ld.global.v4", "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd3];", 500},
      {"st.global", "st.global.f32 [%rd2], %f#;", 1000},
      {"ld.global, scattered", "ld.global.f32 %f#, [%rd8];", 200},
      {"ld.shared", "ld.shared.f32 %f#, [%r5];", 1000},
      {"ld.shared, scattered", "ld.shared.f32 %f#, [%r8];", 1000},
      {"st.shared", "st.shared.f32 [%r5], %f#;", 1000},
      {"ld.shared, four in turn",
       "ld.shared.f32 %f#, [%r5]; ld.shared.f32 %f#, [%r5+1024];"
       " ld.shared.f32 %f#, [%r5+2048]; ld.shared.f32 %f#, [%r5+3072];",
       250},
      {"ld.shared, scattered in turn", "ld.shared.f32 %f#, [%r8]; xor.b32 %r8, %r8, 64;", 500},
      {"st.shared, four in turn",
       "st.shared.f32 [%r5], %f#; st.shared.f32 [%r5+1024], %f#;"
       " st.shared.f32 [%r5+2048], %f#; st.shared.f32 [%r5+3072], %f#;",
       250},
      {"st.shared.v4, swizzled", "st.shared.v4.f32 [%r11], {%f0, %f1, %f2, %f3};", 500},
      {"ldmatrix.x4, two warps",
       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r13, %r14, %r15, %r16}, [%r12];", 200},
      {"st.shared.v4, bar, ldmatrix",
       "st.shared.v4.f32 [%r11], {%f0, %f1, %f2, %f3}; bar.sync 0;"
       " ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r13, %r14, %r15, %r16}, [%r12]; bar.sync 0;",
       50},
      {"shfl", "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;", 500},
      {"bar.sync", "bar.sync 0;", 100},
      {"atom.global.add", "atom.global.add.u32 %r3, [%rd7], 1;", 100},
      {"atom.shared.add, one word", "atom.shared.add.u32 %r3, [%r4], 1;", 100},
      {"atom.shared.add, scattered", "atom.shared.add.u32 %r3, [%r8], 1;", 100},
      {"cp.async",
       "cp.async.cg.shared.global [%r7], [%rd3], 16; cp.async.commit_group;"
       " cp.async.wait_group 0;",
       50},
      {"cp.async.bulk, mbarrier", bulk_copy, 20},
  };
  for (const auto& loop : loops)
    report(loop.name, loop_of(loop.body, loop.rounds), {.host_threads = host_threads}, &cost);
  report("wgmma m64n64k16", loop_of(product(), 10), {.host_threads = host_threads}, &cost);
  for (const sim_speed::Products& what : sim_speed::products)
    report(what.name, sim_speed::product_kernel(what), {.host_threads = host_threads}, nullptr,
           {"b200", sim_speed::product_blocks, sim_speed::product_threads, 2});
  if (cost.count == 0) return 0;
  std::printf("hazard checker: geometric mean %.2f x, at most %.2f x\n",
              std::exp(cost.sum / cost.count), cost.most);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sim_speed: %s\n", error.what());
  return 1;
}
