// Launch descriptions: what is read and written, what does not fit a kernel.
#include "ptx/launch/launch.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

constexpr char kTriton[] = "tests/ptx/testdata/triton/";

std::string Rendered(const std::vector<LaunchError>& errors) {
  std::string out;
  for (const LaunchError& e : errors) out += e.where + ": " + e.message + "\n";
  return out;
}

std::string ErrorsOf(const std::string& json) {
  std::vector<LaunchError> errors;
  EXPECT_FALSE(ReadLaunch(json, errors));
  return Rendered(errors);
}

LaunchFile MustRead(const std::string& json) {
  std::vector<LaunchError> errors;
  std::optional<LaunchFile> file = ReadLaunch(json, errors);
  EXPECT_EQ(Rendered(errors), "");
  return file.value_or(LaunchFile());
}

// A description of these fields of its one launch.
std::string Of(const std::string& launch, const std::string& more = "") {
  return "{\"schema\":1,\"target\":\"sm_90a\"," + more +
         "\"buffers\":[{\"name\":\"A\",\"bytes\":64}],\"launches\":[{" +
         "\"kernel\":\"k\",\"grid\":[4,1,1]," + launch + "}]}";
}

constexpr char kGood[] =
    "\"block\":[128,1,1],\"params\":[{\"buffer\":\"A\"},{\"u32\":7}]";

std::string Misfit(const std::string& json, const std::string& ptx) {
  return Rendered(Fits(MustParse(ptx), MustRead(json), 0));
}

std::string Kernel(const std::string& directives, const std::string& body = "",
                   const std::string& params = ".param .u64 a, .param .u32 n") {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n"
         ".extern .shared .align 16 .b8 dyn[];\n"
         ".visible .entry k(" +
         params + ")\n" + directives + "\n{\n" + body + "ret;\n}\n";
}

// The launches of a folder: each fits its PTX and is written as it was read.
size_t RecordedLaunches(const std::filesystem::path& folder) {
  size_t launches = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json" ||
        entry.path().stem().string().ends_with("_values"))
      continue;
    LaunchFile file = MustRead(ReadText(entry.path()));
    EXPECT_EQ(file.launches.size(), 1u) << entry.path();
    if (file.launches.empty()) continue;
    const Module module = MustParse(ReadText(folder / file.launches[0].ptx));
    EXPECT_EQ(Rendered(Fits(module, file, 0)), "") << entry.path();
    EXPECT_EQ(MustRead(WriteLaunch(file)), file) << entry.path();
    ++launches;
  }
  return launches;
}

// What programs launched on an H200, as the hook for Triton wrote it and as the
// recorder did.
TEST(Launch, RecordedLaunchesFitAndAreWrittenAsRead) {
  EXPECT_EQ(RecordedLaunches("tests/ptx/testdata/recorded"), 7u);
  EXPECT_EQ(RecordedLaunches("tests/ptx/testdata/recorder/torch"), 3u);
  EXPECT_EQ(RecordedLaunches("tests/ptx/testdata/recorder/cuda"), 1u);
}

// A tensor map that CUDA encoded comes with its 128 bytes.
TEST(Launch, TheRecorderKnowsTensorMaps) {
  LaunchFile file = MustRead(
      ReadText("tests/ptx/testdata/recorder/cuda/0002_hgemm_v07.json"));
  ASSERT_EQ(file.tensormaps.size(), 3u);
  for (const TensorMap& map : file.tensormaps) {
    EXPECT_EQ(map.dims, (std::vector<int64_t>{256, 256}));
    EXPECT_EQ(map.swizzle, "128B");
    EXPECT_EQ(map.bytes.size(), kTensorMapBytes);
  }
}

// Of 21 launches of a PyTorch program those of Triton are recorded; of cuBLAS
// and of PyTorch itself there is no PTX, and the list says so.
TEST(Launch, TheRecorderListsWhatHasNoPtx) {
  std::istringstream list(
      ReadText("tests/ptx/testdata/recorder/torch/launches.txt"));
  size_t all = 0, without = 0;
  for (std::string line; std::getline(list, line); ++all)
    without += line.find("\tnot recorded: no PTX: ") != std::string::npos;
  EXPECT_EQ(all, 21u);
  EXPECT_EQ(without, 18u);
}

TEST(Launch, TritonFilesFitAndAreWrittenAsRead) {
  for (const char* name : {"mm_tma_ws0_sm90", "mm_cp_sm90"}) {
    std::string stem = std::string(kTriton) + name;
    LaunchFile file = MustRead(ReadText(stem + ".launch.json"));
    EXPECT_EQ(Rendered(Fits(MustParse(ReadText(stem + ".ptx")), file, 0)), "");
    EXPECT_EQ(MustRead(WriteLaunch(file)), file);
    ASSERT_EQ(file.launches[0].params.size(), 8u);
    EXPECT_EQ(file.launches[0].params[3].bits, 1024u);
    EXPECT_EQ(file.buffers[0].address, 0x7f0a00000000u);
  }
}

TEST(Launch, EveryKindOfFieldIsWrittenAsRead) {
  std::string bytes(256, '0');
  std::string map =
      "\"tensormaps\":[{\"buffer\":\"A\",\"offset\":16,\"dtype\":\"bf16\","
      "\"dims\":[4,2],\"strides\":[16],\"box\":[4,1],\"element_strides\":[1,1],"
      "\"swizzle\":\"128B\",\"interleave\":\"none\",\"oob\":\"nan\","
      "\"bytes\":\"" +
      bytes + "\"}],\"sms\":132,\"computes\":\"x\",";
  LaunchFile file = MustRead(
      Of("\"block\":[32,1,1],\"cluster\":[2,1,1],\"registers\":64,"
         "\"programmatic\":true,\"params\":[{\"name\":\"m\",\"tensormap\":0},"
         "{\"s32\":-3},{\"f32\":1.5},{\"f64\":-2},{\"u64\":\"0xffffffffffffffff"
         "\"},{\"struct\":\"" +
             bytes +
             "0001\",\"at\":{\"2\":{\"tensormap\":0}}}"
             ",{\"buffer\":\"A\",\"offset\":8}]",
         map));
  const std::vector<Param>& params = file.launches[0].params;
  EXPECT_EQ(params[1].bits, 0xfffffffdu);
  EXPECT_EQ(params[2].bits, 0x3fc00000u);
  EXPECT_EQ(params[4].bits, ~uint64_t{0});
  EXPECT_EQ(params[5].size(), 130u);
  EXPECT_EQ(params[5].places[0].first, 2u);
  EXPECT_EQ(MustRead(WriteLaunch(file)), file);
}

// Tensor maps that the host has put into a buffer; swizzles with longer atoms.
TEST(Launch, ABufferMayHoldTensorMaps) {
  auto of = [](const std::string& at) {
    return "{\"schema\":1,\"target\":\"sm_100a\",\"buffers\":[{\"name\":\"A\","
           "\"bytes\":320,\"at\":" +
           at +
           "}],\"tensormaps\":[{\"buffer\":\"A\",\"dtype\":\"f32\",\"dims\":["
           "32],"
           "\"strides\":[],\"box\":[32],\"swizzle\":\"128B_ATOM_64B\"}],"
           "\"launches\":[{\"kernel\":\"k\",\"grid\":[4,1,1]," +
           std::string(kGood) + "}]}";
  };
  const LaunchFile file =
      MustRead(of("{\"192\":{\"tensormap\":0},\"0x40\":{\"tensormap\":0}}"));
  using Maps = std::vector<std::pair<uint64_t, size_t>>;
  EXPECT_EQ(file.buffers.at(0).maps, (Maps{{64, 0}, {192, 0}}));
  EXPECT_EQ(file.tensormaps.at(0).swizzle, "128B_ATOM_64B");
  EXPECT_EQ(MustRead(WriteLaunch(file)), file);
  EXPECT_EQ(ErrorsOf(of("{\"256\":{\"tensormap\":0},\"8\":{\"tensormap\":0},"
                        "\"0\":{\"tensormap\":1},\"64\":{\"buffer\":\"A\"}}")),
            "buffers[0].at[\"0\"].tensormap: there is no tensor map 1; the "
            "description has 1\n"
            "buffers[0].at[\"256\"]: 128 bytes do not fit the buffer's 320\n"
            "buffers[0].at[\"64\"].buffer: a tensor map at a place has no such "
            "field; "
            "it has tensormap\n"
            "buffers[0].at[\"64\"].tensormap: missing: give the index of a "
            "tensor map\n"
            "buffers[0].at[\"8\"]: expected an offset in bytes as the key, a "
            "multiple "
            "of 64\n");
}

TEST(Launch, ABufferMayBeWrittenFromOutside) {
  const std::string text =
      "{\"schema\":1,\"target\":\"sm_90a\",\"buffers\":[{\"name\":\"A\","
      "\"bytes\":64,\"start\":\"external\"}],\"launches\":[{\"kernel\":\"k\","
      "\"grid\":[4,1,1]," +
      std::string(kGood) + "}]}";
  const LaunchFile file = MustRead(text);
  ASSERT_EQ(file.buffers.size(), 1u);
  EXPECT_EQ(file.buffers[0].start.kind, Start::Kind::kExternal);
  EXPECT_EQ(MustRead(WriteLaunch(file)), file);
  EXPECT_NE(WriteLaunch(file).find("external"), std::string::npos);
}

TEST(Launch, FieldsThatAreWrong) {
  EXPECT_EQ(ErrorsOf("{\"schema\":2,\"target\":null,\"launch\":[]}"),
            "launch: a launch description has no such field; it has schema, "
            "target, sms, buffers, tensormaps, launches, computes\n"
            "target: a gap: give the architecture, such as \"sm_90a\"\n"
            "launches: missing: give a list of launches\n"
            "schema: expected 1, found 2\n");
  EXPECT_EQ(ErrorsOf(Of("\"block\":[128,null,1],\"params\":[{\"u32\":-1}]")),
            "launches[0].block[1]: a gap: give an integer\n"
            "launches[0].params[0].u32: expected an integer of 0 to "
            "4294967295, found -1\n");
  EXPECT_EQ(ErrorsOf(Of("\"block\":[128],\"params\":[{\"buffer\":\"B\"}]")),
            "launches[0].block: expected [x, y, z], found 1 numbers\n"
            "launches[0].params[0].buffer: there is no buffer `B`; the "
            "description has A\n");
  EXPECT_EQ(ErrorsOf(Of("\"params\":[{\"tensormap\":1}]")),
            "launches[0].params[0].tensormap: there is no tensor map 1; the "
            "description has 0\n");
  EXPECT_EQ(ErrorsOf(Of("\"params\":[{\"struct\":\"0011\",\"at\":{\"0\":"
                        "{\"buffer\":\"A\"}}}]")),
            "launches[0].params[0].at[\"0\"]: 8 bytes do not fit the struct's "
            "2\n");
  EXPECT_EQ(ErrorsOf(Of("\"params\":[{\"u32\":null}]")),
            "launches[0].params[0].u32: a gap: give the value\n");
  EXPECT_EQ(ErrorsOf("[1e999]"),
            ": not JSON: number overflow parsing '1e999'\n");
  EXPECT_NE(ErrorsOf("{\xff").find("not JSON: parse error at line 1"),
            std::string::npos);
}

TEST(Fits, KernelAndTarget) {
  EXPECT_EQ(Misfit(Of(kGood), Kernel(".reqntid 128")), "");
  std::string other = Kernel("");
  other.replace(other.find("entry k"), 7, "entry q");
  EXPECT_EQ(Misfit(Of(kGood), other),
            "launches[0].kernel: the PTX has no .entry `k`; it has q\n");
  other = Kernel("");
  other.replace(other.find("sm_90a"), 6, "sm_100a");
  EXPECT_EQ(Misfit(Of(kGood), other),
            "target: the PTX is for sm_100a and runs on nothing else; found "
            "sm_90a\n");
}

TEST(Fits, Parameters) {
  EXPECT_EQ(Misfit(Of("\"block\":[1,1,1],\"params\":[{\"buffer\":\"A\"}]"),
                   Kernel("")),
            "launches[0].params[1]: missing: the PTX has param 1 `n .u32`\n");
  EXPECT_EQ(Misfit(Of("\"block\":[1,1,1],\"params\":[{\"u32\":1},{\"u32\":1},"
                      "{\"u32\":1}]"),
                   Kernel("")),
            "launches[0].params[0]: the PTX has `a .u64`, 8 bytes; found 4 "
            "bytes\n"
            "launches[0].params[2]: the PTX has 2 parameters, found 3\n");
  EXPECT_EQ(Misfit(Of("\"block\":[1,1,1],\"params\":[{\"struct\":\"00\"}]"),
                   Kernel("", "", ".param .align 64 .b8 x[128]")),
            "launches[0].params[0]: the PTX has `x .align 64 .b8[128]`, 128 "
            "bytes; found 1 bytes\n");
  EXPECT_EQ(Misfit(Of("\"block\":[1,1,1],\"params\":[{\"name\":\"y\","
                      "\"u32\":1}]"),
                   Kernel("", "", ".param .f32 x")),
            "launches[0].params[0].name: the PTX has `x` here, found `y`\n"
            "launches[0].params[0]: the PTX has .f32, found u32; give f32, or "
            "bits as b32\n");
}

TEST(Fits, Block) {
  EXPECT_EQ(Misfit(Of(kGood), Kernel(".reqntid 256")),
            "launches[0].block: the PTX says .reqntid [256, 1, 1], found [128, "
            "1, 1]\n");
  EXPECT_EQ(Misfit(Of(kGood), Kernel(".maxntid 32, 2")),
            "launches[0].block: the PTX says .maxntid [32, 2, 1], at most 64 "
            "threads; found [128, 1, 1], 128 threads\n");
  EXPECT_EQ(Misfit(Of("\"params\":[{\"buffer\":\"A\"},{\"u32\":7}]"),
                   Kernel(".reqntid 128")),
            "launches[0].block: missing: give the threads of a CTA, [x, y, z]; "
            "the PTX says .reqntid [128, 1, 1]\n");
  EXPECT_EQ(
      Misfit(Of("\"block\":[0,1,1],\"params\":[{\"buffer\":\"A\"},"
                "{\"u32\":7}]"),
             Kernel("")),
      "launches[0].block: expected sizes of 1 or more, found [0, 1, 1]\n");
}

LaunchFile Launched() { return MustRead(Of(kGood)); }

std::string MisfitOf(const LaunchFile& file) {
  return Rendered(Fits(MustParse(Kernel("")), file, 0));
}

TEST(Fits, Grid) {
  LaunchFile file = Launched();
  file.launches[0].grid = {4, 65535, 1};
  EXPECT_EQ(MisfitOf(file), "");
  file.launches[0].grid = {4, 65536, 1};
  EXPECT_NE(MisfitOf(file).find("a grid is at most"), std::string::npos);
  file = Launched();
  file.sms = 0;
  EXPECT_EQ(MisfitOf(file), "sms: a GPU has at least 1 SM\n");
}

TEST(Fits, BuffersThatOverlap) {
  LaunchFile file = Launched();
  ASSERT_FALSE(file.buffers.empty());
  file.buffers[0].address = 0x10000;
  file.buffers.push_back(file.buffers[0]);
  file.buffers.back().name = "other";
  EXPECT_EQ(MisfitOf(file), "");  // one memory under two names
  file.buffers.back().address = 0x10000 + file.buffers[0].bytes;
  EXPECT_EQ(MisfitOf(file), "");
  --*file.buffers.back().address;
  EXPECT_NE(MisfitOf(file).find("in part"), std::string::npos);
}

TEST(Fits, MapsThatAreNotEncoded) {
  LaunchFile file = Launched();
  TensorMap map;
  map.dtype = "f16";
  map.dims = {64, 64};
  map.strides = {128};
  map.box = {64, 64};
  map.element_strides = {1, 1};
  auto with = [&](auto change) {
    LaunchFile other = file;
    other.tensormaps = {map};
    change(other.tensormaps[0]);
    return MisfitOf(other);
  };
  EXPECT_EQ(with([](TensorMap&) {}), "");
  EXPECT_NE(with([](TensorMap& m) { m.offset = 8; }), "");
  EXPECT_NE(with([](TensorMap& m) { m.strides = {132}; }), "");
  EXPECT_NE(with([](TensorMap& m) { m.strides = {int64_t{1} << 40}; }), "");
  EXPECT_NE(with([](TensorMap& m) { m.box = {64, 257}; }), "");
}

TEST(Fits, Registers) {
  auto misfit = [](const std::string& more) {
    return Misfit(Of(more + "\"block\":[1024,1,1],\"params\":[{\"buffer\":"
                            "\"A\"},{\"u32\":7}]"),
                  Kernel(""));
  };
  EXPECT_EQ(misfit("\"registers\":64,"), "");
  EXPECT_EQ(misfit("\"registers\":65,"),
            "launches[0].registers: 32 warps of 72 registers a thread need "
            "73728; an SM has 65536\n");
  EXPECT_EQ(misfit("\"registers\":300,"),
            "launches[0].registers: a thread has at most 255; found 300\n");
}

TEST(Fits, Cluster) {
  std::string three = std::string("\"cluster\":[3,1,1],") + kGood;
  EXPECT_EQ(Misfit(Of(three), Kernel(".reqnctapercluster 2")),
            "launches[0].cluster: the PTX says .reqnctapercluster [2, 1, 1], "
            "found [3, 1, 1]\n"
            "launches[0].grid: [4, 1, 1] CTAs are no multiple of the cluster "
            "[3, 1, 1]\n");
  EXPECT_EQ(Misfit(Of(kGood), Kernel(".reqnctapercluster 2")), "");
  EXPECT_EQ(Misfit(Of(kGood), Kernel(".explicitcluster")),
            "launches[0].cluster: missing: give the CTAs of a cluster, [x, y, "
            "z]; the PTX says .explicitcluster\n");
  EXPECT_EQ(Misfit(Of(std::string("\"cluster\":[4,1,1],") + kGood),
                   Kernel(".explicitcluster\n.maxclusterrank 2")),
            "launches[0].cluster: the PTX says .maxclusterrank 2, found [4, 1, "
            "1], 4 CTAs\n");
}

TEST(Fits, SharedMemory) {
  std::string body = ".shared .align 8 .b8 s[1024];\nmov.u32 %r1, dyn;\n";
  EXPECT_EQ(Misfit(Of(kGood), Kernel("", body)),
            "launches[0].dynamic_shared: missing: give the bytes of dynamic "
            "shared memory; the PTX has .extern .shared dyn .align 16 .b8[]\n");
  auto with = [&](int bytes) {
    return Misfit(
        Of("\"dynamic_shared\":" + std::to_string(bytes) + "," + kGood),
        Kernel("", body));
  };
  EXPECT_EQ(with(231424), "");
  EXPECT_EQ(with(231425),
            "launches[0].dynamic_shared: a CTA has at most 232448 bytes of "
            "shared memory; the PTX declares 1024, and dynamic are 231425\n");
}

TEST(Fits, IndicesAndMapsOutOfRange) {
  LaunchFile file = MustRead(Of(kGood));
  file.launches[0].params[0].reference.index = 3;
  TensorMap map;
  map.buffer = 2;
  map.dims = {0};
  map.box = {-1};
  file.tensormaps.push_back(map);
  EXPECT_EQ(Rendered(Fits(MustParse(Kernel("")), file, 0)),
            "tensormaps[0].buffer: there is no buffer 2; the description has "
            "1\n"
            "tensormaps[0].dims: expected sizes of 1 or more, found 0\n"
            "tensormaps[0].box: expected sizes of 1 or more, found -1\n"
            "launches[0].params[0]: there is no buffer 3; the description has "
            "1\n");
}

TEST(Skeleton, NamesItsGaps) {
  std::string text = LaunchSkeleton(
      MustParse(Kernel(".reqntid 128", "mov.u32 %r1, dyn;\n",
                       ".param .u64 .ptr .global .align 1 a, .param .f32 x, "
                       ".param .align 64 .b8 m[128], .param .b8 s[24]")),
      "k.ptx");
  EXPECT_EQ(ErrorsOf(text),
            "buffers[0].bytes: a gap: give its size in bytes\n"
            "buffers[1].bytes: a gap: give its size in bytes\n"
            "tensormaps[0].dtype: a gap: give the type of its elements\n"
            "tensormaps[0].swizzle: a gap: give none, 32B, 64B, 128B or 128B "
            "with longer atoms (128B_ATOM_32B)\n"
            "tensormaps[0].dims[0]: a gap: give a size in elements\n"
            "tensormaps[0].box[0]: a gap: give a size in elements\n"
            "launches[0].dynamic_shared: a gap: give bytes of dynamic shared "
            "memory\n"
            "launches[0].grid[0]: a gap: give an integer\n"
            "launches[0].grid[1]: a gap: give an integer\n"
            "launches[0].grid[2]: a gap: give an integer\n"
            "launches[0].params[1].f32: a gap: give the value\n"
            "launches[0].params[3].struct: a gap: give the value\n");
}

}  // namespace
}  // namespace tilesim::ptx
