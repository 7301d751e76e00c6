// TILESIM_RANDOM_PROGRAMS=N tries N programs, TILESIM_RANDOM_SEED is the first.
// 1,500 from seed 1 were compared when flags, counters and test_wait were
// added: 1,399 decided, 615 certified, none differing.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "tests/agree/compare.h"
#include "tests/agree/random_program.h"
#include "tests/sizes/form.h"

namespace tilesim::checkers {
namespace {

constexpr int64_t kPrograms = 1'500;
constexpr int64_t kForms = 48;
constexpr int64_t kMaxStates = 20'000;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

// In how many programs each of some words occurs: a generator that no longer
// writes one tests nothing of it.
class Occurrences {
 public:
  explicit Occurrences(const std::vector<std::string>& words) {
    for (const std::string& word : words) programs_[word] = 0;
  }
  void Count(const std::string& text) {
    for (auto& [word, programs] : programs_)
      programs += text.find(word) != std::string::npos;
  }
  void Tell() const {
    for (const auto& [word, programs] : programs_) {
      std::printf("  with %s: %lld\n", word.c_str(),
                  static_cast<long long>(programs));
      EXPECT_GT(programs, 0) << word;
    }
  }

 private:
  std::map<std::string, int64_t> programs_;
};

void CompareAll(std::string (*text)(uint64_t), Occurrences occurrences) {
  int64_t programs = FromEnvironment("TILESIM_RANDOM_PROGRAMS", kPrograms);
  int64_t seed = FromEnvironment("TILESIM_RANDOM_SEED", 1);
  int64_t decided = 0, certified = 0, bad = 0, determined = 0;
  int64_t plain = 0, reduced = 0, differing = 0;
  for (int64_t i = 0; i < programs; ++i) {
    ir::Source source{"random.tile", text(seed + i)};
    ir::Diagnostics diagnostics;
    std::optional<ir::Program> program = frontend::Parse(source, diagnostics);
    occurrences.Count(source.text);
    for (const ir::Diagnostic& d : diagnostics.all())
      ASSERT_NE(d.severity, ir::Severity::kError)
          << Render(d, source) << source.text;
    Agreement a = Compare(*program, {}, kMaxStates);
    decided += a.decided;
    certified += a.certified;
    bad += a.bad;
    determined += a.determined;
    plain += a.plain;
    reduced += a.reduced;
    if (a.difference.empty()) continue;
    ADD_FAILURE() << "seed " << seed + i << ": " << a.difference << "\n"
                  << source.text;
    if (++differing == 3) return;
  }
  std::printf(
      "%lld programs: %lld decided, %lld certified, %lld bad, %lld determined, "
      "%lld states plain, %lld reduced\n",
      static_cast<long long>(programs), static_cast<long long>(decided),
      static_cast<long long>(certified), static_cast<long long>(bad),
      static_cast<long long>(determined), static_cast<long long>(plain),
      static_cast<long long>(reduced));
  occurrences.Tell();
  EXPECT_GE(decided, programs * 9 / 10);
  EXPECT_GE(certified, programs / 100);
}

TEST(Agree, RandomProtocols) {
  CompareAll(RandomProgram,
             Occurrences({"bulk.load", "expect_tx ", "fence.proxy.async",
                          "ld.acquire", "ld.relaxed", "st.release", "atom.add",
                          "mbarrier.test_wait", "while"}));
}

TEST(Agree, RandomWideProtocols) {
  CompareAll(RandomWideProgram,
             Occurrences({".release.cluster", ".relaxed.cluster",
                          ".release.cta", "fence.acq_rel.cluster", "bar.sync 3",
                          "barrier.cluster.arrive", "bulk.store", "cp.async ",
                          "cp.async.mbarrier.arrive", "bar.warp.sync"}));
}

// A few of each parameter: what the plain search gets through.
ir::Overrides SmallSizes(const ir::Kernel& kernel, std::mt19937_64& random) {
  ir::Overrides out;
  for (const ir::Param& p : kernel.params) {
    int64_t high = std::min(p.high.value_or(p.low + 3), p.low + 3);
    out[p.name] = p.low + static_cast<int64_t>(random() % (high - p.low + 1));
  }
  return out;
}

// Forms of ordinary kernels: the certificate and what is said of all sizes
// against every schedule of some sizes. Constants that -D gives are asked for
// by it, and compared with the text that has them.
class FormsAgree {
 public:
  void Judge(uint64_t seed) {
    Form form = RandomForm(seed);
    ir::Diagnostics diagnostics;
    std::optional<ir::Program> defined =
        frontend::Parse({"form.tile", form.text}, diagnostics, form.defines);
    std::optional<ir::Program> program =
        frontend::Parse({"form.tile", form.Edited()}, diagnostics);
    // Some mutants are none.
    if ((!program || !defined) && !form.mutation.empty()) return;
    ASSERT_TRUE(program && defined) << form.text;
    for (const std::string& feature : form.uses) ++uses_[feature];
    CheckOptions options;
    options.defines = form.defines;
    const CheckReport all = Check(*defined, options);
    const bool clean = all.verdict == Verdict::kClean && all.scope.all_sizes;
    clean_ += clean;
    std::mt19937_64 random(seed);
    for (int size = 0; size < 2; ++size) {
      const ir::Overrides sizes = SmallSizes(program->kernels[0], random);
      Agreement a = Compare(*program, sizes, kMaxStates);
      ++compared_;
      decided_ += a.decided;
      certified_ += a.certified;
      if (clean && a.wrong)
        a.difference = "clean at all sizes, but some schedule has an error";
      if (form.mutation.empty() && a.wrong)
        a.difference = "right, but some schedule has an error";
      std::string at;
      for (const auto& [name, value] : sizes)
        at += name + " = " + std::to_string(value) + " ";
      EXPECT_EQ(a.difference, "") << "seed " << seed << " at " << at << "\n"
                                  << form.Edited();
    }
  }

  void Tell(int64_t programs) const {
    std::printf(
        "%lld programs: %lld clean at all sizes; %lld sizes compared, %lld "
        "decided, %lld certified\n",
        static_cast<long long>(programs), static_cast<long long>(clean_),
        static_cast<long long>(compared_), static_cast<long long>(decided_),
        static_cast<long long>(certified_));
    for (const char* feature :
         {"index forms", "raw copies", "scopes", "exits", "-D constants"}) {
      auto used = uses_.find(feature);
      const int64_t n = used == uses_.end() ? 0 : used->second;
      std::printf("  with %s: %lld\n", feature, static_cast<long long>(n));
      EXPECT_GT(n, 0) << feature;
    }
    EXPECT_GE(decided_, compared_ / 2);
    EXPECT_GE(clean_, programs / 4);
  }

 private:
  std::map<std::string, int64_t> uses_;
  int64_t clean_ = 0, compared_ = 0, decided_ = 0, certified_ = 0;
};

TEST(Agree, RandomForms) {
  int64_t programs = FromEnvironment("TILESIM_RANDOM_PROGRAMS", kForms);
  int64_t seed = FromEnvironment("TILESIM_RANDOM_SEED", 1);
  FormsAgree forms;
  for (int64_t i = 0; i < programs; ++i) {
    forms.Judge(seed + i);
    if (HasFailure()) break;
  }
  forms.Tell(programs);
}

}  // namespace
}  // namespace tilesim::checkers
