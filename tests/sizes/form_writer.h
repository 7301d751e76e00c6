// What the random programs of form.h are written with: text, choices that a
// seed makes, and sites of which one is mutated.
#ifndef TILESIM_TESTS_SIZES_FORM_WRITER_H_
#define TILESIM_TESTS_SIZES_FORM_WRITER_H_

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ir/bind.h"
#include "tests/sizes/text_writer.h"

namespace tilesim::checkers {

class FormWriter : public TextWriter {
 public:
  // Choices follow from `seed` alone. The site `mutated` (from 1; 0: none) is
  // wrong, in a way that `how` chooses.
  FormWriter(uint64_t seed, int mutated, uint64_t how)
      : choices_(seed), how_(how), decoys_(~seed), mutated_(mutated) {}

  int sites() const { return sites_; }
  const std::string& mutation() const { return mutation_; }
  const ir::Overrides& defines() const { return defines_; }
  const std::set<std::string>& uses() const { return uses_; }

 protected:
  int Below(int end) { return static_cast<int>(choices_() % end); }
  bool Coin() { return Below(2) == 0; }

  // What is counted: each is to occur.
  void Uses(const char* feature) { uses_.insert(feature); }

  // A constant; of half of them the text has another value, and -D gives it.
  void Constant(const std::string& name, int value) {
    int written = value;
    if (decoys_() % 2 == 0) {
      written = 1 + static_cast<int>(decoys_() % 5);
      defines_[name] = value;
    }
    if (written != value) Uses("-D constants");
    Line("const {} = {}", name, written);
  }

  // Whether this site is the one that is wrong.
  bool Mutated(const char* what) {
    if (++sites_ != mutated_) return false;
    mutation_ = what;
    return true;
  }
  int How(int ways) { return static_cast<int>(how_() % ways); }

  // A statement that may be missing, always or in some turns of `n`.
  void Needed(const std::string& statement, const std::string& n) {
    if (!Mutated("a statement is missing")) return Line("{}", statement);
    if (How(2) == 0) return;
    Block("if " + SomeTurns(n), [&] { Line("{}", statement); });
  }
  // A number that may be one more or less.
  int About(int right) {
    if (!Mutated("a number is one off")) return right;
    return How(2) == 0 && right > 1 ? right - 1 : right + 1;
  }
  std::string SomeTurns(const std::string& n) {
    switch (How(5)) {
      case 0:
        return fmt::format("{} != {}", n, How(9));
      case 1:
        return fmt::format("{} < {}", n, 1 + How(9));
      case 2:
        return fmt::format("{} > {}", n, How(5));
      case 3:
        return fmt::format("{} % {} != 1", n, 2 + How(4));
      default:
        return fmt::format("{} / 3 % 2 == 0", n);
    }
  }

 private:
  std::mt19937_64 choices_, how_, decoys_;
  const int mutated_;
  int sites_ = 0;
  std::string mutation_;
  ir::Overrides defines_;
  std::set<std::string> uses_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_FORM_WRITER_H_
