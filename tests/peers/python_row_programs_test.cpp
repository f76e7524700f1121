// The peers of ch09:tile_program on stand-ins for PyTorch and Triton: which function each variant
// calls with what, and where its results go.
#include <gmock/gmock.h>

#include "peers/python/interpreter.hpp"
#include "peers/python/sources.hpp"
#include "tests/peers/python_support.hpp"

namespace aisp::peers {
namespace {

using nlohmann::json;

// A tensor is its name and shape; what is done with it becomes a longer name.
constexpr const char* fake_torch = R"py(
__version__ = "9.9.9"
class Tensor:
    def __init__(self, name, shape): self.name, self.shape, self.dtype = name, tuple(shape), "bf16"
    def __add__(self, other): return Tensor(f"({self.name} + {other.name})", self.shape)
    def float(self): return Tensor(f"f32({self.name})", self.shape)
    def long(self): return Tensor(f"i64({self.name})", self.shape)
    def to(self, dtype): return Tensor(f"{dtype}({self.name})", self.shape)
def softmax(x, axis): return Tensor(f"softmax({x.name}, {axis})", x.shape)
def compile(function, **options):
    return lambda *inputs: Tensor(f"compiled {sorted(options)} {function(*inputs).name}", (1,))
)py";
constexpr const char* fake_functional = R"py(
from torch import Tensor
def layer_norm(x, shape, gain, shift, epsilon):
    return Tensor(f"layer_norm({x.name}, {shape}, {gain.name}, {shift.name}, {epsilon})", x.shape)
def cross_entropy(x, labels, reduction):
    return Tensor(f"cross_entropy({x.name}, {labels.name}, {reduction})", labels.shape)
)py";
// Kernels are not run: a launch is written down with its grid and its arguments.
constexpr const char* fake_triton = R"py(
__version__ = "8.8.8"
launches = []
class Config:
    def __init__(self, values, num_warps): self.values, self.num_warps = values, num_warps
    def __str__(self): return f"{self.num_warps} warps"
class Kernel:
    def __init__(self, function, configs): self.function, self.configs = function, configs
    def __getitem__(self, grid):
        def launch(*arguments, **named):
            self.best_config = self.configs[0]
            meta = {**self.configs[0].values, **named}
            blocks = grid(meta) if callable(grid) else grid
            launches.append([self.function.__name__, list(blocks),
                             [getattr(one, "name", one) for one in arguments], meta["BLOCK"]])
        return launch
def jit(function): return function
def autotune(configs, key): return lambda function: Kernel(function, configs)
def cdiv(a, b): return (a + b - 1) // b
def next_power_of_2(n):
    power = 1
    while power < n: power *= 2
    return power
)py";
constexpr const char* fake_language = R"py(
class constexpr: pass
class int64: pass
class float32: pass
)py";
constexpr const char* sample = R"py(
from aisp_peers import row_programs
import torch
SHAPES = {"softmax": [("x", (5, 1000))], "add": [("a", (3001,)), ("b", (3001,))],
          "layernorm": [("x", (4, 640)), ("gain", (640,)), ("shift", (640,))],
          "cross_entropy": [("scores", (6, 37)), ("labels", (6,))]}
def tensors(variant): return [torch.Tensor(*one) for one in SHAPES[variant]]
def pytorch(peer, variant):
    run = getattr(row_programs, peer)({"variant": variant}, tensors(variant), [torch.Tensor("out", (1,))])
    return [one.name for one in run()]
def triton(variant):
    import triton
    from aisp_peers import triton_rows
    run = triton_rows.program({"variant": variant}, tensors(variant), [torch.Tensor("out", (1,))])
    return {"result": run(), "launches": triton.launches, "note": triton_rows.version_note("program")}
def unknown(peer):
    module, name = peer.rsplit(".", 1)
    import importlib
    return getattr(importlib.import_module("aisp_peers." + module), name)({"variant": "gelu"}, [], [])
)py";

class RowPrograms : public PythonTest {
 protected:
  void SetUp() override {
    if (!python3().missing.empty()) GTEST_SKIP() << python3().missing;
    write({{"torch/__init__.py", fake_torch},
           {"torch/nn/__init__.py", ""},
           {"torch/nn/functional.py", fake_functional},
           {"triton/__init__.py", fake_triton},
           {"triton/language.py", fake_language}});
  }
  std::string call(const std::string& function, const json& arguments) const {
    return in_child([&] {
      Interpreter python(with_folder(), {{"rows", std::string(embedded::rows_py)},
                                         {"row_programs", std::string(embedded::row_programs_py)},
                                         {"triton_rows", std::string(embedded::triton_rows_py)},
                                         {"sample", sample}});
      return python.call(function, arguments).dump();
    });
  }
  std::string pytorch(const std::string& peer, const std::string& variant) const {
    return call("sample.pytorch", {{"peer", peer}, {"variant", variant}});
  }
  std::string triton(const std::string& variant) const {
    return call("sample.triton", {{"variant", variant}});
  }
};

TEST_F(RowPrograms, CallPyTorchsOwnFunctions) {
  EXPECT_EQ(pytorch("eager", "softmax"), R"json(["softmax(x, -1)"])json");
  EXPECT_EQ(pytorch("eager", "add"), R"json(["(a + b)"])json");
  EXPECT_EQ(pytorch("eager", "layernorm"),
            R"json(["bf16(layer_norm(f32(x), (640,), gain, shift, 1e-05))"])json");
  EXPECT_EQ(pytorch("eager", "cross_entropy"),
            R"json(["cross_entropy(f32(scores), i64(labels), none)"])json");
}

TEST_F(RowPrograms, AreCompiledAsTheyStand) {
  EXPECT_EQ(pytorch("torch_compile", "softmax"),
            R"json(["compiled ['dynamic', 'mode'] softmax(x, -1)"])json");
}

TEST_F(RowPrograms, LaunchTritonKernelsIntoTheLabsOutputs) {
  EXPECT_EQ(triton("softmax"), R"({"launches":[["softmax_rows",[5],["x","out",1000],1024]],)"
                               R"("note":"Triton 8.8.8, 1 warps","result":null})");
  EXPECT_THAT(triton("add"),
              testing::HasSubstr(R"json([["add_pieces",[6],["a","b","out",3001],512]])json"));
  EXPECT_THAT(triton("layernorm"),
              testing::HasSubstr(
                  R"json(["layernorm_rows",[4],["x","gain","shift","out",640,1e-05],1024])json"));
  EXPECT_THAT(
      triton("cross_entropy"),
      testing::HasSubstr(R"json(["cross_entropy_rows",[6],["scores","labels","out",37],64])json"));
}

TEST_F(RowPrograms, RefuseAVariantThatTheyDoNotHave) {
  for (const char* peer :
       {"row_programs.eager", "row_programs.torch_compile", "triton_rows.program"})
    EXPECT_EQ(call("sample.unknown", {{"peer", peer}}),
              "threw: it has no variant 'gelu', only softmax, add, layernorm, cross_entropy");
}

TEST_F(RowPrograms, SayInOneLineThatAModuleIsMissing) {
  std::filesystem::remove_all(folder() / "triton");
  EXPECT_EQ(triton("softmax"), "threw: ModuleNotFoundError: No module named 'triton'");
  std::filesystem::remove_all(folder() / "torch");
  EXPECT_EQ(pytorch("eager", "add"), "threw: ModuleNotFoundError: No module named 'torch'");
}

}  // namespace
}  // namespace aisp::peers
