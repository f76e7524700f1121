// A process that is a rank of a job and not its user's program: started by rank 0 as `aisp rank`,
// or by mpirun beside rank 0.
#pragma once

#include <optional>

namespace aisp::app {

// The exit code where this process is such a rank. Under mpirun rank 0 goes on as the program and
// knows the others from then on.
std::optional<int> run_as_rank(int count, char** words);
// Rank 0, when it is done: the exit code.
int leave_ranks(int exit_code);

}  // namespace aisp::app
