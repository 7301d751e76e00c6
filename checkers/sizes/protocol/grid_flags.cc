#include "checkers/sizes/protocol/grid_flags.h"

#include <algorithm>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::sizes::protocol {
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbolic;
using run::Flags;

GridFlags::GridFlags(const std::vector<Flags>& flags) {
  for (const Flags& f : flags) {
    Words& words = words_[f.decl];
    words.by_all = f.by_all;
    words.of_some = f.of_some;
    if (f.steps) words.steps = f.steps->dims;
  }
}

GridFlags::Words& GridFlags::Of(int32_t decl, size_t rank) {
  Words& words = words_[decl];
  words.index.resize(rank);
  return words;
}

// A number can be the index of all words only if it is always the same.
void GridFlags::May::Is(std::optional<int64_t> known) {
  if (!value) value = known;
  number &= known && *known == *value;
}

namespace {

bool Natural(const Polynomial& p, const GridFlags::Place& place) {
  return place.at_least_0(p).value_or(false);
}

// Whether the array has a word for each place in a dimension of the grid.
bool HasAll(const Symbolic& extent, const Symbolic& grid,
            const GridFlags::Place& place) {
  if (!extent.unknown() && extent == grid) return true;
  auto words = NumberOf(extent), ctas = NumberOf(grid);
  return words && ctas && Natural(*words - *ctas, place);
}

// An index that is always the same, and in the array.
std::optional<int64_t> NumberIn(const Symbolic& extent, const Symbolic& index,
                                const GridFlags::Place& place) {
  auto words = NumberOf(extent);
  auto value = index.known();
  bool in = value && words && Natural(*words - Polynomial(*value + 1), place);
  return in && *value >= 0 ? value : std::nullopt;
}

}  // namespace

void GridFlags::Here(const Place& place) {
  if (words_.empty()) return;
  Words here;
  for (int d = 0; d < kDims; ++d) {
    const Polynomial& at = place.at[d];
    std::optional<Polynomial> extent = NumberOf(place.grid[d]);
    here.first[d] = Natural(Polynomial() - at, place);
    here.last[d] = extent && Natural(at + Polynomial(1) - *extent, place);
    here.not_first[d] = Natural(at - Polynomial(1), place);
    here.not_last[d] = extent && Natural(*extent - Polynomial(2) - at, place);
  }
  for (auto& [decl, words] : words_) {
    words.first = here.first;
    words.last = here.last;
    words.not_first = here.not_first;
    words.not_last = here.not_last;
  }
}

// Of words of steps none are set where there are no steps: in all CTAs.
bool GridFlags::Words::SetOrNone() const {
  return set || (!steps.empty() && !waited);
}

// Nobody sets none.
void GridFlags::Words::AllSet() {
  first.fill(true);
  last.fill(true);
}

GridFlags::Words::Alone GridFlags::Words::SetAlone() const {
  if (alone) return *alone;
  const bool sets =
      set && once &&
      (!waited || !proof::IsJudged(proof::Condition::kSettersWaitForNone));
  Alone out;
  for (int d = 0; d < kDims; ++d) {
    out.first[d] = (first[d] && sets) || (not_first[d] && !set);
    out.last[d] = (last[d] && sets) || (not_last[d] && !set);
  }
  return out;
}

// docs/all_sizes.md 3.6: in each step a CTA sets its word of that before it
// waits for others of it.
void GridFlags::Step(const Word& word, const Place& place, bool sets,
                     Words& words) {
  if (words.steps.empty()) return;
  auto step = NumberOf(word.index.at(*words.steps.begin()));
  if (sets) {
    words.step = step;
    for (const auto& [decl, other] : words_) {
      if (other.steps.empty() || decl == word.decl) continue;
      auto [known, fresh] = words.follows.try_emplace(decl, true);
      known->second &= step && other.step && *step == *other.step;
    }
  } else {
    words.in_step &=
        (step && words.step && Natural(*words.step - *step, place)) ||
        !proof::IsJudged(proof::Condition::kSetBeforeWaits);
  }
}

// Whether those of the other that are waited for before a word of `decl` is set
// are of steps before, or of this one and set before: of the same in each step,
// in all CTAs.
bool GridFlags::InTurn(int32_t decl, int32_t other) const {
  const Words &a = words_.at(decl), &b = words_.at(other);
  if (a.steps.empty() || b.steps.empty()) return false;
  const auto after = [](const Words& words, int32_t before) {
    auto known = words.follows.find(before);
    return known != words.follows.end() && known->second;
  };
  return decl == other || after(a, other) || after(b, decl);
}

void GridFlags::Set(const Word& word, const Place& place, bool again) {
  Words& words = Of(word.decl, word.index.size());
  Step(word, place, true, words);
  // The text says that a step sets its word once.
  words.once &= (!words.set && !again) || !words.steps.empty() ||
                !proof::IsJudged(proof::Condition::kFlagsSetOnce);
  words.set = true;
  words.own = word.index;
  if (proof::IsJudged(proof::Condition::kSetBeforeWaits))
    words.after.insert(waits_.begin(), waits_.end());
  for (size_t i = 0; i < word.index.size(); ++i) {
    May& may = words.index[i];
    std::optional<Polynomial> number = NumberOf(word.index[i]);
    for (int d = 0; d < kDims; ++d)
      may.place[d] &= number && *number == place.at[d] &&
                      HasAll(word.shape[i], place.grid[d], place);
    may.Is(NumberIn(word.shape[i], word.index[i], place));
  }
}

void GridFlags::Wait(const Word& word, const Place& place) {
  Words& words = Of(word.decl, word.index.size());
  words.waited = true;
  waits_.insert(word.decl);
  Step(word, place, false, words);
  const Polynomial one(1);
  for (size_t i = 0; i < word.index.size(); ++i) {
    May& may = words.index[i];
    std::optional<Polynomial> number = NumberOf(word.index[i]);
    for (int d = 0; d < kDims; ++d) {
      const Polynomial& at = place.at[d];
      std::optional<Polynomial> extent = NumberOf(place.grid[d]);
      bool on = number && Natural(*number - at - one, place);
      bool back = number && Natural(at - one - *number, place);
      // The CTA itself is in the grid.
      bool own = number && *number == at;
      bool low = on || own || (number && Natural(*number, place));
      bool high = back || own ||
                  (number && extent && Natural(*extent - one - *number, place));
      may.place[d] &= low && high;
      may.on[d] &= on;
      may.back[d] &= back;
    }
    may.Is(NumberIn(word.shape[i], word.index[i], place));
  }
}

std::optional<Polynomial> GridFlags::Place::Ctas() const {
  Polynomial all(1);
  for (const Symbolic& extent : grid) {
    auto number = NumberOf(extent);
    if (!number) return std::nullopt;
    all = all * *number;
  }
  return all;
}

// docs/all_sizes.md 3.6: the run that is judged has waited for all that there
// are in its own grid, or that have the word to which it has added.
void GridFlags::WaitForCount(const Word& word, const Symbolic& count,
                             const Place& place,
                             const std::optional<Polynomial>& adders) {
  Wait(word, place);
  Words& words = words_[word.decl];
  auto number = NumberOf(count);
  auto all = words.of_some ? adders : place.Ctas();
  words.of_all &= (number && all && *number == *all) ||
                  !proof::IsJudged(proof::Condition::kBarrierOfAll);
  if (!words.of_some) return;
  words.of_all &= (words.own && *words.own == word.index) ||
                  !proof::IsJudged(proof::Condition::kAddedToIt);
}

void GridFlags::Add(const GridFlags& others) {
  for (auto& [decl, words] : words_) {
    Words theirs = others.words_.at(decl);
    Words::Alone alone = words.SetAlone();
    const Words::Alone other = theirs.SetAlone();
    if (words.set) words.AllSet();
    if (theirs.set) theirs.AllSet();
    for (int d = 0; d < kDims; ++d) {
      words.first[d] &= theirs.first[d];
      words.last[d] &= theirs.last[d];
      alone.first[d] &= other.first[d];
      alone.last[d] &= other.last[d];
    }
    words.alone = alone;
    words.set = words.SetOrNone() && theirs.SetOrNone();
    words.once &= theirs.once;
    words.of_all &= theirs.of_all;
    words.in_step &= theirs.in_step;
    for (const auto& [before, follows] : theirs.follows) {
      auto [known, fresh] = words.follows.try_emplace(before, true);
      known->second &= follows;
    }
    words.after.insert(theirs.after.begin(), theirs.after.end());
    words.waited |= theirs.waited;
    words.index.resize(std::max(words.index.size(), theirs.index.size()));
    for (size_t i = 0; i < theirs.index.size(); ++i)
      words.index[i].And(theirs.index[i]);
  }
}

void GridFlags::May::And(const May& other) {
  for (int d = 0; d < kDims; ++d) {
    place[d] &= other.place[d];
    on[d] &= other.on[d];
    back[d] &= other.back[d];
  }
  number &= other.number;
  if (other.value) Is(other.value);
}

// docs/all_sizes.md 3.6: by induction from the last CTA of the dimension, which
// waits for nobody.
//
// Whether from some index on, each can be a number or a dimension of the grid
// that no other is, one of them `dim`, with what is waited for that way from
// it.
bool GridFlags::Told(const Words& words, int dim, bool on, size_t from,
                     unsigned used) {
  if (from == words.index.size()) return (used >> dim & 1) != 0;
  const May& may = words.index[from];
  if (may.number && Told(words, dim, on, from + 1, used)) return true;
  for (int d = 0; d < kDims; ++d) {
    bool fits = may.place[d] && (used >> d & 1) == 0 &&
                (d != dim || (on ? may.on[d] : may.back[d]) ||
                 !proof::IsJudged(proof::Condition::kFlagsOneWay));
    if (fits && Told(words, dim, on, from + 1, used | 1U << d)) return true;
  }
  return false;
}

bool GridFlags::Comes(int dim, bool on) const {
  return std::all_of(words_.begin(), words_.end(), [&](const auto& w) {
    const Words& words = w.second;
    // All wait for words further on, so for none of the first; or back.
    const bool set = words.set || (on ? words.first[dim] : words.last[dim]) ||
                     !proof::IsJudged(proof::Condition::kUnsetUnawaited);
    return !words.waited || (!words.by_all && words.steps.empty() && set &&
                             words.once && Told(words, dim, on, 0, 0));
  });
}

// Whether each index is a number or a dimension of the grid that no other is,
// and none of those used already.
bool GridFlags::OfOthers(const Words& words, size_t from, unsigned used) {
  if (from == words.index.size()) return true;
  if (words.steps.contains(from)) return OfOthers(words, from + 1, used);
  const May& may = words.index[from];
  if (may.number && OfOthers(words, from + 1, used)) return true;
  for (int d = 0; d < kDims; ++d) {
    if (may.place[d] && (used >> d & 1) == 0 &&
        OfOthers(words, from + 1, used | 1U << d))
      return true;
  }
  return false;
}

// docs/all_sizes.md 3.6: who sets a word waits for none.
bool GridFlags::ComesFromOne(int dim, bool first) const {
  return std::all_of(words_.begin(), words_.end(), [&](const auto& w) {
    const Words& words = w.second;
    const Words::Alone alone = words.SetAlone();
    return !words.waited || (!words.by_all && words.steps.empty() &&
                             (first ? alone.first : alone.last)[dim] &&
                             OfOthers(words, 0, 1U << dim));
  });
}

// By every CTA, once, as far as waits before that end.
bool GridFlags::ComesOnceAllAre(const Words& words) const {
  const bool word = words.by_all ? words.of_all : OfOthers(words, 0, 0);
  return words.set && words.once && words.in_step && word;
}

// docs/all_sizes.md 3.6: of a tensor of which every word is stored, by CTAs
// that come to their stores as far as waits before that end.
bool GridFlags::ComesFromSome(const Words& words) {
  return words.steps.empty() && !words.by_all && words.once;
}

// docs/all_sizes.md 3.6: flags are taken away as it is shown that they come,
// first those that are set before any wait, then those that are set after waits
// for these alone, and so on.
bool GridFlags::ComesInOrder(const std::set<int32_t>& stored) const {
  std::set<int32_t> left;
  for (const auto& [decl, words] : words_) {
    if (words.waited) left.insert(decl);
  }
  const auto comes = [&](int32_t decl) {
    const Words& words = words_.at(decl);
    const bool all = stored.contains(decl) ||
                     !proof::IsJudged(proof::Condition::kWordsStored);
    const bool whole = all && ComesFromSome(words);
    return (ComesOnceAllAre(words) || whole) &&
           std::none_of(words.after.begin(), words.after.end(),
                        [&](int32_t other) {
                          return !InTurn(decl, other) && left.contains(other);
                        });
  };
  while (std::erase_if(left, comes) > 0) {
  }
  return left.empty();
}

std::optional<int32_t> GridFlags::Missing(
    const std::set<int32_t>& stored) const {
  if (ComesInOrder(stored)) return std::nullopt;
  for (int d = 0; d < kDims; ++d) {
    if (Comes(d, true) || Comes(d, false) || ComesFromOne(d, true) ||
        ComesFromOne(d, false))
      return std::nullopt;
  }
  for (const auto& [decl, words] : words_) {
    if (words.waited) return decl;
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::sizes::protocol
