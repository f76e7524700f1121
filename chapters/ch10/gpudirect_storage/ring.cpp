#include "chapters/ch10/gpudirect_storage/ring.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "lab/case/rung.hpp"

namespace aisp::ch10 {
namespace {

constexpr std::int64_t largest_chunk = 4 << 20;
constexpr std::int64_t smallest_chunk = 64 << 10;  // whole sums and whole pages
constexpr std::int64_t chunks_wanted = 64;

}  // namespace

std::int64_t chunk_bytes_for(std::int64_t file_bytes) {
  const std::int64_t share = file_bytes / chunks_wanted / smallest_chunk * smallest_chunk;
  return std::clamp(share, smallest_chunk, largest_chunk);
}

// What the threads of one run share. Slots go round: free, being read into, full, free again once
// their work is enqueued; who reads into one waits until that work is done.
struct Ring::Turn {
  Turn(int slots, std::int64_t file_bytes, std::int64_t chunk_bytes)
      : file_bytes(file_bytes), chunk_bytes(chunk_bytes) {
    for (int slot = 0; slot < slots; ++slot) free.push_back(slot);
  }

  void fail() {
    const std::lock_guard lock(guard);
    if (!failure) failure = std::current_exception();
    changed.notify_all();
  }

  const std::int64_t file_bytes, chunk_bytes;
  std::mutex guard;
  std::condition_variable changed;
  std::int64_t next = 0;  // first byte that nobody reads yet
  std::deque<int> free;
  std::deque<std::pair<int, Chunk>> full;
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

void Ring::read_chunks(Turn& turn, const Fill& fill) const {
  try {
    lab::check_cuda(cudaSetDevice(device_), "cudaSetDevice");
    while (true) {
      std::unique_lock lock(turn.guard);
      turn.changed.wait(
          lock, [&] { return turn.failure || turn.next >= turn.file_bytes || !turn.free.empty(); });
      if (turn.failure || turn.next >= turn.file_bytes) return;
      const int slot = turn.free.front();
      turn.free.pop_front();
      const Chunk chunk{turn.next, std::min(turn.chunk_bytes, turn.file_bytes - turn.next)};
      turn.next += chunk.bytes;
      lock.unlock();
      lab::check_cuda(cudaEventSynchronize(used_[static_cast<std::size_t>(slot)]),
                      "cudaEventSynchronize");
      fill(slot, chunk);
      lock.lock();
      turn.full.emplace_back(slot, chunk);
      turn.changed.notify_all();
    }
  } catch (...) {
    turn.fail();
  }
}

void Ring::use_chunks(Turn& turn, cudaStream_t stream, const Use& use) const {
  for (std::int64_t done = 0; done < turn.file_bytes;) {
    std::unique_lock lock(turn.guard);
    turn.changed.wait(lock, [&] { return turn.failure || !turn.full.empty(); });
    if (turn.failure) return;
    const auto [slot, chunk] = turn.full.front();
    turn.full.pop_front();
    lock.unlock();
    use(slot, chunk);
    lab::check_cuda(cudaEventRecord(used_[static_cast<std::size_t>(slot)], stream),
                    "cudaEventRecord");
    done += chunk.bytes;
    lock.lock();
    turn.free.push_back(slot);
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
