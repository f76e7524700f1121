// What device.py does with PyTorch, on a stand-in for it: tensors over given memory, warm-up,
// capture, poison, collection, and each reason to refuse.
#include <gmock/gmock.h>

#include "peers/python/interpreter.hpp"
#include "peers/python/sources.hpp"
#include "tests/peers/python_support.hpp"

namespace aisp::peers {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Reads a DLPack capsule by its own declarations, and keeps a list of what happened.
constexpr const char* fake_torch = R"py(
import ctypes, struct
from . import cuda, utils, version
__version__ = "9.9.9"
events = []

class Tensor:
    def __init__(self, address, shape, dtype):
        self.address, self.shape, self.dtype = address, shape, dtype
        count = 1
        for extent in shape: count *= extent
        self.values = (ctypes.c_float * count).from_address(address) if address else (ctypes.c_float * count)()
    def is_floating_point(self): return True
    def fill_(self, value):
        events.append(f"fill on {cuda.current}")
        for i in range(len(self.values)): self.values[i] = value
    def copy_(self, other):
        events.append(f"copy on {cuda.current}")
        self.values[:] = other.values[:]

class no_grad:
    def __enter__(self): return self
    def __exit__(self, *_): return False
)py";
constexpr const char* fake_dlpack = R"py(
import ctypes
def from_dlpack(capsule):
    import torch
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    at = api.PyCapsule_GetPointer(capsule, b"dltensor")
    def read(kind, offset): return kind.from_address(at + offset).value
    rank = read(ctypes.c_int32, 16)
    shape = tuple(ctypes.c_int64.from_address(read(ctypes.c_uint64, 24) + 8 * i).value for i in range(rank))
    strides = tuple(ctypes.c_int64.from_address(read(ctypes.c_uint64, 32) + 8 * i).value for i in range(rank))
    torch.events.append(["tensor", read(ctypes.c_int32, 8), read(ctypes.c_int32, 12), read(ctypes.c_uint8, 20),
                         read(ctypes.c_uint8, 21), read(ctypes.c_uint16, 22), shape, strides, read(ctypes.c_uint64, 40)])
    return torch.Tensor(read(ctypes.c_uint64, 0), shape, (read(ctypes.c_uint8, 20), read(ctypes.c_uint8, 21)))
)py";
constexpr const char* fake_cuda = R"py(
current = "default"
def is_available(): return True
def synchronize():
    import torch; torch.events.append("synchronize")
class Stream: name = "side"
class ExternalStream:
    def __init__(self, pointer): self.name = f"lab {pointer}"
class stream:
    def __init__(self, which): self.which = which
    def __enter__(self):
        global current; current = self.which.name
    def __exit__(self, *_):
        global current; current = "default"
class CUDAGraph:
    def __init__(self, keep_graph=False): assert keep_graph
    def raw_cuda_graph(self): return 2 ** 63 + 5
class graph:
    def __init__(self, which, stream, capture_error_mode): self.stream = stream; assert capture_error_mode == "thread_local"
    def __enter__(self):
        import torch; global current; current = "capture"; torch.events.append("capture")
    def __exit__(self, *_):
        import torch; global current; current = "default"; torch.events.append("captured")
)py";
constexpr const char* peers_py = R"py(
import warnings
import torch
def double(problem, inputs, outputs):
    result = torch.Tensor(0, outputs[0].shape, outputs[0].dtype)
    def run():
        torch.events.append(f"run on {torch.cuda.current} {problem['variant']}")
        for i, x in enumerate(inputs[0].values): result.values[i] = 2 * x
        return [result]
    return run
def in_place(problem, inputs, outputs):
    return lambda: None
def other_shape(problem, inputs, outputs):
    return lambda: [torch.Tensor(0, (7,), outputs[0].dtype)]
def no_kernel(problem, inputs, outputs):
    def run():
        warnings.warn("head size 7 is odd (Triggered internally at somewhere.cpp:3)")
        raise RuntimeError("No available kernel. Aborting execution.")
    return run
def version_note(name): return "sample " + name
def events(): return torch.events
)py";

class FakeTorch : public PythonTest {
 protected:
  void SetUp() override {
    if (!python3().missing.empty()) GTEST_SKIP() << python3().missing;
    write({{"torch/__init__.py", fake_torch},
           {"torch/cuda.py", fake_cuda},
           {"torch/version.py", "cuda = '13.0'\n"},
           {"torch/utils/__init__.py", ""},
           {"torch/utils/dlpack.py", fake_dlpack}});
  }

  std::string with_python(const std::function<std::string(Interpreter&)>& body) const {
    return in_child([&] {
      Interpreter python(with_folder(),
                         {{"device", std::string(embedded::device_py)}, {"sample", peers_py}});
      return body(python);
    });
  }
  std::string open_torch() const {
    return with_python([](Interpreter& python) {
      return python.call("device.open_torch", json::object()).dump();
    });
  }
  static json bind(Interpreter& python, const std::string& peer, std::vector<float>& in,
                   std::vector<float>& out, const std::string& dtype = "f32") {
    const auto described = [&](const std::vector<float>& values) {
      return json{{"name", "x"},
                  {"dtype", dtype},
                  {"shape", {2, 3}},
                  {"address", reinterpret_cast<std::uintptr_t>(values.data())}};
    };
    return python.call("device.bind", {{"peer", "sample." + peer},
                                       {"problem", {{"variant", "causal"}, {"dims", {2, 3}}}},
                                       {"inputs", {described(in)}},
                                       {"outputs", {described(out)}}});
  }
};

TEST_F(FakeTorch, IsOpenedWithItsVersions) {
  EXPECT_EQ(open_torch(), "\"PyTorch 9.9.9, CUDA 13.0\"");
}

TEST_F(FakeTorch, EachReasonToRefuseIsOneLine) {
  write({{"torch/version.py", "cuda = None\n"}});
  EXPECT_EQ(open_torch(), "threw: PyTorch 9.9.9 was built without CUDA");
  write({{"torch/version.py", "cuda = '13.0'\n"},
         {"torch/cuda.py", "def is_available(): return False\n"}});
  EXPECT_EQ(open_torch(), "threw: PyTorch 9.9.9 (CUDA 13.0) sees no GPU");
  write({{"torch/cuda.py", "def is_available(): return True\nclass CUDAGraph: pass\n"}});
  EXPECT_EQ(open_torch(), "threw: PyTorch 9.9.9 does not hand out its graphs; 2.8 and newer do");
  write({{"torch/__init__.py", "raise ImportError('libtorch_cuda.so: cannot open\\nmore')\n"}});
  EXPECT_EQ(open_torch(), "threw: ImportError: libtorch_cuda.so: cannot open");
  std::filesystem::remove_all(folder() / "torch");
  EXPECT_EQ(open_torch(), "threw: ModuleNotFoundError: No module named 'torch'");
}

TEST_F(FakeTorch, APeerIsWarmedUpOnASideStreamAndCapturedOnce) {
  const auto events = json::parse(with_python([](Interpreter& python) {
    std::vector<float> in(6, 1), out(6, 0);
    const json made = bind(python, "double", in, out);
    EXPECT_EQ(made.at("graph"), (std::uint64_t{1} << 63) + 5);
    return json{{"made", made}, {"seen", python.call("sample.events", json::object())}}.dump();
  }));
  EXPECT_EQ(events.at("made").at("own"), true);
  EXPECT_EQ(events.at("made").at("note"), "sample double");
  // type CUDA, device 0, code float, 32 bits, one lane, row-major strides, no offset
  const json tensor = {"tensor", 2, 0, 2, 32, 1, {2, 3}, {3, 1}, 0};
  json wanted = {tensor, tensor, "synchronize"};
  for (int i = 0; i < 4; ++i) wanted.push_back("run on side causal");
  for (const char* each :
       {"synchronize", "capture", "run on capture causal", "captured", "synchronize"})
    wanted.push_back(each);
  EXPECT_EQ(events.at("seen"), wanted);
}

TEST_F(FakeTorch, OwnOutputsArePoisonedAndCollectedOnTheLabsStream) {
  EXPECT_EQ(
      with_python([](Interpreter& python) {
        std::vector<float> in{1, 2, 3, 4, 5, 6}, out(6, 0);
        const json made = bind(python, "double", in, out);
        const json where{{"handle", made.at("handle")}, {"stream", 17}};
        python.call("device.collect", where);
        const json collected = out;
        python.call("device.poison", where);
        python.call("device.collect", where);
        const bool poisoned = out[0] != out[0] && out[5] != out[5];
        auto seen = python.call("sample.events", json::object());
        seen.erase(seen.begin(), seen.end() - 3);
        return json{collected, poisoned, seen}.dump();
      }),
      R"([[2.0,4.0,6.0,8.0,10.0,12.0],true,["copy on lab 17","fill on lab 17","copy on lab 17"]])");
}

TEST_F(FakeTorch, APeerThatWritesIntoTheLabsBuffersHasNothingToCollect) {
  EXPECT_EQ(with_python([](Interpreter& python) {
              std::vector<float> in(6, 1), out(6, 0);
              return bind(python, "in_place", in, out).at("own").dump();
            }),
            "false");
}

TEST_F(FakeTorch, WhatAPeerCannotDoIsSaidWithItsReason) {
  const auto refusal = [&](const std::string& peer, const std::string& dtype) {
    return with_python([&](Interpreter& python) {
      std::vector<float> in(6, 1), out(6, 0);
      return bind(python, peer, in, out, dtype).dump();
    });
  };
  EXPECT_EQ(refusal("no_kernel", "f32"), "threw: no kernel for this problem: head size 7 is odd");
  EXPECT_THAT(refusal("other_shape", "f32"), HasSubstr("threw: its outputs are [((7,)"));
  EXPECT_EQ(refusal("double", "e4m3"), "threw: tensors of e4m3 are not handed to Python");
}

}  // namespace
}  // namespace aisp::peers
