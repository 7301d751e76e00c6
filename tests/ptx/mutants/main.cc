// Judges mutants of kernels of PTX in three ways, and says where they differ.
//
//   ptx_mutants [--every K] [--first I] [--dump DIR] PTX LAUNCH ...
//
// prints a line a mutant, words parted by tabs: file, kind, what, line, whether
// it stands in a loop, what certificate, reduced and plain search say, the
// codes of what is wrong, the statement; `--every K` takes each K-th mutant of
// all files, from the I-th on. What differs goes to stderr, its text to DIR.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "ptx/text/printer.h"
#include "tests/ptx/mutants/subject.h"

namespace tilesim::ptx_mutants {
namespace {

using mutants::Answer;
using mutants::Judgement;
using mutants::Opinion;

// Positions of the kernel itself; one that has more is only looked at.
constexpr int64_t kMaxStates = 20'000;
constexpr int64_t kLook = 2'000;

struct Options {
  std::vector<std::pair<std::string, std::string>> files;  // PTX, launch
  size_t every = 1, first = 0;
  std::string dump;  // where the text of what differs is written
};

std::string_view Word(const Opinion& o) {
  return o.answer == Answer::kClean      ? "clean"
         : o.answer == Answer::kFindings ? "findings"
                                         : "open";
}

std::string Codes(const Judgement& j) {
  std::string out;
  for (const std::string& code : j.certificate.codes)
    out += (out.empty() ? "" : " ") + code;
  return out;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  bool All() {
    for (const auto& [ptx, launch] : options_.files) One(ptx, launch);
    return fine_;
  }

 private:
  void One(const std::string& ptx, const std::string& launch) {
    std::string why;
    std::optional<Subject> subject = Load(ptx, launch, why);
    if (!subject) {
      fmt::print(stderr, "{}: {}\n", ptx, why);
      fine_ = false;
      return;
    }
    std::map<size_t, int64_t> limits;  // by function; 0: it is wrong itself
    for (const Mutant& m : subject->mutants) {
      if (next_++ % options_.every != options_.first) continue;
      if (limits.count(m.function) == 0)
        limits[m.function] = LimitFor(*subject, m.function);
      if (limits[m.function] > 0) Judge(*subject, m, limits[m.function]);
    }
  }

  // Mutants are of kernels that are right.
  int64_t LimitFor(const Subject& subject, size_t function) {
    std::string why;
    auto j = JudgeModule(subject, subject.module, function, kMaxStates, why);
    if (j) Compare(subject, "as it is", *j, subject.module);
    const bool right =
        j && j->certificate.answer == Answer::kClean && j->difference.empty();
    if (!right) {
      fmt::print(stderr, "{}: passed over: {}\n", subject.name,
                 j ? Word(j->certificate) : why);
      return 0;
    }
    return j->oracle.answer == Answer::kClean ? 2 * j->states + 1'000 : kLook;
  }

  void Judge(const Subject& subject, const Mutant& m, int64_t limit) {
    const ptx::Module broken = Apply(subject.module, m);
    const ptx::Statement& s = subject.module.functions[m.function].body[m.at];
    std::string why;
    auto j = JudgeModule(subject, broken, m.function, limit, why);
    const std::string what =
        fmt::format("{}\t{}\t{}\t{}\t{}", subject.name, m.kind, m.what,
                    s.span.line, m.in_loop ? "loop" : "");
    const std::string text = ptx::Print(s);
    if (!j) {
      fmt::print("{}\trefused\t\t\t{}\t{}\n", what, why, text);
    } else {
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", what, Word(j->certificate),
                 Word(j->reduced), Word(j->oracle), Codes(*j),
                 text.substr(0, 120));
      Compare(subject, what + "\t" + text, *j, broken);
    }
    std::fflush(stdout);
  }

  void Compare(const Subject& subject, const std::string& what,
               const Judgement& j, const ptx::Module& module) {
    if (j.difference.empty()) return;
    fine_ = false;
    fmt::print(stderr, "{}: {}: {}\n", subject.name, what, j.difference);
    if (options_.dump.empty()) return;
    const std::string path =
        fmt::format("{}/{}.{}.ptx", options_.dump, subject.name, next_);
    if (std::FILE* file = std::fopen(path.c_str(), "w")) {
      fmt::print(file, "{}", ptx::Print(module));
      std::fclose(file);
    }
  }

  const Options& options_;
  size_t next_ = 0;
  bool fine_ = true;
};

size_t Number(const std::string& word) {
  size_t out = 0;
  std::from_chars(word.data(), word.data() + word.size(), out);
  return out;
}

int Main(int argc, char** argv) {
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--every" && i + 1 < argc)
      options.every = std::max<size_t>(1, Number(argv[++i]));
    else if (word == "--first" && i + 1 < argc)
      options.first = Number(argv[++i]);
    else if (word == "--dump" && i + 1 < argc)
      options.dump = argv[++i];
    else
      files.push_back(word);
  }
  for (size_t i = 0; i + 1 < files.size(); i += 2)
    options.files.emplace_back(files[i], files[i + 1]);
  return Run(options).All() ? 0 : 1;
}

}  // namespace
}  // namespace tilesim::ptx_mutants

int main(int argc, char** argv) {
  return tilesim::ptx_mutants::Main(argc, argv);
}
