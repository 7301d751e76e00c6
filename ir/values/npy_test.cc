#include "ir/values/npy.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilesim::values {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A version 1 file with `dict` as its header.
std::string File(const std::string& dict, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(dict.size() & 0xff));
  out.push_back(static_cast<char>(dict.size() >> 8));
  return out + dict + data;
}

std::string Dict(const std::string& descr, const std::string& shape) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': False, 'shape': ", shape, ", }\n");
}

// The status of parsing, with its message, as one string.
std::string Error(const std::string& bytes, DType type = DType::kF32) {
  const absl::StatusOr<Tensor> tensor = ParseNpy(bytes, type, "x.npy");
  return tensor.ok() ? "ok" : tensor.status().ToString();
}

TEST(NpyTest, RoundTripsEveryType) {
  for (const DTypeInfo& info : kDTypes) {
    Tensor tensor{info.type, {2, 3, 4}, {}};
    tensor.data.resize(BytesOf(info.type, 24));
    for (size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = i;
    const auto read = ParseNpy(FormatNpy(tensor), info.type, "x.npy");
    ASSERT_TRUE(read.ok()) << info.name << read.status();
    EXPECT_EQ(read->shape, tensor.shape) << info.name;
    EXPECT_EQ(read->data, tensor.data) << info.name;
  }
}

TEST(NpyTest, WritesWhatNumpyWrites) {
  const std::string bytes =
      FormatNpy({DType::kE2M1, {4}, std::vector<uint8_t>{0x21, 0x43}});
  EXPECT_EQ(bytes.size(), 128u + 2);
  EXPECT_EQ(bytes.substr(10, 55),
            "{'descr': '|u1', 'fortran_order': False, 'shape': (2,),");
  EXPECT_EQ(bytes[127], '\n');
}

TEST(NpyTest, FilesAndShapes) {
  const std::string path =
      (std::filesystem::temp_directory_path() /
       absl::StrCat("tilesim_npy_test_",
                    ::testing::UnitTest::GetInstance()->random_seed(), ".npy"))
          .string();
  const Tensor tensor{DType::kF16, {2, 1}, {1, 2, 3, 4}};
  ASSERT_TRUE(WriteNpy(path, tensor).ok());
  const std::vector<int64_t> shape = {2, 1}, other = {1, 2};
  EXPECT_TRUE(ReadNpy(path, DType::kF16, shape).ok());
  EXPECT_THAT(ReadNpy(path, DType::kF16, other).status().ToString(),
              HasSubstr("INVALID_ARGUMENT: " + path +
                        ": shape is (2, 1), expected (1, 2)"));
  std::filesystem::remove(path);
  EXPECT_EQ(ReadNpy(path, DType::kF16).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(ReadNpy("/", DType::kF16).ok());
  EXPECT_FALSE(WriteNpy("/no/such/place.npy", tensor).ok());
}

TEST(NpyTest, ReadsVersionTwoAndAnyKeyOrder) {
  const std::string dict =
      "{ \"shape\" : (  ), 'fortran_order':True,'descr':'=f4'}";
  std::string bytes("\x93NUMPY\x02\x00", 8);
  bytes += std::string{static_cast<char>(dict.size()), 0, 0, 0};
  bytes += dict + "abcd";
  const auto tensor = ParseNpy(bytes, DType::kF32, "x.npy");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_THAT(tensor->data, ElementsAre('a', 'b', 'c', 'd'));
}

TEST(NpyTest, EmptyTensors) {
  EXPECT_EQ(Error(File(Dict("<f4", "(0, 5)"), "")), "ok");
  EXPECT_THAT(Error(File(Dict("<f4", "(0,)"), "x")), HasSubstr("left over"));
}

TEST(NpyTest, WrongType) {
  EXPECT_THAT(Error(File(Dict("<f8", "(1,)"), "12345678")),
              HasSubstr("INVALID_ARGUMENT: x.npy: dtype is '<f8', expected "
                        "'<f4' for f32"));
  EXPECT_THAT(Error(File(Dict(">f4", "(1,)"), "1234")),
              HasSubstr("big-endian"));
  EXPECT_THAT(Error(File(Dict("<f2", "(1,)"), "12"), DType::kBF16),
              HasSubstr("expected '<u2' for bf16"));
  EXPECT_THAT(Error(File(Dict("", "(1,)"), "12")), HasSubstr("dtype is ''"));
}

TEST(NpyTest, FortranOrder) {
  const std::string bytes =
      File("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234");
  EXPECT_THAT(Error(bytes), HasSubstr("Fortran order, expected C order"));
}

TEST(NpyTest, LengthMustMatchTheShape) {
  EXPECT_THAT(Error(File(Dict("<f4", "(2,)"), "1234")),
              HasSubstr("DATA_LOSS: x.npy: shape (2,) needs 8 bytes of data, "
                        "the file has 4 (truncated)"));
  EXPECT_THAT(Error(File(Dict("<f4", "(1,)"), "12345")),
              HasSubstr("left over"));
}

TEST(NpyTest, HugeSizesAllocateNothing) {
  EXPECT_THAT(Error(File(Dict("<f4", "(4611686018427387904, 4)"), "")),
              HasSubstr("overflows"));
  EXPECT_THAT(Error(File(Dict("<f4", "(0, 4611686018427387904, 4)"), "")),
              HasSubstr("overflows"));
  EXPECT_THAT(Error(File(Dict("<f4", "(99999999999999999999,)"), "")),
              HasSubstr("odd extent"));
  EXPECT_THAT(Error(File(Dict("<f4", "(1000000000000,)"), "1234")),
              HasSubstr("truncated"));
  EXPECT_THAT(
      Error(File(Dict("|u1", "(0, 9223372036854775807)"), ""), DType::kE2M1),
      HasSubstr("overflows"));
}

TEST(NpyTest, JunkHeaders) {
  const std::vector<std::string> dicts = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr'}",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
      "{'descr': '<f4', 'shape': (1,)}",
      "{'descr: <f4",
  };
  for (const std::string& dict : dicts) {
    EXPECT_THAT(Error(File(dict, "1234")),
                HasSubstr("DATA_LOSS: x.npy: unreadable NPY header"))
        << dict;
  }
}

TEST(NpyTest, EveryTruncationIsAnError) {
  const std::string whole = File(Dict("<f4", "(1,)"), "1234");
  ASSERT_EQ(Error(whole), "ok");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(Error(whole.substr(0, size)), HasSubstr("DATA_LOSS")) << size;
  }
}

TEST(NpyTest, OtherVersions) {
  std::string bytes = File(Dict("<f4", "(1,)"), "1234");
  bytes[6] = 3;
  EXPECT_THAT(Error(bytes), HasSubstr("UNIMPLEMENTED: x.npy: NPY version 3"));
}

}  // namespace
}  // namespace tilesim::values
