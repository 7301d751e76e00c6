#include "frontend/lane_scalars.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/eval.h"
#include "ir/printer.h"
#include "ir/warp.h"

namespace tilesim::frontend {
namespace {

using ir::Expr;
using ir::Scope;
using ir::Stmt;

// Scopes around a place that let some lanes of a warp pass, as they are
// written: the same text is the same lanes, of those inside the others.
using Lanes = std::vector<std::string>;

bool Within(const Lanes& inner, const Lanes& outer) {
  return inner.size() >= outer.size() &&
         std::equal(outer.begin(), outer.end(), inner.begin());
}

class Checker {
 public:
  Checker(const ir::Kernel& kernel, ir::Diagnostics& diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics), slots_(kernel.slots) {
    for (const ir::Constant& c : kernel.constants)
      slots_[c.slot] = ValueOf(c.value);
  }

  void Run() {
    for (bool reads : {false, true}) {
      reads_ = reads;
      In(kernel_.body);
    }
  }

 private:
  struct Set {
    Lanes lanes;
    ir::Span span;
  };
  struct Own {
    int32_t slot = -1;
    size_t lanes = 0;  // how many scopes around it let some pass
  };

  // Of constants; what a size decides has none here.
  std::optional<ir::Value> ValueOf(const Expr& e) const {
    ir::EvalError ignored;
    return ir::Evaluate(e, {slots_, {}, {}}, &ignored);
  }

  bool WholeWarps(const Expr& e) const {
    std::optional<ir::Value> v = ValueOf(e);
    return v && v->number % ir::kWarpThreads == 0;
  }

  bool DividesWarps(const Scope& scope) const {
    switch (scope.kind) {
      case Scope::Kind::kLanes:
      case Scope::Kind::kElect:
        return true;
      case Scope::Kind::kThreads:
        return !scope.range || !WholeWarps(scope.low) ||
               !WholeWarps(scope.high);
      case Scope::Kind::kWarps:
      case Scope::Kind::kWarpgroups:
        return false;
    }
    return false;
  }

  void In(const ir::Block& block) {
    const size_t before = own_.size();
    for (const Stmt& s : block) One(s);
    own_.resize(before);
  }

  void One(const Stmt& s) {
    const size_t around = lanes_.size(), outside = own_from_;
    // What was set before the first iteration others may have set in the one
    // before.
    if (s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile)
      own_from_ = own_.size();
    if (s.kind == Stmt::Kind::kVar && !reads_) declared_[s.slot] = lanes_;
    if (s.kind == Stmt::Kind::kAssign) Sets(s.slot, s.span);
    Read(s.value);
    Read(s.low);
    Read(s.high);
    if (s.step) Read(*s.step);
    if (s.op) Op(*s.op);
    if (s.kind == Stmt::Kind::kAssign) HasSet(s.slot);
    for (const Scope& scope : s.scopes) {
      Read(scope.low);
      Read(scope.high);
      if (DividesWarps(scope))
        lanes_.push_back(ir::ToString(std::vector<Scope>{scope}));
    }
    In(s.body);
    lanes_.resize(around);
    In(s.orelse);
    own_from_ = outside;
  }

  void Op(const ir::Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Operand& o = op.operands[i];
      bool var = (op.info->operands[i].types & ir::kTakesVar) != 0;
      if (var && op.has(i)) {
        Sets(o.expr.slot, o.span);
        continue;
      }
      Read(o.expr);
      for (const Expr& cta : o.ref.cta) Read(cta);
      for (const auto& group : o.ref.groups) {
        for (const ir::Subscript& sub : group) {
          Read(sub.start);
          Read(sub.extent);
        }
      }
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bool var = (op.info->operands[i].types & ir::kTakesVar) != 0;
      if (var && op.has(i)) HasSet(op.operands[i].expr.slot);
    }
  }

  // The lanes that are here have set theirs, and read that from here to the end
  // of the block, unless some of them set it again meanwhile.
  void HasSet(int32_t slot) {
    for (Own& own : own_)
      if (own.slot == slot && own.lanes < lanes_.size()) own.slot = -1;
    own_.push_back({slot, lanes_.size()});
  }
  bool ReadsOwn(int32_t slot) const {
    return std::any_of(own_.begin() + static_cast<std::ptrdiff_t>(own_from_),
                       own_.end(),
                       [&](const Own& own) { return own.slot == slot; });
  }

  // By fewer lanes than those that have the scalar.
  void Sets(int32_t slot, const ir::Span& span) {
    auto at = declared_.find(slot);
    if (!reads_ && at != declared_.end() && lanes_.size() > at->second.size())
      sets_[slot].push_back({lanes_, span});
  }

  void Read(const Expr& e) {
    if (!reads_) return;
    bool scalar =
        e.kind == ir::ExprKind::kName && e.name_kind == ir::NameKind::kVar;
    if (scalar) ReadOf(e);
    for (const Expr& arg : e.args) Read(arg);
  }

  void ReadOf(const Expr& e) {
    if (ReadsOwn(e.slot)) return;
    for (const Set& set : sets_[e.slot]) {
      if (Within(lanes_, set.lanes) || !told_.insert(e.slot).second) continue;
      ir::Diagnostic& d = diagnostics_.Error(
          "scope/divergent", e.span,
          ir::Cat("`", e.name, "` is set by `", set.lanes.back(),
                  "` and read by other lanes of the warp, which have not set "
                  "theirs"));
      d.labels.push_back({set.span, "set here by some lanes"});
      d.help = "read it where it is set, or hand it on through shared memory";
    }
  }

  const ir::Kernel& kernel_;
  ir::Diagnostics& diagnostics_;
  std::vector<std::optional<ir::Value>> slots_;
  bool reads_ = false;
  Lanes lanes_;
  std::map<int32_t, Lanes> declared_;         // by slot
  std::map<int32_t, std::vector<Set>> sets_;  // by slot
  std::set<int32_t> told_;
  std::vector<Own> own_;  // of the blocks around
  size_t own_from_ = 0;   // those of the innermost loop
};

}  // namespace

void CheckLaneScalars(const ir::Kernel& kernel, ir::Diagnostics& diagnostics) {
  Checker(kernel, diagnostics).Run();
}

}  // namespace tilesim::frontend
