#include "comm/mpi/relay_jobs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/refuse.hpp"
#include "comm/process/admission.hpp"

namespace aisp::comm {
namespace {

constexpr int first_job_tag = 8;
constexpr std::size_t letter_bytes = std::size_t{1} << 16;
constexpr std::size_t link_bytes = std::size_t{1} << 18;

template <std::size_t room>
void put(std::array<char, room>& to, const std::string& text) {
  std::copy_n(text.begin(), std::min(text.size(), room - 1), to.begin());
}
template <std::size_t room>
std::string text_of(const std::array<char, room>& from) {
  return {from.begin(), std::find(from.begin(), from.end(), '\0')};
}

std::string own_host() {
  std::array<char, 120> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a machine without a name";
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Open MPI's shared memory between ranks of one machine has names, which stay where mpirun is
// killed. Whoever sets the variable wants something else.
RelayOptions leaving_no_names(const RelayOptions& options) {
  setenv("OMPI_MCA_btl", "^vader", 0);
  return options;
}

}  // namespace

RelayJobs::RelayJobs(const RelayOptions& options) : options_(leaving_no_names(options)) {
  Introduction own;
  put(own.version, options.version);
  put(own.host, own_host());
  own.process = getpid();
  const auto bytes = mpi_.gather(std::as_bytes(std::span(&own, 1)));
  all_.resize(static_cast<std::size_t>(mpi_.size()));
  std::memcpy(all_.data(), bytes.data(), bytes.size());
  for (int rank = mpi_.size() - 1; rank > 0; --rank)
    if (version_of(rank) != version_of(0))
      stranger_ =
          base::say("rank ", rank, " on ", host_of(rank), " is aisp ", version_of(rank),
                    ", rank 0 is ", version_of(0), "; start the same program on all machines");
  secret_ = mpi_.rank() == 0 ? new_secret() : std::string(32, ' ');
  mpi_.broadcast(std::as_writable_bytes(std::span(secret_)));
}

std::string RelayJobs::version_of(int rank) const { return text_of(of(rank).version); }
std::string RelayJobs::host_of(int rank) const { return text_of(of(rank).host); }
pid_t RelayJobs::process_of(int rank) const { return static_cast<pid_t>(of(rank).process); }

Pump& RelayJobs::join_control(Job& job, int other, Descriptor socket, Pump::End end) {
  // One byte more than a line has: one that is too long arrives too long.
  return job.pumps.emplace_back(mpi_, other, first_job_tag + 2 * job.number, std::move(socket),
                                Channel::longest + 1, end);
}

Pump& RelayJobs::join_link(Job& job, int other, Descriptor socket) {
  return job.pumps.emplace_back(mpi_, other, first_job_tag + 2 * job.number + 1, std::move(socket),
                                link_bytes);
}

void RelayJobs::send_letter(int to, int tag, const std::string& text) {
  if (text.size() > letter_bytes)
    throw std::runtime_error(base::say("a letter to rank ", to, " has ", text.size(),
                                       " bytes, there is room for ", letter_bytes));
  const auto bytes = bytes_of_text(text);
  Letter& letter = letters_.emplace_back();
  letter.bytes.assign(bytes.begin(), bytes.end());
  letter.request = mpi_.send(to, tag, letter.bytes);
}

RelayJobs::Mailbox::Mailbox(Mpi& mpi, int from, int tag)
    : mpi_(mpi), from_(from), tag_(tag), room_(letter_bytes) {
  request_ = mpi_.receive(from_, tag_, room_);
}

std::optional<std::string> RelayJobs::Mailbox::next() {
  std::size_t bytes = 0;
  if (!request_.test(bytes)) return std::nullopt;
  std::string text(reinterpret_cast<const char*>(room_.data()), bytes);
  request_ = mpi_.receive(from_, tag_, room_);
  return text;
}

// MPI has no descriptor to wait for, so nobody waits for long; and nobody spins, because ranks that
// share a machine share its processors.
void RelayJobs::turn(std::vector<pollfd>& own) {
  std::vector<pollfd> watched = own;
  for (const Job& job : jobs_)
    for (const Pump& pump : job.pumps) watched.push_back(pump.watched());
  const int wait_ms = busy_ ? 0 : jobs_.empty() ? 10 : 1;
  if (poll(watched.data(), watched.size(), wait_ms) < 0)
    for (pollfd& one : watched) one.revents = 0;
  std::copy_n(watched.begin(), own.size(), own.begin());
  busy_ = move_jobs(watched, own.size());
  for (auto letter = letters_.begin(); letter != letters_.end();) {
    std::size_t bytes = 0;
    letter = letter->request.test(bytes) ? letters_.erase(letter) : std::next(letter);
  }
}

bool RelayJobs::move_jobs(const std::vector<pollfd>& watched, std::size_t first) {
  bool moved = false;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    for (auto pump = job->pumps.begin(); pump != job->pumps.end();) {
      moved |= pump->move(watched[first++].revents);
      const auto next = std::next(pump);
      if (pump->over() || pump->abandoned()) {
        if (&*pump == job->control) job->control = nullptr;
        // What MPI may still use stays.
        pump->close();
        if (pump->abandoned())
          abandoned_.splice(abandoned_.end(), job->pumps, pump);
        else
          job->pumps.erase(pump);
      }
      pump = next;
    }
    moved |= look_after(*job);
    job = job->pumps.empty() && job->process == 0 ? jobs_.erase(job) : std::next(job);
  }
  return moved;
}

}  // namespace aisp::comm
