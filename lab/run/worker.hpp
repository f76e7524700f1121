// The worker's side: reads a Job from standard input, runs it, streams records on descriptor 3.
#pragma once

namespace aisp::lab {

// Exit code 0 when every rung of the job has its row; otherwise the parent finds out which has not.
int worker_main();

}  // namespace aisp::lab
