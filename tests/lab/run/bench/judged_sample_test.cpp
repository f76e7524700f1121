// The check behind the samples: which buffers it takes, and what changes in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "lab/run/bench/bench.hpp"
#include "lab/run/bench/changed_element.hpp"
#include "lab/run/bench/checks.hpp"
#include "lab/run/bench/sampler.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

// A result for every input that begins with the same number, as of a rung that believes to know
// its inputs.
void remembers(const Launch& launch) {
  static std::map<float, std::vector<float>> known;
  auto& result = known[launch.in<float>(0)[0]];
  if (result.empty()) {
    fixture::double_all(launch);
    result.assign(launch.out<float>(0), launch.out<float>(0) + launch.dim(0));
  }
  std::copy(result.begin(), result.end(), launch.out<float>(0));
}

// Right on the first two sets of buffers and on the last, in the order of the warm-up.
std::vector<const void*> met;
std::size_t how_many_sets = 0;
void knows_three_sets(const Launch& launch) {
  fixture::double_all(launch);
  const void* const here = launch.outputs[0];
  auto at = std::find(met.begin(), met.end(), here);
  if (at == met.end()) at = met.insert(met.end(), here);
  const auto set = static_cast<std::size_t>(at - met.begin());
  if (set >= 2 && set + 1 < how_many_sets) launch.out<float>(0)[7] = 0;
}

const fixture::WithRung remembering("remembering", "an input that changes", "remembers", remembers);
const fixture::WithRung steady("steady_sets", "both right", "again", fixture::double_all);
const fixture::WithRung three_sets("three_sets", "sets in between", "three", knows_three_sets);

std::vector<Record> run(const std::string& target, const std::string& rung, std::int64_t count,
                        L2Mode l2, int warmup,
                        std::unique_ptr<Device> device = open_host_device()) {
  Job job;
  job.entry = {"fx:" + target + "/x", "fx:" + target, "", {count}, {rung}};
  job.rungs = {rung};
  job.l2 = l2;
  job.iterations = 6;
  job.warmup = warmup;
  std::vector<Record> records;
  run_entry(*device, job,
            {[&](const Record& record) { records.push_back(record); }, [](const Phase&) {}});
  return records;
}

RowRecord row_in(const std::vector<Record>& records) {
  for (const auto& record : records)
    if (const auto* row = std::get_if<RowRecord>(&record)) return *row;
  return {};
}

std::set<int> sets_judged_after(const std::vector<Record>& records) {
  std::set<int> sets;
  for (const auto& record : records)
    if (const auto* check = std::get_if<CheckRecord>(&record))
      if (check->when == CheckTime::after) sets.insert(check->set);
  return sets;
}

// The odds that the element which changes is the very one that the rung looks at are 1 to 2^18.
TEST(JudgedSample, FindsARungThatRemembersWhatTheSamplesGave) {
  const RowRecord row = row_in(run("remembering", "remembers", 1 << 18, L2Mode::hot, 4));
  EXPECT_EQ(name_of(row.status), "wrong");
  EXPECT_NE(row.reason.find("check after timing"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("y: 1 of 262144 wrong"), std::string::npos) << row.reason;
}

TEST(JudgedSample, IsTakenOnBuffersThatAreDrawnAnewInEveryRun) {
  std::set<int> drawn;
  bool found = false;
  for (int attempt = 0; attempt < 12; ++attempt) {
    met.clear();
    how_many_sets = 64;
    const auto records = run("three_sets", "three", 4096, L2Mode::rotate, 64);
    const auto sets = sets_judged_after(records);
    EXPECT_LE(*sets.rbegin(), 63);
    drawn.insert(sets.begin(), sets.end());
    found = found || row_in(records).status == RowStatus::wrong;
  }
  EXPECT_TRUE(found) << "61 of 64 sets are wrong";
  EXPECT_GT(drawn.size(), 4u) << "the same sets in twelve runs";
}

TEST(CheckSeed, IsAnotherEachTimeUnlessTheEnvironmentFixesIt) {
  EXPECT_NE(check_seed(), check_seed());
  setenv("AISP_CHECK_SEED", "18446744073709551615", 1);
  EXPECT_EQ(check_seed(), ~std::uint64_t{0});
  const auto drawn = sets_judged_after(run("steady_sets", "again", 4096, L2Mode::rotate, 1));
  EXPECT_EQ(sets_judged_after(run("steady_sets", "again", 4096, L2Mode::rotate, 1)), drawn);
  for (const char* bad : {"-1", "many", "1x", "18446744073709551616"}) {
    setenv("AISP_CHECK_SEED", bad, 1);
    EXPECT_THROW(check_seed(), base::Refusal) << bad;
  }
  unsetenv("AISP_CHECK_SEED");
}

TEST(SetsToCheck, AreTheFirstTheDrawnOneAndTheLast) {
  EXPECT_EQ(sets_to_check(64, 17), (std::vector{0, 17, 63}));
  EXPECT_EQ(sets_to_check(2, 1), (std::vector{0, 1}));
  EXPECT_EQ(sets_to_check(1, 0), (std::vector{0}));
}

TEST(ChangedElement, IsOneAndHasAnotherValueOfItsRange) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::e4m3, Dtype::i8, Dtype::u8}) {
    const bool whole = dtype == Dtype::u8 || dtype == Dtype::i8;
    const Tensor what{
        .name = "x", .dtype = dtype, .shape = {1000}, .values = {0, whole ? 7.0 : 1.0}};
    const Tensor fixed{.name = "ones", .dtype = dtype, .shape = {1000}, .values = {1, 1}};
    std::set<std::int64_t> places;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Inputs before{random_tensor(fixed, 1, 0), random_tensor(what, 1, 1)};
      Inputs after = before;
      const auto changed = change_one_element(after, seed);
      ASSERT_TRUE(changed);
      EXPECT_EQ(changed->input, 1) << "an input with one value cannot change";
      EXPECT_EQ(after[0].data, before[0].data);
      for (std::int64_t i = 0; i < 1000; ++i)
        EXPECT_EQ(after[1][i] != before[1][i], i == changed->element) << i;
      EXPECT_GE(after[1][changed->element], what.values.low);
      EXPECT_LE(after[1][changed->element], what.values.high);
      places.insert(changed->element);
    }
    EXPECT_GT(places.size(), 40u);
    Inputs none{random_tensor(fixed, 1, 0)};
    EXPECT_FALSE(change_one_element(none, 3));
  }
  Inputs nothing;
  EXPECT_FALSE(change_one_element(nothing, 1));
}

std::string refusal(const std::vector<double>& at_once, bool simulated,
                    std::vector<double> lingered = {}) {
  return why_unjoined({at_once, std::move(lingered)}, simulated);
}

TEST(Unjoined, IsWorkThatMostSamplesLeaveBehindOnAGpuAndAnySampleOnTheSimulator) {
  EXPECT_EQ(refusal({}, false), "");
  EXPECT_EQ(refusal({0.004, 0.005, 0.009}, false), "");
  EXPECT_EQ(refusal({0.004, 3, 0.005}, false), "") << "one late thread of the host";
  EXPECT_EQ(refusal({3, 3}, false), "") << "too few to tell";
  EXPECT_NE(refusal({0.1, 0.2, 0.004}, false).find("in the median 100.00 us longer"),
            std::string::npos)
      << refusal({0.1, 0.2, 0.004}, false);
  EXPECT_EQ(refusal({0, 0}, true), "");
  EXPECT_NE(refusal({0, 0.001}, true).find("up to 1.00 us longer"), std::string::npos)
      << refusal({0, 0.001}, true);
}

TEST(Unjoined, IsNoCallThatTakesAsLongWhenTheHostWaitsBeforeIt) {
  const std::vector<double> slow_call{0.016, 0.017, 0.018};
  EXPECT_EQ(refusal(slow_call, false, {0.017, 0.016, 0.4}), "");
  EXPECT_EQ(refusal(slow_call, false, {0.008, 0.008, 0.008}), "") << "a little faster";
  EXPECT_NE(refusal(slow_call, false, {0.002, 0.002, 0.003}).find("in the median 15.00 us longer"),
            std::string::npos)
      << refusal(slow_call, false, {0.002, 0.002, 0.003});
}

TEST(Unjoined, IsUndecidedWhereACallMayTakeAsLong) {
  const auto undecided = [](const std::vector<double>& at_once) { return is_undecided({at_once}); };
  EXPECT_TRUE(undecided({0.016, 0.017, 0.018}));
  EXPECT_FALSE(undecided({0.016, 0.017})) << "too few to tell";
  EXPECT_FALSE(undecided({0.004, 0.005, 0.3})) << "no work";
  EXPECT_FALSE(undecided({3, 4, 5})) << "work, and the host would wait for long";
}

// Other streams of this device go on for `left_ms` behind each run, and the host's call takes
// `call_ms`.
class BusyDevice : public Device {
 public:
  BusyDevice(double left_ms, double call_ms) : left_ms_(left_ms), call_ms_(call_ms) {}
  Timed time(const Sample& sample) override {
    Timed timed = host_->time(sample);
    timed.busy_after_ms = call_ms_ + std::max(0.0, left_ms_ - sample.linger_ms);
    return timed;
  }
  const DeviceRecord& info() const override { return host_->info(); }
  cudaStream_t stream() const override { return host_->stream(); }
  void* allocate(std::size_t bytes, Memory where) override { return host_->allocate(bytes, where); }
  void release(void* memory, Memory where) override { host_->release(memory, where); }
  std::size_t free_bytes() const override { return host_->free_bytes(); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    host_->upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    host_->download(to, from, bytes);
  }
  void fill(void* memory, int byte, std::size_t bytes) override {
    host_->fill(memory, byte, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    host_->copy(to, from, bytes);
  }
  void synchronize() override { host_->synchronize(); }
  std::unique_ptr<Replay> record(const std::function<void()>& work) override {
    return host_->record(work);
  }

 private:
  std::unique_ptr<Device> host_ = open_host_device();
  double left_ms_, call_ms_;
};

TEST(Unjoined, RowsAreRefusedForTheWorkThatIsLeftAndNotForASlowCall) {
  const auto row_on = [](double left_ms, double call_ms) {
    return row_in(run("steady_sets", "again", 4096, L2Mode::hot, 1,
                      std::make_unique<BusyDevice>(left_ms, call_ms)));
  };
  EXPECT_EQ(name_of(row_on(0, 0.002).status), "measured");
  EXPECT_EQ(name_of(row_on(0, 0.017).status), "measured");
  for (const auto& [left, told] :
       {std::pair{0.012, "in the median 12.00 us"}, {0.2, "200.00 us"}, {30.0, "30.017 ms"}}) {
    const RowRecord row = row_on(left, 0.017);
    EXPECT_EQ(name_of(row.status), "refused") << left;
    EXPECT_NE(row.reason.find(told), std::string::npos) << row.reason;
  }
}

}  // namespace
}  // namespace aisp::lab
