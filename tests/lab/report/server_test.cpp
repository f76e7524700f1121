// The page's server against clients that are slow, silent or many: they cost others nothing, and
// Ctrl-C does not wait for them.
#include "lab/report/page/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Client {
 public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    connected_ =
        connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }
  bool send(std::string_view bytes) const {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // What came until the server closed the connection or the time was over.
  std::string read(milliseconds limit) const {
    std::string text;
    std::vector<char> buffer(1 << 16);
    const auto until = Clock::now() + limit;
    while (Clock::now() < until) {
      pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, 20) <= 0) continue;
      const auto got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return text + "<closed>";
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  FileDescriptor socket_;
  bool connected_ = false;
};

class Serving : public testing::Test {
 protected:
  // `soon` is long enough for a busy machine, and shorter than what a slow client has.
  static constexpr milliseconds patience{1500}, soon{1000};

  void serve(const std::string& page, milliseconds limit = patience) {
    ASSERT_EQ(pipe2(interrupt_.data(), O_CLOEXEC), 0);
    server_ = std::make_unique<PageServer>(page, limit);
    const std::string address = server_->address();
    port_ = std::stoi(address.substr(address.rfind(':') + 1));
    thread_ = std::thread([this] { server_->run(interrupt_[0]); });
  }
  // How long the server went on after Ctrl-C.
  milliseconds stop() {
    const auto start = Clock::now();
    EXPECT_EQ(write(interrupt_[1], "x", 1), 1);
    thread_.join();
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  }
  void TearDown() override {
    if (thread_.joinable()) stop();
    for (const int end : interrupt_) close(end);
  }
  std::string request() const {
    return "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n";
  }
  // A client as it should be.
  void expect_page(milliseconds limit, const std::string& end) {
    const Client client(port_);
    ASSERT_TRUE(client.send(request()));
    const std::string text = client.read(limit);
    EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK")) << text.substr(0, 100);
    EXPECT_TRUE(text.ends_with(end + "<closed>")) << text.size();
  }

  std::array<int, 2> interrupt_{-1, -1};
  std::unique_ptr<PageServer> server_;
  std::thread thread_;
  int port_ = 0;
};

TEST_F(Serving, AClientThatSendsAByteAtATimeHoldsNobodyAndIsLetGo) {
  serve("the page");
  const Client slow(port_);
  const auto start = Clock::now();
  ASSERT_TRUE(slow.send("G"));
  expect_page(soon, "the page");
  // It goes on sending: every byte is in time, all of them are not.
  std::string text;
  while (Clock::now() < start + 3 * patience && !text.ends_with("<closed>")) {
    [[maybe_unused]] const bool sent = slow.send("x");
    text = slow.read(milliseconds(30));
  }
  EXPECT_EQ(text, "<closed>");
  EXPECT_GE(Clock::now() - start, patience - milliseconds(50));
}

TEST_F(Serving, AClientThatDoesNotReadHoldsNobodyAndIsLetGo) {
  const std::string page(32 << 20, 'p');  // more than the buffers of both sockets
  serve(page);
  const Client deaf(port_);
  ASSERT_TRUE(deaf.send(request()));
  const Client other(port_);
  ASSERT_TRUE(
      other.send("HEAD / HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) + "\r\n\r\n"));
  EXPECT_TRUE(other.read(soon).ends_with("\r\n\r\n<closed>"));
  std::this_thread::sleep_for(patience + milliseconds(100));
  const std::string text = deaf.read(milliseconds(2000));
  EXPECT_TRUE(text.ends_with("<closed>"));
  EXPECT_LT(text.size(), page.size());
}

TEST_F(Serving, ManyClientsThatSayNothingKeepNobodyOut) {
  serve("the page", std::chrono::seconds(60));
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 300; ++i) {
    silent.push_back(std::make_unique<Client>(port_));
    ASSERT_TRUE(silent.back()->connected());
  }
  expect_page(milliseconds(2000), "the page");
}

TEST_F(Serving, InterruptEndsItWhileConnectionsAreOpen) {
  serve(std::string(32 << 20, 'p'), std::chrono::seconds(60));
  const Client silent(port_), slow(port_), deaf(port_);
  ASSERT_TRUE(slow.send("GET / HT"));
  ASSERT_TRUE(deaf.send(request()));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LT(stop(), milliseconds(1000));
}

TEST_F(Serving, ARequestWithoutAnEndIsAnsweredAndNotKept) {
  serve("the page");
  const Client client(port_);
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x')));
  EXPECT_TRUE(client.read(soon).starts_with("HTTP/1.1 421"));
}

}  // namespace
}  // namespace aisp::lab
