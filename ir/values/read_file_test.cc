#include "ir/values/read_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilesim::values {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kLimit = 100'000;

std::string File(const std::string& content) {
  std::string path =
      ::testing::TempDir() + "read_file_test." + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string Error(const std::string& path, int64_t limit = kLimit) {
  return std::string(ReadFile(path, limit).status().message());
}

TEST(ReadFile, AnySizeUpToTheLimit) {
  for (size_t size : {0, 1, 4096, 65536, 65537, 65538, 99'999, 100'000}) {
    std::string content(size, 'x'), path = File(content);
    absl::StatusOr<std::string> read = ReadFile(path, kLimit);
    ASSERT_TRUE(read.ok()) << size << read.status();
    EXPECT_EQ(*read, content);
    std::filesystem::remove(path);
  }
}

TEST(ReadFile, OneByteMoreIsTooMuch) {
  std::string path = File(std::string(kLimit + 1, 'x'));
  EXPECT_EQ(Error(path),
            "cannot read " + path + ": more than the 100000 bytes it may have");
  std::filesystem::remove(path);
}

TEST(ReadFile, WhatIsNoFile) {
  EXPECT_THAT(Error("/no/such"), HasSubstr("cannot read /no/such: No such"));
  EXPECT_THAT(Error("/"), HasSubstr("cannot read /: it is a directory"));
  EXPECT_THAT(Error("/dev/zero"), HasSubstr("more than"));
  EXPECT_EQ(*ReadFile("/dev/null", kLimit), "");
}

}  // namespace
}  // namespace tilesim::values
