#include "sim/timing/registers.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "ir/occupancy.h"
#include "ir/walk.h"
#include "sim/machine/code.h"
#include "sim/timing/live_tiles.h"
#include "sim/timing/loads_ahead.h"

namespace tilesim::timing {
namespace {

// Of a kernel that exists as sizes only and does not say.
constexpr int64_t kUnsaidRegisters = 128;
// For addresses, counters and masks: beside the tiles ptxas takes 26 in kernels
// that TMA feeds, more where threads have addresses of their own.
constexpr int64_t kAddresses = 26;

// Ops in the order of the text, counted from 0: `first` to `last`.
struct Range {
  int first = -1, last = -1;

  bool Holds(const Range& r) const {
    return first <= r.first && r.last <= last;
  }
};

// Where cp.async fills what, and where loops are.
struct Copies {
  std::vector<Range> filled;  // by DeclId
  std::vector<Range> loops;   // inner ones first
  int ops = 0;

  void Read(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      const int first = ops;
      if (s.op) Read(*s.op);
      Read(s.body);
      Read(s.orelse);
      const bool loop =
          s.kind == ir::Stmt::Kind::kFor || s.kind == ir::Stmt::Kind::kWhile;
      if (loop && ops > first) loops.push_back({first, ops - 1});
    }
  }

  void Read(const ir::Op& op) {
    if (op.info->kind == ir::OpKind::kCpAsync) {
      Range& here = filled[static_cast<size_t>(op.operands[0].ref.decl)];
      if (here.first < 0) here.first = ops;
      here.last = ops;
    }
    ++ops;
  }
};

// Threads that copy keep an address of global memory and one of shared memory
// for each 16 bytes of theirs, from turn to turn of the loop.
int64_t WordsOfAddresses(const ir::BoundDecl& d,
                         const ir::BoundKernel& kernel) {
  constexpr int64_t kVectorBytes = 16, kWords = 3;
  return kWords * d.object_bytes / kVectorBytes /
         std::max<int64_t>(kernel.block, 1);
}

Range LoopAround(const Range& range, const std::vector<Range>& loops) {
  for (const Range& loop : loops)
    if (loop.Holds(range)) return {loop.first, loop.last + 1};
  return {range.first, range.last + 1};
}

// By op of the text.
std::vector<int64_t> WordsOfAllAddresses(const ir::BoundKernel& kernel) {
  Copies copies;
  copies.filled.resize(kernel.decls.size());
  copies.Read(kernel.kernel->body);
  std::vector<int64_t> words(static_cast<size_t>(copies.ops));
  for (size_t i = 0; i < kernel.decls.size(); ++i) {
    if (copies.filled[i].first < 0) continue;
    const Range range = LoopAround(copies.filled[i], copies.loops);
    for (int op = range.first; op < range.last; ++op)
      words[static_cast<size_t>(op)] +=
          WordsOfAddresses(kernel.decls[i], kernel);
  }
  return words;
}

// Loads of several iterations that are issued together have registers each. Of
// a loop that is unrolled whole the sums begin with the first of them, where
// they are a number before.
class Ahead {
 public:
  explicit Ahead(const ir::BoundKernel& kernel) : kernel_(kernel) {
    ir::Diagnostics ignored;
    const auto code = machine::Compile(ir::BoundKernel(kernel), ignored);
    if (!code) return;
    const std::vector<LoadAhead> all = LoadsAhead(*code);
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].iterations > 1) of_.emplace(code->ops[i].op, all[i]);
  }

  // Of the ops in the order of the text.
  int64_t WordsAt(const LiveAt& live) {
    int64_t words = 0;
    if (auto at = of_.find(live.op); at != of_.end()) {
      const int32_t decl = live.op->operands[0].ref.decl;
      words = (at->second.iterations - 1) * WordsOf(kernel_, decl);
      for (const LiveTile& t : live.before)
        if (at->second.all && numbers_.contains(t.decl))
          words -= WordsOf(kernel_, t.decl);
    }
    Note(*live.op);
    return words;
  }

 private:
  void Note(const ir::Op& op) {
    if (op.operands.empty() || op.operands[0].ref.decl < 0) return;
    const bool number = op.info->kind == ir::OpKind::kMov &&
                        op.operands[1].kind == ir::Operand::Kind::kExpr;
    if (number)
      numbers_.insert(op.operands[0].ref.decl);
    else
      numbers_.erase(op.operands[0].ref.decl);
  }

  const ir::BoundKernel& kernel_;
  std::map<const ir::Op*, LoadAhead> of_;
  std::set<int32_t> numbers_;  // tiles that are one
};

int64_t NeededRegisters(const ir::BoundKernel& kernel) {
  const std::vector<LiveAt> live = LiveTilesOf(kernel);
  const std::vector<int64_t> addresses = WordsOfAllAddresses(kernel);
  Ahead ahead(kernel);
  int64_t most = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    const int64_t tiles = std::max(WordsOf(kernel, live[i].before),
                                   WordsOf(kernel, live[i].after));
    most = std::max(most, tiles + addresses[i] + ahead.WordsAt(live[i]));
  }
  return kAddresses + most;
}

}  // namespace

int64_t RegistersOf(const ir::BoundKernel& kernel) {
  if (kernel.needs > 0) return kernel.needs;
  const bool said = kernel.regs > 0;
  if (kernel.kernel == nullptr)
    return said ? ir::RegistersAtLaunch(kernel)
                : std::min(kUnsaidRegisters, ir::MostRegisters(kernel.block));
  const int64_t most =
      said ? ir::RegistersAtLaunch(kernel) : ir::MostRegisters(kernel.block);
  if (said && ir::UsesSetmaxnreg(kernel.kernel->body)) return most;
  return std::min(most, NeededRegisters(kernel));
}

int64_t CtasPerSm(const ir::BoundKernel& kernel) {
  ir::BoundKernel taken = kernel;
  taken.regs = RegistersOf(kernel);
  return ir::CtasPerSm(taken);
}

}  // namespace tilesim::timing
