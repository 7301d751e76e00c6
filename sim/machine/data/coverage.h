// Which elements of the tensors that `computes` names the CTAs of a run store:
// all of them, from the coordinates of their boxes, whether or not values are
// worked out. An element that nobody stores is a hole; one that two CTAs store
// is chance, where they do not talk and do not add up.
#ifndef TILESIM_SIM_MACHINE_DATA_COVERAGE_H_
#define TILESIM_SIM_MACHINE_DATA_COVERAGE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/program.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bits.h"

namespace tilesim::machine {

class Job;

// Two stores by different CTAs of one grid.
struct TwoStores {
  ir::Span first, second;
  int64_t first_cta = 0, second_cta = 0;
};

struct TargetCoverage {
  std::string target;
  ir::Span span;  // of the `computes` line
  std::vector<int64_t> shape;
  int64_t holes = 0;  // elements
  int64_t first_hole = -1;
  std::vector<ir::Span> idle;  // stores to it to which no CTA came
  std::optional<TwoStores> twice;
  bool followed = true;        // false: it is too large to be
  bool pairs_followed = true;  // false: double stores may have been missed
};

std::vector<ir::Diagnostic> FindingsOf(const TargetCoverage& t);
// Ops that write to the declaration, without those of `reached`, which are
// indices into `code.ops`.
std::vector<ir::Span> IdleStores(const Code& code, int32_t decl,
                                 const std::set<int32_t>& reached);

class Coverage {
 public:
  // They must outlive it, in launch order.
  explicit Coverage(std::vector<const Code*> codes);

  // Whether the op stores to such a tensor.
  bool Follows(int32_t kernel, const CompiledOp& op) const {
    return !stores_[kernel].empty() && StoreOf(kernel, op).operand >= 0;
  }
  // The op is executed.
  void Note(Job& job, const CompiledOp& op);

  // Of the tensors of all kernels; meant for a run that has finished.
  std::vector<TargetCoverage> Targets() const;

 private:
  // The operand that an op stores to, and the registers that it stores.
  struct Store {
    int operand = -1;
    int registers = -1;
    bool adds = false;
  };
  struct Box {
    std::array<int64_t, ir::kMaxRank> start{};
    std::array<int32_t, ir::kMaxRank> extent{};
    int rank = 0;
    int64_t cta = 0;
    ir::Span span;
  };
  // What one kernel stores to one tensor.
  struct Stored {
    Bits elements;
    std::set<int32_t> reached;  // ops, by index
    std::vector<Box> boxes;
    std::unordered_multimap<int64_t, size_t> at;  // by first element
    int64_t searches = 0;
    std::optional<TwoStores> twice;
  };

  const Store& StoreOf(int32_t kernel, const CompiledOp& op) const {
    return stores_[kernel][&op - codes_[kernel]->ops.data()];
  }
  Store FindStore(const Code& code, const CompiledOp& op) const;
  std::vector<ir::Span> IdleStoresTo(const std::string& target) const;
  // Whether the same CTA has stored the same box before.
  static bool Again(const Stored& stored, const Box& box, int64_t first);
  static void Compare(Stored& stored, const Box& box);

  std::vector<const Code*> codes_;
  std::vector<std::vector<Store>> stores_;  // by kernel and op
  std::vector<bool> talk_;                  // by kernel: its CTAs do
  std::map<std::pair<int32_t, std::string>, Stored> stored_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_COVERAGE_H_
