// Judges programs that are clean in all sizes at more sizes, one by one:
//
//   sizes_oracle late FIRST COUNT      random programs, by seed
//   sizes_oracle forms FIRST COUNT     those of form.h: also whether the right
//                        ones are clean, and how many by kind
//   sizes_oracle mutants EVERY [PROGRAM...]
//                        those of tests/mutants/programs.txt with their sizes
//                        open, and every so manieth of their mutants
//   sizes_oracle file PROGRAM...
//
// With --from STEPS before these, only for sizes that begin so far out. With
// --without NAME, as if one condition of the proofs always held
// (checkers/proof): what is then wrong shows what it is for.
//
// What is clean in all sizes and not in one goes to stdout, with the program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checkers/proof/condition.h"
#include "fmt/core.h"
#include "frontend/parse.h"
#include "tests/mutants/table.h"
#include "tests/sizes/form.h"
#include "tests/sizes/larger.h"
#include "tests/sizes/late.h"

namespace tilesim::checkers {
namespace {

struct Count {
  int programs = 0, rejected = 0, checks = 0, findings = 0, incomplete = 0,
      clean = 0;
  int sizes = 0, open = 0, wrong = 0;
};

class Oracle {
 public:
  explicit Oracle(std::vector<int64_t> from) : from_(std::move(from)) {}

  // False: no program.
  void Judge(const std::string& name, const std::string& text) {
    ir::Diagnostics diagnostics;
    auto program = frontend::Parse({name, text}, diagnostics);
    ++count_.programs;
    if (!program) {
      ++count_.rejected;
      if (std::getenv("SIZES_VERBOSE") != nullptr)
        fmt::print("{}: {}\n{}", name, diagnostics.all()[0].message, text);
      return;
    }
    std::mt19937_64 random(std::hash<std::string>()(text));
    for (int64_t steps : from_) {
      if (steps > 0 && !HasOpenParam(*program)) break;
      Tell(name, text, steps,
           JudgeLarger(WithoutSmall(*program, steps), effort_, random));
    }
  }

  void Tell(const std::string& name, const std::string& text, int64_t steps,
            const Larger& l) {
    ++count_.checks;
    bool clean = l.verdict == Verdict::kClean && l.all_sizes;
    count_.findings += l.verdict == Verdict::kFindings;
    count_.clean += clean;
    count_.incomplete += l.verdict != Verdict::kFindings && !clean;
    count_.sizes += l.sizes;
    count_.open += l.open;
    if (l.wrong.empty()) return;
    ++count_.wrong;
    fmt::print("WRONG CLEAN {}, from step {}: {}\n{}\n", name, steps, l.wrong,
               text);
    std::fflush(stdout);
  }

  void Tell(const std::string& of) const {
    const Count& c = count_;
    fmt::print(stderr,
               "{}: {} programs, {} rejected, {} checks: {} findings, {} "
               "incomplete, {} "
               "clean in all sizes: {} sizes more, {} incomplete, {} wrong\n",
               of, c.programs, c.rejected, c.checks, c.findings, c.incomplete,
               c.clean, c.sizes, c.open, c.wrong);
  }
  bool fine() const { return count_.wrong == 0; }

 private:
  Effort effort_;
  std::vector<int64_t> from_;
  Count count_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Its sizes open; what it is shrunk to tells which ops are executed.
void JudgeMutants(mutants::Entry entry, size_t every, Oracle& oracle) {
  entry.edits.clear();
  std::string why;
  auto subject = mutants::Load(entry, why);
  if (!subject) {
    fmt::print(stderr, "{}: {}\n", entry.path, why);
    return;
  }
  if (!HasOpenParam(subject->program)) return;
  oracle.Judge(entry.path, ReadFile(entry.path));
  for (size_t i = 0; i < subject->mutants.size(); i += every) {
    const mutants::Mutant& m = subject->mutants[i];
    oracle.Judge(
        fmt::format("{}:{}: {} `{}`", entry.path, m.line, m.kind, m.what),
        m.text);
  }
  oracle.Tell(entry.path);
}

// How programs of one kind were judged.
struct Judged {
  int clean = 0, findings = 0, incomplete = 0;

  void Add(const Larger& l) {
    bool shown = l.verdict == Verdict::kClean && l.all_sizes;
    clean += shown;
    findings += l.verdict == Verdict::kFindings;
    incomplete += l.verdict != Verdict::kFindings && !shown;
  }
  std::string Text() const {
    return fmt::format("{:5} clean {:5} findings {:5} incomplete", clean,
                       findings, incomplete);
  }
};

// Judges programs of form.h, and counts them by their shape.
class Forms {
 public:
  Forms() {
    effort_.sizes = 8;
    effort_.seconds = 0.5;
  }

  void Judge(uint64_t seed) {
    Form form = RandomForm(seed);
    const std::string name = fmt::format("form {}", seed);
    ir::Diagnostics diagnostics;
    auto program =
        frontend::Parse({name, form.text}, diagnostics, form.defines);
    auto edited = frontend::Parse({name, form.Edited()}, diagnostics);
    const bool right = form.mutation.empty();
    // Some mutants are none.
    if ((!program || !edited) && !right) return;
    ++programs_;
    for (const std::string& feature : form.uses) ++uses_[feature];
    if (!program || !edited)
      return Tell("NO PROGRAM", name, form, diagnostics.all()[0].message);
    std::mt19937_64 random(seed);
    // A mistake that the smallest sizes show says nothing of others.
    for (int64_t steps : {0, 9}) {
      if (right && steps > 0) break;
      Larger l = JudgeLarger(WithoutSmall(*program, steps), form.defines,
                             WithoutSmall(*edited, steps), effort_, random);
      auto& [of_right, of_mutated] = kinds_[form.shape];
      (right ? of_right : of_mutated).Add(l);
      sizes_ += l.sizes;
      if (!l.wrong.empty()) Tell("WRONG CLEAN", name, form, l.wrong);
      if (right && l.verdict == Verdict::kFindings)
        Tell("ALARM", name, form, l.told);
      if (right && l.verdict == Verdict::kIncomplete &&
          std::getenv("SIZES_VERBOSE") != nullptr)
        fmt::print("OPEN {} ({}): {}\n", name, form.shape, l.told);
    }
  }

  void Tell() const {
    for (const auto& [shape, judged] : kinds_)
      fmt::print(stderr, "{:40} right   {}\n{:40} mutated {}\n", shape,
                 judged.first.Text(), "", judged.second.Text());
    for (const auto& [feature, programs] : uses_)
      fmt::print(stderr, "{:40} {} programs\n", feature, programs);
    fmt::print(stderr, "{} programs; {} sizes more, {} wrong\n", programs_,
               sizes_, wrong_);
  }
  bool fine() const { return wrong_ == 0; }

 private:
  void Tell(const char* what, const std::string& name, const Form& form,
            const std::string& why) {
    ++wrong_;
    fmt::print("{} {} ({}): {}\n{}\n", what, name, form.mutation, why,
               form.Edited());
    std::fflush(stdout);
  }

  Effort effort_;
  std::map<std::string, std::pair<Judged, Judged>> kinds_;  // right, mutated
  std::map<std::string, int> uses_;
  int programs_ = 0, sizes_ = 0, wrong_ = 0;
};

int JudgeForms(uint64_t first, uint64_t count) {
  Forms forms;
  for (uint64_t seed = first; seed < first + count; ++seed) forms.Judge(seed);
  forms.Tell();
  return forms.fine() ? 0 : 1;
}

int Main(std::vector<std::string> words) {
  std::vector<int64_t> from = {0, 5, 14};
  if (words.size() > 2 && words[0] == "--from") {
    from = {std::atoll(words[1].c_str())};
    words.erase(words.begin(), words.begin() + 2);
  }
  std::optional<proof::Weakened> without;
  if (words.size() > 2 && words[0] == "--without") {
    const auto all = proof::Conditions();
    auto named = std::find_if(all.begin(), all.end(), [&](const auto& n) {
      return n.name == words[1];
    });
    if (named == all.end()) {
      fmt::print(stderr, "no condition {}\n", words[1]);
      return 2;
    }
    without.emplace(named->condition);
    words.erase(words.begin(), words.begin() + 2);
  }
  std::string what = words.empty() ? "" : words[0];
  if (what == "forms" && words.size() == 3)
    return JudgeForms(std::atoll(words[1].c_str()),
                      std::atoll(words[2].c_str()));
  Oracle oracle(std::move(from));
  if (what == "late" && words.size() == 3) {
    uint64_t first = std::atoll(words[1].c_str());
    uint64_t count = std::atoll(words[2].c_str());
    for (uint64_t i = first; i < first + count; ++i) {
      oracle.Judge(fmt::format("late {}", i), LateProgram(i));
      if ((i + 1) % 200 == 0) oracle.Tell(fmt::format("up to {}", i));
    }
  } else if (what == "mutants" && words.size() > 1) {
    size_t every = std::max(1, std::atoi(words[1].c_str()));
    std::set<std::string> only(words.begin() + 2, words.end());
    for (mutants::Entry& e :
         mutants::ReadEntries("tests/mutants/programs.txt")) {
      if (only.empty() || only.count(e.path) != 0)
        JudgeMutants(std::move(e), every, oracle);
    }
  } else if (what == "file") {
    for (size_t i = 1; i < words.size(); ++i)
      oracle.Judge(words[i], ReadFile(words[i]));
  } else {
    fmt::print(stderr,
               "late FIRST COUNT | forms FIRST COUNT | mutants EVERY [FILE...] "
               "| file FILE...\n");
    return 2;
  }
  oracle.Tell("all");
  return oracle.fine() ? 0 : 1;
}

}  // namespace
}  // namespace tilesim::checkers

int main(int argc, char** argv) {
  return tilesim::checkers::Main({argv + 1, argv + argc});
}
