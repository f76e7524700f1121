// The other ranks of a job, one process each, driven from rank 0: this program starts them again as
// `aisp rank`, or finds those that mpirun has started. They end with this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/process/channel.hpp"
#include "comm/process/link.hpp"

namespace aisp::comm {

// What $AISP_RANK_PATIENCE says in seconds, else five minutes.
std::chrono::milliseconds rank_patience();

struct RankProcessesOptions {
  // What starts a rank; its channel is descriptor rank_channel.
  std::vector<std::string> command{"/proc/self/exe", "rank"};
  // Gets the line that says which rank has ended or failed, once, on a thread of its own. A device
  // may be waiting for that rank, and this process for the device: whoever wants to go on without
  // it has to end the wait.
  std::function<void(const std::string& line)> lost{};
  // After which a rank that does not answer is taken for lost. No limit: 0.
  std::chrono::milliseconds patience = rank_patience();
};

class RankProcesses {
 public:
  // Ranks 1 to ranks - 1, each with the named service. Refuses where they cannot be started.
  RankProcesses(int ranks, const std::string& service, RankProcessesOptions options = {});
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;
  ~RankProcesses();  // they get the time to end by themselves, then they are killed

  // Gives all of them the line. Does not wait.
  void tell(const std::string& line);
  // The way of bytes between all ranks, this one being rank 0.
  const std::shared_ptr<Link>& link() const { return link_; }
  // Until they have done all they were told. Throws the line when one of them failed or ended.
  void wait();
  // The same for at most that long: whether they have.
  bool wait_for(std::chrono::milliseconds time);
  // Ends them now, where they will never be done.
  void kill();

 private:
  struct Rank {
    int rank;
    pid_t process;  // 0: not this one's, or already reaped: its number may be another's by now
    Channel channel;
    int unanswered = 0;
    std::chrono::steady_clock::time_point told{};  // the first line that it has not answered
  };

  bool settled() const;  // all answered, or one lost
  void stop_watching();
  void start(int ranks);
  void find(int ranks);
  void find_over_mpi();
  void join_links(int ranks);  // where all are on this machine
  void watch();
  void watch_all();       // may throw
  bool hear(Rank& rank);  // false when there is nothing more to hear
  void lose(const std::string& line);
  bool lose_late(std::chrono::steady_clock::time_point now);  // who has been silent for too long
  static std::string ending_of(Rank& rank);

  RankProcessesOptions options_;
  std::vector<Rank> ranks_;
  std::shared_ptr<Link> link_;
  Descriptor stop_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::string lost_;
  std::jthread watcher_;
};

}  // namespace aisp::comm
