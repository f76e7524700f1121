// l2_bypass: a stream that is read once beside a table that is read again and again. The table fits
// into L2; whether it stays there is decided by how the stream is read.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch14/l2_bypass/records.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch14;

// In KiB.
enum Axis { hot_extent, stream_extent };

// y of a group: the sum, modulo 2^32, of its records, each exclusive-or its line of the hot set.
// Exact, in any order.
void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto stream = inputs.at(0).as<std::uint32_t>(), hot = inputs.at(1).as<std::uint32_t>();
  const auto lines = static_cast<std::uint32_t>(hot.size() / line_words);
  auto& y = expected.at(0);
  const auto groups = [&](std::int64_t group, std::int64_t last) {
    for (; group < last; ++group) {
      std::uint32_t sum[line_words]{};
      for (int i = 0; i < group_records; ++i) {
        const std::int64_t record = group * group_records + i;
        const std::uint32_t* from = &stream[static_cast<std::size_t>(record * line_words)];
        const std::uint32_t* line =
            &hot[std::size_t{hot_line(static_cast<std::uint32_t>(record), lines)} * line_words];
        for (int word = 0; word < line_words; ++word) sum[word] += from[word] ^ line[word];
      }
      for (int word = 0; word < line_words; ++word)
        y[static_cast<std::size_t>(group * line_words + word)] =
            static_cast<std::int32_t>(sum[word]);
    }
  };
  base::parallel_ranges(static_cast<std::int64_t>(y.size()) / line_words, groups, 1);
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t hot = size.dims.at(hot_extent), stream = size.dims.at(stream_extent);
  constexpr std::int64_t step = group_bytes / 1024, most = std::int64_t{1} << 28;
  if (hot < 1 || hot > most)
    base::refuse(base::Exit::usage, "l2_bypass: the hot set has 1 to ", most, " KiB: got ", hot,
                 "; use for example 24576");
  if (stream < step || stream % step != 0 || stream > most)
    base::refuse(base::Exit::usage, "l2_bypass: the stream has a multiple of ", step,
                 " KiB, at most ", most, ": got ", stream, "; use ",
                 stream < step ? step : std::min(most, stream / step * step));
  constexpr lab::Uniform any{-2147483648.0, 2147483647.0};
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"stream", lab::Dtype::i32, {stream * 1024 / line_bytes, line_words}, any},
                    {"hot", lab::Dtype::i32, {hot * 1024 / line_bytes, line_words}, any}};
  problem.outputs = {
      {{"y", lab::Dtype::i32, {stream * 1024 / group_bytes, line_words}, {}}, {}}};  // exact
  problem.bytes = static_cast<double>(problem.inputs[0].bytes() + problem.inputs[1].bytes() +
                                      problem.outputs[0].tensor.bytes());
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch14";
  target.name = "l2_bypass";
  target.idea = "a stream that leaves the L2 cache to the data beside it that is used again";
  target.shows_nowhere = "what L2 keeps, and it has no caches";
  target.aliases = {{"deepseek_innovation_l2_bypass", ""}};
  target.axes = {"hot_KiB", "stream_KiB"};
  target.variants = {""};
  // Three points of the curve: below the rise, at the top, and where the hot set no longer fits.
  constexpr std::int64_t mebi = 1024;
  for (const std::int64_t hot : {24, 8, 40}) target.full.push_back({"", {hot * mebi, 384 * mebi}});
  // More blocks than 8 multiprocessors hold at once, the last one short, and lines that are no
  // power of two; a hot set of a few lines and a stream of one group.
  target.quick = {{"", {43, 4200}}, {"", {1, 8}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
