// Judges the mutants of every program of programs.txt, or of those named, and
// prints the table; what differs goes to stderr.
//
//   mutants [--survivors FILE] [PROGRAM...] > tests/mutants/table.md
//
// How large programs are, to choose what they are shrunk to:
//
//   mutants --positions MOST [--list FILE] [PROGRAM...]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "fmt/core.h"
#include "tests/mutants/table.h"

namespace tilesim::mutants {
namespace {

struct Options {
  std::set<std::string> programs;
  std::string survivors;
  std::string list = "tests/mutants/programs.txt";
  int64_t positions = 0;  // at most so many are counted
};

// -1: there are more than that.
void PrintPositions(std::vector<Entry> entries, int64_t most) {
  for (Entry& e : entries) {
    std::string why;
    auto subject = Load(e, why);
    if (!subject) {
      fmt::print("{} {}: {}\n", e.path, e.sizes, why);
      continue;
    }
    auto start = std::chrono::steady_clock::now();
    int64_t positions = PositionsOf(subject->codes, most);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    fmt::print("{} {}: {} positions, {:.2f} s, {} mutants\n", e.path, e.sizes,
               positions, time.count(), subject->mutants.size());
    std::fflush(stdout);
  }
}

class Run {
 public:
  Run(std::vector<Entry> entries, const std::string& survivors)
      : entries_(std::move(entries)), rows_(entries_.size()) {
    if (!survivors.empty()) survivors_.open(survivors);
  }

  bool All() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads.emplace_back([this] { Work(); });
    for (std::thread& t : threads) t.join();
    fmt::print("{}", ToMarkdown(rows_));
    return fine_;
  }

 private:
  void Work() {
    for (size_t i = next_++; i < entries_.size(); i = next_++) {
      std::string why;
      auto subject = Load(entries_[i], why);
      if (!subject) {
        fmt::print(stderr, "{}: {}\n", entries_[i].path, why);
        fine_ = false;
        continue;
      }
      rows_[i] = JudgeMutants(entries_[i], *subject,
                              [this](const Entry& e, const Mutant& m,
                                     const Judgement& j) { Tell(e, m, j); });
      fmt::print(stderr, "{}", Line(rows_[i]));
    }
  }

  void Tell(const Entry& e, const Mutant& m, const Judgement& j) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!j.difference.empty()) {
      fine_ = false;
      fmt::print(stderr, "{}:{}: {} `{}`: {}\n{}\n", e.path, m.line, m.kind,
                 m.what, j.difference, m.text);
    }
    if (j.certificate.answer == Answer::kClean)
      survivors_ << fmt::format("{}:{}: {} `{}`\n", e.path, m.line, m.kind,
                                m.what);
  }

  std::vector<Entry> entries_;
  std::vector<Row> rows_;
  std::ofstream survivors_;
  std::mutex mutex_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> fine_ = true;
};

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--survivors" && i + 1 < argc)
      options.survivors = argv[++i];
    else if (word == "--positions" && i + 1 < argc)
      options.positions = std::atoll(argv[++i]);
    else if (word == "--list" && i + 1 < argc)
      options.list = argv[++i];
    else
      options.programs.insert(word);
  }
  std::vector<Entry> entries = ReadEntries(options.list);
  if (!options.programs.empty())
    std::erase_if(entries, [&](const Entry& e) {
      return options.programs.count(e.path) == 0;
    });
  if (options.positions > 0) {
    PrintPositions(std::move(entries), options.positions);
    return 0;
  }
  return Run(std::move(entries), options.survivors).All() ? 0 : 1;
}

}  // namespace
}  // namespace tilesim::mutants

int main(int argc, char** argv) { return tilesim::mutants::Main(argc, argv); }
