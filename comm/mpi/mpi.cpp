#include "comm/mpi/mpi.hpp"

#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"

namespace aisp::comm {

// Its handles are pointers, to objects of the library where they are constants.
struct MpiCalls {
  struct Status {
    int source, tag, error, cancelled;
    std::size_t bytes;
  };

  int (*init)(int* count, char*** words, int required, int* provided) = nullptr;
  int (*initialized)(int* flag) = nullptr;
  int (*finalize)() = nullptr;
  int (*rank_of)(void* communicator, int* rank) = nullptr;
  int (*size_of)(void* communicator, int* size) = nullptr;
  int (*library_version)(char* text, int* length) = nullptr;
  int (*set_errors)(void* communicator, void* handler) = nullptr;
  int (*error_text)(int code, char* text, int* length) = nullptr;
  int (*all_gather)(const void* own, int count, void* type, void* all, int count_each, void* type2,
                    void* communicator) = nullptr;
  int (*broadcast)(void* bytes, int count, void* type, int root, void* communicator) = nullptr;
  int (*send)(const void* bytes, int count, void* type, int to, int tag, void* communicator,
              void** request) = nullptr;
  int (*receive)(void* bytes, int count, void* type, int from, int tag, void* communicator,
                 void** request) = nullptr;
  int (*test)(void** request, int* over, Status* status) = nullptr;
  int (*get_count)(const Status* status, void* type, int* count) = nullptr;
  char *world = nullptr, *byte = nullptr, *errors_return = nullptr;

  std::string words(int code) const {
    std::array<char, 256> text{};
    int length = 0;
    if (error_text(code, text.data(), &length) != 0 || length < 1) return base::say("error ", code);
    return {text.data(), static_cast<std::size_t>(length)};
  }
  void require(int code, const char* what) const {
    if (code != 0) throw std::runtime_error(base::say(what, ": ", words(code)));
  }
};

namespace {

constexpr int one_thread_at_a_time = 2;  // MPI_THREAD_SERIALIZED

// "" where all of it was found.
std::string load(MpiCalls& calls) {
  // Its plug-ins look for its symbols.
  const base::SharedLibrary library(mpi_library(), base::SharedLibrary::Symbols::global);
  if (!library) return library.problem();
  std::string missing;
  const auto find = [&](auto& call, const char* name) {
    if (!library.find(call, name) && missing.empty())
      missing = base::say(mpi_library(), " has no ", name, ": it is not Open MPI's");
  };
  find(calls.world, "ompi_mpi_comm_world");
  find(calls.byte, "ompi_mpi_byte");
  find(calls.errors_return, "ompi_mpi_errors_return");
  find(calls.init, "MPI_Init_thread");
  find(calls.initialized, "MPI_Initialized");
  find(calls.finalize, "MPI_Finalize");
  find(calls.rank_of, "MPI_Comm_rank");
  find(calls.size_of, "MPI_Comm_size");
  find(calls.library_version, "MPI_Get_library_version");
  find(calls.set_errors, "MPI_Comm_set_errhandler");
  find(calls.error_text, "MPI_Error_string");
  find(calls.all_gather, "MPI_Allgather");
  find(calls.broadcast, "MPI_Bcast");
  find(calls.send, "MPI_Isend");
  find(calls.receive, "MPI_Irecv");
  find(calls.test, "MPI_Test");
  find(calls.get_count, "MPI_Get_count");
  return missing;
}

int count_of(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw std::logic_error(base::say("a message of MPI has at most ", INT_MAX, " bytes: ", bytes));
  return static_cast<int>(bytes);
}

}  // namespace

std::string mpi_library() {
  const char* given = std::getenv("AISP_MPI_LIBRARY");
  return given != nullptr && *given != '\0' ? given : "libmpi.so.40";
}

std::string problem_with_mpi() {
  MpiCalls calls;
  return load(calls);
}

Mpi::Mpi() : calls_(std::make_unique<MpiCalls>()) {
  if (const std::string problem = load(*calls_); !problem.empty())
    base::refuse(base::Exit::environment, "no Open MPI: ", problem,
                 "; install libopenmpi3, or name its libmpi.so.40 in AISP_MPI_LIBRARY");
  int already = 0, provided = 0;
  calls_->require(calls_->initialized(&already), "MPI_Initialized");
  starts_ = already == 0;
  if (starts_) {
    const int code = calls_->init(nullptr, nullptr, one_thread_at_a_time, &provided);
    if (code != 0 || provided < one_thread_at_a_time)
      base::refuse(base::Exit::environment, "Open MPI does not start: ",
                   code != 0 ? calls_->words(code) : "it was built without threads");
  }
  calls_->require(calls_->set_errors(calls_->world, calls_->errors_return), "MPI");
  calls_->require(calls_->rank_of(calls_->world, &rank_), "MPI_Comm_rank");
  calls_->require(calls_->size_of(calls_->world, &size_), "MPI_Comm_size");
}

Mpi::~Mpi() {
  if (starts_) calls_->finalize();
}

std::string Mpi::version() const {
  std::array<char, 8192> text{};
  int length = 0;
  if (calls_->library_version(text.data(), &length) != 0) return "Open MPI";
  // "Open MPI v4.1.4, package: Debian OpenMPI, ident: ...".
  std::string words(text.data());
  words = words.substr(0, words.find(','));
  if (const auto at = words.find(" v"); at != std::string::npos) words.erase(at + 1, 1);
  return words;
}

std::vector<std::byte> Mpi::gather(std::span<const std::byte> own) {
  std::vector<std::byte> all(own.size() * static_cast<std::size_t>(size_));
  calls_->require(calls_->all_gather(own.data(), count_of(own.size()), calls_->byte, all.data(),
                                     count_of(own.size()), calls_->byte, calls_->world),
                  "MPI_Allgather");
  return all;
}

void Mpi::broadcast(std::span<std::byte> bytes) {
  calls_->require(
      calls_->broadcast(bytes.data(), count_of(bytes.size()), calls_->byte, 0, calls_->world),
      "MPI_Bcast");
}

Mpi::Request Mpi::send(int to, int tag, std::span<const std::byte> bytes) {
  Request request;
  request.calls_ = calls_.get();
  calls_->require(calls_->send(bytes.data(), count_of(bytes.size()), calls_->byte, to, tag,
                               calls_->world, &request.handle_),
                  "MPI_Isend");
  return request;
}

Mpi::Request Mpi::receive(int from, int tag, std::span<std::byte> bytes) {
  Request request;
  request.calls_ = calls_.get();
  calls_->require(calls_->receive(bytes.data(), count_of(bytes.size()), calls_->byte, from, tag,
                                  calls_->world, &request.handle_),
                  "MPI_Irecv");
  return request;
}

bool Mpi::Request::test(std::size_t& bytes) {
  int over = 0, count = 0;
  MpiCalls::Status status{};
  const int code = calls_->test(&handle_, &over, &status);
  if (over != 0 || code != 0) handle_ = nullptr;
  calls_->require(code, "a message of MPI");
  if (over == 0) return false;
  calls_->require(calls_->get_count(&status, calls_->byte, &count), "MPI_Get_count");
  bytes = static_cast<std::size_t>(count);
  return true;
}

void MpiLink::exchange(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) {
  const std::lock_guard lock(mutex_);
  // Long messages go in pieces, which both sides cut alike.
  constexpr std::size_t piece = std::size_t{1} << 24;
  Mpi::Request sends, receives;
  while (!out.empty() || !in.empty() || sends.active() || receives.active()) {
    std::size_t bytes = 0;
    if (sends.active()) {
      sends.test(bytes);
    } else if (!out.empty()) {
      const auto next = out.first(std::min(piece, out.size()));
      sends = mpi_->send(to, tag_, next);
      out = out.subspan(next.size());
    }
    if (receives.active()) {
      const std::size_t wanted = std::min(piece, in.size());
      try {
        if (!receives.test(bytes)) continue;
      } catch (const std::exception& error) {  // more bytes than there is room for
        throw std::runtime_error(base::say("rank ", from, ": ", error.what()));
      }
      if (bytes != wanted)
        throw std::runtime_error(
            base::say("rank ", from, " has sent ", bytes, " bytes, not ", wanted));
      in = in.subspan(wanted);
    } else if (!in.empty()) {
      receives = mpi_->receive(from, tag_, in.first(std::min(piece, in.size())));
    }
    if (sends.active() || receives.active()) std::this_thread::yield();
  }
}

}  // namespace aisp::comm
