// One step of training as the lab runs it: the backend that the variant names, the buffers of ranks
// that are not on the lab's device, and the numbers beside the time.
#include <algorithm>
#include <memory>
#include <optional>

#include "base/refuse.hpp"
#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "chapters/ch11/distributed_streams/remote_ranks.hpp"
#include "chapters/ch11/distributed_streams/rungs.hpp"
#include "chapters/ch11/distributed_streams/start_line.hpp"
#include "chapters/ch11/distributed_streams/stopwatch.hpp"
#include "comm/cuda.hpp"
#include "comm/nccl.hpp"
#include "comm/peer_ring.hpp"
#include "comm/world.hpp"
#include "lab/case/range.hpp"

namespace aisp::ch11 {
namespace {

std::size_t float_bytes(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(float);
}

// All ranks in this process. A bucket's segment is one chunk where it is no more than 4 MiB.
std::unique_ptr<comm::Communicator> make_ring(const TrainingShape& shape) {
  constexpr std::int64_t most = std::int64_t{4} << 20;
  const std::int64_t segment = (shape.elements + shape.ranks - 1) / shape.ranks;
  auto ring = std::make_unique<comm::PeerRing>(
      comm::spread_over_devices(shape.ranks),
      comm::PeerRingOptions{.chunk_bytes = std::min(most, segment * std::int64_t{sizeof(float)})});
  for (const auto& [stream, name] : ring->streams()) lab::name_stream(stream, name);
  return ring;
}

void require_nccl_devices(const lab::Setup& setup, int ranks) {
  // Whoever names another library knows what it runs on.
  if (setup.simulated() && comm::nccl_library() == "libnccl.so.2")
    base::refuse(base::Exit::environment, "NCCL needs a GPU; this run is simulated");
  const int devices = comm::device_count();
  // Under MPI there may be further machines: NCCL itself says where two ranks have one GPU.
  if (ranks > devices && !comm::world_over_mpi())
    base::refuse(base::Exit::environment, "NCCL has one GPU for each rank: ", ranks, " ranks, ",
                 devices, devices == 1 ? " GPU" : " GPUs",
                 "; give fewer ranks in --sizes, or take ranks that share a GPU with "
                 "--targets distributed_streams_peer");
}

class Training {
 public:
  Training(lab::Setup& setup, const char* rung)
      : shape_(setup.problem().size), schedule_(schedule_called(rung)) {
    lab::check_cuda(cudaGetDevice(&device_), "cudaGetDevice");
    const std::string& variant = setup.problem().size.variant;
    if (variant == "peer")
      communicator_ = make_ring(shape_);
    else
      start_processes(setup, rung, variant);
    ranks_.emplace(shape_, communicator_->local());
    for (const auto& rank : ranks_->all()) add_buffers(setup, rank.who);
    setup.note(communicator_->description());
  }

  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;
  ~Training() {
    if (remote_ && !remote_->begin_end())
      if (auto* nccl = dynamic_cast<comm::NcclCommunicator*>(communicator_.get())) nccl->give_up();
  }

  void before(const lab::Launch& launch) {
    bind(launch);
    hand_out_inputs(launch);
    if (remote_) remote_->begin_step(launch);
    compute_alone_.start(launch.stream);
    ranks_->fork(launch.stream);
    ranks_->enqueue_shares();
    ranks_->join(launch.stream);
    compute_alone_.stop(launch.stream);
  }

  void run(const lab::Launch& launch) {
    if (remote_ && launch.problem.size.variant == "nccl") refuse_capture(launch.stream);
    bind(launch);
    whole_.start(launch.stream);
    ranks_->fork(launch.stream);
    if (start_line_) start_line_->enqueue(*ranks_);
    schedule_(*ranks_, *communicator_);
    ranks_->join(launch.stream);
    whole_.stop(launch.stream);
  }

  // Shares and gradients that are not the lab's, on other devices, and what the ring hands on.
  // Other processes do it themselves, before every step. The shares are right until then: before()
  // has computed them.
  void poison(const lab::Launch& launch) {
    ranks_->fork(launch.stream);
    std::vector<cudaStream_t> streams;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      streams.push_back(ranks_->all()[i].compute.get());
      if (!own_[i]) continue;
      own_[i]->shares.fill(0xff, streams[i]);
      own_[i]->gradients.fill(0xff, streams[i]);
    }
    communicator_->poison(streams);
    ranks_->join(launch.stream);
  }

  void collect(const lab::Launch& launch) {
    for (const auto& rank : ranks_->all())
      if (rank.who.device != device_)
        peer_copy(launch.out<float>(0) + rank.who.rank * shape_.gradients(), device_,
                  own(rank.who.rank).gradients.get(), rank.who.device, shape_.gradients(),
                  launch.stream);
    if (remote_) remote_->collect(launch);
  }

  double compute_milliseconds() const { return compute_alone_.milliseconds(); }
  double exposed_milliseconds() const {
    return whole_.milliseconds() - compute_alone_.milliseconds();
  }
  double gigabytes_moved() const {
    return 1e-9 *
           static_cast<double>(comm::all_reduce_traffic(shape_.ranks, 4 * shape_.gradients()));
  }

 private:
  // Of a rank on another device than the lab's.
  struct OwnBuffers {
    OwnBuffers(const TrainingShape& shape, int device)
        : weights(device, float_bytes(shape.gradients())),
          samples(device, float_bytes(shape.sample_floats())),
          shares(device, float_bytes(shape.gradients())),
          gradients(device, float_bytes(shape.gradients())) {}
    comm::Memory weights, samples, shares, gradients;
  };

  void start_processes(const lab::Setup& setup, const char* rung, const std::string& variant) {
    Backend backend{.name = variant, .nccl_id = "-"};
    if (variant == "nccl") {
      require_nccl_devices(setup, shape_.ranks);
      backend.nccl_id = comm::id_text(comm::make_nccl_id(comm::load_nccl()));
    }
    if (shape_.ranks == 1) {
      const auto nobody = std::make_shared<comm::SocketLink>(0, std::vector<comm::Descriptor>(1));
      communicator_ = backend.make(shape_, nobody, device_);
      return;
    }
    remote_.emplace(shape_);
    remote_->prepare(rung, backend);
    communicator_ = backend.make(shape_, remote_->link(), device_);
    start_line_.emplace(*communicator_);
    remote_->wait();
  }

  void add_buffers(lab::Setup& setup, comm::LocalRank who) {
    own_.emplace_back();
    if (who.device != device_) own_.back().emplace(shape_, who.device);
    shares_.push_back(own_.back()
                          ? reinterpret_cast<float*>(own_.back()->shares.get())
                          : static_cast<float*>(setup.scratch(float_bytes(shape_.gradients()))));
  }

  const OwnBuffers& own(int rank) const { return *own_.at(static_cast<std::size_t>(rank)); }

  void bind(const lab::Launch& launch) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      auto& rank = ranks_->all()[i];
      if (own_[i]) {
        rank.buffers = {reinterpret_cast<float*>(own_[i]->weights.get()),
                        reinterpret_cast<float*>(own_[i]->samples.get()), shares_[i],
                        reinterpret_cast<float*>(own_[i]->gradients.get())};
        continue;
      }
      rank.buffers = {launch.in<float>(0),
                      launch.in<float>(1) + rank.who.rank * shape_.sample_floats(), shares_[i],
                      launch.out<float>(0) + rank.who.rank * shape_.gradients()};
    }
  }

  void hand_out_inputs(const lab::Launch& launch) {
    for (const auto& rank : ranks_->all()) {
      if (rank.who.device == device_) continue;
      peer_copy(own(rank.who.rank).weights.get(), rank.who.device, launch.in<float>(0), device_,
                shape_.gradients(), launch.stream);
      peer_copy(own(rank.who.rank).samples.get(), rank.who.device,
                launch.in<float>(1) + rank.who.rank * shape_.sample_floats(), device_,
                shape_.sample_floats(), launch.stream);
    }
  }

  static void peer_copy(void* to, int to_device, const void* from, int from_device,
                        std::int64_t count, cudaStream_t stream) {
    lab::check_cuda(
        cudaMemcpyPeerAsync(to, to_device, from, from_device, float_bytes(count), stream),
        "cudaMemcpyPeerAsync");
  }

  static void refuse_capture(cudaStream_t stream) {
    if (comm::is_captured(stream))
      base::refuse(base::Exit::environment,
                   "needs --timer events: NCCL takes a graph on all ranks or on none, and the "
                   "timer's graph is rank 0's alone");
  }

  TrainingShape shape_;
  Schedule* schedule_;
  int device_ = 0;
  std::optional<RemoteRanks> remote_;  // ends after the communicator, whose end they take part in
  std::unique_ptr<comm::Communicator> communicator_;
  std::optional<StartLine> start_line_;
  std::optional<LocalRanks> ranks_;
  std::vector<float*> shares_;
  std::vector<std::optional<OwnBuffers>> own_;
  Stopwatch compute_alone_, whole_;
};

}  // namespace

lab::Run prepare_training(lab::Setup& setup, const char* rung_name) {
  const auto training = std::make_shared<Training>(setup, rung_name);
  setup.stages_inputs({0, 1});
  setup.before_each_run([training](const lab::Launch& launch) { training->before(launch); });
  setup.own_outputs(
      {.poison = [training](const lab::Launch& launch) { training->poison(launch); },
       .collect = [training](const lab::Launch& launch) { training->collect(launch); }});
  setup.figure("exposed communication", "ms",
               [training] { return training->exposed_milliseconds(); });
  setup.figure("backward alone", "ms", [training] { return training->compute_milliseconds(); });
  setup.figure("moved between ranks", "GB", [training] { return training->gigabytes_moved(); });
  return [training](const lab::Launch& launch) { training->run(launch); };
}

}  // namespace aisp::ch11
