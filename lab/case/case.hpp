// One case, many users: the same description of a problem serves test, benchmark, simulator,
// profile and report. A Target is a folder under chapters/; a Problem is one size of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/counts.hpp"
#include "lab/case/names.hpp"
#include "lab/case/tensor.hpp"

namespace aisp::lab {

// The unit whose rate bounds a problem's arithmetic. `none` leaves only the memory roof.
enum class Unit { none, fma_f32, fma_f16, matrix_tf32, matrix_bf16, matrix_fp8 };

constexpr auto names_of(Unit) {
  return std::to_array<Name<Unit>>({{Unit::none, ""},
                                    {Unit::fma_f32, "f32 FMA"},
                                    {Unit::fma_f16, "f16 FMA"},
                                    {Unit::matrix_tf32, "tf32 matrix"},
                                    {Unit::matrix_bf16, "bf16 matrix"},
                                    {Unit::matrix_fp8, "fp8 matrix"}});
}

// The least hardware a rung runs on. The `a` architectures run on exactly that generation;
// `host` is plain CPU code and needs no device at all.
enum class Needs { host, sm_80, sm_90, sm_90a, sm_100a };

constexpr auto names_of(Needs) {
  return std::to_array<Name<Needs>>({{Needs::host, "host"},
                                     {Needs::sm_80, "sm_80"},
                                     {Needs::sm_90, "sm_90"},
                                     {Needs::sm_90a, "sm_90a"},
                                     {Needs::sm_100a, "sm_100a"}});
}
bool runs_on(Needs needs, int major, int minor);

// One size of a target: a variant (a type or a flavour, "" where there is only one) and the
// values of the target's axes.
struct Size {
  std::string variant;
  std::vector<std::int64_t> dims{};

  // "bf16 4096x4096x8192"
  std::string label() const;
};

// An element is right when |got - want| <= absolute + relative * |want|. Each case derives both
// from the arithmetic it states (rounding of the output, length of the accumulation).
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};

using Inputs = std::vector<HostTensor>;
// Fills one bound for every element of an output, from the inputs: |got - want| <= allowed[i].
using Allowed = std::function<void(const Inputs& inputs, std::vector<double>& allowed)>;

struct Output {
  Tensor tensor;
  Tolerance tolerance{};
  // By the name that a rung gives (Rung::narrower) where narrower numbers are its idea: codes that
  // share a scale are off by so much in one block and by so much in another, and no two numbers
  // for the whole tensor say it.
  std::map<std::string, Allowed> narrower{};
  // What peers that say Rung::rounds_between are judged with: the tolerance and the error of what
  // they round on the way. Without it they are judged as everybody else.
  std::optional<Tolerance> rounded_between{};
};

// reference(inputs, expected): expected[i] has outputs[i].tensor.count() elements to fill.
using Reference =
    std::function<void(const Inputs& inputs, std::vector<std::vector<double>>& expected)>;

struct Problem {
  Size size;
  std::vector<Tensor> inputs{};
  std::vector<Output> outputs{};
  double flops = 0.0;  // operations the function needs
  double bytes = 0.0;  // each input read once, each output written once
  // Bytes that must cross the host's link, each way: 0 where the tensors lie on the device.
  double to_device = 0.0, to_host = 0.0;
  Unit unit = Unit::none;
  Reference reference{};
};

// Variables of the environment, by name.
using Environment = std::map<std::string, std::string>;

struct Target {
  std::string chapter;  // "ch09"
  std::string name;     // "memory_bound"
  std::string idea{};   // one line: what the ladder shows
  // What the rungs are compared by, where it is not the time of a run: "p99 latency of a small
  // kernel". Every rung then says it with Setup::own_time().
  std::string timed{};
  // Every rung must give the baseline's outputs byte for byte, not only within the tolerance.
  bool same_bytes = false;
  // Where a simulated run shows the idea: the count that the optimized rung has less of than the
  // baseline (more of Count::overlap). Such a run shows no speed-up.
  std::optional<Count> shows_in{};
  // ... or why it cannot: "latency of memory, which no count has".
  std::string shows_nowhere{};
  // Other names the command line takes; an alias may pick a variant: {"cublaslt_gemm_fp8", "fp8"}.
  std::map<std::string, std::string> aliases{};
  std::vector<std::string> axes{};      // {"M", "N", "K"}
  std::vector<std::string> variants{};  // {"bf16", "fp8"}; {""} where there is one
  std::vector<Size> full{};             // what a GPU runs
  std::vector<Size> quick{};            // what the simulator and tests run
  // Fills the extents that follow from others when only some axes are given (a sweep over S and D
  // derives batch and heads): `given` has one flag per axis. Empty: the others stay as they are.
  std::function<void(Size& size, const std::vector<bool>& given)> complete{};
  // What the process that runs a size is started with, for what CUDA reads before the device is
  // opened. Not in `aisp check`, which looks at values and not at times.
  std::function<Environment(const Size&)> environment{};
  // Refuses (Exit::usage) a size the target cannot take, with the numbers.
  std::function<Problem(const Size&)> problem{};

  std::string id() const { return chapter + ":" + name; }
};

}  // namespace aisp::lab
