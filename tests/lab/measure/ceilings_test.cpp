#include "lab/measure/ceilings.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

Ceilings h200() {
  return {.hardware = "h200",
          .uuid = "GPU-0123",
          .device = "NVIDIA H200",
          .driver = "580.65.06",
          .measured_at = "2026-01-31T12:00:00Z",
          .copy_bytes_per_s = 4.27e12,
          .fma_f32 = 6.1e13,
          .fma_f16 = 0.0,
          .matrix_tf32 = 4.0e14,
          .matrix_bf16 = 7.7e14,
          .matrix_fp8 = 1.31e15};
}

class CeilingsFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "aisp_ceilings_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    file = folder / "deep" / "er" / "h200.json";
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string read() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What load_ceilings says against the file as it is.
  std::string complaint() const {
    try {
      load_ceilings(file);
    } catch (const base::Refusal& refusal) {
      EXPECT_EQ(refusal.exit(), base::Exit::environment);
      EXPECT_NE(std::string(refusal.what()).find("aisp doctor --measure"), std::string::npos);
      EXPECT_NE(std::string(refusal.what()).find(file.string()), std::string::npos);
      return refusal.what();
    }
    return "";
  }

  fs::path folder, file;
};

TEST_F(CeilingsFile, ComesBackAsItWasSaved) {
  EXPECT_FALSE(load_ceilings(file));
  save_ceilings(file, h200());
  const auto loaded = load_ceilings(file);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->hardware, "h200");
  EXPECT_EQ(loaded->uuid, "GPU-0123");
  EXPECT_EQ(loaded->device, "NVIDIA H200");
  EXPECT_EQ(loaded->driver, "580.65.06");
  EXPECT_EQ(loaded->measured_at, "2026-01-31T12:00:00Z");
  EXPECT_EQ(loaded->copy_bytes_per_s, 4.27e12);
  for (const Unit unit : {Unit::none, Unit::fma_f32, Unit::fma_f16, Unit::matrix_tf32,
                          Unit::matrix_bf16, Unit::matrix_fp8})
    EXPECT_EQ(loaded->rate(unit), h200().rate(unit));
  EXPECT_EQ(loaded->rate(Unit::matrix_fp8), 1.31e15);
  EXPECT_EQ(loaded->rate(Unit::none), 0.0);
}

TEST_F(CeilingsFile, SavingReplacesAndLeavesNoDraft) {
  save_ceilings(file, h200());
  auto faster = h200();
  faster.matrix_bf16 = 7.9e14;
  save_ceilings(file, faster);
  EXPECT_EQ(load_ceilings(file)->matrix_bf16, 7.9e14);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(CeilingsFile, AReaderNeverSeesHalfAFile) {
  save_ceilings(file, h200());
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) save_ceilings(file, h200());
  });
  for (int i = 0; i < 300; ++i) ASSERT_EQ(load_ceilings(file)->uuid, "GPU-0123");
}

TEST_F(CeilingsFile, EveryCutOfTheFileIsRefused) {
  save_ceilings(file, h200());
  const std::string whole = read();
  for (std::size_t length = 0; length + 3 < whole.size(); length += 7) {
    write(whole.substr(0, length));
    EXPECT_NE(complaint(), "") << "cut to " << length << " bytes";
  }
}

TEST_F(CeilingsFile, OtherVersionsAndWrongContentsAreRefused) {
  save_ceilings(file, h200());
  const auto good = nlohmann::json::parse(read());
  const auto with = [&](const char* key, const nlohmann::json& value) {
    auto changed = good;
    changed[key] = value;
    write(changed.dump());
    return complaint();
  };
  EXPECT_NE(with("version", 1).find("has version 1"), std::string::npos);
  EXPECT_NE(with("version", "1").find("has version \"1\""), std::string::npos);
  EXPECT_NE(with("fma_f32", -1.0).find("fma_f32"), std::string::npos);
  EXPECT_NE(with("matrix_fp8", "fast").find("matrix_fp8"), std::string::npos);
  EXPECT_NE(with("copy_bytes_per_s", nullptr).find("copy_bytes_per_s"), std::string::npos);
  EXPECT_NE(with("uuid", 7), "");
  auto lacking = good;
  lacking.erase("matrix_tf32");
  write(lacking.dump());
  EXPECT_NE(complaint().find("matrix_tf32"), std::string::npos);
  for (const char* text : {"[]", "3", "null", "{}", "\xff\xfe", "{\"version\":1}"}) {
    write(text);
    EXPECT_NE(complaint(), "") << text;
  }
}

TEST_F(CeilingsFile, AFolderInItsPlaceIsRefusedBothWays) {
  fs::create_directories(file / "occupied");
  EXPECT_NE(complaint().find("cannot be read"), std::string::npos);
  EXPECT_THROW(save_ceilings(file, h200()), base::Refusal);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(CeilingsFile, AFifoInItsPlaceIsRefusedBothWaysAndNothingWaits) {
  fs::create_directories(file.parent_path());
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_NE(complaint().find("cannot be read: it is a FIFO"), std::string::npos);
  EXPECT_THROW(save_ceilings(file, h200()), base::Refusal);
  EXPECT_TRUE(fs::is_fifo(file));
}

TEST_F(CeilingsFile, NoLinkThatIsPlantedBesideItIsFollowed) {
  fs::create_directories(file.parent_path());
  const fs::path victim = folder / "victim";
  std::ofstream(victim) << "untouched";
  fs::create_symlink(victim, file.string() + "." + std::to_string(::getpid()) + ".tmp");
  save_ceilings(file, h200());
  std::ifstream kept(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "untouched");
}

TEST_F(CeilingsFile, AnUnwritablePlaceIsNamed) {
  std::ofstream(folder / "plain") << "a file where a folder should be";
  try {
    save_ceilings(folder / "plain" / "h200.json", h200());
    ADD_FAILURE() << "saved below a plain file";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_NE(std::string(refusal.what()).find("plain"), std::string::npos);
    EXPECT_NE(std::string(refusal.what()).find("AISP_HOME"), std::string::npos);
  }
}

// Sets an environment variable (nullptr: removes it) and puts the old state back.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_ ? old_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) const {
    value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

TEST(AispHome, FollowsTheEnvironmentInOrder) {
  const Environment home("HOME", "/home/ada"), cache("XDG_CACHE_HOME", "/cache");
  {
    const Environment own("AISP_HOME", "/own");
    EXPECT_EQ(aisp_home(), "/own");
    EXPECT_EQ(ceilings_path("h200", "GPU-1"), "/own/ceilings/h200-GPU-1.json");
  }
  const Environment own("AISP_HOME", "");  // empty is as good as unset
  EXPECT_EQ(aisp_home(), "/cache/aisp");
  {
    const Environment relative("XDG_CACHE_HOME", "not/absolute");
    EXPECT_EQ(aisp_home(), "/home/ada/.cache/aisp");
  }
  const Environment no_cache("XDG_CACHE_HOME", nullptr), no_home("HOME", nullptr);
  EXPECT_THROW(aisp_home(), base::Refusal);
}

TEST(CeilingsPath, StaysInItsFolder) {
  const Environment own("AISP_HOME", "/own");
  EXPECT_EQ(ceilings_path("../../etc", "a/b c").parent_path(), "/own/ceilings");
}

}  // namespace
}  // namespace aisp::lab
