// Programs that collect what the runtime says, and objects that graphs keep.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>

namespace {

// A refusal that is told every time.
void make_message() {
  cudaLibrary_t library = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(
      cudaLibraryLoadData(&library, "no device code", nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaErrorInvalidKernelImage);
  testing::internal::GetCapturedStderr();
  cudaGetLastError();
}

void append(void* to, cudaLogLevel, char* message, std::size_t length) {
  static_cast<std::string*>(to)->append(message, length);
}

TEST(MessageLog, IsReadFromWhereTheProgramStands) {
  cudaLogIterator at = 0;
  ASSERT_EQ(cudaLogsCurrent(&at, 0), cudaSuccess);
  char text[600] = "";
  std::size_t bytes = sizeof text;
  ASSERT_EQ(cudaLogsDumpToMemory(&at, text, &bytes, 0), cudaSuccess);
  EXPECT_EQ(bytes, 0u);
  make_message();
  bytes = sizeof text;
  ASSERT_EQ(cudaLogsDumpToMemory(&at, text, &bytes, 0), cudaSuccess);
  EXPECT_NE(std::string(text).find("neither a fatbin"), std::string::npos) << text;
  EXPECT_EQ(bytes, std::string(text).size());
  bytes = sizeof text;
  ASSERT_EQ(cudaLogsDumpToMemory(&at, text, &bytes, 0), cudaSuccess);
  EXPECT_EQ(bytes, 0u);
  bytes = 4;  // too small for any
  EXPECT_EQ(cudaLogsDumpToMemory(nullptr, text, &bytes, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(MessageLog, CallsWhoAsksForIt) {
  std::string heard;
  cudaLogsCallbackHandle handle = nullptr;
  ASSERT_EQ(cudaLogsRegisterCallback(append, &heard, &handle), cudaSuccess);
  make_message();
  EXPECT_NE(heard.find("neither a fatbin"), std::string::npos);
  ASSERT_EQ(cudaLogsUnregisterCallback(handle), cudaSuccess);
  heard.clear();
  make_message();
  EXPECT_EQ(heard, "");
  EXPECT_EQ(cudaLogsUnregisterCallback(handle), cudaErrorInvalidValue);
  cudaGetLastError();
}

void count_end(void* count) { ++*static_cast<int*>(count); }

TEST(UserObject, EndsWithItsLastReference) {
  int ended = 0;
  cudaUserObject_t object = nullptr;
  ASSERT_EQ(cudaUserObjectCreate(&object, &ended, count_end, 2, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  cudaGraph_t graph = nullptr, clone = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
  ASSERT_EQ(cudaUserObjectRelease(object, 2), cudaSuccess);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphReleaseUserObject(graph, object, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphReleaseUserObject(graph, object, 1), cudaSuccess);
  EXPECT_EQ(ended, 0);
  ASSERT_EQ(cudaGraphDestroy(clone), cudaSuccess);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  cudaGetLastError();
}

TEST(Links, SayWhatTheyDoAtomically) {
  const cudaAtomicOperation asked[] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationFloatMin};
  unsigned capabilities[2] = {1, 1};
  ASSERT_EQ(cudaDeviceGetHostAtomicCapabilities(capabilities, asked, 2, 0), cudaSuccess);
  EXPECT_EQ(capabilities[0], 0u);  // across PCI Express none
  EXPECT_EQ(cudaDeviceGetP2PAtomicCapabilities(capabilities, asked, 2, 0, 0),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetHostAtomicCapabilities(capabilities, asked, 0, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

}  // namespace
