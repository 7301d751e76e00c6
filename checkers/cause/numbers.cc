#include "checkers/cause/numbers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checkers/cause/wrong_number.h"

namespace tilesim::checkers::cause {
using report::Finding;
using report::Findings;

namespace {

class Numbers {
 public:
  explicit Numbers(Explanation& x) : x_(x) {}

  static bool TellsOfNumbers(const std::vector<Finding*>& gone) {
    auto hangs = [](const Finding* f) {
      return f->diagnostic.code.name().starts_with("deadlock/");
    };
    auto of_numbers = [](const Finding* f) { return IsOfNumbers(*f); };
    return std::any_of(gone.begin(), gone.end(), of_numbers) ||
           (!gone.empty() && std::all_of(gone.begin(), gone.end(), hangs));
  }

  // Bytes that are expected, or arrivals that are counted.
  void WrongNumbers(bool too_few_bytes) {
    for (const WrongNumber& wrong : WrongNumbersIn(x_.log())) {
      if (!too_few_bytes || wrong.too_few_bytes) Try(wrong, too_few_bytes);
    }
  }

  // The text with the right number: what is not there in its run follows from
  // the wrong one.
  void Try(const WrongNumber& wrong, bool too_few_bytes) {
    const std::vector<Finding*> roots = x_.Roots();
    if (roots.empty() || !x_.may_run()) return;
    auto text = WithNumber(x_.code(), wrong);
    if (text == nullptr) return;
    const std::vector<Finding*> gone = x_.GoneIn(*text, roots);
    if (gone.empty() || (!too_few_bytes && !TellsOfNumbers(gone))) return;
    Explanation::Follow(gone, IsOfNumbers, wrong.help);
  }

  // More arrivals come than an init counts, which stops the run: they are
  // counted in one that none stops.
  void TooManyArrivals() {
    for (const WrongNumber& wrong : CountedOutOfReach())
      return Try(wrong, false);
  }

  std::vector<WrongNumber> CountedOutOfReach() {
    std::vector<WrongNumber> out;
    for (const Finding* f : x_.Roots()) {
      if (f->diagnostic.code != "arrival-count/over" || !x_.may_run()) continue;
      const auto high = CountOutOfReach(x_.code(), f->diagnostic.span);
      auto text = high ? WithNumber(x_.code(), *high) : nullptr;
      if (text == nullptr) continue;
      const Repaired all = x_.Run(*text->code, {});
      for (WrongNumber& wrong : WrongNumbersIn(all.log)) {
        if (wrong.ops[0]->span.line != high->ops[0]->span.line ||
            wrong.ops[0]->span.column != high->ops[0]->span.column ||
            wrong.number <= CountIn(x_.log(), *high->ops[0]))
          continue;
        wrong.ops = high->ops;  // of this text, which stays
        out.push_back(std::move(wrong));
      }
    }
    return out;
  }

  // An init that counts fewer arrivals than come each time: phases are over too
  // soon, and whatever comes of that. With the right count nothing is wrong.
  bool CountsTooFew() {
    const std::vector<Finding*> roots = x_.Roots();
    if (!AreOfPhases(roots)) return false;
    std::vector<WrongNumber> all = WrongNumbersIn(x_.log());
    for (WrongNumber& stopped : CountedOutOfReach()) {
      stopped.too_few_arrivals = true;
      all.push_back(std::move(stopped));
    }
    for (const WrongNumber& wrong : all) {
      if (!wrong.too_few_arrivals || !x_.may_run()) continue;
      auto text = WithNumber(x_.code(), wrong);
      if (text == nullptr) continue;
      const Repaired r = x_.Run(*text->code, {});
      if (!Explanation::IsRight(r)) continue;
      Explanation::Follow(roots, IsOfNumbers, wrong.help);
      return true;
    }
    return false;
  }

  // What a wait for groups is there for.
  static bool IsOfGroups(const Finding& f) {
    const ir::Code& code = f.diagnostic.code;
    return code.family() == "race" || code == "wgmma/wait";
  }
  // A wait that leaves too many groups pending: what it does not wait for is
  // read, written and in flight at the end as well.
  void Pending() {
    const std::vector<Finding*> roots = x_.Roots();
    if (std::none_of(roots.begin(), roots.end(),
                     [](const Finding* f) { return IsOfGroups(*f); }))
      return;
    for (const WrongNumber& wrong : FewerPending(x_.log())) {
      if (!x_.may_run()) return;
      auto text = WithNumber(x_.code(), wrong);
      if (text == nullptr) continue;
      const std::vector<Finding*> gone = x_.GoneIn(*text, roots);
      bool of_groups = false, others = false;
      for (const Finding* f : gone) {
        of_groups |= IsOfGroups(*f);
        others |= !IsOfGroups(*f) && f->diagnostic.code != "exit/in-flight";
      }
      if (!of_groups || others) continue;
      Explanation::Follow(gone, IsOfGroups, wrong.help);
      return;
    }
  }

  Explanation& x_;
};

}  // namespace

void TellWrongNumbers(Explanation& x, bool too_few_bytes) {
  Numbers(x).WrongNumbers(too_few_bytes);
}
void TellTooManyArrivals(Explanation& x) { Numbers(x).TooManyArrivals(); }
bool TellCountsTooFew(Explanation& x) { return Numbers(x).CountsTooFew(); }
void TellPending(Explanation& x) { Numbers(x).Pending(); }

}  // namespace tilesim::checkers::cause
