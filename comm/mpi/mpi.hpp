// Open MPI, loaded at first use: no header of it is needed to build, and a machine without it loses
// nothing else. What is needed of its interface is declared here as its libmpi.so.40 lays it out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/process/link.hpp"

namespace aisp::comm {

// What $AISP_MPI_LIBRARY names, else libmpi.so.40.
std::string mpi_library();
// The loader's words where it is missing, or is another MPI's; "" where it can be used.
std::string problem_with_mpi();

// This process as a rank of the job that mpirun or srun has started. Once in a process.
class Mpi {
 public:
  // Refuses (Exit::environment) where there is no Open MPI, or it does not start.
  Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi();  // all ranks come to the end of theirs

  int rank() const { return rank_; }
  int size() const { return size_; }
  std::string version() const;  // "Open MPI 4.1.4"

  // Everybody's bytes, one rank after the other; all give as many.
  std::vector<std::byte> gather(std::span<const std::byte> own);
  // Rank 0's bytes.
  void broadcast(std::span<std::byte> bytes);

  // A message under way. What it reads or writes stays where it is until it is over.
  class Request {
   public:
    Request() = default;
    Request(Request&& other) noexcept
        : calls_(other.calls_), handle_(std::exchange(other.handle_, nullptr)) {}
    Request& operator=(Request&& other) noexcept {
      std::swap(calls_, other.calls_);
      std::swap(handle_, other.handle_);
      return *this;
    }

    bool active() const { return handle_ != nullptr; }
    // Whether it is over, and then of how many bytes. Throws what MPI says of one that failed.
    bool test(std::size_t& bytes);

   private:
    friend class Mpi;
    const struct MpiCalls* calls_ = nullptr;
    void* handle_ = nullptr;
  };
  Request send(int to, int tag, std::span<const std::byte> bytes);
  Request receive(int from, int tag, std::span<std::byte> bytes);

 private:
  std::unique_ptr<struct MpiCalls> calls_;
  int rank_ = 0, size_ = 1;
  bool starts_ = true;  // else the program has started MPI, and ends it
};

// The ranks of an MPI job as a Link, for a program that is itself a rank: messages of its own tag.
class MpiLink : public Link {
 public:
  explicit MpiLink(std::shared_ptr<Mpi> mpi, int tag = 1) : mpi_(std::move(mpi)), tag_(tag) {}

  int rank() const override { return mpi_->rank(); }
  int ranks() const override { return mpi_->size(); }
  std::string description() const override { return mpi_->version(); }
  void exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) override;

 private:
  std::shared_ptr<Mpi> mpi_;
  int tag_;
  std::mutex mutex_;
};

}  // namespace aisp::comm
