// What stands between the processes of a job and MPI. A rank of MPI is one process for the whole
// job, but aisp measures in processes that come and go. So one process of each rank, the relay,
// speaks MPI from the first moment to the last, starts a process for each piece of work that rank 0
// has, and joins its sockets to those of the same work on the other ranks. A process that dies
// takes neither the relay nor the job with it, and its rank is named.
#pragma once

#include <string>
#include <vector>

#include "comm/process/channel.hpp"

namespace aisp::comm {

struct RelayOptions {
  std::string version{};  // of this program: ranks of another one are refused
  // What starts a rank's process; its channel is descriptor rank_channel.
  std::vector<std::string> command{"/proc/self/exe", "rank"};
};

// Ranks 1 and up: until rank 0 ends. The exit code.
int serve_relay(const RelayOptions& options);

// Rank 0's relay is a process of its own, which ends with this one at the latest.
struct RelayStart {
  int ranks = 1;
  std::string secret;  // whoever has work for the ranks says it
};
// Processes find it under the name. Refuses (Exit::environment) with what MPI says, or with the
// name of a rank of another version.
RelayStart start_relay(const std::string& name, const RelayOptions& options);
// Waits until it has ended: mpirun takes a rank that ends before its MPI for a failure.
void end_relay(const std::string& name, const std::string& secret);

// In the program's processes: one more piece of work, with a process on every other rank.
struct RelayedRank {
  int rank;
  Channel channel;  // to its process
  Descriptor link;
};
struct RelayedRanks {
  std::vector<RelayedRank> others;
  std::string over;  // "Open MPI 4.1.4"
};
// Refuses (Exit::environment) where no relay answers.
RelayedRanks relayed_ranks(const std::string& name, const std::string& secret);

// What is said at its door.
std::string work_line(const std::string& secret);
std::string end_line(const std::string& secret);

}  // namespace aisp::comm
