#include "lab/report/page/server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_request = 16 * 1024;
// Behind these the one that waits longest is let go: clients that never finish keep no other client
// out.
constexpr std::size_t most_connections = 64;

[[noreturn]] void refuse_server(const char* what) {
  base::refuse(base::Exit::environment, "cannot ", what, " on 127.0.0.1: ", std::strerror(errno),
               "; leave --serve out and open the file");
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

std::string host_of(std::string_view request) {
  for (const auto& line : base::split(request, '\n')) {
    if (!lower(line).starts_with("host:")) continue;
    std::string value = lower(line.substr(5));
    std::erase_if(value, [](unsigned char letter) { return std::isspace(letter) != 0; });
    return value;
  }
  return "";
}

PageServer::Answer answer_with(std::string_view status, std::string_view type,
                               std::string_view body, bool head_only) {
  return {.head = base::say("HTTP/1.1 ", status, "\r\nContent-Type: ", type,
                            "; charset=utf-8\r\nContent-Length: ", body.size(),
                            "\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
                            "no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"),
          .body = head_only ? std::string_view() : body};
}

}  // namespace

// One client. Neither reading nor writing ever waits for it.
class PageConnection {
 public:
  PageConnection(FileDescriptor socket, Clock::time_point until)
      : socket_(std::move(socket)), until_(until) {}

  Clock::time_point until() const { return until_; }
  pollfd waiting() const {
    return {.fd = socket_.get(),
            .events = static_cast<short>(answer_ ? POLLOUT : POLLIN),
            .revents = 0};
  }

  // As far as the client lets it; false when the connection is over.
  bool advance(const PageServer& server) { return answer_ ? send_more() : read_more(server); }

 private:
  bool read_more(const PageServer& server) {
    std::array<char, 4096> buffer{};
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    request_.append(buffer.data(), static_cast<std::size_t>(got));
    if (request_.find("\r\n\r\n") == std::string::npos && request_.size() < most_request)
      return true;
    answer_ = server.answer(request_);
    return send_more();
  }

  bool send_more() {
    const std::string_view head = answer_->head;
    const bool in_head = sent_ < head.size();
    const std::string_view left =
        in_head ? head.substr(sent_) : answer_->body.substr(sent_ - head.size());
    const ssize_t sent = send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<std::size_t>(sent);
    return sent_ < head.size() + answer_->body.size();
  }

  FileDescriptor socket_;
  Clock::time_point until_;  // of all that is read and written
  std::string request_;
  std::optional<PageServer::Answer> answer_;
  std::size_t sent_ = 0;
};

namespace {

// Milliseconds until the first of them is over; -1: none is open.
int next_deadline(const std::list<PageConnection>& connections) {
  if (connections.empty()) return -1;
  auto first = Clock::time_point::max();
  for (const auto& connection : connections) first = std::min(first, connection.until());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

PageServer::PageServer(std::string page, std::chrono::milliseconds patience)
    : page_(std::move(page)),
      patience_(patience),
      socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_.get() < 0) refuse_server("make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = 0;  // a free one
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_.get(), generic, size) != 0 || listen(socket_.get(), SOMAXCONN) != 0 ||
      getsockname(socket_.get(), generic, &size) != 0)
    refuse_server("listen");
  port_ = ntohs(address.sin_port);
}

std::string PageServer::address() const { return base::say("http://127.0.0.1:", port_, "/"); }

PageServer::Answer PageServer::answer(std::string_view request) const {
  const auto words = base::split(request.substr(0, request.find("\r\n")), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1."))
    return answer_with("400 Bad Request", "text/plain", "no request of HTTP/1\n", false);
  const std::string host = host_of(request);
  if (host != base::say("127.0.0.1:", port_) && host != base::say("localhost:", port_))
    return answer_with("421 Misdirected Request", "text/plain", "this is 127.0.0.1 alone\n", false);
  const bool head = words[0] == "HEAD";
  if (!head && words[0] != "GET")
    return answer_with("405 Method Not Allowed", "text/plain", "GET or HEAD\n", false);
  if (words[1] != "/")
    return answer_with("404 Not Found", "text/plain", "there is one page, at /\n", head);
  return answer_with("200 OK", "text/html", page_, head);
}

void PageServer::admit(std::list<PageConnection>& connections) const {
  for (std::size_t i = 0; i < most_connections; ++i) {
    FileDescriptor client(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const int reason = errno;
    if (client.get() < 0 && (reason == EAGAIN || reason == EINTR || reason == ECONNABORTED)) return;
    // Without a descriptor left for it, the oldest has to give its own back.
    const bool exhausted = client.get() < 0;
    if ((exhausted || connections.size() == most_connections) && !connections.empty())
      connections.pop_front();
    if (exhausted) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return;
    }
    connections.emplace_back(std::move(client), Clock::now() + patience_);
  }
}

void PageServer::run(int interrupt) {
  std::list<PageConnection> connections;  // the oldest first
  while (true) {
    std::vector<pollfd> waiting{{.fd = interrupt, .events = POLLIN, .revents = 0},
                                {.fd = socket_.get(), .events = POLLIN, .revents = 0}};
    for (const auto& connection : connections) waiting.push_back(connection.waiting());
    if (poll(waiting.data(), waiting.size(), next_deadline(connections)) < 0) {
      if (errno != EINTR) refuse_server("wait");
      continue;
    }
    if (waiting[0].revents != 0) return;
    std::size_t at = 2;
    for (auto one = connections.begin(); one != connections.end(); ++at) {
      const bool open =
          Clock::now() < one->until() && (waiting[at].revents == 0 || one->advance(*this));
      one = open ? std::next(one) : connections.erase(one);
    }
    if (waiting[1].revents != 0) admit(connections);
  }
}

}  // namespace aisp::lab
