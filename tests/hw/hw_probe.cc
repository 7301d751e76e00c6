// Runs one .tile file on the GPU of this machine and writes down what came out.
// A development tool: `tilesim hw` is the command for users.
//
//   hw_probe gemm.tile -D M=512 -D N=512 -D K=256 --out results --repeats 20
//
// Writes DIR/NAME.npy for every tensor the kernel writes, and the seeded
// inputs as DIR/in_NAME.npy with --save-inputs; prints one JSON object.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "frontend/bind.h"
#include "frontend/parse.h"
#include "hwtests/emit/emit.h"
#include "hwtests/run/inputs.h"
#include "hwtests/run/run.h"
#include "ir/cat.h"
#include "ir/values/npy.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

constexpr int kBadInput = 2;
constexpr int kNoDevice = 4;
constexpr int kFindings = 1;

constexpr char kUsage[] =
    "usage: hw_probe FILE [-D NAME=VALUE]... [--seed N] [--out DIR]\n"
    "  [--in NAME=FILE.npy]... [--save-inputs] [--repeats N] [--warmups N]\n"
    "  [--flush] [--timeout SECONDS] [--debug] [--wait-ms N] [--cycles]\n"
    "  [--standalone] [--emit FILE.cu] [--compile-only] [--sm-count N]\n"
    "  [--keep DIR]\n";

struct Flags {
  std::string file, out, emit, keep;
  ir::Overrides overrides;
  std::map<std::string, std::string> inputs;
  uint64_t seed = 1;
  int repeats = 0, warmups = 1;
  bool flush = false, debug = false, cycles = false, save_inputs = false;
  bool compile_only = false, standalone = false;
  double timeout_s = 10;
  int64_t wait_ms = 2000;
  int64_t sm_count = 0;  // 0: ask the device
};

bool SplitPair(const std::string& text, std::string* name, std::string* value) {
  size_t at = text.find('=');
  if (at == std::string::npos) return false;
  *name = text.substr(0, at);
  *value = text.substr(at + 1);
  return true;
}

// Flags without a value.
bool* Switch(Flags& f, const std::string& a) {
  if (a == "--flush") return &f.flush;
  if (a == "--debug") return &f.debug;
  if (a == "--cycles") return &f.cycles;
  if (a == "--save-inputs") return &f.save_inputs;
  if (a == "--compile-only") return &f.compile_only;
  if (a == "--standalone") return &f.standalone;
  return nullptr;
}

bool SetValue(Flags& f, const std::string& a, const std::string& v) {
  std::string name, value;
  if (a == "-D") {
    if (!SplitPair(v, &name, &value)) return false;
    f.overrides[name] = std::strtoll(value.c_str(), nullptr, 0);
  } else if (a == "--in") {
    if (!SplitPair(v, &name, &value)) return false;
    f.inputs[name] = value;
  } else if (a == "--seed") {
    f.seed = std::strtoull(v.c_str(), nullptr, 0);
  } else if (a == "--out") {
    f.out = v;
  } else if (a == "--emit") {
    f.emit = v;
  } else if (a == "--keep") {
    f.keep = v;
  } else if (a == "--repeats") {
    f.repeats = std::atoi(v.c_str());
  } else if (a == "--warmups") {
    f.warmups = std::atoi(v.c_str());
  } else if (a == "--timeout") {
    f.timeout_s = std::atof(v.c_str());
  } else if (a == "--wait-ms") {
    f.wait_ms = std::atoll(v.c_str());
  } else if (a == "--sm-count") {
    f.sm_count = std::atoll(v.c_str());
  } else {
    return false;
  }
  return true;
}

bool ParseFlags(int argc, char** argv, Flags* f) {
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (bool* flag = Switch(*f, a)) {
      *flag = true;
    } else if (a.starts_with("-D") && a.size() > 2) {
      if (!SetValue(*f, "-D", a.substr(2))) return false;
    } else if (a.starts_with("-")) {
      if (i + 1 == argc || !SetValue(*f, a, argv[++i])) return false;
    } else {
      f->file = a;
    }
  }
  return !f->file.empty();
}

int Fail(const absl::Status& status) {
  HwError error = HwErrorOf(status);
  nlohmann::json j = {{"error", Name(error)},
                      {"message", std::string(status.message())}};
  std::cout << j.dump(1) << "\n";
  bool missing = error == HwError::kNoDriver || error == HwError::kNoDevice ||
                 error == HwError::kNoNvrtc || error == HwError::kWrongArch;
  return missing ? kNoDevice : kFindings;
}

std::vector<std::string> ChildCommand() {
  return {"/proc/self/exe", "--child"};
}

std::optional<Lowered> LowerFile(const Flags& f, int64_t sm_count) {
  std::ifstream in(f.file);
  ir::Source source{f.file, std::string(std::istreambuf_iterator<char>(in),
                                        {})};
  ir::Diagnostics diagnostics;
  std::optional<Lowered> lowered;
  auto program = frontend::Parse(source, diagnostics);
  if (program) {
    auto bound = frontend::BindProgram(*program, f.overrides, sm_count,
                                       diagnostics);
    EmitOptions options;
    options.debug = f.debug;
    options.cycles = f.cycles;
    options.standalone = f.standalone;
    options.wait_limit_ms = f.wait_ms;
    options.file = f.file;
    if (bound) lowered = Lower(*program, *bound, options, diagnostics);
  }
  for (const ir::Diagnostic& d : diagnostics.all())
    std::cerr << ir::Render(d, source);
  return lowered;
}

absl::Status ReadInputs(const Flags& f, HwJob* job) {
  job->inputs = SeededInputs(job->plan, f.seed);
  for (const GlobalPlan& g : job->plan.globals) {
    auto it = f.inputs.find(g.name);
    if (it == f.inputs.end()) continue;
    auto tensor = values::ReadNpy(it->second, g.dtype, g.shape);
    if (!tensor.ok()) return tensor.status();
    job->inputs[g.name] = FromTensor(g, *tensor);
  }
  return absl::OkStatus();
}

absl::Status WriteTensors(const Flags& f, const HwJob& job,
                          const HwResult& result) {
  if (f.out.empty()) return absl::OkStatus();
  std::filesystem::create_directories(f.out);
  for (const GlobalPlan& g : job.plan.globals) {
    absl::Status status;
    if (auto it = result.outputs.find(g.name); it != result.outputs.end())
      status = values::WriteNpy(ir::Cat(f.out, "/", g.name, ".npy"),
                                ToTensor(g, it->second));
    auto in = job.inputs.find(g.name);
    if (status.ok() && f.save_inputs && in != job.inputs.end())
      status = values::WriteNpy(ir::Cat(f.out, "/in_", g.name, ".npy"),
                                ToTensor(g, in->second));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void Print(const Flags& f, const HwJob& job, const HwResult& r) {
  nlohmann::json j = {{"file", f.file},
                      {"device", r.device},
                      {"driver", r.driver},
                      {"sm_count", r.sm_count},
                      {"clock_mhz", r.clock_mhz},
                      {"boost_mhz", r.boost_mhz},
                      {"times_us", r.times_us},
                      {"seed", f.seed},
                      {"kernels", ToJson(job.plan).at("kernels")}};
  if (!r.cta_cycles.empty()) j["cta_cycles"] = r.cta_cycles;
  if (!r.log.empty()) j["compiler"] = r.log;
  if (!f.out.empty()) std::ofstream(f.out + "/probe.json") << j.dump(1) << "\n";
  std::cout << j.dump(1) << "\n";
}

int Run(const Flags& f) {
  int64_t sm_count = f.sm_count;
  if (sm_count == 0) {
    absl::StatusOr<int64_t> asked = DeviceSmCount(ChildCommand());
    if (!asked.ok()) return Fail(asked.status());
    sm_count = *asked;
  }
  std::optional<Lowered> lowered = LowerFile(f, sm_count);
  if (!lowered) return kBadInput;
  if (!f.emit.empty()) std::ofstream(f.emit) << lowered->cuda;
  if (f.compile_only) return 0;
  HwJob job;
  job.cuda = lowered->cuda;
  job.plan = lowered->plan;
  job.repeats = f.repeats;
  job.warmups = f.warmups;
  job.flush_l2 = f.flush;
  job.timeout_s = f.timeout_s;
  job.keep_directory = f.keep;
  job.child_command = ChildCommand();
  absl::Status status = ReadInputs(f, &job);
  if (!status.ok()) return Fail(status);
  absl::StatusOr<HwResult> result = RunOnDevice(job);
  if (!result.ok()) return Fail(result.status());
  status = WriteTensors(f, job, *result);
  if (!status.ok()) return Fail(status);
  Print(f, job, *result);
  return 0;
}

}  // namespace
}  // namespace tilesim::hwtests

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0)
    return tilesim::hwtests::HwChild(argv[2]);
  tilesim::hwtests::Flags flags;
  if (!tilesim::hwtests::ParseFlags(argc, argv, &flags)) {
    std::cerr << tilesim::hwtests::kUsage;
    return tilesim::hwtests::kBadInput;
  }
  return tilesim::hwtests::Run(flags);
}
