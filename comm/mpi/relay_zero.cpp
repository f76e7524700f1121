// The relay of rank 0: lets the program's processes have work done by the other ranks, and sees to
// it that those are there.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/mpi/relay_jobs.hpp"
#include "comm/process/peer.hpp"
#include "comm/process/process.hpp"
#include "comm/process/rank_service.hpp"

namespace aisp::comm {
namespace {

using std::chrono::seconds;

constexpr auto silence = seconds(30);  // of another relay, until its rank is given up
constexpr unsigned end_seconds = 5;    // for MPI to come to its end

class ZeroRelay : public RelayJobs {
 public:
  // Whoever waits for the end of all this is in `leaving`, which outlives it.
  ZeroRelay(const RelayOptions& options, const std::string& name, std::vector<Channel>& leaving)
      : RelayJobs(options), meeting_(name), leaving_(leaving) {
    for (int rank = 1; rank < mpi_.size(); ++rank)
      others_.try_emplace(rank, mpi_, rank, host_of(rank) == host_of(0) ? process_of(rank) : 0);
  }

  // Until the program, which is `owner`, says that it ends, or has ended.
  void serve(pid_t owner) {
    const Descriptor life = life_of(owner);
    for (bool ends = false; !ends || !jobs_.empty();) {
      std::vector<pollfd> own{{ends ? -1 : life.get(), POLLIN, 0},
                              {meeting_.descriptor(), POLLIN, 0}};
      for (const auto& [rank, other] : others_) own.push_back({other.life.get(), POLLIN, 0});
      for (const Visitor& visitor : visitors_)
        own.push_back({visitor.channel.descriptor(), POLLIN, 0});
      turn(own);
      ends |= own[0].revents != 0;
      auto at = own.begin() + 2;
      for (auto& [rank, other] : others_) hear(rank, other, (at++)->revents != 0);
      for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++at) {
        const bool speaks = at->revents != 0;
        if (speaks) ends |= admit(std::move(visitor->channel));
        visitor =
            speaks || Clock::now() > visitor->until ? visitors_.erase(visitor) : std::next(visitor);
      }
      if (own[1].revents != 0 && visitors_.size() < most_visitors)
        if (auto channel = meeting_.accept_now())
          visitors_.push_back({std::move(*channel), Clock::now() + seconds(2)});
    }
    finish();
  }

 private:
  struct Other {
    Other(Mpi& mpi, int rank, pid_t process)
        : reports(mpi, rank, report_tag), life(process > 0 ? life_of(process) : Descriptor()) {}
    Mailbox reports;
    Descriptor life;  // of its relay, on this machine
    Clock::time_point heard = Clock::now(), asked{};
    std::string lost{};  // why it is
  };

  // Somebody at the door who has said nothing yet; nobody waits for that.
  struct Visitor {
    Channel channel;
    Clock::time_point until;
  };
  static constexpr std::size_t most_visitors = 256;

  void hear(int rank, Other& other, bool ended) {
    if (!other.lost.empty()) return;
    const auto now = Clock::now();
    while (const auto report = other.reports.next()) {
      if (*report != "pong")
        return lose(rank, base::say("it has sent ", report->size(), " bytes that are no report"));
      other.heard = now;
    }
    if (ended)
      return lose(rank,
                  base::say("its process ", process_of(rank), " on ", host_of(rank), " has ended"));
    if (now - other.heard > silence)
      return lose(
          rank, base::say("it has not answered for ", silence.count(), " s from ", host_of(rank)));
    if (now - other.asked < seconds(1)) return;
    other.asked = now;
    send_letter(rank, order_tag, "ping");
  }

  void lose(int rank, const std::string& why) {
    Other& other = others_.at(rank);
    other.lost = why;
    other.life = Descriptor();
    for (Job& job : jobs_) give_up(job, rank, why);
  }

  // The first pump of a rank is its process's channel.
  static void give_up(Job& job, int rank, const std::string& why) {
    bool told = false;
    for (Pump& pump : job.pumps) {
      if (pump.other() != rank) continue;
      pump.lose_other(told ? "" : "error " + why);
      told = true;
    }
  }

  // Whether it is the program that says that it ends.
  bool admit(Channel channel) {
    const auto peer = peer_of(channel);
    const auto message = channel.receive();
    const std::string text = message && !message->cut ? message->line : "";
    const bool ours = peer && peer->user == getuid();
    if (ours && text == end_line(secret())) {
      leaving_.push_back(std::move(channel));
      return true;
    }
    const std::string work = work_line(secret());
    if (ours && text.starts_with(work)) {
      begin(channel, text.substr(work.size()));
      return false;
    }
    std::fprintf(stderr, "aisp: refused process %d of user %d at the door of the ranks: it %s\n",
                 peer ? static_cast<int>(peer->process) : 0,
                 peer ? static_cast<int>(peer->user) : -1,
                 ours ? "does not know this job's secret" : "is another user's");
    return false;
  }

  void begin(const Channel& client, const std::string& variables) {
    Job& job = jobs_.emplace_back(Job{.number = next_++});
    for (auto& [rank, other] : others_) {
      auto [own, theirs] = Channel::pair();
      auto [end, link] = link_pair();
      join_control(job, rank, std::move(own).release(), Pump::End::seen);
      join_link(job, rank, std::move(end));
      client.send(link_line(rank, mpi_.size(), mpi_.version()), {theirs.descriptor(), link.get()});
      if (!other.lost.empty())
        give_up(job, rank, other.lost);
      else
        send_letter(rank, order_tag,
                    base::say("start ", secret(), ' ', job.number, '\n', variables));
    }
  }

  void finish() {
    bool all = true;
    for (auto& [rank, other] : others_) {
      all &= other.lost.empty();
      if (other.lost.empty()) send_letter(rank, order_tag, "finish");
    }
    std::vector<pollfd> none;
    for (const auto end = Clock::now() + seconds(end_seconds);
         letters_under_way() && Clock::now() < end;)
      turn(none);
    if (!all) std::_Exit(1);  // MPI's end would wait for those that are gone
    std::signal(SIGALRM, SIG_DFL);
    alarm(end_seconds);
  }

  Meeting meeting_;
  std::map<int, Other> others_;
  std::vector<Channel>& leaving_;
  std::list<Visitor> visitors_;
  int next_ = 0, refused_ = 0;
};

[[noreturn]] void be_relay(const Channel& owner, const std::string& name,
                           const RelayOptions& options, pid_t program) {
  setpgid(0, 0);  // a signal to the program's group is the program's
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  std::vector<Channel> leaving;
  try {
    ZeroRelay relay(options, name, leaving);
    if (!relay.stranger().empty()) {
      owner.send("error " + relay.stranger());
    } else {
      owner.send(
          base::say("ready ", relay.mpi().size(), ' ', relay.secret(), ' ', relay.mpi().version()));
      relay.serve(program);
    }
  } catch (const std::exception& error) {
    owner.send(base::say("error ", error.what()).substr(0, Channel::longest));
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace

RelayStart start_relay(const std::string& name, const RelayOptions& options) {
  auto [own, theirs] = Channel::pair();
  const pid_t program = getpid();
  pid_t relay = fork();
  if (relay < 0) base::refuse(base::Exit::environment, "cannot start a process for MPI");
  if (relay == 0) {
    { const Channel closed = std::move(own); }
    be_relay(theirs, name, options, program);
  }
  { const Channel closed = std::move(theirs); }
  constexpr auto patience = seconds(120);  // machines start one after the other
  const auto message = own.receive_within(patience);
  const auto words = base::split(message ? message->line : "", ' ');
  if (words.size() < 3 || words[0] != "ready") {
    own.receive_within(seconds(4 * end_seconds));  // its end: MPI comes to its own before
    const auto status = message ? std::nullopt : reap_within(relay, seconds(1));
    base::refuse(base::Exit::environment,
                 message  ? message->line.substr(std::min<std::size_t>(6, message->line.size()))
                 : status ? base::say("the process that speaks MPI ", ending_words(*status))
                          : base::say("MPI has not started within ", patience.count(), " s"));
  }
  const auto ranks = base::parse_integer(words[1]);
  return {.ranks = static_cast<int>(ranks.value_or(1)), .secret = words[2]};
}

}  // namespace aisp::comm
