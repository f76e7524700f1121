#include "lab/run/worker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/module/load.hpp"
#include "lab/record/file.hpp"
#include "lab/run/bench/bench.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/process/child.hpp"

namespace aisp::lab {
namespace {

constexpr int failed = 70;

void send(const nlohmann::json& object) {
  // A crashing library's message need not be UTF-8.
  const std::string line =
      object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const auto written = write(worker_stream, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) _exit(failed);  // nobody is listening any more
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
}

}  // namespace

int worker_main(const std::string& file) {
  // A program that a rung starts has no part in the stream, and must not keep it open.
  fcntl(worker_stream, F_SETFD, FD_CLOEXEC);
  try {
    const std::string text =
        file.empty() ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_whole(file);
    const Job job = job_from_json(nlohmann::json::parse(text));
    load_again(job.modules);
    // With somebody else looking on nobody listens: what counts is in a file of theirs. Why a rung
    // did not run is said for the log.
    const auto say = [&](const nlohmann::json& object) {
      if (!job.counters) send(object);
    };
    const Emit emit{[&](const Record& record) {
                      if (const auto* row = std::get_if<RowRecord>(&record); job.counters && row)
                        std::fprintf(stderr, "%s: %s\n", row->rung.c_str(), row->reason.c_str());
                      say(to_json(record));
                    },
                    [&](const Phase& phase) { say(to_json(phase)); }};
    const auto device = needs_cuda(job.entry) ? open_cuda_device() : open_host_device();
    run_entry(*device, job, emit);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // the parent quotes the last line of the log
    return failed;
  }
}

}  // namespace aisp::lab
