#include "checkers/program/cluster_order.h"

#include <algorithm>

#include "checkers/run/log.h"

namespace tilesim::checkers::program {

PlaceInOrder PlaceOf(const run::Log& log, const ReleaseAcquire& words,
                     size_t event) {
  auto of = [event](const std::vector<SyncWords>& all) {
    return all.empty() ? SyncWords() : all[event];
  };
  return {log.ticket, of(words.released), of(words.acquired),
          of(words.released_fenced), of(words.acquired_fenced)};
}

bool CountedFirst(const PlaceInOrder& a, const PlaceInOrder& b) {
  return a.ticket && b.ticket && a.ticket->word == b.ticket->word &&
         a.ticket->number < b.ticket->number;
}

bool ClusterOrder::Before(const PlaceInOrder& a, const PlaceInOrder& b) const {
  const auto counted = [&](const SyncWord& word) {
    return word.word == a.ticket->word && a.released.count(word) != 0;
  };
  return (CountedFirst(a, b) &&
          std::any_of(b.acquired.begin(), b.acquired.end(), counted)) ||
         flags_.Tells(b.acquired, a.released);
}

bool ClusterOrder::MayBeBefore(const PlaceInOrder& a,
                               const PlaceInOrder& b) const {
  return locks_.MayBeApart(Holds(a), Holds(b)) ||
         std::any_of(
             b.acquired.begin(), b.acquired.end(), [&](const SyncWord& word) {
               return std::any_of(
                   a.released.begin(), a.released.end(),
                   [&](const SyncWord& w) { return flags_.MayTell(word, w); });
             });
}

bool ClusterOrder::HoldsApart(const PlaceInOrder& a,
                              const PlaceInOrder& b) const {
  return locks_.Apart(Holds(a), Holds(b));
}

bool ClusterOrder::Followed(const PlaceInOrder& place) const {
  return std::all_of(
      place.acquired.begin(), place.acquired.end(), [&](const SyncWord& word) {
        return (place.ticket && word.word == place.ticket->word) ||
               locks_.IsLock(word.word.decl) || flags_.Followed(word);
      });
}

}  // namespace tilesim::checkers::program
