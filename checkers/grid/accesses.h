// What each CTA of a grid does to global memory, for all sizes, read off the
// program: a box whose start and extents are index arithmetic (terms.h), and
// when it is touched. Loops stay loops: a counter is any of its values, a `var`
// that grows by the same in each iteration is where it began plus as many times
// that. What decides otherwise, memory above all, may be anything; so the
// accesses are at least those that there are.
#ifndef TILESIM_CHECKERS_GRID_ACCESSES_H_
#define TILESIM_CHECKERS_GRID_ACCESSES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkers/grid/terms.h"
#include "ir/atomic.h"
#include "ir/bind.h"
#include "ir/op.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

// Warps of a CTA, by what they have in common.
enum class Together : uint8_t {
  kAllWarps,
  kWarpsOfGroup,  // of each warpgroup
  kNoOthers,      // each by itself
};

struct Access {
  int32_t decl = -1;
  const ir::Op* op = nullptr;
  int operand = -1;
  bool write = false;
  ir::Atomic atomic = ir::Atomic::kNot;
  std::vector<Linear> start, extent;  // by dimension of the tensor
  Formula when;
  // Of the loops around it, the outermost first: what iteration it is, and of
  // how many. Two executions by one warp differ in one of these.
  struct Iteration {
    Linear number, of;
    bool counts = false;  // it has a counter
    Linear counter, low, high, step;
    const ir::Stmt* loop = nullptr;
    Formula goes = {};  // as it begins
    // A guard is taken to end it: some of its iterations are passed over.
    bool guarded = false;
  };
  std::vector<Iteration> iterations;
  bool each_iteration = true;  // executed once in every iteration
  // Where nothing but conditions keeps it from that: these, and `when` less
  // them.
  struct Guarded {
    Formula when;
    std::vector<Formula> guards;  // the outermost first
    size_t once = 0;              // of these stand in no loop
  };
  std::optional<Guarded> guarded;
  std::vector<Formula> warps;  // that execute it: of each scope
  bool some_lanes = false;     // of a warp
  // Of scopes inside each other: together they may let none pass.
  bool maybe_no_lane = false;
  // Which have parts of the box that do not meet, where it is at one place.
  Together parts = Together::kNoOthers;
  // Some thread of the CTA makes it exactly if this holds (in a loop: in each
  // iteration, of which there is one); absent: nobody knows (reached.h).
  std::optional<Formula> reached;
};

// The first CTA of a cluster that cluster launch control has handed out, if
// `valid` is not 0.
struct HandedOut {
  std::optional<Linear> iteration;  // of the loop that asks for one in each
  const ir::Op* query = nullptr;
  Linear valid;
  std::array<Linear, 3> cta;
};

// A division or a shift, which is defined for some right operands only.
struct Operator {
  const ir::Expr* expr = nullptr;
  Linear right;
  Formula when;  // it is evaluated
};

// A loop, whenever a thread comes to it.
struct LoopEntry {
  const ir::Stmt* loop = nullptr;
  Formula when;                 // a thread comes to it
  std::optional<Formula> goes;  // there is a first iteration; absent: unknown
};

// That it goes around at all, as it was come to last.
inline Formula FirstIterationOf(const std::vector<LoopEntry>& loops,
                                const ir::Stmt* loop) {
  const auto entry =
      std::find_if(loops.rbegin(), loops.rend(),
                   [&](const LoopEntry& e) { return e.loop == loop; });
  return entry != loops.rend() && entry->goes ? *entry->goes : Formula::False();
}

// A let, whenever it is evaluated.
struct LetValue {
  int32_t slot = -1;
  Linear value;
  Formula when;
};

// How the elements of a tensor lie in memory.
struct Tensor {
  std::vector<Linear> shape, strides;  // of no strides: row-major
  int64_t per_byte = 1;                // elements
};

struct Accesses {
  std::string limit;  // why they are not known; "": they are
  Terms terms;
  Formula
      launch;  // domains of parameters, `requires`, a grid that is not empty
  std::array<Linear, 3> grid, cta, cluster;  // cluster: of the CTA
  std::array<int64_t, 3> cluster_size{1, 1, 1};
  Linear sm_count, warp, warpgroup;
  int64_t warps = 0;                                   // of a CTA
  std::vector<std::pair<std::string, Linear>> params;  // not fixed
  std::vector<Linear> unknown;  // variables that may be any number
  std::vector<HandedOut> handed_out;
  bool asks_for_clusters = false;  // of cluster launch control
  bool small_sizes = false;        // if parameters are below 2^31 (one_store.h)
  std::map<int32_t, Tensor> tensors;  // by declaration: those accessed
  std::vector<Access> all;
  std::vector<Operator> operators;  // whose right operand is no constant
  std::vector<LoopEntry> loops;
  std::vector<LetValue> lets;
};

// Nobody is in another's way in a tensor that nobody writes.
enum class Tensors : uint8_t { kWritten, kAll };

// Elements that are loaded from a tensor with a domain, which the kernel does
// not write: they are in it if no other kernel writes it either.
enum class Inputs : uint8_t { kAny, kInDomain };

// Of the kernel of `code`. Parameters that `fixed` names have that value,
// others any that is permitted.
Accesses AccessesOf(const machine::Code& code, const ir::Overrides& fixed,
                    Tensors tensors = Tensors::kWritten,
                    Inputs inputs = Inputs::kAny);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_ACCESSES_H_
