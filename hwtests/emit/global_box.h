// A box of a global tensor as threads access it: rows of a pitch, vectors of a
// width that is always aligned, limits where the box may stick out.
#ifndef TILESIM_HWTESTS_EMIT_GLOBAL_BOX_H_
#define TILESIM_HWTESTS_EMIT_GLOBAL_BOX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hwtests/emit/op_emitter.h"

namespace tilesim::hwtests {

struct GlobalBox {
  std::string address;
  std::string pitch = "0";
  int64_t vector = 0;      // divides every row's start, and where it ends if
                           // that is inside, in elements
  int64_t aligned = 0;     // divides every row's start
  bool all_inside = true;  // but for the guard
  std::string rows, cols;  // how many are inside, where not all are
  // Which are the first inside, where those before it may not be; else "".
  std::string first_row, first_col;
  std::string guard;  // all or nothing: "m < M && n < N"

  bool begins_before() const {
    return !first_row.empty() || !first_col.empty();
  }
};

// nullopt after a diagnostic.
std::optional<GlobalBox> GlobalBoxOf(OpEmitter& e, const TileRef& tile);

// Appends the limits, rows then columns, if there are any; `guard` stands for
// no rows when it does not hold.
void AddLimits(const GlobalBox& box, std::string_view guard,
               std::vector<std::string>* args);

// Appends the first row and column inside, behind the limits, if the box may
// begin before its tensor.
void AddFirst(const GlobalBox& box, std::vector<std::string>* args);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_GLOBAL_BOX_H_
