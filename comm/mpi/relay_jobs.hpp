// What the relay of every rank does: pieces of work, the pumps that join their sockets to other
// ranks, and letters between relays.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/mpi.hpp"
#include "comm/mpi/pump.hpp"
#include "comm/mpi/relay.hpp"

namespace aisp::comm {

class RelayJobs {
 public:
  using Clock = std::chrono::steady_clock;

  // All ranks are here when it returns, and know of each other.
  explicit RelayJobs(const RelayOptions& options);
  RelayJobs(const RelayJobs&) = delete;
  RelayJobs& operator=(const RelayJobs&) = delete;
  virtual ~RelayJobs() = default;

  // The line that names the first rank of another version than rank 0's; "" where there is none.
  const std::string& stranger() const { return stranger_; }
  const std::string& secret() const { return secret_; }
  Mpi& mpi() { return mpi_; }

 protected:
  struct Job {
    int number;
    std::list<Pump> pumps{};
    pid_t process = 0;                           // that does it here; rank 0 has none
    Pump* control = nullptr;                     // its way to rank 0
    std::optional<Clock::time_point> kill_at{};  // when its work is over and it still lives
  };

  // Letters from another relay, each of at most `letter_bytes`.
  class Mailbox {
   public:
    Mailbox(Mpi& mpi, int from, int tag);
    std::optional<std::string> next();

   private:
    Mpi& mpi_;
    int from_, tag_;
    std::vector<std::byte> room_;
    Mpi::Request request_;
  };

  // Everything that can be done now, after waiting for it for a few milliseconds at most. `own` is
  // polled too.
  void turn(std::vector<pollfd>& own);
  void send_letter(int to, int tag, const std::string& text);
  bool letters_under_way() const { return !letters_.empty(); }

  Pump& join_control(Job& job, int other, Descriptor socket, Pump::End end);
  Pump& join_link(Job& job, int other, Descriptor socket);

  std::string version_of(int rank) const;
  std::string host_of(int rank) const;
  pid_t process_of(int rank) const;

  // Looks after a piece of work; true where something has happened.
  virtual bool look_after(Job& /*job*/) { return false; }

  static constexpr int order_tag = 1, report_tag = 2;

  RelayOptions options_;
  Mpi mpi_;
  std::list<Job> jobs_;

 private:
  // What every rank says of itself first. Its layout never changes: other versions read it.
  struct Introduction {
    std::array<char, 120> version{};
    std::array<char, 120> host{};
    std::int64_t process = 0;
  };
  struct Letter {
    std::vector<std::byte> bytes;
    Mpi::Request request;
  };
  const Introduction& of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }
  bool move_jobs(const std::vector<pollfd>& watched, std::size_t first);

  std::vector<Introduction> all_;
  std::string stranger_, secret_;
  std::list<Letter> letters_;
  std::list<Pump> abandoned_;  // MPI may still write into them
  bool busy_ = false;
};

}  // namespace aisp::comm
