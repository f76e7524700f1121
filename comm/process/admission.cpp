#include "comm/process/admission.hpp"

#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/process/peer.hpp"

namespace aisp::comm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* no_secret = "-";
constexpr std::size_t secret_digits = 32;
constexpr auto patience = std::chrono::seconds(2);  // with one that has connected and says nothing
constexpr std::size_t most_at_once = 256;           // that have said nothing yet
constexpr int most_lines = 8;                       // about strangers, on standard error

// In a time that does not tell how much of it is right.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differs == 0;
}

class Door {
 public:
  Door(const Meeting& meeting, const Admission& job) : meeting_(meeting), job_(job) {}

  std::vector<Admitted> open(std::chrono::milliseconds time) {
    const auto deadline = Clock::now() + time;
    while (static_cast<int>(admitted_.size()) < job_.ranks - 1) {
      if (Clock::now() >= deadline)
        base::refuse(base::Exit::environment, "of ", job_.ranks - 1, " other ranks under mpirun ",
                     admitted_.size(), " have come within ", time.count() / 1000,
                     " s; are all on this machine?");
      look(std::min(deadline, Clock::now() + std::chrono::milliseconds(200)));
    }
    if (lines_ > most_lines && !job_.refused)
      std::fprintf(stderr, "aisp: %d more were refused at the door of the ranks\n",
                   lines_ - most_lines);
    return std::move(admitted_);
  }

 private:
  struct Candidate {
    Channel channel;
    Peer peer;
    Clock::time_point until;
  };

  void look(Clock::time_point until) {
    const bool room = candidates_.size() < most_at_once;
    std::vector<pollfd> watched{{room ? meeting_.descriptor() : -1, POLLIN, 0}};
    for (const auto& candidate : candidates_)
      watched.push_back({candidate.channel.descriptor(), POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (poll(watched.data(), watched.size(), static_cast<int>(std::max<long>(left.count(), 1))) < 0)
      return;  // EINTR: the caller looks again
    // From the last to the first: who is done leaves the list.
    for (std::size_t i = candidates_.size(); i-- > 0;)
      if (watched[i + 1].revents != 0)
        hear(i);
      else if (Clock::now() > candidates_[i].until)
        refuse(i, "has said nothing");
    if (watched[0].revents != 0) accept();
  }

  void accept() {
    std::optional<Channel> channel = meeting_.accept_now();
    if (!channel) return;
    const auto peer = peer_of(*channel);
    candidates_.push_back({std::move(*channel), peer.value_or(Peer{}), Clock::now() + patience});
    if (!peer)
      refuse(candidates_.size() - 1, "is nobody that the system knows");
    else if (peer->user != getuid())
      refuse(candidates_.size() - 1, "is another user's");
  }

  void hear(std::size_t index) {
    Candidate& candidate = candidates_[index];
    const auto message = candidate.channel.receive();
    if (!message) return refuse(index, "has gone without a word");
    const auto hello = read_hello(*message, job_.ranks);
    if (!hello) return refuse(index, "has not said which rank it is");
    const bool knows = same_secret(hello->secret, job_.secret);
    const bool child = job_.launcher > 1 && parent_of(candidate.peer.process) == job_.launcher;
    if (!knows && (hello->secret != no_secret || !child))
      return refuse(index,
                    base::say("says that it is rank ", hello->rank, ", but ",
                              hello->secret == no_secret ? "was not started by this job's launcher"
                                                         : "does not know this job's secret"));
    // One that has come already has tried again meanwhile.
    if (std::none_of(admitted_.begin(), admitted_.end(),
                     [&](const Admitted& one) { return one.rank == hello->rank; }))
      admitted_.push_back({hello->rank, std::move(candidate.channel)});
    leave(index);
  }

  void refuse(std::size_t index, const std::string& why) {
    const Peer peer = candidates_[index].peer;
    say(base::say("refused process ", peer.process, " of user ", peer.user,
                  " at the door of the ranks: it ", why));
    leave(index);
  }

  void leave(std::size_t index) {
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void say(const std::string& line) {
    ++lines_;
    if (job_.refused)
      job_.refused(line);
    else if (lines_ <= most_lines)
      std::fprintf(stderr, "aisp: %s\n", line.c_str());
  }

  const Meeting& meeting_;
  const Admission& job_;
  std::vector<Candidate> candidates_;
  std::vector<Admitted> admitted_;
  int lines_ = 0;
};

}  // namespace

std::string new_secret() {
  std::array<unsigned char, secret_digits / 2> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    base::refuse(base::Exit::environment,
                 "no random numbers for the ranks: ", std::strerror(errno));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool is_secret(const std::string& text) {
  return text.size() == secret_digits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string hello_of(int rank, const std::string& secret) {
  return base::say("rank ", rank, ' ', secret.empty() ? no_secret : secret);
}

std::optional<Hello> read_hello(const Message& message, int ranks) {
  if (message.cut || !message.files.empty()) return std::nullopt;
  const auto words = base::split(message.line, ' ');
  if (words.size() != 3 || words[0] != "rank") return std::nullopt;
  const auto rank = base::parse_integer(words[1]);
  // Written as hello_of() writes it: neither "+1" nor "01".
  if (!rank || *rank < 1 || *rank >= ranks || words[1] != std::to_string(*rank))
    return std::nullopt;
  if (words[2] != no_secret && !is_secret(words[2])) return std::nullopt;
  return Hello{static_cast<int>(*rank), words[2]};
}

std::vector<Admitted> admit(const Meeting& meeting, const Admission& job,
                            std::chrono::milliseconds time) {
  return Door(meeting, job).open(time);
}

std::optional<Answer> read_answer(const Message& message) {
  if (message.cut || !message.files.empty()) return std::nullopt;
  if (message.line == "done") return Answer{.done = true};
  constexpr std::string_view error = "error ";
  if (!message.line.starts_with(error) || message.line.size() == error.size()) return std::nullopt;
  // What a stranger could write into a terminal with it is not shown.
  std::string text = message.line.substr(error.size());
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return Answer{.done = false, .error = text};
}

}  // namespace aisp::comm
