#include "checkers/launch/word_places.h"

#include <algorithm>

namespace tilesim::checkers::launch {
using grid::AllSyncEdges;
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
  note(at_[site], v.cta.linear, number);
}

AllSyncEdges WordPlaces::HandingsOf(const ir::Op& op,
                                    const grid::Touch& touch) const {
  auto at = words_.handed.find(Site::Of(op, touch.operand, touch.write));
  return at == words_.handed.end() ? AllSyncEdges() : at->second;
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
  const AllSyncEdges of_a = HandingsOf(a, touch), of_b = HandingsOf(b, other);
  return Ordered(of_a.by_release, cta, of_b.by_release, other_cta) ||
         Ordered(of_a.by_fence_sc, cta, of_b.by_fence_sc, other_cta);
}

bool WordPlaces::Ordered(const SyncEdges& of_a, int64_t cta,
                         const SyncEdges& of_b, int64_t other_cta) const {
  // One CTA draws the last number of a word, after all others have counted.
  bool counted = (of_a.after_all && (of_b.after_all || of_b.counted)) ||
                 (of_b.after_all && of_a.counted);
  if (counted) {
    auto one = WordAt(words_.count, cta),
         another = WordAt(words_.count, other_cta);
    if (one && one == another) return true;
  }
  return Told(of_a, cta, of_b, other_cta) || Told(of_b, other_cta, of_a, cta);
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
