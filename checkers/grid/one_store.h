// Scalars that threads of a CTA hand each other through a word of shared memory
// which one op alone writes:
//
//   warp 4 { for t in cta.x..T step grid.x { .. st row[s], t .. } }
//   warps 0..4 { while .. { ld m, row[s]; st.global D[m, :], v } }
//
// What is loaded is what the op has stored in some execution
// (docs/all_sizes.md 5.8).
#ifndef TILESIM_CHECKERS_GRID_ONE_STORE_H_
#define TILESIM_CHECKERS_GRID_ONE_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "checkers/grid/accesses.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

class OneStore {
 public:
  explicit OneStore(const machine::Code& code);

  // The declaration of the one word that the op loads, and does nothing else,
  // if one op alone writes to it.
  std::optional<int32_t> LoadedBy(const machine::CompiledOp& op) const;
  void Loaded(int32_t decl, const Linear& value) {
    loads_.push_back({decl, value});
  }
  // The operand that is stored, if the op is such a one.
  std::optional<int> StoredBy(const machine::CompiledOp& op) const;
  void Stored(const machine::CompiledOp& op, const Linear& value);

  // When all ops have been met: says what was loaded that is `used`. True: if
  // parameters are below 2^31.
  bool Define(absl::FunctionRef<bool(const Linear&)> used,
              Accesses& accesses) const;

 private:
  bool Fits(int32_t decl, const Linear& value, const Terms& terms) const;

  struct Word {
    int32_t decl = -1;
    Linear value;
  };

  const machine::Code& code_;
  std::map<int32_t, const machine::CompiledOp*> stores_;  // by declaration
  std::map<int32_t, Word> stored_;                        // likewise
  std::vector<Word> loads_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_ONE_STORE_H_
