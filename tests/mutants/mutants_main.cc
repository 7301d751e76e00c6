// Judges the mutants of every program of programs.txt, or of those named, and
// prints the table; what differs goes to stderr.
//
//   mutants [--survivors FILE] [PROGRAM...] > tests/mutants/table.md
#include <atomic>
#include <cstdio>
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
};

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
    else
      options.programs.insert(word);
  }
  std::vector<Entry> entries = ReadEntries("tests/mutants/programs.txt");
  if (!options.programs.empty())
    std::erase_if(entries, [&](const Entry& e) {
      return options.programs.count(e.path) == 0;
    });
  return Run(std::move(entries), options.survivors).All() ? 0 : 1;
}

}  // namespace
}  // namespace tilesim::mutants

int main(int argc, char** argv) { return tilesim::mutants::Main(argc, argv); }
