// NCCL, loaded at first use: one rank per process, one device per rank. Its header is not part of
// every toolkit, so what is needed of it is declared here. Where the library is missing or says no,
// the reason is one line.
#pragma once

#include <array>
#include <string>

#include "comm/communicator.hpp"

namespace aisp::comm {

// The library's own types, as its interface lays them out.
struct NcclId {
  std::array<char, 128> bytes{};
};
struct NcclHandle;

// The calls that are used. 0 is their success.
struct NcclCalls {
  std::string library;
  int (*get_version)(int* version) = nullptr;
  int (*get_unique_id)(NcclId* id) = nullptr;
  int (*init_rank)(NcclHandle** made, int ranks, NcclId id, int rank) = nullptr;
  int (*destroy)(NcclHandle* communicator) = nullptr;
  int (*abort)(NcclHandle* communicator) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  const char* (*last_error)(NcclHandle* communicator) = nullptr;
  int (*all_reduce)(const void* send, void* receive, std::size_t count, int type, int operation,
                    NcclHandle* communicator, cudaStream_t stream) = nullptr;
  int (*reduce_scatter)(const void* send, void* receive, std::size_t count, int type, int operation,
                        NcclHandle* communicator, cudaStream_t stream) = nullptr;
  int (*all_gather)(const void* send, void* receive, std::size_t count, int type,
                    NcclHandle* communicator, cudaStream_t stream) = nullptr;
};

// What $AISP_NCCL_LIBRARY names, else libnccl.so.2.
std::string nccl_library();

// Refuses (Exit::environment) with the loader's words, or the name of a call that is missing.
NcclCalls load_nccl(const std::string& library = nccl_library());

// The name under which the ranks of a communicator find each other: made by one of them, given to
// all. `id_text` and `id_from_text` are the way through a line of text.
NcclId make_nccl_id(const NcclCalls& calls);
std::string id_text(const NcclId& id);
NcclId id_from_text(const std::string& text);

class NcclCommunicator : public Communicator {
 public:
  // Waits for all ranks. Refuses (Exit::environment) with the library's words.
  NcclCommunicator(const NcclCalls& calls, const NcclId& id, int ranks, LocalRank own);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  // All ranks must come to the end of theirs, unless this one has given the others up.
  ~NcclCommunicator() override;
  void give_up() { given_up_ = true; }

  int ranks() const override { return ranks_; }
  const std::vector<LocalRank>& local() const override { return local_; }
  std::string description() const override;

  void all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) override;

 private:
  const Part& only(std::span<const Part> parts) const;
  std::string words(int result) const;
  void require(int result, const char* what) const;

  NcclCalls calls_;
  int ranks_;
  std::vector<LocalRank> local_;
  NcclHandle* handle_ = nullptr;
  bool given_up_ = false;
};

}  // namespace aisp::comm
