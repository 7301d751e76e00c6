// A kernel with its parameters given: constants evaluated, every declaration
// with its numbers and its place. What machine, checkers and emitters start
// from.
#ifndef TILESIM_IR_BIND_H_
#define TILESIM_IR_BIND_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/concrete.h"
#include "ir/diagnostic.h"
#include "ir/eval.h"
#include "ir/layout.h"
#include "ir/program.h"

namespace tilesim::ir {

struct BoundDecl {
  Space space = Space::kGlobal;
  DType dtype = DType::kU64;
  int rank = 0;
  std::array<int64_t, kMaxRank> shape{};    // of one object
  std::array<int64_t, kMaxRank> strides{};  // global: elements
  int array_rank = 0;
  std::array<int32_t, 3> array{};  // extents of the array of objects
  int32_t objects = 1;             // their product
  int64_t object_bytes = 0;        // of one object
  // shared: byte from the CTA's shared base; mbarrier: index of the first
  // among the CTA's barriers; tmem: first column, relative to its pool
  int64_t place = 0;
  int64_t address = 0;  // mbarrier: byte of the first, each has 8
  // Of its bytes some are a barrier's, or, if it is one, something else's.
  bool over_barrier = false;
  int64_t columns = 0;      // tmem: of one object (or of the pool)
  int32_t pool = -1;        // tmem: declaration of the pool it lies in
  bool is_pool = false;     // tmem with `columns`
  int32_t slot = -1;        // pool: the shared declaration that publishes it
  SharedLayout layout;      // shared
  FragmentLayout fragment;  // reg; threads 0 for blocked: the scope's

  friend bool operator==(const BoundDecl&, const BoundDecl&) = default;
};

struct BoundKernel {
  const Kernel* kernel = nullptr;
  std::vector<std::optional<Value>> slots;  // params, consts and lets known
  std::vector<BoundDecl> decls;             // by DeclId
  std::array<int64_t, 3> grid{1, 1, 1};     // CTAs
  std::array<int64_t, 3> cluster{1, 1, 1};  // CTAs
  int64_t block = 0;                        // threads
  int64_t regs = 0;                         // registers a thread; 0: unsaid
  int64_t needs = 0;                        // the same, of compiled code
  int64_t sm_count = 0;                     // of the GPU bound for
  int32_t mbarriers = 0;                    // of a CTA
  int64_t shared_bytes = 0;                 // of a CTA, barriers included
  int64_t tmem_columns = 0;                 // of an SM that its pools take
  std::vector<bool> computes;               // which lines hold (`when`)

  int64_t ctas() const { return grid[0] * grid[1] * grid[2]; }
  int64_t cluster_size() const { return cluster[0] * cluster[1] * cluster[2]; }
};

// Values by name.
using Overrides = std::map<std::string, int64_t, std::less<>>;

// Evaluates and lays out, with those values of parameters and the defaults of
// others (constants: ir/define.h). Errors: a name that is no parameter's
// (name/parameter), a value outside a parameter's domain (type/domain), an
// unmet `requires` (type/requires), sizes that overflow (type/overflow), more
// shared memory, threads, registers or columns than there are (shape/...).
std::optional<BoundKernel> Bind(const Kernel& kernel, const Overrides& params,
                                int64_t sm_count, Diagnostics& diagnostics);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_BIND_H_
