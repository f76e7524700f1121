// One socket of a process on this machine, joined by MPI to one of a process of another rank: what
// goes in at one end comes out at the other, in order, and an end that is closed closes the other.
#pragma once

#include <poll.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/mpi.hpp"
#include "comm/process/channel.hpp"

namespace aisp::comm {

class Pump {
 public:
  // `room`: bytes that go at once. For a socket of messages no message is longer. With End::told
  // the other side hears of the end here only from end_with().
  enum class End { seen, told };
  Pump(Mpi& mpi, int other, int tag, Descriptor socket, std::size_t room, End end = End::seen);

  // What poll() is to wait for here: a negative descriptor where nothing.
  pollfd watched() const;
  // Does what can be done without waiting; true where something was.
  bool move(short revents);
  // Both ends are closed, and both sides know.
  bool over() const { return sent_end_ && !sends_.active() && got_end_ && waiting_.empty(); }
  // The other rank was lost and the process here knows. MPI may still hold this one's memory.
  bool abandoned() const { return lost_ && waiting_.empty(); }

  int other() const { return other_; }
  // The process here has closed its end.
  bool closed_here() const { return end_here_; }
  // The other rank has closed its end.
  bool closed_there() const { return got_end_; }
  // The process here is gone: behind what it said comes this message, where there is one, and the
  // end.
  void end_with(const std::string& message);
  // Nothing more comes from there: `message` is the last, in the other rank's name.
  void lose_other(const std::string& message);
  void close() { socket_ = Descriptor(); }

 private:
  bool send_next();
  bool take_arrival();
  bool hand_over();

  Mpi& mpi_;
  int other_, tag_;
  bool may_end_;
  Descriptor socket_;
  std::vector<std::byte> out_, in_;
  std::size_t out_bytes_ = 0;
  bool full_ = false;  // out_ has something to send
  std::optional<std::string> last_{};
  Mpi::Request sends_, receives_;
  std::deque<std::vector<std::byte>> waiting_;  // for the process here to take them
  std::size_t handed_ = 0;                      // bytes of the first of them
  bool end_here_ = false, sent_end_ = false, got_end_ = false;
  bool deaf_ = false, lost_ = false;
};

}  // namespace aisp::comm
