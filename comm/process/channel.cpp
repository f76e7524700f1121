#include "comm/process/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "base/refuse.hpp"

namespace aisp::comm {
namespace {

constexpr int kind = SOCK_SEQPACKET | SOCK_CLOEXEC;

union Control {
  char bytes[CMSG_SPACE(sizeof(int) * Channel::most_files)];
  cmsghdr alignment;
};

// A name that starts with a zero is no file: nothing is left behind.
std::pair<sockaddr_un, socklen_t> address_of(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)};
}

Descriptor new_socket() {
  Descriptor made(socket(AF_UNIX, kind, 0));
  if (made.get() < 0)
    base::refuse(base::Exit::environment, "cannot make a socket: ", std::strerror(errno));
  return made;
}

}  // namespace

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, kind, 0, ends.data()) != 0)
    base::refuse(base::Exit::environment, "cannot make a pair of sockets: ", std::strerror(errno));
  return {Channel(Descriptor(ends[0])), Channel(Descriptor(ends[1]))};
}

bool Channel::send(const std::string& line, const std::vector<int>& files) const {
  if (line.empty() || line.size() > longest || files.size() > most_files)
    throw std::logic_error(base::say("a message has 1 to ", longest, " bytes and at most ",
                                     most_files, " files: got ", line.size(), " and ",
                                     files.size()));
  iovec text{const_cast<char*>(line.data()), line.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(header), files.data(), sizeof(int) * files.size());
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Message> Channel::receive() const {
  std::array<char, longest> room{};
  iovec text{room.data(), room.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  ssize_t got = 0;
  do got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  Message received{.line = std::string(room.data(), static_cast<std::size_t>(got)),
                   .cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0};
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::vector<int> numbers(count);
    std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
    for (const int number : numbers) received.files.emplace_back(number);
  }
  return received;
}

std::optional<Message> Channel::receive_within(std::chrono::milliseconds time) const {
  pollfd watched{socket_.get(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + time;
  for (auto left = time; left.count() > 0;) {
    const int ready = poll(&watched, 1, static_cast<int>(left.count()));
    if (ready > 0) return receive();
    if (ready == 0 || errno != EINTR) break;
    left = std::chrono::duration_cast<std::chrono::milliseconds>(end -
                                                                 std::chrono::steady_clock::now());
  }
  return std::nullopt;
}

Meeting::Meeting(const std::string& name) : socket_(new_socket()) {
  const auto [address, length] = address_of(name);
  constexpr int waiting = 1024;
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(socket_.get(), waiting) != 0 || fcntl(socket_.get(), F_SETFL, O_NONBLOCK) != 0)
    base::refuse(base::Exit::environment, "cannot wait for ranks under the name ", name, ": ",
                 std::strerror(errno));
}

std::optional<Channel> Meeting::accept_now() const {
  int accepted = -1;
  do accepted = accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  while (accepted < 0 && errno == EINTR);
  if (accepted < 0) return std::nullopt;
  return Channel(Descriptor(accepted));
}

std::optional<Channel> meet(const std::string& name) {
  Descriptor made = new_socket();
  const auto [address, length] = address_of(name);
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return std::nullopt;
  return Channel(std::move(made));
}

}  // namespace aisp::comm
