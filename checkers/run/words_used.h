// What the text of a kernel does to words of global memory by which its CTAs
// talk: counters (ticket.h), flags (flags.h).
#ifndef TILESIM_CHECKERS_RUN_WORDS_USED_H_
#define TILESIM_CHECKERS_RUN_WORDS_USED_H_

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ir/effect.h"
#include "sim/machine/code.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::run {

struct Event;
struct Log;

// An element of a global tensor.
struct GlobalWord {
  int32_t decl = -1;
  int64_t element = 0;

  friend auto operator<=>(const GlobalWord&, const GlobalWord&) = default;
};

using GlobalWords = std::set<GlobalWord>;

// nullopt: it begins outside of the tensor.
std::optional<GlobalWord> GlobalWordAt(
    const machine::Code& code, int32_t decl,
    const std::array<int64_t, ir::kMaxRank>& start);

// The element of the declaration that the event accesses; nullopt: none.
std::optional<GlobalWord> WordIn(const Log& log, const Event& e, int32_t decl);
// How often at most a word is asked for in vain where runs are enumerated.
inline constexpr int64_t kMostInVain = 2;

// A global tensor that decides control and begins as zeros.
bool ZeroAtFirst(const machine::Code& code, int32_t decl);
// Ops that name the declaration.
std::vector<int32_t> UsersOf(const machine::Code& code, int32_t decl);
// Whether an access is atomic for all CTAs of the grid (PTX 8.5, scopes).
bool StrongInGrid(const ir::Effect& effect);
// Effects, with operands as far as they are known.
std::vector<ir::Effect> EffectsIn(const machine::CompiledOp& op);
// Whether that is all the op does to memory, and it is strong in the grid.
bool OnlyDoes(const machine::CompiledOp& op, ir::EffectKind kind);
// The operand with the word that the op adds 1 to, strongly; -1: none.
int CountsIn(const machine::CompiledOp& op);
// The scalar that the op sets; -1: none.
int32_t ScalarSetBy(const machine::CompiledOp& op);
// The tensor of an integer type with a number everywhere.
values::Tensor Filled(const machine::Code& code, int32_t decl, int64_t number);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_WORDS_USED_H_
