// Rational points of a growing polyhedron, by the simplex method in exact
// arithmetic. Where it has none it has no integer point, and the vertex that is
// found is often an integer one: both for a fraction of what isl takes. A copy
// goes on from where the original is, which takes few pivots.
#ifndef TILESIM_CHECKERS_SOLVER_SIMPLEX_H_
#define TILESIM_CHECKERS_SOLVER_SIMPLEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/solver/linear.h"

namespace tilesim::checkers::solver {

class Simplex {
 public:
  // kTooLarge: a number left 64 bits, or there were too many pivots. Nothing is
  // known then, and nothing will be.
  enum class State : uint8_t { kSome, kNone, kTooLarge };

  // l is 0, or at least 0, for integers. `tag` is for Because.
  void Add(const Linear& l, bool zero, int tag);

  // Cuts the vertex off, where a coordinate of it is no integer, and goes to
  // another one: no integer point is lost. False: nothing is done.
  bool Cut();

  State state() const { return state_; }
  // kSome: the vertex, by variable, if its coordinates are integers.
  std::optional<std::vector<int64_t>> Integers(int variables) const;
  // kNone, if nothing was cut off: tags of constraints that have no point.
  const std::vector<int>& Because() const { return because_; }

 private:
  // What a row or a column stands for: a variable, or the value of an
  // inequality, which is at least 0.
  struct Unknown {
    int id;  // in the order of their coming
    bool natural;
    Var variable;  // of one that is not natural
    int tag;       // of one that is
  };
  // denominator * unknown = constant + the sum of of[c] * columns_[c]. Columns
  // are 0 at the vertex, so the constant is what a row is.
  struct Row {
    Unknown unknown;
    int64_t denominator = 1, constant = 0;
    std::vector<int64_t> of;
  };
  struct Place {
    enum class In : uint8_t { kNowhere, kColumn, kRow } in = In::kNowhere;
    size_t at = 0;
  };

  // How far an integer that a row is has to be from the vertex.
  std::optional<Row> CutOf(const Row& row);
  std::optional<Row> FirstCut();
  std::optional<Row> RowOf(const Linear& l, int tag);
  void AddVariable(Var v);
  // The column that the last row, below 0, became by being raised to it.
  // Nothing: state_ says why.
  std::optional<size_t> RaiseLast();
  // A column that raises a row; `any`: or lowers it.
  std::optional<size_t> Raising(const Row& row, bool any) const;
  static void Narrow(Row& row);
  // Of the first rows the inequality that becomes 0 first while a column grows,
  // or shrinks.
  std::optional<size_t> FirstAtZero(size_t column, bool grows,
                                    size_t rows) const;
  // Whether a row is 0 before another one, as the column moves there.
  bool Sooner(const Row& a, const Row& b, size_t column) const;
  // Goes on to where variables that are columns are bounded: a row with one
  // says nothing of integers.
  void BoundVariables();
  bool Pivot(size_t row, size_t column);
  void Remove(size_t column);
  void Refute(const Row& row);
  void SetPlace(const Unknown& unknown, Place place);
  // l * times + other * more, of the same unknown as l; false: beyond 64 bits.
  static bool Combine(Row& l, int64_t times, const Row& other, int64_t more);

  State state_ = State::kSome;
  std::vector<Unknown> columns_;
  std::vector<Row> rows_;
  std::vector<Place> places_;             // by variable
  std::vector<int> equations_, because_;  // tags
  int ids_ = 0;
  int pivots_left_ = kMostPivots;
  static constexpr int kMostPivots = 5000;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_SIMPLEX_H_
