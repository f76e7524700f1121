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

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

constexpr std::size_t most_request = 16 * 1024;
constexpr int patience_ms = 2000;  // of one connection, which all others wait for

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

std::string response(std::string_view status, std::string_view type, std::string_view body,
                     bool head_only) {
  return base::say("HTTP/1.1 ", status, "\r\nContent-Type: ", type,
                   "; charset=utf-8\r\nContent-Length: ", body.size(),
                   "\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                   "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
                   head_only ? std::string_view() : body);
}

bool ready(int descriptor, short events) {
  pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
  return poll(&waiting, 1, patience_ms) > 0;
}

std::string read_request(int connection) {
  std::string request;
  std::array<char, 4096> buffer{};
  while (request.size() < most_request && request.find("\r\n\r\n") == std::string::npos) {
    if (!ready(connection, POLLIN)) return "";
    const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) return "";
    request.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return request;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty() && ready(connection, POLLOUT)) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0 && errno != EAGAIN) return;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
}

}  // namespace

PageServer::PageServer(std::string page)
    : page_(std::move(page)), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (socket_.get() < 0) refuse_server("make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = 0;  // a free one
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_.get(), generic, size) != 0 || listen(socket_.get(), 16) != 0 ||
      getsockname(socket_.get(), generic, &size) != 0)
    refuse_server("listen");
  port_ = ntohs(address.sin_port);
}

std::string PageServer::address() const { return base::say("http://127.0.0.1:", port_, "/"); }

std::string PageServer::answer(std::string_view request) const {
  const auto words = base::split(request.substr(0, request.find("\r\n")), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1."))
    return response("400 Bad Request", "text/plain", "no request of HTTP/1\n", false);
  const std::string host = host_of(request);
  if (host != base::say("127.0.0.1:", port_) && host != base::say("localhost:", port_))
    return response("421 Misdirected Request", "text/plain", "this is 127.0.0.1 alone\n", false);
  const bool head = words[0] == "HEAD";
  if (!head && words[0] != "GET")
    return response("405 Method Not Allowed", "text/plain", "GET or HEAD\n", false);
  if (words[1] != "/")
    return response("404 Not Found", "text/plain", "there is one page, at /\n", head);
  return response("200 OK", "text/html", page_, head);
}

void PageServer::run(int interrupt) {
  while (true) {
    std::array<pollfd, 2> waiting{pollfd{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = interrupt, .events = POLLIN, .revents = 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) refuse_server("wait");
    if (waiting[1].revents != 0) return;
    if (waiting[0].revents == 0) continue;
    const FileDescriptor connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.get() < 0) continue;
    if (const std::string request = read_request(connection.get()); !request.empty())
      send_all(connection.get(), answer(request));
  }
}

}  // namespace aisp::lab
