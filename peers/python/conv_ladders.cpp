// cuDNN's convolutions, by way of PyTorch, beside ours. A file of its own: whoever builds this
// target alone has its peer.
#include "lab/case/registry.hpp"
#include "peers/python/peer.hpp"

using namespace aisp;

namespace {

const lab::RungEntry cudnn{
    "ch10:implicit_gemm_conv",
    {.name = "cudnn",
     .idea = "PyTorch's convolution in channels_last, cuDNN's algorithms timed first",
     .look_at = "the kernel name: cuDNN's own",
     .peer = true,
     .library = "PyTorch",
     .prepare = peers::python_peer("convolution.cudnn")}};

}  // namespace
