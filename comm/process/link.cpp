#include "comm/process/link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/refuse.hpp"

namespace aisp::comm {
namespace {

// What a call on a socket that does not block has moved: 0 where it would have to wait.
std::size_t moved(ssize_t result, int rank) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
  throw std::runtime_error(
      base::say("the link to rank ", rank,
                result == 0 ? " is closed" : base::say(" has failed: ", std::strerror(errno))));
}

}  // namespace

SocketLink::SocketLink(int rank, std::vector<Descriptor> others, std::string over)
    : rank_(rank), others_(std::move(others)), over_(std::move(over)) {}

std::pair<Descriptor, Descriptor> link_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    base::refuse(base::Exit::environment, "cannot make a pair of sockets: ", std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

int SocketLink::socket_of(int other) const {
  if (other < 0 || other >= ranks() || other == rank_)
    throw std::logic_error(
        base::say("rank ", rank_, " of ", ranks(), " has no link to rank ", other));
  return others_[static_cast<std::size_t>(other)].get();
}

void SocketLink::exchange(int to, std::span<const std::byte> out, int from,
                          std::span<std::byte> in) {
  const std::lock_guard lock(mutex_);
  const int sends = socket_of(to), receives = socket_of(from);
  while (!out.empty() || !in.empty()) {
    std::array<pollfd, 2> watched{
        {{out.empty() ? -1 : sends, POLLOUT, 0}, {in.empty() ? -1 : receives, POLLIN, 0}}};
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
      throw std::runtime_error(base::say("poll: ", std::strerror(errno)));
    if (watched[0].revents != 0)
      out = out.subspan(
          moved(::send(sends, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL), to));
    if (watched[1].revents != 0)
      in = in.subspan(moved(::recv(receives, in.data(), in.size(), MSG_DONTWAIT), from));
  }
}

}  // namespace aisp::comm
