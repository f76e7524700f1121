// A line of text at a time, and open files with it, between two processes of one machine.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace aisp::comm {

using Descriptor = base::FileDescriptor;

struct Message {
  std::string line;
  std::vector<Descriptor> files{};
  bool cut = false;  // it was longer than a line may be, or had more files
};

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  // Two ends, both closed by exec.
  static std::pair<Channel, Channel> pair();

  int descriptor() const { return socket_.get(); }
  Descriptor release() && { return std::move(socket_); }

  // False when the other side is gone. A line has at most `longest` bytes.
  bool send(const std::string& line, const std::vector<int>& files = {}) const;
  // Waits; nothing when the other side is gone.
  std::optional<Message> receive() const;
  // The same for at most that long; nothing when it says nothing either.
  std::optional<Message> receive_within(std::chrono::milliseconds time) const;

  static constexpr std::size_t longest = 4096;
  static constexpr int most_files = 4;

 private:
  Descriptor socket_;
};

// A place where processes of this machine find each other by name; it goes with its owner.
class Meeting {
 public:
  // Refuses (Exit::environment) where another process has the name.
  explicit Meeting(const std::string& name);
  // Does not wait: nothing where nobody has come, or who came is gone again.
  std::optional<Channel> accept_now() const;
  int descriptor() const { return socket_.get(); }

 private:
  Descriptor socket_;
};

// Nothing where nobody waits under that name.
std::optional<Channel> meet(const std::string& name);

}  // namespace aisp::comm
