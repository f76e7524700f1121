#include "comm/process/rank_service.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/refuse.hpp"

namespace aisp::comm {
namespace {

constexpr int failed = 70;

std::map<std::string, RankServiceEntry::Make>& services() {
  static std::map<std::string, RankServiceEntry::Make> all;
  return all;
}

// Ends the process when rank 0 is gone and the rank does not notice: its device may wait for ever
// for what rank 0 was to send.
class EndWithRankZero {
 public:
  explicit EndWithRankZero(const Channel& channel)
      : done_(eventfd(0, EFD_CLOEXEC)), thread_([this, socket = channel.descriptor()] {
          std::array<pollfd, 2> watched{{{socket, POLLRDHUP, 0}, {done_.get(), POLLIN, 0}}};
          while (poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
          }
          constexpr int grace_ms = 3000;
          if (watched[1].revents == 0 && poll(&watched[1], 1, grace_ms) == 0) _exit(failed);
        }) {}
  EndWithRankZero(const EndWithRankZero&) = delete;
  EndWithRankZero& operator=(const EndWithRankZero&) = delete;
  ~EndWithRankZero() {
    const std::uint64_t one = 1;
    if (write(done_.get(), &one, sizeof one) != sizeof one) _exit(failed);
  }

 private:
  Descriptor done_;
  std::jthread thread_;
};

// Ways to the other ranks come first, then the greeting: rank, ranks, service.
class Beginning {
 public:
  void take(Message& message, const LinkLine& line) {
    if (line.rank < 0 || line.ranks > most_ranks || line.rank >= line.ranks ||
        message.files.size() != 1)
      throw std::runtime_error("not a way to a rank: " + message.line);
    links_.resize(static_cast<std::size_t>(line.ranks));
    links_[static_cast<std::size_t>(line.rank)] = std::move(message.files[0]);
    over_ = line.over;
  }

  std::unique_ptr<RankService> service(const std::string& greeting) {
    std::istringstream words(greeting);
    int rank = 0, ranks = 0;
    std::string name;
    if (!(words >> rank >> ranks >> name) || ranks != static_cast<int>(links_.size()))
      throw std::runtime_error("not a greeting of rank 0: " + greeting);
    const auto found = services().find(name);
    if (found == services().end()) throw std::runtime_error("this program has no service " + name);
    return found->second(std::make_shared<SocketLink>(rank, std::move(links_), over_));
  }

 private:
  static constexpr int most_ranks = 1 << 16;
  std::vector<Descriptor> links_;
  std::string over_;
};

}  // namespace

RankServiceEntry::RankServiceEntry(const std::string& name, Make make) {
  if (!services().emplace(name, std::move(make)).second)
    throw std::logic_error("two services are called " + name);
}

std::string link_line(int rank, int ranks, const std::string& over) {
  return base::say("link ", rank, ' ', ranks, ' ', over);
}

std::optional<LinkLine> read_link_line(const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  LinkLine link;
  if (!(words >> verb >> link.rank >> link.ranks) || verb != "link" ||
      !std::getline(words >> std::ws, link.over))
    return std::nullopt;
  return link;
}

int serve_rank(Channel channel) {
  const EndWithRankZero end(channel);
  try {
    Beginning beginning;
    std::unique_ptr<RankService> service;
    while (auto message = channel.receive()) {
      if (service != nullptr) {
        service->handle(std::move(*message));
      } else if (const auto link = read_link_line(message->line)) {
        beginning.take(*message, *link);
        continue;  // no answer is waited for
      } else {
        service = beginning.service(message->line);
      }
      channel.send("done");
    }
    return 0;
  } catch (const std::exception& error) {
    const std::string line = base::say("error ", error.what());
    channel.send(line.substr(0, Channel::longest));
    std::fprintf(stderr, "%s\n", error.what());
    return failed;
  }
}

}  // namespace aisp::comm
