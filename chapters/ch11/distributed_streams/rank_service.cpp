// What a process does that is rank 1 or more of distributed_streams: see remote_ranks.hpp for the
// other side.
#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "chapters/ch11/distributed_streams/nccl_start.hpp"
#include "chapters/ch11/distributed_streams/remote_ranks.hpp"
#include "comm/rank_service.hpp"

namespace aisp::ch11 {
namespace {

// One rank on its device, from the first message to the last.
class TrainingRank {
 public:
  TrainingRank(const TrainingShape& shape, int rank, Schedule* schedule, const std::string& id,
               comm::Descriptor file)
      : shape_(shape),
        rank_(rank),
        schedule_(schedule),
        shared_(shape, std::move(file)),
        communicator_(comm::load_nccl(), comm::id_from_text(id), shape.ranks, {rank, rank}),
        start_(communicator_),
        ranks_(shape, communicator_.local()),
        stream_(rank),
        weights_(rank, bytes(shape.gradients())),
        samples_(rank, bytes(shape.sample_floats())),
        shares_(rank, bytes(shape.gradients())),
        gradients_(rank, bytes(shape.gradients())) {
    ranks_.all().at(0).buffers = {floats(weights_), floats(samples_), floats(shares_),
                                  floats(gradients_)};
  }

  void load() {
    copy(weights_.get(), shared_.weights(), shape_.gradients(), cudaMemcpyHostToDevice);
    copy(samples_.get(), shared_.samples(rank_), shape_.sample_floats(), cudaMemcpyHostToDevice);
    synchronize();
  }

  void step() {
    // Nothing may pass that this step does not write, and no share be summed that it has not
    // computed. Rank 0 waits at the start line: this is not in its time.
    for (const comm::Memory* memory : {&shares_, &gradients_}) memory->fill(0xff, stream_.get());
    ranks_.fork(stream_.get());
    start_.enqueue(ranks_);
    schedule_(ranks_, communicator_);
    ranks_.join(stream_.get());
    synchronize();
  }

  void collect() {
    copy(shared_.gradients(rank_), gradients_.get(), shape_.gradients(), cudaMemcpyDeviceToHost);
    synchronize();
  }

 private:
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(float);
  }
  static float* floats(const comm::Memory& memory) {
    return reinterpret_cast<float*>(memory.get());
  }
  void copy(void* to, const void* from, std::int64_t count, cudaMemcpyKind kind) const {
    comm::check(cudaMemcpyAsync(to, from, bytes(count), kind, stream_.get()), "shared tensors");
  }
  void synchronize() const {
    comm::check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

  TrainingShape shape_;
  int rank_;
  Schedule* schedule_;
  SharedTensors shared_;
  comm::NcclCommunicator communicator_;
  StartLine start_;
  LocalRanks ranks_;
  comm::Stream stream_;
  comm::Memory weights_, samples_, shares_, gradients_;
};

class Service : public comm::RankService {
 public:
  Service(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    comm::check(cudaSetDevice(rank), "cudaSetDevice");
  }

  void handle(comm::Message message) override {
    std::istringstream words(message.line);
    std::string verb;
    words >> verb;
    if (verb == "prepare") return prepare(words, std::move(message.files.at(0)));
    if (!training_) throw std::runtime_error("not prepared: " + message.line);
    if (verb == "load") return training_->load();
    if (verb == "step") return training_->step();
    if (verb == "collect") return training_->collect();
    if (verb == "end") return training_.reset();
    throw std::runtime_error("no such message: " + message.line);
  }

 private:
  void prepare(std::istringstream& words, comm::Descriptor file) {
    std::string schedule, id;
    std::int64_t buckets = 0, elements = 0, samples = 0;
    words >> schedule >> buckets >> elements >> samples >> id;
    training_.emplace(TrainingShape(buckets, elements, samples, ranks_), rank_,
                      schedule_called(schedule), id, std::move(file));
  }

  int rank_, ranks_;
  std::optional<TrainingRank> training_;
};

const comm::RankServiceEntry entry{"ch11:distributed_streams", [](int rank, int ranks) {
                                     return std::make_unique<Service>(rank, ranks);
                                   }};

}  // namespace
}  // namespace aisp::ch11
