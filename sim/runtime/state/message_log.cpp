#include "sim/runtime/state/message_log.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace aisp::sim {
namespace {

constexpr std::size_t most_messages = 128;

struct MessageLog {
  std::mutex mutex;
  std::deque<std::string> lines;
  std::uint64_t next = 0, last_listener = 0;
  std::map<std::uint64_t, std::function<void(std::string)>> listeners;
};

MessageLog& message_log() {
  static auto* const log = new MessageLog;
  return *log;
}

}  // namespace

void log_message(const std::string& text) {
  MessageLog& log = message_log();
  std::vector<std::function<void(std::string)>> listeners;
  {
    const std::lock_guard lock(log.mutex);
    log.lines.push_back(text);
    if (log.lines.size() > most_messages) log.lines.pop_front();
    ++log.next;
    for (const auto& [number, listener] : log.listeners) listeners.push_back(listener);
  }
  for (const auto& listener : listeners) listener(text);
}

LoggedMessages messages_since(std::uint64_t first) {
  MessageLog& log = message_log();
  const std::lock_guard lock(log.mutex);
  const std::uint64_t oldest = log.next - log.lines.size();
  const std::uint64_t skipped = std::clamp(first, oldest, log.next) - oldest;
  return {{log.lines.begin() + static_cast<std::ptrdiff_t>(skipped), log.lines.end()}, log.next};
}

std::uint64_t listen_to_messages(std::function<void(std::string)> listener) {
  MessageLog& log = message_log();
  const std::lock_guard lock(log.mutex);
  log.listeners[++log.last_listener] = std::move(listener);
  return log.last_listener;
}

bool stop_listening(std::uint64_t number) {
  MessageLog& log = message_log();
  const std::lock_guard lock(log.mutex);
  return log.listeners.erase(number) != 0;
}

}  // namespace aisp::sim
