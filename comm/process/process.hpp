// The process of a rank: how it is started, and how it has ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace aisp::comm {

// It is killed when the thread that started it ends. `channel` becomes descriptor rank_channel; the
// variables, "NAME=value", come on top of this process's own. Refuses (Exit::environment) where
// there can be no further process.
pid_t start_rank(std::vector<std::string> command, int channel,
                 const std::vector<std::string>& variables = {});

// How it has ended, if it has within that time. Its number is nobody's then: it is set to 0.
std::optional<int> reap_within(pid_t& process, std::chrono::milliseconds time);
// Says the line on standard error and ends this process at once: for rank 0, whose device waits for
// a rank that is gone while it waits for its device. Whoever has started it quotes the line.
[[noreturn]] void end_process(const std::string& line);
// "was killed by SIGKILL (Killed)", "ended with exit code 1".
std::string ending_words(int status);

}  // namespace aisp::comm
