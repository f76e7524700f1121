#include "chapters/ch14/one_sided_exchange/pes.hpp"

#include <algorithm>
#include <chrono>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "comm/process/process.hpp"
#include "comm/world.hpp"
#include "lab/case/library.hpp"

namespace aisp::ch14 {
namespace {

int pes_for(int ranks) {
  if (comm::given_world() > 1) return comm::given_world();
  return std::min(ranks, comm::device_count());
}

void refuse_capture(cudaStream_t stream) {
  if (comm::is_captured(stream))
    base::refuse(base::Exit::environment,
                 "needs --timer events: NVSHMEM's barriers are made for all PEs at once, and the "
                 "timer's graph is PE 0's alone");
}

// A workload whose ranks are not all here: what the others do begins and ends with this PE's.
class OverPes : public Workload {
 public:
  OverPes(std::shared_ptr<Pes> pes, const lab::Size& size, Way way)
      : pes_(std::move(pes)), job_(pes_->new_job()) {
    bool told = false;
    const auto prepare_others = [&] {
      told = true;
      const auto& dims = size.dims;
      pes_->tell(base::say("prepare ", job_, ' ', static_cast<int>(way), ' ', size.variant, ' ',
                           dims.at(0), ' ', dims.at(1), ' ', dims.at(2), ' ', dims.at(3)));
    };
    const int ranks = static_cast<int>(size.dims.at(3));
    try {
      work_ = make_workload(size, way, Ranks(ranks, pes_->library(), prepare_others));
      pes_->wait();
    } catch (...) {
      if (told && !pes_->alone()) pes_->give_up();  // they are refused too, and end
      throw;
    }
  }

  OverPes(const OverPes&) = delete;
  OverPes& operator=(const OverPes&) = delete;
  ~OverPes() override {
    if (pes_->tell_at_rest(base::say("drop ", job_))) work_.reset();
    pes_.reset();
    Pes::end_if_unused();
  }

  // The others are at the barrier that this PE comes to last, outside of its time, when they
  // answer; where PEs take turns on a GPU they wait there on the host, and do not. What comes
  // behind the barrier must not be waited for: a kernel that is launched for the first time may be
  // loaded only when the device is idle, and a stream takes only so much that cannot run yet.
  void before(const lab::Launch& launch) override {
    pes_->tell("settle");
    pes_->wait();
    work_->before(launch);
    pes_->tell("line up");
    if (!pes_->library()->takes_turns()) pes_->wait();
    pes_->tell(base::say("run ", job_));
  }

  void run(cudaStream_t stream) override {
    if (pes_->alone()) return work_->run(stream);
    refuse_capture(stream);
    pes_->library()->barrier(stream);
    work_->run(stream);
    pes_->library()->barrier(stream);
  }

  void poison(const lab::Launch& launch) override { work_->poison(launch); }
  void collect(const lab::Launch& launch) override { work_->collect(launch); }
  double bytes_moved() const override { return work_->bytes_moved(); }
  std::string description() const override { return work_->description(); }

 private:
  std::shared_ptr<Pes> pes_;
  int job_;
  std::unique_ptr<Workload> work_;
};

lab::LibraryState look_for_nvshmem() {
  try {
    base::SharedLibrary library = comm::find_nvshmem();
    const comm::NvshmemCalls calls = comm::calls_of_nvshmem(library);
    const lab::LibraryState state{.found = comm::name_of(calls) + " at " + library.name()};
    library.close();
    return state;
  } catch (const base::Refusal& refusal) {
    return {.missing = refusal.what()};
  }
}

// Never destroyed: when the process ends the library cannot end any more.
struct Only {
  std::shared_ptr<Pes> pes;
  bool ended = false;
};
Only& only() {
  static auto* const instance = new Only;
  return *instance;
}

const lab::LibraryEntry entry{{.name = "NVSHMEM", .look = look_for_nvshmem}};

}  // namespace

lab::Run prepare_with_nvshmem(lab::Setup& setup, Way way) {
  // Whoever names another library knows what it runs on.
  if (setup.simulated() && base::environment("AISP_NVSHMEM_LIBRARY") == nullptr)
    base::refuse(base::Exit::environment, "NVSHMEM needs a GPU; this run is simulated");
  const lab::Size& size = setup.problem().size;
  const auto pes = Pes::of_process(static_cast<int>(size.dims.at(3)));
  if (way == Way::on_stream && pes->library()->takes_turns())
    base::refuse(base::Exit::environment, pes->library()->description(),
                 ": streams cannot wait for each other then; start MPS and give each PE its share "
                 "with CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, or use one PE for each GPU");
  return enter(setup, std::make_shared<OverPes>(pes, size, way));
}

std::shared_ptr<Pes> Pes::of_process(int ranks) {
  const int count = pes_for(ranks);
  if (only().ended || (only().pes && only().pes->library()->given_up()))
    base::refuse(base::Exit::environment,
                 "NVSHMEM has ended in this process, and takes no second job; run the rung alone");
  if (!only().pes) only().pes = std::make_shared<Pes>(count);
  if (const int made = only().pes->library()->pes(); made != count)
    base::refuse(base::Exit::environment, "NVSHMEM has ", made,
                 " PEs in this process until it ends, and this size takes ", count,
                 "; run the sizes one at a time");
  return only().pes;
}

void Pes::end_if_unused() {
  if (only().pes.use_count() != 1) return;
  only().pes.reset();
  only().ended = true;
}

Pes::Pes(int count) {
  const comm::NvshmemCalls calls = comm::load_nvshmem();
  const comm::NvshmemId id = comm::make_nvshmem_id(calls);
  if (count > 1) {
    processes_ = std::make_unique<comm::RankProcesses>(
        count, pe_service, comm::RankProcessesOptions{.lost = comm::end_process});
    tell("join");
    for (int pe = 1; pe < count; ++pe)
      processes_->link()->send(pe, std::as_bytes(std::span(&id, 1)));
  }
  library_ = std::make_shared<comm::Nvshmem>(calls, id, 0, count);
  wait();
}

Pes::~Pes() { tell_at_rest("end"); }

// They wait at a barrier for ever when this PE does not come to it: a run that was refused between
// before() and its first barrier.
bool Pes::tell_at_rest(const std::string& line) {
  constexpr std::chrono::seconds grace(5);
  if (alone()) return true;
  try {
    if (!library_->given_up() && rest_within(grace)) {
      tell(line);
      return true;
    }
  } catch (const std::exception&) {  // one is lost
  }
  give_up();
  return false;
}

void Pes::give_up() {
  library_->give_up();
  if (processes_) processes_->kill();
}

bool Pes::rest_within(std::chrono::milliseconds time) {
  tell("settle");
  return processes_->wait_for(time);
}

void Pes::tell(const std::string& line) {
  if (processes_) processes_->tell(line);
}

void Pes::wait() {
  if (processes_) processes_->wait();
}

}  // namespace aisp::ch14
