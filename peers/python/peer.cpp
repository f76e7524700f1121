#include "peers/python/peer.hpp"

#include <map>
#include <memory>
#include <utility>

#include "base/refuse.hpp"
#include "peers/python/captured.hpp"
#include "peers/python/interpreter.hpp"

namespace aisp::peers {
namespace {

using nlohmann::json;

json described(const lab::Tensor& tensor, const void* address) {
  return {{"name", tensor.name},
          {"dtype", lab::name_of(tensor.dtype)},
          {"shape", tensor.shape},
          {"address", reinterpret_cast<std::uintptr_t>(address)}};
}

// A Python exception while a peer is made ready is its way to say no: a missing header, a shape it
// does not take. What it computes later is judged like anybody's.
json ask(const std::string& function, const json& arguments) {
  try {
    return interpreter().call(function, arguments);
  } catch (const PythonError& error) {
    base::refuse(base::Exit::environment, error.what());
  }
}

// A peer on one set of buffers.
struct Bound {
  Captured work;
  std::int64_t handle = 0;
  bool own_outputs = false;  // its results have to be collected
};

class Peer {
 public:
  Peer(std::string function, lab::Setup& setup) : function_(std::move(function)), setup_(setup) {}

  const Bound& bound(const lab::Launch& launch) {
    auto& place = bound_[{launch.inputs, launch.outputs}];
    if (!place) place = bind(launch);
    return *place;
  }

 private:
  std::unique_ptr<Bound> bind(const lab::Launch& launch) const {
    const lab::Problem& problem = launch.problem;
    json inputs = json::array(), outputs = json::array();
    for (std::size_t i = 0; i < problem.inputs.size(); ++i)
      inputs.push_back(described(problem.inputs[i], launch.inputs.at(i)));
    for (std::size_t i = 0; i < problem.outputs.size(); ++i)
      outputs.push_back(described(problem.outputs[i].tensor, launch.outputs.at(i)));
    const json size{{"variant", problem.size.variant}, {"dims", problem.size.dims}};
    const json made =
        ask("device.bind",
            {{"peer", function_}, {"problem", size}, {"inputs", inputs}, {"outputs", outputs}});
    end_before_others();  // by now every library that the peer needs is loaded
    setup_.note(made.at("note"));
    const auto graph = made.at("graph").get<std::uintptr_t>();
    return std::make_unique<Bound>(
        Bound{Captured(reinterpret_cast<cudaGraph_t>(graph)), made.at("handle"), made.at("own")});
  }

  using Addresses = std::pair<std::vector<const void*>, std::vector<void*>>;
  std::string function_;
  lab::Setup& setup_;  // outlives what it prepares
  std::map<Addresses, std::unique_ptr<Bound>> bound_;
};

lab::Run prepare(const std::string& function, lab::Setup& setup) {
  if (setup.simulated())
    base::refuse(base::Exit::environment,
                 "PyTorch and Triton need a GPU: machine code alone cannot run on the simulator");
  ask("device.open_torch", json::object());
  const auto peer = std::make_shared<Peer>(function, setup);
  // Compiling, searching and capturing take seconds: not in anybody's time.
  setup.before_each_run([peer](const lab::Launch& launch) { peer->bound(launch); });
  const auto on_own_outputs = [peer](const char* what) {
    return [peer, what](const lab::Launch& launch) {
      const Bound& bound = peer->bound(launch);
      if (bound.own_outputs)
        interpreter().call(what, {{"handle", bound.handle},
                                  {"stream", reinterpret_cast<std::uintptr_t>(launch.stream)}});
    };
  };
  setup.own_outputs(
      {.poison = on_own_outputs("device.poison"), .collect = on_own_outputs("device.collect")});
  return [peer](const lab::Launch& launch) { peer->bound(launch).work.enqueue(launch.stream); };
}

}  // namespace

std::function<lab::Run(lab::Setup&)> python_peer(const std::string& function) {
  return [function](lab::Setup& setup) { return prepare(function, setup); };
}

}  // namespace aisp::peers
