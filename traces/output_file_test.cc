#include "traces/output_file.h"

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tilesim::traces {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = absl::StrCat(testing::TempDir(), getpid(), ".", info->name());
    fs::remove_all(dir_);
    fs::create_directory(dir_);
  }
  ~OutputFileTest() override { fs::remove_all(dir_); }

  std::string Path(const std::string& name) const { return dir_ + "/" + name; }
  size_t NumFiles() const {
    return std::distance(fs::directory_iterator(dir_),
                         fs::directory_iterator());
  }
  static absl::Status WriteTo(const std::string& path, std::string_view text) {
    auto file = OutputFile::Open(path);
    if (!file.ok()) return file.status();
    (*file)->Write(text);
    return (*file)->Commit();
  }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static std::string Gunzip(const std::string& path) {
    std::string text(1 << 22, '\0');
    gzFile file = gzopen(path.c_str(), "rb");
    text.resize(gzread(file, text.data(), text.size()));
    gzclose(file);
    return text;
  }

  std::string dir_;
};

TEST_F(OutputFileTest, WritesAndLeavesNothingElse) {
  ASSERT_TRUE(WriteTo(Path("a.json"), "text").ok());
  EXPECT_EQ(Read(Path("a.json")), "text");
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(OutputFileTest, WithoutCommitTheOldFileStays) {
  ASSERT_TRUE(WriteTo(Path("a.json"), "old").ok());
  {
    auto file = OutputFile::Open(Path("a.json"));
    ASSERT_TRUE(file.ok());
    (*file)->Write("half of the n");
  }
  EXPECT_EQ(Read(Path("a.json")), "old");
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(OutputFileTest, GzipRoundTrip) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) absl::StrAppend(&text, i * 7919, ",");
  ASSERT_TRUE(WriteTo(Path("a.gz"), text).ok());
  EXPECT_LT(fs::file_size(Path("a.gz")), text.size());
  EXPECT_EQ(Gunzip(Path("a.gz")), text);
}

TEST_F(OutputFileTest, GzipOfNothing) {
  ASSERT_TRUE(WriteTo(Path("a.gz"), "").ok());
  EXPECT_EQ(Gunzip(Path("a.gz")), "");
}

TEST_F(OutputFileTest, GzipTellsNeitherTimeNorPlace) {
  ASSERT_TRUE(WriteTo(Path("a.gz"), "text").ok());
  ASSERT_TRUE(WriteTo(Path("b.gz"), "text").ok());
  const std::string bytes = Read(Path("a.gz"));
  EXPECT_EQ(bytes, Read(Path("b.gz")));
  EXPECT_EQ(bytes[3], 0);                               // no name, no comment
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));  // mtime
  EXPECT_EQ(bytes[9], '\xFF');                          // system: unknown
}

TEST_F(OutputFileTest, ErrorsNameTheFile) {
  const absl::Status status = WriteTo(Path("no/such/folder.json"), "text");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(status.message(), "no/such/folder.json"));
}

TEST_F(OutputFileTest, AFullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const absl::Status status = WriteTo("/dev/full", "text");
  EXPECT_TRUE(absl::StrContains(status.message(), "/dev/full")) << status;
}

TEST_F(OutputFileTest, DevicesAreWrittenNotReplaced) {
  ASSERT_TRUE(WriteTo("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, LinksAreFollowedNotReplaced) {
  ASSERT_TRUE(WriteTo(Path("real.json"), "old").ok());
  fs::create_symlink("real.json", Path("link.json"));
  ASSERT_TRUE(WriteTo(Path("link.json"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.json")));
  EXPECT_EQ(Read(Path("real.json")), "new");
}

}  // namespace
}  // namespace tilesim::traces
