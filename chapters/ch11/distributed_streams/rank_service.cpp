// What a process does that is rank 1 or more of distributed_streams: see remote_ranks.hpp for the
// other side.
#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "chapters/ch11/distributed_streams/remote_ranks.hpp"
#include "chapters/ch11/distributed_streams/start_line.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/rank_device.hpp"
#include "lab/case/elsewhere.hpp"

namespace aisp::ch11 {
namespace {

// One rank on its device, from the first message to the last.
class TrainingRank {
 public:
  TrainingRank(const TrainingShape& shape, std::shared_ptr<comm::Link> link, Schedule* schedule,
               const Backend& backend)
      : shape_(shape),
        link_(std::move(link)),
        schedule_(schedule),
        communicator_(backend.make(shape, link_, comm::device_of_rank(link_->rank()))),
        start_(*communicator_),
        ranks_(shape, communicator_->local()),
        stream_(device()),
        weights_(device(), bytes(shape.gradients())),
        samples_(device(), bytes(shape.sample_floats())),
        shares_(device(), bytes(shape.gradients())),
        gradients_(device(), bytes(shape.gradients())) {
    ranks_.all().at(0).buffers = {floats(weights_), floats(samples_), floats(shares_),
                                  floats(gradients_)};
  }

  void load() {
    for (const auto& [memory, count] :
         {std::pair(&weights_, shape_.gradients()), std::pair(&samples_, shape_.sample_floats())}) {
      host_.resize(bytes(count));
      link_->receive(0, host_);
      copy(memory->get(), host_.data(), count, cudaMemcpyHostToDevice);
      synchronize();
    }
  }

  void step() {
    // Nothing may pass that this step does not write, and no share be summed that it has not
    // computed. Rank 0 waits at the start line: this is not in its time.
    for (const comm::Memory* memory : {&shares_, &gradients_}) memory->fill(0xff, stream_.get());
    ranks_.fork(stream_.get());
    start_.enqueue(ranks_);
    schedule_(ranks_, *communicator_);
    ranks_.join(stream_.get());
    synchronize();
  }

  void collect() {
    host_.resize(bytes(shape_.gradients()));
    copy(host_.data(), gradients_.get(), shape_.gradients(), cudaMemcpyDeviceToHost);
    synchronize();
    link_->send(0, host_);
  }

 private:
  int device() const { return communicator_->local().at(0).device; }
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(float);
  }
  static float* floats(const comm::Memory& memory) {
    return reinterpret_cast<float*>(memory.get());
  }
  void copy(void* to, const void* from, std::int64_t count, cudaMemcpyKind kind) const {
    comm::check(cudaMemcpyAsync(to, from, bytes(count), kind, stream_.get()), "tensors of a rank");
  }
  void synchronize() const {
    comm::check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

  TrainingShape shape_;
  std::shared_ptr<comm::Link> link_;
  Schedule* schedule_;
  std::unique_ptr<comm::Communicator> communicator_;
  StartLine start_;
  LocalRanks ranks_;
  comm::Stream stream_;
  comm::Memory weights_, samples_, shares_, gradients_;
  std::vector<std::byte> host_;
};

class Service : public comm::RankService {
 public:
  explicit Service(std::shared_ptr<comm::Link> link) : link_(std::move(link)) {
    comm::check(cudaSetDevice(comm::device_of_rank(link_->rank())), "cudaSetDevice");
  }

  void handle(comm::Message message) override {
    std::istringstream words(message.line);
    std::string verb;
    words >> verb;
    if (verb == "prepare") return prepare(words);
    if (!training_) throw std::runtime_error("not prepared: " + message.line);
    if (verb == "listen") {
      trace_.reset();  // a tool listens for one at a time
      trace_ = lab::start_process_trace(message.line.ends_with("everything"));
      return;
    }
    if (verb == "restart") return trace_ ? trace_->restart() : void();
    if (verb == "trace") return send_trace();
    if (verb == "load") return training_->load();
    if (verb == "step") return training_->step();
    if (verb == "collect") return training_->collect();
    if (verb == "end") return training_.reset();
    throw std::runtime_error("no such message: " + message.line);
  }

 private:
  void prepare(std::istringstream& words) {
    std::string schedule;
    std::int64_t buckets = 0, elements = 0, samples = 0;
    Backend backend;
    words >> schedule >> buckets >> elements >> samples >> backend.name >> backend.nccl_id;
    training_.emplace(TrainingShape(buckets, elements, samples, link_->ranks()), link_,
                      schedule_called(schedule), backend);
  }

  // Its length, then the text.
  void send_trace() {
    const std::string text = trace_ ? trace_->text() : "";
    const std::uint64_t bytes = text.size();
    link_->send(0, std::as_bytes(std::span(&bytes, 1)));
    link_->send(0, std::as_bytes(std::span(text)));
    trace_.reset();
  }

  std::shared_ptr<comm::Link> link_;
  std::optional<TrainingRank> training_;
  std::unique_ptr<lab::ProcessTrace> trace_;
};

const comm::RankServiceEntry entry{
    "ch11:distributed_streams",
    [](std::shared_ptr<comm::Link> link) { return std::make_unique<Service>(std::move(link)); }};

}  // namespace
}  // namespace aisp::ch11
