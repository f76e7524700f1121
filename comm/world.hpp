// Ranks that mpirun or srun has started: `mpirun -n 4 aisp bench run …`. The first is the program;
// the others wait for what it tells them. Where the launcher has PMIx, as Open MPI's and Slurm's
// have, they speak MPI, on one machine or several; else all are on one.
#pragma once

#include <optional>
#include <string>

namespace aisp::comm {

struct World {
  int rank = 0, size = 1;
  std::string job;  // the same for all ranks of a job, another for every job
  bool over_mpi = false;
};

// What Open MPI, Slurm or a PMI launcher says in the environment; nothing where there is none of
// them, or one rank alone. Refuses (Exit::usage) ranks on several machines without MPI.
std::optional<World> world_of_launcher();

// Rank 0: waits until the others are there. Without MPI: processes of this user that this one's
// parent has started too, or that know AISP_WORLD_SECRET. From now on this process and those that
// it starts or becomes know the others. Ranks of another version are refused (Exit::environment).
void open_world(const World& world, const std::string& version);
// Rank 0, before it ends with any exit code.
void close_world();
// The others: serve rank 0's processes until rank 0 ends. The exit code.
int serve_world(const World& world, const std::string& version);

// In rank 0 and its processes: how many ranks open_world has made known, 1 where none; where they
// come to, and what they say there.
int given_world();
std::string meeting_name();
std::string given_secret();
bool world_over_mpi();

}  // namespace aisp::comm
