// The relay of ranks 1 and up: starts a process for each piece of work that rank 0 has.
#include <csignal>
#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/mpi/relay_jobs.hpp"
#include "comm/process/process.hpp"
#include "comm/process/rank_service.hpp"

namespace aisp::comm {
namespace {

constexpr auto grace = std::chrono::seconds(10);    // of a process whose work is over
constexpr auto silence = std::chrono::seconds(60);  // of rank 0, which asks every second

class RankRelay : public RelayJobs {
 public:
  explicit RankRelay(const RelayOptions& options)
      : RelayJobs(options), orders_(mpi_, 0, order_tag) {}

  int serve() {
    std::vector<pollfd> none;
    for (auto heard = Clock::now(); !finished_;) {
      turn(none);
      while (const auto order = orders_.next()) {
        heard = Clock::now();
        obey(*order);
      }
      if (Clock::now() - heard < silence) continue;
      std::fprintf(stderr, "aisp: rank %d has heard nothing from rank 0 for %lld s and ends\n",
                   mpi_.rank(), static_cast<long long>(silence.count()));
      std::_Exit(1);  // without rank 0 MPI does not come to its end
    }
    for (Job& job : jobs_)
      if (job.process > 0) kill(job.process, SIGKILL);
    for (Job& job : jobs_)
      if (job.process > 0) reap_within(job.process, grace);
    while (letters_under_way()) turn(none);
    return 0;
  }

 private:
  void obey(const std::string& order) {
    const std::string line = order.substr(0, order.find('\n'));
    const auto words = base::split(line, ' ');
    const auto number = words.size() == 3 ? base::parse_integer(words[2]) : std::nullopt;
    if (line == "finish") {
      finished_ = true;
    } else if (line == "ping") {
      send_letter(0, report_tag, "pong");
    } else if (words[0] == "start" && number && words[1] == secret()) {
      const auto variables =
          base::split(order.substr(std::min(line.size() + 1, order.size())), '\n');
      start(static_cast<int>(*number), variables);
    } else {
      std::fprintf(stderr, "aisp: rank %d: rank 0 has sent %zu bytes that are no order\n",
                   mpi_.rank(), order.size());
      finished_ = true;
    }
  }

  void start(int number, const std::vector<std::string>& variables) {
    Job& job = jobs_.emplace_back(Job{.number = number});
    auto [own, theirs] = Channel::pair();
    for (int rank = 0; rank < mpi_.size(); ++rank) {
      if (rank == mpi_.rank()) continue;
      auto [end, link] = link_pair();
      own.send(link_line(rank, mpi_.size(), mpi_.version()), {link.get()});
      join_link(job, rank, std::move(end));
    }
    std::string problem;
    try {
      std::vector<std::string> given;
      for (const auto& variable : variables)
        if (!variable.empty()) given.push_back(variable);
      job.process = start_rank(options_.command, theirs.descriptor(), given);
    } catch (const base::Refusal& refusal) {
      problem = refusal.what();
    }
    job.control = &join_control(job, 0, std::move(own).release(), Pump::End::told);
    if (!problem.empty()) job.control->end_with("error " + problem);
  }

  bool look_after(Job& job) override {
    if (job.process == 0) return false;
    if (const auto status = reap_within(job.process, std::chrono::milliseconds(0))) {
      if (job.control != nullptr)
        job.control->end_with(*status == 0 ? "" : "error " + ending_words(*status));
      return true;
    }
    const bool over = job.control == nullptr || job.control->closed_there();
    if (over && !job.kill_at) job.kill_at = Clock::now() + grace;
    if (job.kill_at && Clock::now() > *job.kill_at) kill(job.process, SIGKILL);
    return false;
  }

  Mailbox orders_;
  bool finished_ = false;
};

}  // namespace

int serve_relay(const RelayOptions& options) {
  RankRelay relay(options);
  // Rank 0 says so and ends with an error; one from here might end it before.
  return relay.stranger().empty() ? relay.serve() : 0;
}

}  // namespace aisp::comm
