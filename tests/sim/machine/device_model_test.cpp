#include "sim/machine/device_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

TEST(DeviceModel, TheDevices) {
  const DeviceModel h200 = device_model("h200");
  EXPECT_EQ(h200.major * 10 + h200.minor, 90);
  EXPECT_EQ(h200.multiprocessors, 132);
  EXPECT_EQ(h200.shared_per_block_optin, 232448);
  const DeviceModel a100 = device_model("a100");
  EXPECT_EQ(a100.major * 10 + a100.minor, 80);
  EXPECT_EQ(a100.multiprocessors, 108);
  EXPECT_EQ(a100.max_cluster, 1);
  const DeviceModel b200 = device_model("b200");
  EXPECT_EQ(b200.major * 10 + b200.minor, 100);
  EXPECT_EQ(b200.multiprocessors, 148);
  EXPECT_EQ(b200.max_cluster_nonportable, 16);
  EXPECT_EQ(b200.tensor_columns, 512);
  const DeviceModel gb200 = device_model("gb200");
  EXPECT_EQ(gb200.major * 10 + gb200.minor, 100);
  EXPECT_GT(gb200.pcie_gb_per_s, 4 * b200.pcie_gb_per_s);
  EXPECT_EQ(h200.tensor_columns + a100.tensor_columns, 0);
}

TEST(DeviceModel, NumbersAreConsistent) {
  for (const char* key : {"h200", "a100", "b200", "gb200"}) {
    const DeviceModel model = device_model(key);
    EXPECT_EQ(model.key, key);
    EXPECT_NE(model.name.find("simulated"), std::string::npos) << model.name;
    EXPECT_EQ(model.warps_per_sm * 32, model.threads_per_sm);
    EXPECT_EQ(model.shared_per_block_optin + model.shared_reserved, model.shared_per_sm);
    EXPECT_EQ(std::accumulate(model.cluster_groups.begin(), model.cluster_groups.end(), 0),
              model.max_cluster > 1 ? model.multiprocessors : 0);
    EXPECT_GT(model.memory_bytes, std::int64_t{1} << 36);
  }
}

TEST(DeviceModel, FewerMultiprocessors) {
  const DeviceModel cut = device_model("h200,sms=20");
  EXPECT_EQ(cut.multiprocessors, 20);
  EXPECT_THAT(cut.cluster_groups, ::testing::ElementsAre(18, 2));
}

TEST(DeviceModel, SeveralDevices) {
  EXPECT_EQ(device_model("h200").devices, 1);
  EXPECT_EQ(device_model("a100,gpus=16").devices, 16);
  const DeviceModel both = device_model("h200,gpus=4,sms=8");
  EXPECT_EQ(both.devices, 4);
  EXPECT_EQ(both.multiprocessors, 8);
}

std::string refusal(const std::string& spec) {
  try {
    device_model(spec);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(DeviceModel, RefusesWithTheWayOut) {
  EXPECT_THAT(refusal("h100"), ::testing::HasSubstr("h200, a100, b200, gb200"));
  EXPECT_THAT(refusal("h20"), ::testing::HasSubstr("did you mean h200?"));
  EXPECT_THAT(refusal("h200,sms=0"), ::testing::HasSubstr("1 to 132"));
  EXPECT_THAT(refusal("h200,sms=133"), ::testing::HasSubstr("1 to 132"));
  EXPECT_THAT(refusal("h200,sms=x"), ::testing::HasSubstr("sms=x"));
  EXPECT_THAT(refusal("h200,color=red"), ::testing::HasSubstr("'sms=8' and 'gpus=4'"));
  EXPECT_THAT(refusal("h200,gpus=0"), ::testing::HasSubstr("1 to 16"));
  EXPECT_THAT(refusal("h200,gpus=17"), ::testing::HasSubstr("1 to 16"));
  EXPECT_THAT(refusal("h200,sms=8,gpus=x"), ::testing::HasSubstr("gpus=x"));
  EXPECT_THAT(refusal(""), ::testing::HasSubstr("knows no device"));
}

}  // namespace
}  // namespace aisp::sim
