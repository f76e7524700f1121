// The quantised exchange against the host's own, bit for bit: every number of ranks, buffers that
// divide by nothing, one chunk and several laps of them, on one device and on several, fused and
// apart; and the bytes that it sends.
#include "comm/peer_ring.hpp"
#include "tests/comm/quantized_support.hpp"

namespace aisp::comm {
namespace {

using tests::Numbers;

struct Setting {
  int ranks, devices;
  std::int64_t count;
  QuantizedOptions options;
};

std::vector<int> devices_of(const Setting& setting) {
  std::vector<int> devices;
  for (int rank = 0; rank < setting.ranks; ++rank) devices.push_back(rank % setting.devices);
  return devices;
}

std::vector<Numbers> inputs_of(const Setting& setting, std::uint32_t seed) {
  std::vector<Numbers> inputs;
  for (int rank = 0; rank < setting.ranks; ++rank)
    inputs.push_back(tests::random_numbers(rank, setting.count, seed));
  return inputs;
}

// Chunks of a block: up to nine of a segment, more than there is room for.
std::vector<Setting> settings() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  constexpr std::int64_t whole = std::int64_t{1} << 12;
  std::vector<Setting> all;
  for (const Codes codes : {Codes::int8, Codes::e4m3})
    for (const int ranks : {1, 2, 3, 4, 5})
      for (const int on : {1, devices})
        for (const std::int64_t count : {1, 130, 2048, 2995}) {
          if (on > 1 && ranks == 1) continue;
          all.push_back({ranks, on, count, {codes, 128, 4, true}});
          if (on == 1) all.push_back({ranks, on, count, {codes, 200, 3, false}});
          if (on == 1) all.push_back({ranks, on, count, {codes, whole, 1, true}});
        }
  return all;
}

std::string title(const Setting& setting) {
  return base::say(setting.ranks, " ranks on ", setting.devices, " devices, ", setting.count, " ",
                   name_of(setting.options.codes), " codes, chunks of ", setting.options.chunk,
                   setting.options.fused ? "" : ", kernels apart");
}

void expect_same_bits(const Numbers& got, const Numbers& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want[i]))
        << "element " << i << ": got " << got[i] << ", want " << want[i];
}

// Two calls on other numbers, one behind the other without a wait: the second finds what the first
// has left behind, or nothing but NaN.
TEST(QuantizedExchange, GivesEveryRankTheBitsOfTheHost) {
  int number = 0;
  for (const auto& setting : settings()) {
    SCOPED_TRACE(title(setting));
    const bool in_place = ++number % 2 == 0;
    const int shift = number % 3 == 0 ? 1 : 0;
    const auto first = inputs_of(setting, 1), second = inputs_of(setting, 2);
    QuantizedExchange exchange(devices_of(setting), setting.options);
    tests::RanksWithNumbers ranks(devices_of(setting), first, in_place, shift);
    exchange.all_reduce(setting.count, ranks.parts());
    if (number % 5 == 0) exchange.poison(ranks.streams());
    ranks.set(second);
    exchange.all_reduce(setting.count, ranks.parts());
    ranks.take();
    const Numbers want = tests::quantized_sum(setting.options.codes, second);
    for (const auto& got : ranks.taken()) expect_same_bits(got, want);
    // Of whole blocks 132 bytes for 512; of others the codes are padded to 16 bytes.
    EXPECT_EQ(exchange.sent(),
              2 * (setting.ranks - 1) *
                  ((setting.count + 15) / 16 * 16 + (setting.count + 127) / 128 * 4));
    EXPECT_LE(tests::worst_of_bound(want, tests::exact_sum(second),
                                    tests::error_bound(setting.options.codes, second)),
              1.0);
    if (HasFatalFailure()) return;
  }
}

TEST(QuantizedExchange, SendsAQuarterOfWhatARingSends) {
  const Setting setting{4, 1, 1024, {}};
  tests::RanksWithNumbers ranks(devices_of(setting), inputs_of(setting, 3));
  PeerRing ring(devices_of(setting), {.chunk_bytes = 256});
  ring.all_reduce(Dtype::f32, setting.count, ranks.parts());
  EXPECT_EQ(ring.sent(), 2 * 3 * 4096);
  QuantizedExchange exchange(devices_of(setting));
  exchange.all_reduce(setting.count, ranks.parts());
  EXPECT_LE(static_cast<double>(exchange.sent()), 0.26 * static_cast<double>(ring.sent()));
  ring.all_reduce(Dtype::bf16, setting.count, ranks.parts());
  EXPECT_EQ(ring.sent(), 2 * 3 * 2048);
  ranks.taken();
}

TEST(QuantizedExchange, CanBeRecordedIntoAGraph) {
  for (const int under_way : {1, 4}) {
    const Setting setting{3, 1, 2995, {Codes::int8, 128, under_way, true}};
    QuantizedExchange exchange(devices_of(setting), setting.options);
    const auto inputs = inputs_of(setting, 4);
    tests::RanksWithNumbers ranks(devices_of(setting), inputs);
    ranks.taken();
    auto parts = ranks.parts();
    const auto stream = parts[0].stream;
    for (auto& part : parts) part.stream = stream;
    exchange.all_reduce(setting.count, parts);  // leaves events of no capture behind
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    cudaGraph_t graph{};
    cudaGraphExec_t executable{};
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
    exchange.all_reduce(setting.count, parts);
    exchange.all_reduce(setting.count, parts);
    check(cudaStreamEndCapture(stream, &graph), "end");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    const auto other = inputs_of(setting, 5);
    ranks.set(other);
    ranks.taken();
    check(cudaGraphLaunch(executable, stream), "launch");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    ranks.take();
    const Numbers want = tests::quantized_sum(setting.options.codes, other);
    for (const auto& got : ranks.taken()) expect_same_bits(got, want);
  }
}

TEST(QuantizedExchange, RefusesWhatItCannotTake) {
  const auto refusal = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const base::Refusal& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_NE(refusal([] { QuantizedExchange none({}); }).find("got 0 ranks"), std::string::npos);
  EXPECT_NE(refusal([] { QuantizedExchange none({0}, {.chunk = 0}); }).find("chunks of 0"),
            std::string::npos);
  EXPECT_NE(refusal([] { QuantizedExchange none({0}, {.under_way = 0}); }).find("room for 0"),
            std::string::npos);
  QuantizedExchange two({0, 0}, {.codes = Codes::e4m3});
  EXPECT_NE(refusal([&] { two.all_reduce(4, {}); }).find("got 0 parts, count 4"),
            std::string::npos);
  EXPECT_EQ(two.description(), "direct exchange of e4m3 codes, 2 ranks on 1 device");
}

}  // namespace
}  // namespace aisp::comm
