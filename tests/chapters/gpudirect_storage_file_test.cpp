// Files of gpudirect_storage in real trouble: cut short, missing, on a full disk, over a limit.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "chapters/ch10/gpudirect_storage/file.hpp"
#include "tests/chapters/target_under_test.hpp"
#include "tests/support/files.hpp"

namespace aisp::ch10 {
namespace {

constexpr std::int64_t ragged = 3 * 4096 + 1234;

// Room for direct reads: aligned, and whole pages.
struct Pages {
  explicit Pages(std::int64_t bytes)
      : memory(static_cast<char*>(std::aligned_alloc(
            page_bytes, static_cast<std::size_t>(round_up(bytes, page_bytes))))) {}
  Pages(const Pages&) = delete;
  ~Pages() { std::free(memory); }
  char* memory;
};

std::vector<char> numbered(std::int64_t bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  std::iota(data.begin(), data.end(), char{1});
  return data;
}

File written(const std::string& folder, const std::vector<char>& data) {
  File file = make_nameless(folder);
  const auto bytes = static_cast<std::int64_t>(data.size());
  file.write(data.data(), bytes, 0, bytes);
  push_to_disk(file);
  return file;
}

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const base::Refusal&) {
    ADD_FAILURE() << "refused instead of failed";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

template <class Work>
std::string refused(const Work& work) {
  const base::Refusal refusal = lab::refusal_of(work);
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  return refusal.what();
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

class StorageFile : public testing::Test {
 protected:
  std::string folder() const { return folder_.path().string(); }
  lab::TemporaryFolder folder_;
};

TEST_F(StorageFile, GivesBackWhatWasWrittenAndHasNoName) {
  const auto data = numbered(ragged);
  const File file = written(folder(), data);
  EXPECT_TRUE(std::filesystem::is_empty(folder())) << "nothing may stay behind after a kill";
  forget_cached(file);
  std::string why_not;
  const File direct = open_direct(file, why_not);
  EXPECT_EQ(why_not.empty(), static_cast<bool>(direct)) << why_not;
  for (const File* one : {&file, &direct}) {
    if (!*one) continue;
    const Pages pages(ragged);
    one->read(pages.memory, ragged, 0);
    EXPECT_EQ(std::memcmp(pages.memory, data.data(), data.size()), 0) << one->direct();
    one->read(pages.memory, ragged - page_bytes, page_bytes);
    EXPECT_EQ(std::memcmp(pages.memory, data.data() + page_bytes, data.size() - page_bytes), 0);
  }
  EXPECT_GT(read_like_dd(file, ragged), 0);
}

TEST_F(StorageFile, SaysWhereItEndsWhenItIsCut) {
  const File file = written(folder(), numbered(ragged));
  std::string why_not;
  const File direct = open_direct(file, why_not);
  const Pages pages(ragged);
  for (const std::int64_t left :
       {std::int64_t{2} * page_bytes, std::int64_t{5000}, std::int64_t{0}}) {
    ASSERT_EQ(ftruncate(file.get(), left), 0);
    const std::string wanted =
        base::say(" ends at byte ", left, " and should go on to byte ", ragged);
    for (const File* one : {&file, &direct}) {
      if (!*one) continue;
      const auto said = error_of([&] { one->read(pages.memory, ragged, 0); });
      EXPECT_TRUE(said.starts_with("short read: a file in " + folder())) << said;
      expect_part(said, wanted);
    }
    expect_part(error_of([&] { read_like_dd(file, ragged); }), wanted);
  }
}

TEST_F(StorageFile, RefusesWhatIsMissing) {
  const std::string nowhere = folder() + "/nowhere";
  expect_part(refused([&] { open_to_read(nowhere); }), "cannot open " + nowhere + ": No such file");
  expect_part(refused([&] { require_room(nowhere, 1); }), nowhere + ": No such file");
  expect_part(refused([&] { make_nameless(nowhere); }), "cannot make a file in " + nowhere);
  std::ofstream(folder() + "/plain") << "text";
  expect_part(refused([&] { make_nameless(folder() + "/plain"); }), "Not a directory");
}

TEST_F(StorageFile, SaysWhatCannotBeRead) {
  const File directory(::open(folder().c_str(), O_RDONLY | O_DIRECTORY), folder());
  char byte = 0;
  expect_part(error_of([&] { directory.read(&byte, 1, 0); }), "at byte 0: Is a directory");
}

TEST_F(StorageFile, AFullDiskIsRefusedWithTheNumbers) {
  const std::int64_t huge = std::int64_t{1} << 60;
  const auto early = refused([&] { require_room(folder(), huge); });
  expect_part(early, "a file of 1152.9 PB does not fit into " + folder() + ", where ");
  expect_part(early, "AISP_STORAGE_DIR");
  const auto data = numbered(ragged);
  const File full(::open("/dev/full", O_WRONLY), "/dev/full");
  const auto late = refused([&] { full.write(data.data(), ragged, 8192, 1 << 20); });
  expect_part(late, "cannot write /dev/full after 8.192 kB of 1.049 MB: No space left on device; ");
}

TEST_F(StorageFile, ALimitOnFilesIsRefusedBeforeItKills) {
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit low = before;
  low.rlim_cur = 10000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const auto said = refused([&] { require_room(folder(), ragged); });
  EXPECT_NO_THROW(require_room(folder(), 10000));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  expect_part(said, "a file of 13.52 kB is more than this process may write, 10.00 kB (ulimit -f)");
}

TEST_F(StorageFile, LiesWhereTheUserSays) {
  setenv("AISP_STORAGE_DIR", "/some/where", 1);
  EXPECT_EQ(storage_folder(), "/some/where");
  unsetenv("AISP_STORAGE_DIR");
  EXPECT_EQ(storage_folder(), ".");
}

TEST_F(StorageFile, TellsWhatThePageCacheHolds) {
  constexpr std::int64_t bytes = 256 * page_bytes;
  const File file = written(folder(), numbered(bytes));
  forget_cached(file);
  const double cold = cached_share(file, bytes);
  read_like_dd(file, bytes);
  EXPECT_EQ(cached_share(file, bytes), 1) << "after it was read";
  EXPECT_TRUE(cold < 0.01 || cold == 1) << cold << ": forgotten, or a file system in memory";
}

// A batch that lies in another's place, or is missing, must be seen: every batch has its own
// product, and they differ by far more than the tolerance.
TEST(GpudirectStorage, EveryBatchHasItsOwnProduct) {
  constexpr std::int64_t batches = 3, rows = 32, n = 8, k = 64;
  const auto problem = tests::target("ch10:gpudirect_storage").problem({"", {batches, rows, n, k}});
  const auto inputs = tests::random_inputs(problem, 3);
  const auto want = tests::expected_of(problem, inputs).at(0);
  ASSERT_EQ(want.size(), static_cast<std::size_t>(batches * rows * n));
  const auto [relative, absolute] = problem.outputs[0].tolerance;
  for (const std::int64_t batch : {0, 2})
    for (const std::int64_t row : {0, 31})
      for (const std::int64_t column : {0, 7}) {
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i)
          sum += inputs[0][(batch * rows + row) * k + i] * inputs[1][column * k + i];
        EXPECT_DOUBLE_EQ(want[static_cast<std::size_t>((batch * rows + row) * n + column)], sum);
      }
  int alike = 0;
  for (std::size_t i = 0; i < rows * n; ++i)
    alike += std::abs(want[i] - want[i + rows * n]) <= absolute + relative * std::abs(want[i]);
  EXPECT_LT(alike, rows * n / 10);
}

TEST(GpudirectStorage, CountsTheFileOnceAndRefusesWhatIsNoWholePages) {
  const auto& target = tests::target("ch10:gpudirect_storage");
  const auto problem = target.problem({"", {5, 32, 8, 64}});
  EXPECT_EQ(problem.to_device, 5 * 4096.0);
  EXPECT_EQ(problem.bytes, 5 * 4096.0 + 2 * 8 * 64 + 5 * 2 * 32 * 8);
  EXPECT_EQ(problem.flops, 5 * 2.0 * 32 * 8 * 64);
  const auto refused_size = [&](std::int64_t batches, std::int64_t rows) {
    const auto refusal = lab::refusal_of([&] { target.problem({"", {batches, rows, 8, 64}}); });
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return std::string(refusal.what());
  };
  expect_part(refused_size(5, 33), "M x K = 33x64 in bf16 are 4224; use for example M = 2048");
  expect_part(refused_size(0, 32), "got 0 of 32x64");
}

}  // namespace
}  // namespace aisp::ch10
