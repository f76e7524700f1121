#include "chapters/ch10/gpudirect_storage/ring.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// What the threads of one run share. A slot goes round: free, being read into, full, free again
// once its work is enqueued; who reads into it next waits until that work is done.
struct Ring::Turn {
  Turn(int slots, std::int64_t file_bytes, std::int64_t chunk_bytes)
      : file_bytes(file_bytes),
        chunks((file_bytes + chunk_bytes - 1) / chunk_bytes),
        full(static_cast<std::size_t>(slots)) {}

  void fail() {
    const std::lock_guard lock(guard);
    if (!failure) failure = std::current_exception();
    changed.notify_all();
  }

  const std::int64_t file_bytes, chunks;
  std::mutex guard;
  std::condition_variable changed;
  std::int64_t next = 0;      // first chunk that nobody reads yet
  std::int64_t enqueued = 0;  // chunks whose work is
  std::vector<char> full;     // per slot
  std::exception_ptr failure;
};

Ring::Ring(RingShape shape) : shape_(shape), used_(static_cast<std::size_t>(shape.slots)) {
  lab::check_cuda(cudaGetDevice(&device_), "cudaGetDevice");
  for (auto& event : used_)
    lab::check_cuda(
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
        "cudaEventCreateWithFlags");
}

Ring::~Ring() {
  for (auto event : used_) cudaEventDestroy(event);
}

Chunk Ring::chunk_at(std::int64_t number, std::int64_t file_bytes) const {
  const std::int64_t offset = number * shape_.chunk_bytes;
  return {offset, std::min(shape_.chunk_bytes, file_bytes - offset), number};
}

void Ring::read_chunks(Turn& turn, const Fill& fill) const {
  try {
    lab::check_cuda(cudaSetDevice(device_), "cudaSetDevice");
    while (true) {
      std::unique_lock lock(turn.guard);
      if (turn.failure || turn.next == turn.chunks) return;
      const Chunk chunk = chunk_at(turn.next++, turn.file_bytes);
      turn.changed.wait(
          lock, [&] { return turn.failure || chunk.number < turn.enqueued + shape_.slots; });
      if (turn.failure) return;
      lock.unlock();
      const int slot = slot_of(chunk.number);
      lab::check_cuda(cudaEventSynchronize(used_[static_cast<std::size_t>(slot)]),
                      "cudaEventSynchronize");
      fill(slot, chunk);
      lock.lock();
      turn.full[static_cast<std::size_t>(slot)] = true;
      turn.changed.notify_all();
    }
  } catch (...) {
    turn.fail();
  }
}

void Ring::use_chunks(Turn& turn, cudaStream_t stream, const Use& use) const {
  for (std::int64_t number = 0; number < turn.chunks; ++number) {
    const int slot = slot_of(number);
    char& full = turn.full[static_cast<std::size_t>(slot)];
    std::unique_lock lock(turn.guard);
    turn.changed.wait(lock, [&] { return turn.failure || full; });
    if (turn.failure) return;
    full = false;
    lock.unlock();
    use(slot, chunk_at(number, turn.file_bytes));
    lab::check_cuda(cudaEventRecord(used_[static_cast<std::size_t>(slot)], stream),
                    "cudaEventRecord");
    lock.lock();
    ++turn.enqueued;
    turn.changed.notify_all();
  }
}

void Ring::run(std::int64_t file_bytes, cudaStream_t stream, const Fill& fill, const Use& use) {
  Turn turn(shape_.slots, file_bytes, shape_.chunk_bytes);
  {
    std::vector<std::jthread> readers;
    try {
      for (int reader = 0; reader < shape_.readers; ++reader)
        readers.emplace_back([&] { read_chunks(turn, fill); });
      use_chunks(turn, stream, use);
    } catch (...) {
      turn.fail();
    }
  }  // joins
  if (turn.failure) std::rethrow_exception(turn.failure);
}

}  // namespace aisp::ch10
