// That flags between CTAs come, in grids of all sizes: every CTA sets the one
// of its own place, once, and waits for flags of others that all lie one way
// from it.
//
//   st.release.gpu Ready[cta.x], 1
//   for peer in cta.x + 1 .. last {  wait for Ready[peer]  }     // last <=
//   grid.x
//
// The last of them waits for nobody, so it sets its own; then so does the one
// before it, and so on. For the first nobody waits: it need set none.
//
// Or the first alone in a dimension of the grid, or the last, set them, and
// wait for none:
//
//   if cta.x == 0 {  st.release.gpu Ready[cta.y], 1  }
//   else {  wait for Ready[cta.y]  }
//
// Or every CTA sets its own before it waits for any, whichever way others lie:
//
//   st.release.gpu Ready[cta.x], 1
//   wait for Ready[cta.x - 1], Ready[cta.x + 1]
//
// Or adds its part to a word of all, and then waits for it.
//
// Or some CTAs set them, which wait for none before, and every word is set by
// one of these (producers and consumers in one grid).
#ifndef TILESIM_CHECKERS_SIZES_PROTOCOL_GRID_FLAGS_H_
#define TILESIM_CHECKERS_SIZES_PROTOCOL_GRID_FLAGS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/algebra/symbolic.h"

namespace tilesim::checkers::sizes::protocol {

// What some CTAs do to flags: those of one run, of a family, of all.
class GridFlags {
 public:
  static constexpr int kDims = 3;

  // The CTA that does it, in a grid of which extents are known or not.
  struct Place {
    std::array<algebra::Polynomial, kDims> at;
    std::array<algebra::Symbolic, kDims> grid;
    // Whether a number is at least 0.
    std::function<std::optional<bool>(const algebra::Polynomial&)> at_least_0;

    // Those of the grid; nullopt: no polynomial of sizes.
    std::optional<algebra::Polynomial> Ctas() const;
  };
  struct Word {
    int32_t decl = -1;
    std::vector<algebra::Symbolic> index, shape;  // of the declaration
  };

  GridFlags() = default;
  // Of these declarations.
  explicit GridFlags(const std::vector<run::Flags>& flags);

  // A CTA that is there, whatever it does to flags.
  void Here(const Place& place);
  // `again`: it may be done several times.
  void Set(const Word& word, const Place& place, bool again);
  void Wait(const Word& word, const Place& place);
  // Of the word of a barrier, until so many have added to it. `adders`: CTAs
  // that have that word, where it is not one for all of the grid.
  void WaitForCount(
      const Word& word, const algebra::Symbolic& count, const Place& place,
      const std::optional<algebra::Polynomial>& adders = std::nullopt);
  // What other CTAs do to the same as well.
  void Add(const GridFlags& others);

  // Flags that may be waited for and do not come; nullopt: they all do.
  // `stored`: of which a launch stores every word, if all CTAs come to their
  // ends.
  std::optional<int32_t> Missing(const std::set<int32_t>& stored = {}) const;

 private:
  // What an index of a word may be: where the CTA that sets it is, in a
  // dimension of the grid; or a number, always the same.
  struct May {
    std::array<bool, kDims> place{true, true, true};
    // Whether all that is waited for is further on in it; or further back.
    std::array<bool, kDims> on{true, true, true}, back{true, true, true};
    bool number = true;
    std::optional<int64_t> value;

    void Is(std::optional<int64_t> known);
    void And(const May& other);
  };
  struct Words {
    std::vector<May> index;
    bool set = false;  // by every CTA that was checked
    bool once = true;
    bool waited = false;
    bool by_all = false;   // every CTA sets a part of it (run/grid_barrier.h)
    bool of_some = false;  // ... or those that have it do
    std::optional<std::vector<algebra::Symbolic>> own;  // indices that were set
    std::set<size_t> steps;  // indices that name a step (run/step_words.h)
    std::optional<algebra::Polynomial> step;  // the last that was set
    bool in_step = true;  // what is waited for was set by the CTA before
    // Others of steps, of which the CTA sets that of the step before this one.
    std::map<int32_t, bool> follows;
    bool of_all = true;       // ... and waits until all have
    std::set<int32_t> after;  // flags that a CTA waited for before it set it
    // In a dimension of the grid, whether those that set none are the first, or
    // the last.
    std::array<bool, kDims> first{}, last{};
    // Whether those that set them are the first in a dimension, all of these,
    // and wait for none; or the last. By what one CTA does, or all.
    struct Alone {
      std::array<bool, kDims> first{}, last{};
    };
    std::optional<Alone> alone;                       // of all; absent: of one
    std::array<bool, kDims> not_first{}, not_last{};  // that one

    bool SetOrNone() const;
    void AllSet();
    Alone SetAlone() const;
  };

  Words& Of(int32_t decl, size_t rank);
  bool Comes(int dim, bool on) const;
  bool ComesFromOne(int dim, bool first) const;
  bool ComesInOrder(const std::set<int32_t>& stored) const;
  bool ComesOnceAllAre(const Words& words) const;
  static bool ComesFromSome(const Words& words);
  void Step(const Word& word, const Place& place, bool sets, Words& words);
  bool InTurn(int32_t decl, int32_t other) const;
  static bool Told(const Words& words, int dim, bool on, size_t from,
                   unsigned used);
  static bool OfOthers(const Words& words, size_t from, unsigned used);

  std::map<int32_t, Words> words_;
  std::set<int32_t> waits_;  // flags that the CTA has waited for
};

}  // namespace tilesim::checkers::sizes::protocol

#endif  // TILESIM_CHECKERS_SIZES_PROTOCOL_GRID_FLAGS_H_
