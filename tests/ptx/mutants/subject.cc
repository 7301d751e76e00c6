#include "tests/ptx/mutants/subject.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "checkers/pipeline/run_some.h"
#include "ptx/machine/lower.h"
#include "ptx/text/parser.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::ptx_mutants {
namespace {

constexpr int64_t kMaxEvents = 20'000;
constexpr int kMostAttempts = 12, kMostRounds = 4;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string First(const ir::Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "refused" : diagnostics.all()[0].message;
}

bool IsOf(const ptx::Launch& launch, const std::string& name) {
  return launch.ptx.empty() ||
         std::filesystem::path(launch.ptx).filename().string() == name;
}

size_t FunctionOf(const ptx::Module& module, const std::string& kernel) {
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].name == kernel) return i;
  }
  return SIZE_MAX;
}

// Code of one launch, as the command has it when it starts to judge.
std::optional<ptx::Lowered> LowerOne(const Subject& subject,
                                     const ptx::Module& module, size_t launch,
                                     ptx::Followed& followed,
                                     std::string& why) {
  std::optional<ptx::Lowered> out;
  auto sets = std::make_shared<machine::ByteSets>();
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    ir::Diagnostics diagnostics;
    out = ptx::Lower(module, subject.launches, launch, followed, sets,
                     diagnostics);
    if (!out) {
      why = First(diagnostics);
      return out;
    }
    checkers::pipeline::RunSome(*out->code, !followed.words.empty(),
                                kMaxEvents);
    if (!out->guide->Grow(followed)) break;
  }
  ptx::NameFound(*out);
  return out;
}

// What is not looked at is no proof.
void LeaveOpen(mutants::Opinion& opinion) {
  if (opinion.answer == mutants::Answer::kClean)
    opinion.answer = mutants::Answer::kUndecided;
}

std::optional<mutants::Judgement> JudgeLaunch(const Subject& subject,
                                              const ptx::Module& module,
                                              size_t launch, int64_t max_states,
                                              std::string& why) {
  ptx::Followed followed;
  std::optional<mutants::Judgement> out;
  for (int round = 0; round < kMostRounds; ++round) {
    auto code = LowerOne(subject, module, launch, followed, why);
    if (!code) return std::nullopt;
    out = mutants::Judge({code->code.get()}, max_states);
    if (!code->open.empty()) {
      LeaveOpen(out->certificate);
      LeaveOpen(out->reduced);
      LeaveOpen(out->oracle);
    }
    if (!code->guide->Grow(followed)) break;
  }
  return out;
}

}  // namespace

std::optional<Subject> Load(const std::string& ptx, const std::string& launch,
                            std::string& why) {
  Subject out;
  out.name = std::filesystem::path(ptx).filename().string();
  ir::Diagnostics diagnostics;
  auto module = ptx::Parse({ptx, ReadFile(ptx)}, diagnostics);
  if (!module) {
    why = First(diagnostics);
    return std::nullopt;
  }
  std::vector<ptx::LaunchError> errors;
  auto launches = ptx::ReadLaunch(ReadFile(launch), errors);
  if (!launches) {
    why = errors.empty() ? "no launch" : errors[0].message;
    return std::nullopt;
  }
  out.module = std::move(*module);
  out.launches = std::move(*launches);
  std::vector<bool> done(out.module.functions.size());
  for (const ptx::Launch& l : out.launches.launches) {
    const size_t f = FunctionOf(out.module, l.kernel);
    if (f == SIZE_MAX || done[f] || !IsOf(l, out.name)) continue;
    done[f] = true;
    for (Mutant& m : MutantsOf(out.module, f))
      out.mutants.push_back(std::move(m));
  }
  return out;
}

std::optional<mutants::Judgement> JudgeModule(const Subject& subject,
                                              const ptx::Module& module,
                                              size_t function,
                                              int64_t max_states,
                                              std::string& why) {
  const std::vector<ptx::Launch>& launches = subject.launches.launches;
  for (size_t i = 0; i < launches.size(); ++i) {
    if (!IsOf(launches[i], subject.name) ||
        FunctionOf(module, launches[i].kernel) != function)
      continue;
    std::vector<ptx::LaunchError> errors =
        ptx::Fits(module, subject.launches, i);
    if (!errors.empty()) {
      why = errors[0].message;
      return std::nullopt;
    }
    return JudgeLaunch(subject, module, i, max_states, why);
  }
  why = "no launch has that kernel";
  return std::nullopt;
}

}  // namespace tilesim::ptx_mutants
