// The far side of RankProcesses: what a process does that is a rank and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "comm/channel.hpp"

namespace aisp::comm {

// The end of the channel to rank 0 in a process that RankProcesses has started.
inline constexpr int rank_channel = 3;

class RankService {
 public:
  virtual ~RankService() = default;
  // Answers with "done" by returning, and with what it throws otherwise; the process then ends.
  virtual void handle(Message message) = 0;
};

// Services announce themselves from their own files, by a name without blanks.
struct RankServiceEntry {
  using Make = std::function<std::unique_ptr<RankService>(int rank, int ranks)>;
  RankServiceEntry(const std::string& name, Make make);
};

// Handles one message after the other until rank 0 is gone. Returns the exit code.
int serve_rank(Channel channel);

}  // namespace aisp::comm
