#include "comm/quantized/exchange.hpp"

#include <optional>

#include "comm/cuda.hpp"
#include "comm/quantized/error_bound.hpp"
#include "comm/quantized/kernels.hpp"
#include "comm/sum.hpp"

namespace aisp::comm {

// A chunk has a slot, the same on all ranks, with room for packets: those that a rank sends to the
// others, those that it gets from them, its sum, and the sums of the others. Nobody has to say that
// a slot may be used again. A rank quantises a chunk behind the results of the chunk that had its
// slot, and those came when all others had sent and read what they had there.
struct QuantizedExchange::Rank {
  Rank(int own, int others, const QuantizedOptions& options, std::int64_t stride)
      : device(own),
        slot_bytes((3 * others + 1) * stride),
        memory(own, static_cast<std::size_t>(options.under_way * slot_bytes)),
        scatter(own, Stream::Priority::first),
        gather(own, Stream::Priority::first),
        filled(own) {
    for (int i = 0; i < options.under_way; ++i) slots.emplace_back(own);
    if (!options.fused)
      widened.emplace(own, static_cast<std::size_t>(options.chunk) * sizeof(float));
  }

  struct Events {
    explicit Events(int device) : quantized(device), sent(device), summed(device), told(device) {}
    Event quantized;  // the others' shares are ready to go
    Event sent;       // and have arrived
    Event summed;     // the rank's own sum is ready to go
    Event told;       // and has arrived everywhere
  };

  int device;
  std::int64_t slot_bytes;
  Memory memory;
  std::optional<Memory> widened;  // f32 of a packet, where kernels are apart
  Stream scatter, gather;         // this rank's copies of shares and of sums
  Event filled;
  std::vector<Events> slots;
};

struct QuantizedExchange::Call {
  std::int64_t total, segment, chunk;  // numbers
  int ranks;
  std::int64_t stride;
  std::span<const Part> parts;

  std::int64_t chunks() const { return (segment + chunk - 1) / chunk; }
  Pieces pieces(std::int64_t at, int first, int count) const {
    return {total, segment, at * chunk, chunk, ranks, first, count};
  }
  // What rank r has of all others' segments, in the order in which it sends, and of its own.
  Pieces of_others(std::int64_t at, int rank) const { return pieces(at, rank + 1, ranks - 1); }
  Pieces own(std::int64_t at, int rank) const { return pieces(at, rank, 1); }

  const float* send(int rank) const { return static_cast<const float*>(part(rank).send); }
  float* receive(int rank) const { return static_cast<float*>(part(rank).receive); }
  cudaStream_t stream(int rank) const { return part(rank).stream; }

  // Packets of a slot of rank r's memory: shares that it sends, shares that it gets, sums that it
  // gets, each in the order in which its others follow it, and its sum.
  Packets outgoing(const Rank& rank, int slot) const { return packets(rank, slot, 0); }
  Packets incoming(const Rank& rank, int slot) const { return packets(rank, slot, ranks - 1); }
  Packets sums(const Rank& rank, int slot) const { return packets(rank, slot, 2 * (ranks - 1)); }
  char* sum(const Rank& rank, int slot) const {
    return packets(rank, slot, 3 * (ranks - 1)).memory;
  }
  // Where the packet from `source` lies among those that rank r gets.
  char* from(const Packets& packets, int source, int rank) const {
    return packets.memory + (source - rank - 1 + ranks) % ranks * stride;
  }

 private:
  const Part& part(int rank) const { return parts[static_cast<std::size_t>(rank)]; }
  Packets packets(const Rank& rank, int slot, int first) const {
    return {rank.memory.get() + slot * rank.slot_bytes + first * stride, stride};
  }
};

QuantizedExchange::QuantizedExchange(const std::vector<int>& devices, QuantizedOptions options)
    : options_(options), stride_(0), copies_(devices) {
  if (devices.empty() || options.chunk < 1 || options.under_way < 1)
    base::refuse(base::Exit::usage,
                 "a quantised exchange needs ranks, chunks of at least one number and room for at "
                 "least one: got ",
                 devices.size(), " ranks, chunks of ", options.chunk, ", room for ",
                 options.under_way);
  options_.chunk = rounded_up(options.chunk, block_elements);
  stride_ = rounded_up(packet_bytes(options_.chunk), packet_alignment);
  if (ranks() == 1) return;
  for (const auto& who : local())
    members_.push_back(std::make_unique<Rank>(who.device, ranks() - 1, options_, stride_));
  for (int rank = 0; rank < ranks(); ++rank)
    for (int i = 0; i < ranks() - 1; ++i) copies_.connect(rank, other(rank, i));
}

QuantizedExchange::~QuantizedExchange() = default;

std::string QuantizedExchange::description() const {
  return base::say("direct exchange of ", name_of(options_.codes), " codes, ",
                   copies_.description());
}

std::vector<std::pair<cudaStream_t, std::string>> QuantizedExchange::streams() const {
  std::vector<std::pair<cudaStream_t, std::string>> all;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    all.emplace_back(members_[rank]->scatter.get(), base::say("rank ", rank, " sends shares"));
    all.emplace_back(members_[rank]->gather.get(), base::say("rank ", rank, " sends sums"));
  }
  return all;
}

void QuantizedExchange::poison(std::span<const cudaStream_t> streams) {
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    Rank& of = *members_[rank];
    // A call does not wait for what the rank itself has sent: whoever needs that has it.
    for (const Stream* own : {&of.scatter, &of.gather}) {
      of.filled.record(own->get());
      of.filled.hold(streams[rank]);
    }
    of.memory.fill(0xff, streams[rank]);
    if (of.widened) of.widened->fill(0xff, streams[rank]);
    of.filled.record(streams[rank]);
  }
  // Others write there in a call without asking.
  for (std::size_t rank = 0; rank < members_.size(); ++rank)
    for (std::size_t from = 0; from < members_.size(); ++from)
      if (from != rank) members_[from]->filled.hold(streams[rank]);
}

void QuantizedExchange::all_reduce(std::int64_t count, std::span<const Part> parts) {
  if (count < 0 || parts.size() != local().size())
    base::refuse(base::Exit::usage, "a call on a quantised exchange of ", ranks(),
                 " ranks takes one part for each and no negative count: got ", parts.size(),
                 " parts, count ", count);
  copies_.restart();
  if (count == 0) return;
  if (ranks() == 1) {
    const Part& part = parts[0];
    if (part.send != part.receive)
      copies_.copy(0, part.send, 0, part.receive, count * std::int64_t{sizeof(float)}, part.stream);
    return;
  }
  const Call call{count, segment_elements(count, ranks()), options_.chunk, ranks(), stride_, parts};
  // In each stream a chunk is summed behind the quantisation of the next, and its results are
  // written behind that of the one after: the copies have that time.
  const std::int64_t lag = options_.under_way < 3 ? 0 : 1;
  const auto for_each_rank = [&](void (QuantizedExchange::*step)(const Call&, std::int64_t, int),
                                 std::int64_t chunk) {
    if (chunk < 0 || chunk >= call.chunks()) return;
    for (int rank = 0; rank < ranks(); ++rank) (this->*step)(call, chunk, rank);
  };
  for (std::int64_t chunk = 0; chunk < call.chunks() + 2 * lag; ++chunk) {
    for_each_rank(&QuantizedExchange::send_shares, chunk);
    for_each_rank(&QuantizedExchange::send_sum, chunk - lag);
    for_each_rank(&QuantizedExchange::receive_sums, chunk - 2 * lag);
  }
}

// Each rank begins with the one behind it, so that nobody gets two packets at once.
void QuantizedExchange::send_shares(const Call& call, std::int64_t chunk, int rank) {
  Rank& from = member(rank);
  const auto& events = from.slots[static_cast<std::size_t>(slot(chunk))];
  const Pieces pieces = call.of_others(chunk, rank);
  if (pieces.empty()) return;
  const Packets packets = call.outgoing(from, slot(chunk));
  {
    const OnDevice on(from.device);
    enqueue_quantize(options_.codes, call.send(rank), pieces, packets, call.stream(rank));
  }
  events.quantized.record(call.stream(rank));
  events.quantized.hold(from.scatter.get());
  for (int i = 0; i < ranks() - 1; ++i) {
    const int to = other(rank, i);
    if (pieces.count(i) == 0) continue;
    copies_.copy(rank, packets.memory + i * call.stride, to,
                 call.from(call.incoming(member(to), slot(chunk)), rank, to),
                 packet_bytes(pieces.count(i)), from.scatter.get());
  }
  events.sent.record(from.scatter.get());
}

void QuantizedExchange::send_sum(const Call& call, std::int64_t chunk, int rank) {
  Rank& from = member(rank);
  const auto& events = from.slots[static_cast<std::size_t>(slot(chunk))];
  const Pieces own = call.own(chunk, rank);
  if (own.count(0) == 0) return;
  for (int i = 0; i < ranks() - 1; ++i)
    member(other(rank, i))
        .slots[static_cast<std::size_t>(slot(chunk))]
        .sent.hold(call.stream(rank));
  char* sum = call.sum(from, slot(chunk));
  const OnDevice on(from.device);
  if (options_.fused)
    enqueue_sum_of_packets(options_.codes,
                           {.own = call.send(rank) + own.begin(0),
                            .packets = call.incoming(from, slot(chunk)),
                            .others = ranks() - 1,
                            .out = sum,
                            .result = call.receive(rank) + own.begin(0),
                            .count = own.count(0)},
                           call.stream(rank));
  else
    enqueue_sum_apart(call, chunk, rank);
  events.summed.record(call.stream(rank));
  events.summed.hold(from.gather.get());
  for (int i = 0; i < ranks() - 1; ++i) {
    const int to = other(rank, i);
    copies_.copy(rank, sum, to, call.from(call.sums(member(to), slot(chunk)), rank, to),
                 packet_bytes(own.count(0)), from.gather.get());
  }
  events.told.record(from.gather.get());
}

// The same, a kernel for each operation.
void QuantizedExchange::enqueue_sum_apart(const Call& call, std::int64_t chunk, int rank) {
  Rank& at = member(rank);
  const Pieces own = call.own(chunk, rank);
  const std::int64_t count = own.count(0);
  const cudaStream_t stream = call.stream(rank);
  const Pieces whole{.total = count, .segment = options_.chunk, .most = options_.chunk};
  const float* added = call.send(rank) + own.begin(0);
  float* result = call.receive(rank) + own.begin(0);
  auto* widened = reinterpret_cast<float*>(at.widened->get());
  Packets packet = call.incoming(at, slot(chunk));
  for (int i = 0; i < ranks() - 1; ++i, packet.memory += packet.stride, added = result) {
    enqueue_dequantize(options_.codes, widened, whole, packet, stream);
    enqueue_sum(Dtype::f32, result, added, widened, count, stream);
  }
  packet.memory = call.sum(at, slot(chunk));
  enqueue_quantize(options_.codes, result, whole, packet, stream);
  enqueue_dequantize(options_.codes, result, whole, packet, stream);
}

void QuantizedExchange::receive_sums(const Call& call, std::int64_t chunk, int rank) {
  const Pieces pieces = call.of_others(chunk, rank);
  for (int i = 0; i < ranks() - 1; ++i)
    if (pieces.count(i) > 0)
      member(other(rank, i))
          .slots[static_cast<std::size_t>(slot(chunk))]
          .told.hold(call.stream(rank));
  Rank& at = member(rank);
  const OnDevice on(at.device);
  enqueue_dequantize(options_.codes, call.receive(rank), pieces, call.sums(at, slot(chunk)),
                     call.stream(rank));
}

}  // namespace aisp::comm
