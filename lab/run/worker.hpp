// The worker's side: reads a Job from standard input or from a file, runs it, streams records on
// descriptor 3.
#pragma once

#include <string>

namespace aisp::lab {

// Exit code 0 when every rung of the job has its row; otherwise the parent finds out which has not.
int worker_main(const std::string& file);

}  // namespace aisp::lab
