// Which words of global memory a CTA counts in, sets and waits for, and the
// order that they put its accesses in with those of another CTA.
#ifndef TILESIM_CHECKERS_LAUNCH_WORD_PLACES_H_
#define TILESIM_CHECKERS_LAUNCH_WORD_PLACES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "checkers/grid/touches.h"
#include "checkers/grid/words.h"
#include "checkers/launch/walk.h"
#include "ir/op.h"

namespace tilesim::checkers::launch {

class WordPlaces {
 public:
  explicit WordPlaces(const grid::Words& words) : words_(words) {}

  void Add(const Visit& visit);

  // Whether accesses of two CTAs are in order, one way or the other.
  bool Ordered(const ir::Op& a, const grid::Touch& touch, int64_t cta,
               const ir::Op& b, const grid::Touch& other,
               int64_t other_cta) const;

 private:
  // An element of a tensor: by number, each that was seen once. Large grids
  // reach millions of them, and of each little is asked.
  using Word = int32_t;
  using Element = std::vector<int64_t>;
  static constexpr Word kSeveral = -1;

  grid::Handed HandingsOf(const ir::Op& op, const grid::Touch& touch) const;
  // `earlier` by the one CTA, then `later` by the other.
  bool Before(const grid::SyncEdges& earlier, int64_t cta,
              const grid::SyncEdges& later, int64_t other_cta) const;
  bool CountInOneWord(int64_t cta, int64_t other_cta) const;
  // The one word that a CTA reaches at a site; absent: none, or several.
  std::optional<Word> WordAt(const std::optional<grid::Site>& site,
                             int64_t cta) const;
  bool Told(const grid::SyncEdges& setter, int64_t sets,
            const grid::SyncEdges& waiter, int64_t waits) const;
  bool SetOnce(const grid::Site& site, Word word) const;

  const grid::Words& words_;
  std::map<Element, Word> numbers_;
  // By site and CTA the word, or kSeveral; by site and word the CTA, or that.
  std::map<grid::Site, absl::flat_hash_map<int64_t, Word>> at_;
  std::map<grid::Site, absl::flat_hash_map<Word, int64_t>> by_;
};

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_WORD_PLACES_H_
