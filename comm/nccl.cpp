#include "comm/nccl.hpp"

#include <cstdlib>
#include <stdexcept>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "comm/cuda.hpp"

namespace aisp::comm {
namespace {

constexpr int sum = 0;  // of its operations

int type_number(Dtype type) { return type == Dtype::f32 ? 7 : 9; }

constexpr char digits[] = "0123456789abcdef";

int digit_value(char digit) {
  const std::string all(digits);
  const auto at = all.find(digit);
  if (at == std::string::npos) throw std::runtime_error("an NCCL id has hexadecimal digits only");
  return static_cast<int>(at);
}

}  // namespace

std::string nccl_library() {
  const char* given = std::getenv("AISP_NCCL_LIBRARY");
  return given != nullptr && *given != '\0' ? given : "libnccl.so.2";
}

NcclCalls load_nccl(const std::string& library) {
  const base::SharedLibrary opened(library);
  if (!opened)
    base::refuse(base::Exit::environment, "no NCCL: ", opened.problem(),
                 "; install it, or name its libnccl.so.2 in AISP_NCCL_LIBRARY");
  const auto find = [&](auto& call, const char* name) {
    if (!opened.find(call, name))
      base::refuse(base::Exit::environment, "no NCCL: ", library, " has no ", name);
  };
  NcclCalls calls;
  calls.library = library;
  find(calls.get_version, "ncclGetVersion");
  find(calls.get_unique_id, "ncclGetUniqueId");
  find(calls.init_rank, "ncclCommInitRank");
  find(calls.destroy, "ncclCommDestroy");
  find(calls.abort, "ncclCommAbort");
  find(calls.error_string, "ncclGetErrorString");
  find(calls.last_error, "ncclGetLastError");
  find(calls.all_reduce, "ncclAllReduce");
  find(calls.reduce_scatter, "ncclReduceScatter");
  find(calls.all_gather, "ncclAllGather");
  return calls;
}

NcclId make_nccl_id(const NcclCalls& calls) {
  NcclId id;
  if (const int result = calls.get_unique_id(&id); result != 0)
    base::refuse(base::Exit::environment, "ncclGetUniqueId: ", calls.error_string(result), " (",
                 calls.last_error(nullptr), ")");
  return id;
}

std::string id_text(const NcclId& id) {
  std::string text;
  for (const char byte : id.bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

NcclId id_from_text(const std::string& text) {
  NcclId id;
  if (text.size() != 2 * id.bytes.size())
    throw std::runtime_error(
        base::say("an NCCL id has ", 2 * id.bytes.size(), " digits: got ", text.size()));
  for (std::size_t i = 0; i < id.bytes.size(); ++i)
    id.bytes[i] = static_cast<char>(digit_value(text[2 * i]) * 16 + digit_value(text[2 * i + 1]));
  return id;
}

NcclCommunicator::NcclCommunicator(const NcclCalls& calls, const NcclId& id, int ranks,
                                   LocalRank own)
    : calls_(calls), ranks_(ranks), local_{own} {
  const OnDevice on(own.device);
  if (const int result = calls_.init_rank(&handle_, ranks, id, own.rank); result != 0)
    base::refuse(base::Exit::environment, "ncclCommInitRank: ", words(result));
}

NcclCommunicator::~NcclCommunicator() {
  if (handle_ != nullptr) (given_up_ ? calls_.abort : calls_.destroy)(handle_);
}

std::string NcclCommunicator::description() const {
  int version = 0;
  calls_.get_version(&version);
  // 22800 is 2.28.0; before 2.9 there were four digits.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version / 100 % 10 : version / 100 % 100;
  return base::say("NCCL ", major, '.', minor, '.', version % 100, ", ", ranks_,
                   ranks_ == 1 ? " rank on 1 device" : " ranks as processes on as many devices");
}

std::string NcclCommunicator::words(int result) const {
  return base::say(calls_.error_string(result), " (", calls_.last_error(handle_), ")");
}

void NcclCommunicator::require(int result, const char* what) const {
  if (result != 0) throw std::runtime_error(base::say(what, ": ", words(result)));
}

const Part& NcclCommunicator::only(std::span<const Part> parts) const {
  if (parts.size() != 1)
    base::refuse(base::Exit::usage, "NCCL has one rank in a process: got ", parts.size(), " parts");
  return parts[0];
}

void NcclCommunicator::all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) {
  const Part& part = only(parts);
  const OnDevice on(local_[0].device);
  require(calls_.all_reduce(part.send, part.receive, static_cast<std::size_t>(count),
                            type_number(type), sum, handle_, part.stream),
          "ncclAllReduce");
}

void NcclCommunicator::reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) {
  const Part& part = only(parts);
  const OnDevice on(local_[0].device);
  require(calls_.reduce_scatter(part.send, part.receive, static_cast<std::size_t>(count),
                                type_number(type), sum, handle_, part.stream),
          "ncclReduceScatter");
}

void NcclCommunicator::all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) {
  const Part& part = only(parts);
  const OnDevice on(local_[0].device);
  require(calls_.all_gather(part.send, part.receive, static_cast<std::size_t>(count),
                            type_number(type), handle_, part.stream),
          "ncclAllGather");
}

}  // namespace aisp::comm
