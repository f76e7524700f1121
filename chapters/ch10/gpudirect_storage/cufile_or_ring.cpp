// cuFile where it answers: the disk, or the library on its behalf, puts batches into device memory
// and no copy is left to enqueue. Elsewhere the ring of the rung below. The row says which it was.
#include <optional>
#include <set>

#include "base/refuse.hpp"
#include "chapters/ch10/gpudirect_storage/cufile.hpp"
#include "chapters/ch10/gpudirect_storage/direct_ring.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

class DeviceRing {
 public:
  DeviceRing(lab::Setup& setup, const CuFileCalls& calls)
      : ring_({direct_slots, direct_readers, BatchShape(setup.problem().size).bytes()}),
        memory_(static_cast<char*>(setup.scratch(slot_at(direct_slots)))),
        library_(calls, memory_, direct_slots * ring_.shape().chunk_bytes),
        products_(setup,
                  [this](std::int64_t batch) { return memory_ + slot_at(ring_.slot_of(batch)); }) {}

  // Refuses (base::Refusal) or throws where the library does not take the file or reads it wrongly.
  void add(const InputFile& file) {
    library_.add(file.past_cache());
    const auto& wanted = file.first_page();
    library_.read(file.past_cache(), {0, static_cast<std::int64_t>(wanted.size())}, 0);
    std::vector<char> got(wanted.size());
    lab::check_cuda(cudaMemcpy(got.data(), memory_, got.size(), cudaMemcpyDeviceToHost),
                    "cudaMemcpy of the first page");
    if (got != wanted)
      base::refuse(base::Exit::environment, "cuFileRead gave other bytes than the file has");
  }

  void plan(const lab::Launch& launch) { products_.plan(launch); }  // not timed
  void run(const lab::Launch& launch, const InputFile& file) {
    ring_.run(
        file.bytes(), launch.stream,
        [&](int slot, const Chunk& chunk) {
          const lab::Range range(lab::storage_range);
          library_.read(file.past_cache(), chunk, static_cast<std::int64_t>(slot_at(slot)));
        },
        [&](int, const Chunk& chunk) { products_.multiply(launch, chunk.number); });
  }

  std::string description() const { return library_.description(); }

 private:
  std::size_t slot_at(int slot) const {
    return static_cast<std::size_t>(slot * ring_.shape().chunk_bytes);
  }

  Ring ring_;
  char* memory_;
  CuFile library_;
  BatchProducts products_;
};

class State {
 public:
  explicit State(lab::Setup& setup) : setup_(setup) {
    try {
      if (setup.simulated())
        base::refuse(base::Exit::environment, "cuFile needs a GPU; this run is simulated");
      cufile_.emplace(setup, load_cufile());
    } catch (const base::Refusal& refusal) {
      use_own_ring(refusal.what());
    }
  }

  void before_run(const lab::Launch& launch) {
    files_.before_run(launch, setup_, [&](const InputFile& file) {
      admit(file);
      return cufile_ ? cufile_->description()
                     : own_ring_->path(file) + "; not cuFile: " + why_own_ring_;
    });
    admit(files_.of(launch));
    if (cufile_)
      cufile_->plan(launch);
    else
      own_ring_->plan(launch);
  }

  void run(const lab::Launch& launch) {
    const InputFile& file = files_.of(launch);
    if (cufile_)
      cufile_->run(launch, file);
    else
      own_ring_->run(launch, file);
  }

 private:
  void use_own_ring(const std::string& why) {
    cufile_.reset();
    why_own_ring_ = why;
    own_ring_.emplace(setup_);
  }

  void admit(const InputFile& file) {
    if (!cufile_ || admitted_.contains(&file)) return;
    try {
      cufile_->add(file);
      admitted_.insert(&file);
    } catch (const std::exception& error) {
      if (!admitted_.empty()) throw;  // the row says cuFile already
      use_own_ring(error.what());
    }
  }

  lab::Setup& setup_;
  RungFiles files_;
  std::set<const InputFile*> admitted_;
  std::string why_own_ring_;
  std::optional<DirectRing> own_ring_;
  std::optional<DeviceRing> cufile_;
};

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.stages_inputs({0});
  setup.before_each_run([state](const lab::Launch& launch) { state->before_run(launch); });
  return [state](const lab::Launch& launch) { state->run(launch); };
}

const lab::RungEntry entry{"ch10:gpudirect_storage",
                           {.name = "cufile_or_ring",
                            .step = 3,
                            .builds_on = "direct_ring",
                            .idea = "cuFile reads into device memory; where it cannot, the ring",
                            .look_at = "which path the note of the row names",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
