// What a process does that is PE 1 or more of one_sided_exchange: see pes.hpp for the other side.
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "chapters/ch14/one_sided_exchange/pes.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/rank_device.hpp"

namespace aisp::ch14 {
namespace {

class Service : public comm::RankService {
 public:
  explicit Service(std::shared_ptr<comm::Link> link)
      : link_(std::move(link)), device_(comm::device_of_rank(link_->rank())) {
    comm::check(cudaSetDevice(device_), "cudaSetDevice");
    stream_ = std::make_unique<comm::Stream>(device_);
  }

  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() override {
    if (library_) library_->give_up();  // PE 0 is gone
  }

  void handle(comm::Message message) override {
    std::istringstream words(message.line);
    std::string verb;
    int job = 0;
    words >> verb;
    if (verb == "join") return join();
    if (!library_) throw std::runtime_error("no PE yet: " + message.line);
    if (verb == "settle")
      return comm::check(cudaStreamSynchronize(stream_->get()), "cudaStreamSynchronize");
    if (verb == "line") return library_->barrier(stream_->get());
    if (verb == "end") return library_.reset();
    words >> job;
    if (verb == "prepare") return prepare(job, words);
    if (verb == "run") return run(job);
    if (verb == "drop") return drop(job);
    throw std::runtime_error("no such message: " + message.line);
  }

 private:
  void join() {
    comm::NvshmemId id;
    link_->receive(0, std::as_writable_bytes(std::span(&id, 1)));
    library_ =
        std::make_shared<comm::Nvshmem>(comm::load_nvshmem(), id, link_->rank(), link_->ranks());
  }

  void prepare(int job, std::istringstream& words) {
    int way = 0;
    lab::Size size{.variant = "", .dims = std::vector<std::int64_t>(4)};
    words >> way >> size.variant;
    for (auto& extent : size.dims) words >> extent;
    if (!words) throw std::runtime_error("not a size: " + words.str());
    const int ranks = static_cast<int>(size.dims[3]);
    jobs_[job] = make_workload(size, static_cast<Way>(way), Ranks(ranks, library_, [] {}));
  }

  // Behind the barrier of the line.
  void run(int job) {
    jobs_.at(job)->run(stream_->get());
    library_->barrier(stream_->get());
  }

  void drop(int job) {
    comm::check(cudaStreamSynchronize(stream_->get()), "cudaStreamSynchronize");
    jobs_.erase(job);
  }

  std::shared_ptr<comm::Link> link_;
  int device_;
  std::unique_ptr<comm::Stream> stream_;
  std::shared_ptr<comm::Nvshmem> library_;
  std::map<int, std::unique_ptr<Workload>> jobs_;
};

const comm::RankServiceEntry entry{pe_service, [](std::shared_ptr<comm::Link> link) {
                                     return std::make_unique<Service>(std::move(link));
                                   }};

}  // namespace
}  // namespace aisp::ch14
