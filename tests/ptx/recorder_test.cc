// libtilesim_record.so with a driver that is not one (fake_cuda.cc): what is
// written of a program's launches. TILESIM_RECORDER names the library.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "ptx/launch/launch.h"
#include "ptx/record/cuda.h"
#include "ptx/record/image.h"
#include "tests/ptx/files.h"

namespace tilesim::ptx::record {
namespace {

namespace fs = std::filesystem;

constexpr char kPtx[] =
    ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .align 64 .b8 "
    "m[128], .param .align 8 .b8 s[16]) { ret; }\n";

// A fresh copy of the recorder and of the driver in this process: each test is
// a process of its own (ctest runs them one by one).
class Program {
 public:
  Program() : folder_(fs::temp_directory_path() / "tilesim_recorder_test") {
    fs::remove_all(folder_);
    setenv("TILESIM_RECORD", folder_.c_str(), 1);
    setenv("TILESIM_CUPTI", TILESIM_FAKE_CUDA, 1);
    // Whoever asks for libcuda.so.1 gets this one then.
    fake_ = dlopen(TILESIM_FAKE_CUDA, RTLD_NOW);
    if (fake_ == nullptr) ADD_FAILURE() << dlerror();
  }
  ~Program() { fs::remove_all(folder_); }

  void Begin() {
    void* recorder = dlopen(TILESIM_RECORDER, RTLD_NOW);
    ASSERT_NE(recorder, nullptr) << dlerror();
    auto initialize =
        reinterpret_cast<int (*)()>(dlsym(recorder, "InitializeInjection"));
    ASSERT_NE(initialize, nullptr);
    EXPECT_EQ(initialize(), 1);
  }
  template <typename Params>
  void Calls(Call call, const Params& params, int result = 0) {
    auto fire = reinterpret_cast<void (*)(uint32_t, const void*, int)>(
        dlsym(fake_, "FakeCall"));
    fire(static_cast<uint32_t>(call), &params, result);
  }
  uint8_t* memory() {
    return reinterpret_cast<uint8_t* (*)()>(dlsym(fake_, "FakeMemory"))();
  }

  void LoadsModule(Handle module, const void* image) {
    Calls(Call::kModuleLoadData, LoadModuleParams{&module, image});
  }
  void GetsFunction(Handle function, Handle module) {
    Calls(Call::kModuleGetFunction, GetFunctionParams{&function, module, "k"});
  }
  void Launches(Handle function, void** values, Handle stream = nullptr,
                int result = 0) {
    Calls(Call::kLaunchKernel,
          LaunchParams{
              function, {3, 2, 1}, {128, 1, 1}, 1024, stream, values, nullptr},
          result);
  }

  std::string Text(const std::string& name) { return ReadText(folder_ / name); }
  bool Has(const std::string& name) { return fs::exists(folder_ / name); }
  LaunchFile Description(const std::string& name) {
    std::vector<LaunchError> errors;
    auto file = ReadLaunch(Text(name), errors);
    for (const LaunchError& e : errors)
      ADD_FAILURE() << e.where << ": " << e.message;
    return file.value_or(LaunchFile());
  }

 private:
  fs::path folder_;
  void* fake_ = nullptr;
};

const Handle kModule = reinterpret_cast<Handle>(0x1000);
const Handle kFunction = reinterpret_cast<Handle>(0x2000);

struct Arguments {
  explicit Arguments(uint8_t* memory)
      : pointer(reinterpret_cast<uint64_t>(memory) + 16),
        both{7, reinterpret_cast<uint64_t>(memory)} {
    std::memset(map, 0xab, sizeof map);
  }
  alignas(64) uint8_t map[128];
  uint64_t pointer;
  uint32_t number = 42;
  uint64_t both[2];
  void* values[4] = {&pointer, &number, map, both};
};

void EncodesMap(Program& program, const Arguments& a, uint32_t swizzle) {
  const uint64_t dims[] = {64, 8}, strides[] = {128};
  const uint32_t box[] = {64, 8}, steps[] = {1, 1};
  program.Calls(Call::kTensorMapEncodeTiled,
                EncodeTiledParams{a.map, 6, 2,
                                  reinterpret_cast<uint64_t>(program.memory()),
                                  dims, strides, box, steps, 0, swizzle, 0, 0});
}

TEST(Recorder, WritesWhatALaunchNeeds) {
  setenv("TILESIM_RECORD_VALUES", "whole", 1);
  Program program;
  program.Begin();
  Arguments a(program.memory());
  program.LoadsModule(kModule, kPtx);
  program.GetsFunction(kFunction, kModule);
  EncodesMap(program, a, 3);
  program.Launches(kFunction, a.values);

  LaunchFile file = program.Description("0000_k.json");
  ASSERT_EQ(file.buffers.size(), 1u);
  EXPECT_EQ(file.target, "sm_90a");
  EXPECT_EQ(file.sms, 132u);
  EXPECT_EQ(file.buffers[0].bytes, 4096u);
  EXPECT_EQ(file.buffers[0].start.npy, "0000_b0.before.npy");
  EXPECT_EQ(file.buffers[0].expect, "0000_b0.after.npy");
  ASSERT_EQ(file.tensormaps.size(), 1u);
  EXPECT_EQ(file.tensormaps[0].dtype, "f16");
  EXPECT_EQ(file.tensormaps[0].swizzle, "128B");
  EXPECT_EQ(file.tensormaps[0].dims, (std::vector<int64_t>{64, 8}));
  EXPECT_EQ(file.tensormaps[0].bytes.size(), kTensorMapBytes);

  const Launch& launch = file.launches.at(0);
  EXPECT_EQ(launch.grid, (Dim3{3, 2, 1}));
  EXPECT_EQ(launch.dynamic_shared, 1024u);
  EXPECT_EQ(launch.registers, 40u);
  ASSERT_EQ(launch.params.size(), 4u);
  EXPECT_EQ(launch.params[0].reference, (Reference{false, 0, 16}));
  EXPECT_EQ(launch.params[1].bits, 42u);
  EXPECT_EQ(launch.params[2].reference, (Reference{true, 0, 0}));
  ASSERT_EQ(launch.params[3].places.size(), 1u);
  EXPECT_EQ(launch.params[3].places[0].first, 8u);
  Module module = MustParse(program.Text(launch.ptx));
  EXPECT_TRUE(Fits(module, file, 0).empty());

  const std::string before = program.Text("0000_b0.before.npy");
  const std::string after = program.Text("0000_b0.after.npy");
  EXPECT_EQ(before.size(), 128 + 4096u);
  EXPECT_EQ(before.substr(0, 6), "\x93NUMPY");
  EXPECT_NE(before, after);
}

// A map of which the kernel gets a pointer only, and one that is no map.
TEST(Recorder, FindsTensorMapsThatLieInMemory) {
  setenv("TILESIM_RECORD_VALUES", "hash", 1);
  Program program;
  program.Begin();
  Arguments a(program.memory());
  program.LoadsModule(kModule, kPtx);
  program.GetsFunction(kFunction, kModule);
  EncodesMap(program, a, 5);
  std::memcpy(program.memory() + 192, a.map, sizeof a.map);
  std::memset(a.map, 0, sizeof a.map);
  program.Launches(kFunction, a.values);

  const LaunchFile file = program.Description("0000_k.json");
  ASSERT_EQ(file.buffers.size(), 1u);
  ASSERT_EQ(file.tensormaps.size(), 1u);
  EXPECT_EQ(file.tensormaps[0].swizzle, "128B_ATOM_32B_FLIP_8B");
  EXPECT_EQ(file.tensormaps[0].buffer, 0u);
  ASSERT_EQ(file.buffers[0].maps.size(), 1u);
  EXPECT_EQ(file.buffers[0].maps[0].first, 192u);
  EXPECT_EQ(file.buffers[0].maps[0].second, 0u);
}

TEST(Recorder, ListsWhatIsNotRecordedAndWhy) {
  setenv("TILESIM_RECORD_VALUES", "none", 1);
  Program program;
  program.Begin();
  Arguments a(program.memory());
  const Handle other = reinterpret_cast<Handle>(0x3000);
  program.Launches(other, a.values);
  // A fat binary with machine code only.
  uint64_t fat[] = {0x00100001ba55ed50,
                    64,
                    0x0000004001010002,
                    0,
                    0,
                    uint64_t{90} << 32,
                    0,
                    0,
                    0,
                    0};
  fat[5] = uint64_t{90} << 32;
  program.LoadsModule(other, fat);
  program.GetsFunction(other, other);
  program.Launches(other, a.values);
  program.LoadsModule(kModule, kPtx);
  program.GetsFunction(kFunction, kModule);
  program.Launches(kFunction, a.values, nullptr, 1);
  program.Launches(kFunction, a.values, other);  // a stream that captures
  EncodesMap(program, a, 7);
  program.Launches(kFunction, a.values);

  EXPECT_EQ(
      program.Text("launches.txt"),
      "0000\t?\tnot recorded: how the program got its handle was not seen\n"
      "0001\tk\tnot recorded: no PTX: its fat binary has no PTX: build it with "
      "PTX, too (nvcc -gencode arch=compute_90a,code=compute_90a)\n"
      "0002\tk\tnot recorded: the driver refused it\n"
      "0003\tk\t0003_k.json\tcaptured into a graph\n"
      "0004\tk\tnot recorded: a tensor map has swizzle 7, which descriptions "
      "have no word for\n");
  EXPECT_FALSE(program.Has("0003_values.json"));
}

TEST(Recorder, KeepsHashesAndSamples) {
  setenv("TILESIM_RECORD_VALUES", "sample", 1);
  Program program;
  program.Begin();
  Arguments a(program.memory());
  program.LoadsModule(kModule, kPtx);
  program.GetsFunction(kFunction, kModule);
  program.Launches(kFunction, a.values);
  const std::string values = program.Text("0000_values.json");
  EXPECT_NE(values.find("\"when\": \"before\""), std::string::npos) << values;
  EXPECT_NE(values.find("\"fnv1a\": \""), std::string::npos) << values;
  EXPECT_NE(values.find("\"sample\": [\"0:"), std::string::npos) << values;
}

TEST(Recorder, GivesWayToAnotherSubscriber) {
  setenv("FAKE_SUBSCRIBED", "1", 1);
  Program program;
  testing::internal::CaptureStderr();
  program.Begin();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tilesim: nothing is recorded: CUPTI has a subscriber already, "
            "such as a profiler\n");
  Arguments a(program.memory());
  program.Launches(kFunction, a.values);
  EXPECT_EQ(program.Text("launches.txt"), "");
}

TEST(Recorder, FindsPtxBesideACubinOfTritonsCache) {
  const fs::path folder = fs::temp_directory_path() / "tilesim_triton_cache";
  fs::create_directories(folder / "X");
  std::ofstream(folder / "X/mm.cubin") << "\177ELF machine code";
  std::ofstream(folder / "X/mm.ptx") << kPtx;
  EXPECT_EQ(CachedPtx(folder, "\177ELF machine code"), kPtx);
  EXPECT_EQ(CachedPtx(folder, "\177ELF other code"), "");
  EXPECT_EQ(CachedPtx(folder / "gone", "\177ELF"), "");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tilesim::ptx::record
