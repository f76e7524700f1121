// What the simulator has said, for programs that collect the messages of the runtime or the driver.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aisp::sim {

void log_message(const std::string& text);

struct LoggedMessages {
  std::vector<std::string> lines;  // the oldest may have been forgotten
  std::uint64_t next = 0;          // of the first that is still to come
};
LoggedMessages messages_since(std::uint64_t first);

// Called with every message from here on, in the thread that has it; the number ends that.
std::uint64_t listen_to_messages(std::function<void(std::string)> listener);
bool stop_listening(std::uint64_t number);

}  // namespace aisp::sim
