// Compares what a kernel wrote with what its `computes` lines say, in f64 and
// only where it was written.
//
// The bound of an element (hardware.md D.2): each instruction adds at most
// (k+1) * 2^-F * P + u * |partial|, with P = max(|partial|, |a*b|). Summed
// over chunks of K with row and column norms standing in for the products (so
// never too small), then propagated through the rest of the expression, plus
// the rounding to the output's type. `within r` adds r * max(|want|, rms of
// the checked elements).
#ifndef TILESIM_SIM_MACHINE_DATA_COMPUTES_H_
#define TILESIM_SIM_MACHINE_DATA_COMPUTES_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::machine {

class Globals;
class GlobalTensor;

struct ComputesResult {
  std::string target;
  int32_t kernel = 0;
  ir::Span span;               // of the `computes` line
  std::vector<int64_t> shape;  // of the target
  int64_t elements = 0;        // of the target
  int64_t checked = 0;         // written by materialised CTAs, and compared
  int64_t failed = 0;          // of them, outside their bound
  int64_t bit_equal = 0;       // of them, the exact result rounded
  double max_abs_error = 0;
  int64_t nan = 0;  // NaN, or not, unlike the exact result; in no error
  double max_rel_error = 0;  // |got - want| / max(|want|, rms)
  double bound = 0;          // the largest one used
  // Linear index of the first element that is not within its bound, and of
  // the first that nobody wrote.
  std::optional<int64_t> first_mismatch;
  std::optional<int64_t> first_unwritten;
  double got = 0, want = 0;  // of first_mismatch
  bool complete = false;     // every element was expected to be written
  std::string skipped;       // why nothing was compared; empty otherwise

  bool pass() const {
    return skipped.empty() && failed == 0 && !(complete && first_unwritten);
  }
};

struct Comparing {
  const std::atomic<bool>* stop = nullptr;  // ends it early once it is true
  int threads = 1;                          // the result is the same
};

// `complete`: all CTAs were materialised, so every element must be written.
ComputesResult CheckComputes(const std::vector<const Code*>& codes, size_t k,
                             const ir::Computes& computes,
                             const Globals& globals, bool complete,
                             const Comparing& how);

// Why a line of kernel `k` cannot be checked once all have run: its result has
// since been written, or what it reads was written both before and, by `k` or
// later, after. Empty: it can.
std::string LostSince(const std::vector<const Code*>& codes, size_t k,
                      const ir::Computes& computes);

// The same with numbers from elsewhere, one for each element in C order,
// rounded to the tensor's type: an element passes with those bits, or within
// `within` * max(|want|, rms).
ComputesResult CompareWith(const ir::BoundDecl& decl,
                           const GlobalTensor& target,
                           const std::vector<double>& want, double within,
                           const Comparing& how);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_COMPUTES_H_
