// What a program does whose device cannot read its memory: the processor puts a chunk into pinned
// memory, a copy takes it to the device, a kernel works on the one before; all three at once.
#include <array>
#include <cstring>
#include <memory>

#include "chapters/ch10/coherent_memory/host_matrix.hpp"
#include "chapters/ch10/coherent_memory/rows.hpp"
#include "chapters/ch10/common/copy_stream.hpp"
#include "chapters/ch10/common/pinned_memory.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

constexpr int slots = 3;

class State {
 public:
  explicit State(lab::Setup& setup)
      : shape_(setup.problem().size),
        slot_bytes_(shape_.chunk_rows() * shape_.row_bytes()),
        pinned_(slots * slot_bytes_),
        device_(static_cast<char*>(setup.scratch(static_cast<std::size_t>(slots * slot_bytes_)))) {
    pinned_.poison_before_checks(setup);
    for (auto& event : used_)
      lab::check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (auto event : used_) cudaEventDestroy(event);
  }

  void before_run(const lab::Launch& launch) { matrices_.before_run(launch); }

  void run(const lab::Launch& launch) const {
    const char* x = matrices_.of(launch).get();
    copies_.fork(launch.stream);
    for (std::int64_t chunk = 0; chunk < shape_.chunks(); ++chunk) {
      const int slot = static_cast<int>(chunk % slots);
      const std::int64_t bytes = shape_.rows_in(chunk) * shape_.row_bytes();
      char *pinned = pinned_.get() + slot * slot_bytes_, *device = device_ + slot * slot_bytes_;
      // The slot's last rows are done, and so is their copy.
      lab::check_cuda(cudaEventSynchronize(used_[static_cast<std::size_t>(slot)]),
                      "cudaEventSynchronize");
      {
        const lab::Range range("into pinned memory");
        std::memcpy(pinned, x + shape_.offset_of(chunk), static_cast<std::size_t>(bytes));
      }
      copies_.copy(slot, device, pinned, bytes, launch.stream);
      enqueue_chunk(launch, device, chunk);
      lab::check_cuda(cudaEventRecord(used_[static_cast<std::size_t>(slot)], launch.stream),
                      "cudaEventRecord");
    }
  }

 private:
  RowShape shape_;
  std::int64_t slot_bytes_;
  HostMatrices matrices_{HostKind::pageable};
  PinnedMemory pinned_;
  char* device_;
  CopyStream copies_{slots};
  std::array<cudaEvent_t, slots> used_{};
};

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.stages_inputs({0});
  setup.before_each_run([state](const lab::Launch& launch) { state->before_run(launch); });
  return [state](const lab::Launch& launch) { state->run(launch); };
}

const lab::RungEntry entry{"ch10:coherent_memory",
                           {.name = "pinned_copies",
                            .step = 0,
                            .builds_on = "",
                            .idea = "chunks through a ring of pinned memory, copies under kernels",
                            .look_at = "the processor moves every byte before the link does",
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
