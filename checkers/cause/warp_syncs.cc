#include "checkers/cause/warp_syncs.h"

#include <string>
#include <utility>

#include "checkers/cause/moved_text.h"
#include "ir/cat.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/sync.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Scope;
using ir::Stmt;

namespace {

constexpr size_t kMostSyncs = 12;  // each is a run

bool IsOfOneLane(const Stmt& s) {
  if (s.kind != Stmt::Kind::kScope || s.scopes.empty()) return false;
  const Scope& last = s.scopes.back();
  return last.kind == Scope::Kind::kElect ||
         ((last.kind == Scope::Kind::kLanes ||
           last.kind == Scope::Kind::kThreads) &&
          !last.range);
}

bool Has(const Stmt& scope, const ir::OpInfo* info) {
  return ir::Contains(
      scope.body, [&](const Stmt& s) { return s.op && s.op->info == info; });
}

class Search {
 public:
  explicit Search(const machine::Code& code) : code_(code) {}

  std::vector<Rewrite> All() {
    In(code_.kernel().body);
    return std::move(out_);
  }

 private:
  void In(const Block& block) {
    for (const Stmt& s : block) {
      In(s.body);
      In(s.orelse);
      if (!IsOfOneLane(s)) continue;
      if (Has(s, &ir::ops::MbarrierArrive::kInfo)) Add(s, true);
      if (Has(s, &ir::ops::MbarrierWait::kInfo)) Add(s, false);
    }
  }

  void Add(const Stmt& scope, bool before) {
    if (out_.size() == kMostSyncs) return;
    Rewrite r{code_.kernel(), {}, "race"};
    r.help = ir::Cat("`bar.warp.sync` ", before ? "before" : "behind",
                     " the block on line ", scope.span.text_line(), ": ",
                     before ? "what other lanes of the warp did is in no order "
                              "with the arrival of one"
                            : "one lane has waited, and the others go on");
    r.of_lanes = true;
    if (Insert(r.kernel.body, scope, before)) out_.push_back(std::move(r));
  }

  static bool Insert(Block& block, const Stmt& scope, bool before) {
    for (size_t i = 0; i < block.size(); ++i) {
      Stmt& s = block[i];
      if (Insert(s.body, scope, before) || Insert(s.orelse, scope, before))
        return true;
      if (s.kind != Stmt::Kind::kScope || !SamePlace(s.span, scope.span))
        continue;
      block.insert(block.begin() + static_cast<int64_t>(before ? i : i + 1),
                   OpStmt(&ir::ops::BarWarpSync::kInfo, scope.span));
      return true;
    }
    return false;
  }

  const machine::Code& code_;
  std::vector<Rewrite> out_;
};

}  // namespace

std::vector<Rewrite> WarpSyncs(const machine::Code& code) {
  return Search(code).All();
}

}  // namespace tilesim::checkers::cause
