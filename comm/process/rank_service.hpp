// The far side of RankProcesses: what a process does that is a rank and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "comm/process/channel.hpp"
#include "comm/process/link.hpp"

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
  // The link leads to all ranks of the job, and knows which this one is.
  using Make = std::function<std::unique_ptr<RankService>(std::shared_ptr<Link> link)>;
  RankServiceEntry(const std::string& name, Make make);
};

// The line that brings a process its way to another rank, an open file, before anything else.
// `over` is what carries it further, for a reader.
struct LinkLine {
  int rank = 0, ranks = 1;
  std::string over{};
};
std::string link_line(int rank, int ranks, const std::string& over);
std::optional<LinkLine> read_link_line(const std::string& line);

// Handles one message after the other until rank 0 is gone. Returns the exit code.
int serve_rank(Channel channel);

}  // namespace aisp::comm
