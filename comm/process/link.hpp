// Bytes between the ranks of a job that are processes: what goes from one rank to another arrives
// in the order in which it was sent.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "comm/process/channel.hpp"

namespace aisp::comm {

class Link {
 public:
  virtual ~Link() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // For a reader: "MPI", "sockets".
  virtual std::string description() const = 0;

  // Sends and receives at once, so that a ring of ranks that all do so does not wait for itself.
  // Returns when `out` may be written again and `in` has arrived. Throws a line that names the rank
  // which is gone or has sent another number of bytes.
  virtual void exchange(int to, std::span<const std::byte> out, int from,
                        std::span<std::byte> in) = 0;

  void send(int to, std::span<const std::byte> out) { exchange(to, out, to, {}); }
  void receive(int from, std::span<std::byte> in) { exchange(from, {}, from, in); }
};

// Over one stream socket for each other rank; several threads may use it, one after the other.
class SocketLink : public Link {
 public:
  // others[r] leads to rank r; that of `rank` itself is not used. `over`: what carries it further.
  SocketLink(int rank, std::vector<Descriptor> others, std::string over = "sockets");

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(others_.size()); }
  std::string description() const override { return over_; }
  void exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) override;

 private:
  int socket_of(int other) const;

  int rank_;
  std::vector<Descriptor> others_;
  std::string over_;
  std::mutex mutex_;
};

// Two ends of a way between two processes of this machine, both closed by exec.
std::pair<Descriptor, Descriptor> link_pair();

}  // namespace aisp::comm
