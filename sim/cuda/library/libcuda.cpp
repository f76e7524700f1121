// libcuda.so.1: the names of the driver's library, and nothing behind them. Each jumps to the
// function of that name in the simulator's libcudart.so.13, which lies beside this file, so that a
// process has one state, whichever of the two it is linked with.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#if defined(__x86_64__)
#define AISP_JUMP(exported) "endbr64\n jmp *aisp_at_" #exported "(%rip)\n"
#elif defined(__aarch64__)
#define AISP_JUMP(exported)                 \
  "hint #34\n adrp x16, aisp_at_" #exported \
  "\n"                                      \
  "ldr x16, [x16, :lo12:aisp_at_" #exported "]\n br x16\n"
#else
#error "a jump through a table is not written for this processor"
#endif

// Registers and stack are the caller's: a name need not know what its function takes.
#define AISP_NAME(exported)                                                                 \
  extern "C" [[gnu::visibility("hidden")]] void* aisp_at_##exported;                        \
  void* aisp_at_##exported = nullptr;                                                       \
  asm(".text\n.balign 16\n.globl " #exported "\n.type " #exported ", %function\n" #exported \
      ":\n" AISP_JUMP(exported) ".size " #exported ", .-" #exported "\n");
#define AISP_DRIVER(name, since, exported) AISP_NAME(exported)
#define AISP_DRIVER_AS(name, since, exported, function) AISP_NAME(exported)
#define AISP_DRIVER_PER_THREAD(name, since, exported, function) AISP_NAME(exported)
#include "sim/cuda/entries.inc"
#undef AISP_DRIVER
#undef AISP_DRIVER_AS
#undef AISP_DRIVER_PER_THREAD

namespace {

constexpr int not_initialised = 3;  // CUDA_ERROR_NOT_INITIALIZED
int without_simulator() { return not_initialised; }
int refuse_without_simulator(const char*) { return not_initialised; }

int (*refuse)(const char*) = refuse_without_simulator;

}  // namespace

#define AISP_DRIVER_UNSUPPORTED(exported)                                            \
  extern "C" [[gnu::visibility("default")]] int aisp_no_##exported() asm(#exported); \
  int aisp_no_##exported() { return refuse(#exported); }
#include "sim/cuda/unsupported.inc"
#undef AISP_DRIVER_UNSUPPORTED

namespace {

struct Place {
  const char* exported;
  void** at;
};

constexpr Place places[] = {
#define AISP_DRIVER(name, since, exported) {#exported, &aisp_at_##exported},
#define AISP_DRIVER_AS(name, since, exported, function) {#exported, &aisp_at_##exported},
#define AISP_DRIVER_PER_THREAD(name, since, exported, function) {#exported, &aisp_at_##exported},
#include "sim/cuda/entries.inc"
};

// By its path: another libcudart.so.13 may be in the process.
void* open_simulator() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&without_simulator), &self) == 0) return nullptr;
  const std::string path = self.dli_fname;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return dlopen((folder + "/libcudart.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Before constructors that may call in: theirs have no priority.
[[gnu::constructor(101)]] void fill_places() {
  void* const simulator = open_simulator();
  void* const find = simulator != nullptr ? dlsym(simulator, "aispDriverFunction") : nullptr;
  if (find == nullptr) {
    std::fputs("aisp sim: the simulator's libcudart.so.13 is not beside its libcuda.so.1\n",
               stderr);
    for (const Place& place : places) *place.at = reinterpret_cast<void*>(&without_simulator);
    return;
  }
  refuse = reinterpret_cast<int (*)(const char*)>(dlsym(simulator, "aispDriverRefuses"));
  auto* function_of = reinterpret_cast<void* (*)(const char*)>(find);
  for (const Place& place : places) *place.at = function_of(place.exported);
}

}  // namespace
