#include "checkers/launch/word_places.h"

#include <algorithm>

namespace tilesim::checkers::launch {
using grid::AllSyncEdges;
using grid::Handed;
using grid::Site;
using grid::SyncEdges;

namespace {

std::optional<Site> SiteIn(const std::map<int32_t, Site>& sites, int32_t decl) {
  auto at = sites.find(decl);
  return at == sites.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

void WordPlaces::Add(const Visit& v) {
  const Site site = Site::Of(*v.op.op);
  if (!words_.HasOp(site)) return;
  Element place{v.box.index};
  place.insert(place.end(), v.box.start.begin(),
               v.box.start.begin() + v.box.rank);
  const Word number =
      numbers_.try_emplace(std::move(place), std::ssize(numbers_))
          .first->second;
  const auto note = [](auto& of, auto key, auto value) {
    const auto [at, fresh] = of.try_emplace(key, value);
    if (!fresh && at->second != value) at->second = kSeveral;
  };
  note(by_[site], number, v.cta.linear);
  // Memory decides whether it counts at all.
  const bool known =
      !v.may || words_.count != site || !words_.in_some.contains(site);
  note(at_[site], v.cta.linear, known ? number : kSeveral);
}

Handed WordPlaces::HandingsOf(const ir::Op& op,
                              const grid::Touch& touch) const {
  auto at = words_.handed.find(Site::Of(op, touch.operand, touch.write));
  return at == words_.handed.end() ? Handed() : at->second;
}

std::optional<WordPlaces::Word> WordPlaces::WordAt(
    const std::optional<Site>& site, int64_t cta) const {
  if (!site) return std::nullopt;
  auto of = at_.find(*site);
  if (of == at_.end()) return std::nullopt;
  auto at = of->second.find(cta);
  if (at == of->second.end() || at->second == kSeveral) return std::nullopt;
  return at->second;
}

bool WordPlaces::Ordered(const ir::Op& a, const grid::Touch& touch, int64_t cta,
                         const ir::Op& b, const grid::Touch& other,
                         int64_t other_cta) const {
  const Handed of_a = HandingsOf(a, touch), of_b = HandingsOf(b, other);
  for (auto by : {&AllSyncEdges::by_release, &AllSyncEdges::by_fence_sc}) {
    // One CTA draws the last number of a word.
    const bool one = (of_a.plain.*by).after_all && (of_b.plain.*by).after_all;
    if ((one && CountInOneWord(cta, other_cta)) ||
        Before(of_a.Before(of_b).*by, cta, of_b.After(of_a).*by, other_cta) ||
        Before(of_b.Before(of_a).*by, other_cta, of_a.After(of_b).*by, cta))
      return true;
  }
  return false;
}

bool WordPlaces::Before(const SyncEdges& earlier, int64_t cta,
                        const SyncEdges& later, int64_t other_cta) const {
  // Who draws the last number comes after all others have counted.
  return (later.after_all && earlier.counted &&
          CountInOneWord(cta, other_cta)) ||
         Told(earlier, cta, later, other_cta);
}

bool WordPlaces::CountInOneWord(int64_t cta, int64_t other_cta) const {
  const auto one = WordAt(words_.count, cta);
  return one && one == WordAt(words_.count, other_cta);
}

// The CTA that has set a flag after its access is the one for whose flag the
// other has waited.
bool WordPlaces::Told(const SyncEdges& setter, int64_t sets,
                      const SyncEdges& waiter, int64_t waits) const {
  const auto told = [&](const Site& wait) {
    const int32_t decl = words_.wait.at(wait);
    if (words_.by_all.contains(decl)) return setter.sets.contains(decl);
    const auto site = SiteIn(words_.set, decl);
    const auto set = WordAt(site, sets);
    // Whether a CTA comes there is not followed here.
    if (words_.in_some.contains(wait) ||
        (site && words_.in_some.contains(*site)))
      return false;
    if (words_.by_some.contains(decl))
      return setter.sets.contains(decl) && set && set == WordAt(wait, waits);
    return setter.sets.contains(decl) && set && set == WordAt(wait, waits) &&
           SetOnce(*site, *set);
  };
  return std::any_of(waiter.waits.begin(), waiter.waits.end(), told);
}

// Who has seen it then knows by whom it was set.
bool WordPlaces::SetOnce(const Site& site, Word word) const {
  return by_.at(site).at(word) != kSeveral;
}

}  // namespace tilesim::checkers::launch
