// Who executes statements: scopes become conditions.
#include <algorithm>

#include "hwtests/emit/kernel_emitter.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::kWarpgroupWarps;
using ir::kWarpThreads;
using ir::Scope;
using ir::Stmt;

// A condition of several terms beside `||`.
std::string InBrackets(const std::string& condition) {
  bool terms = condition.find("&&") != std::string::npos;
  return terms ? Cat("(", condition, ")") : condition;
}

bool NarrowsLanes(const std::vector<Scope>& scopes) {
  for (const Scope& scope : scopes) {
    if (scope.kind == Scope::Kind::kElect ||
        scope.kind == Scope::Kind::kLanes ||
        scope.kind == Scope::Kind::kThreads)
      return true;
  }
  return false;
}

// break or continue of a loop outside `block`.
bool LeavesLoop(const ir::Block& block) {
  for (const Stmt& stmt : block) {
    if (stmt.kind == Stmt::Kind::kBreak || stmt.kind == Stmt::Kind::kContinue)
      return true;
    if (stmt.kind == Stmt::Kind::kFor || stmt.kind == Stmt::Kind::kWhile)
      continue;
    if (LeavesLoop(stmt.body) || LeavesLoop(stmt.orelse)) return true;
  }
  return false;
}

}  // namespace

std::string KernelEmitter::RangeCondition(const std::string& what,
                                          const Scope& scope) {
  std::string low = print_.Term(scope.low);
  if (!scope.range) return Cat(what, " == ", low);
  std::string below = Cat(what, " < ", print_.Term(scope.high));
  if (facts().Constant(scope.low) == 0) return below;
  return Cat(what, " >= ", low, " && ", below);
}

std::string KernelEmitter::ScopeCondition(const std::vector<Scope>& scopes) {
  // The warp of an `elect one` is one of those that are named before it.
  size_t named = scopes.size();
  while (named > 0 && !scopes[named - 1].implied) --named;
  std::string text;
  for (size_t k = 0; k < scopes.size();) {
    std::string condition = OneCondition(scopes[k]);
    ThreadsHere before = threads_;
    Narrow(scopes[k]);
    bool warps = scopes[k].kind == Scope::Kind::kWarps ||
                 scopes[k].kind == Scope::Kind::kWarpgroups;
    bool said = warps && k + 1 < named;
    size_t united = k;
    for (; ++k < scopes.size() && scopes[k].also;) {
      std::string one = OneCondition(scopes[k]);
      ThreadsHere all = threads_;
      threads_ = before;
      Narrow(scopes[k]);
      Unite(all);
      condition = united + 1 == k
                      ? Cat(InBrackets(condition), " || ", InBrackets(one))
                      : Cat(condition, " || ", InBrackets(one));
    }
    if (said) continue;
    bool alone = k == scopes.size() && text.empty();
    if (k > united + 1 && !alone) condition = Cat("(", condition, ")");
    ir::Append(&text, text.empty() ? "" : " && ", condition);
  }
  return text;
}

std::string KernelEmitter::OneCondition(const Scope& scope) {
  switch (scope.kind) {
    case Scope::Kind::kWarps:
      return RangeCondition(print_.Warp(), scope);
    case Scope::Kind::kWarpgroups:
      return RangeCondition(print_.Warpgroup(), scope);
    case Scope::Kind::kThreads:
      return RangeCondition("int(threadIdx.x)", scope);
    case Scope::Kind::kLanes:
      return RangeCondition("tile::lane_index()", scope);
    case Scope::Kind::kElect:
      break;
  }
  // Lanes that are apart already cannot elect: the first one stands.
  if (threads_.whole_warps()) return "tile::elect_one()";
  if (threads_.lanes == 1) return "true";
  if (threads_.lanes == 0) {
    diagnostics().Error(
        "lower/unsupported", scope.span,
        "`elect` among lanes that do not follow from constants");
  }
  return Cat("tile::lane_index() == ", threads_.first_lane);
}

// Warps of both, where no other is between them.
void KernelEmitter::Unite(const ThreadsHere& other) {
  ThreadsHere& t = threads_;
  int64_t first = std::min(t.first_warp, other.first_warp);
  int64_t end =
      std::max(t.first_warp + t.warps, other.first_warp + other.warps);
  bool gap = t.first_warp > other.first_warp + other.warps ||
             other.first_warp > t.first_warp + t.warps;
  bool known = t.warps > 0 && other.warps > 0 && !gap && !t.any && !other.any;
  t.any = false;
  t.first_warp = known ? first : 0;
  t.warps = known ? end - first : 0;
}

void KernelEmitter::Narrow(const Scope& scope) {
  std::optional<int64_t> low = facts().Constant(scope.low);
  std::optional<int64_t> high =
      scope.range ? facts().Constant(scope.high)
                  : (low ? std::optional<int64_t>(*low + 1) : std::nullopt);
  ThreadsHere& t = threads_;
  if (scope.kind == Scope::Kind::kElect) {
    t.lanes = 1;
    return;
  }
  if (!low || !high) return NarrowToUnknown(scope);
  NarrowTo(scope, *low, *high);
}

// Where it does not name constants: of lanes and threads one, or nobody knows
// how many, unless they are whole warps whatever the numbers are.
void KernelEmitter::NarrowToUnknown(const Scope& scope) {
  ThreadsHere& t = threads_;
  const bool one = !scope.range;
  const bool threads = scope.kind == Scope::Kind::kThreads;
  const bool whole = threads && !one &&
                     facts().Divisor(scope.low) % kWarpThreads == 0 &&
                     facts().Divisor(scope.high) % kWarpThreads == 0;
  if (scope.kind == Scope::Kind::kLanes || (threads && !whole)) {
    t.lanes = one ? 1 : 0;
    t.first_lane = 0;
  }
  if (scope.kind == Scope::Kind::kLanes) return;
  t.any = one;
  t.warps = !one                                     ? 0
            : scope.kind == Scope::Kind::kWarpgroups ? kWarpgroupWarps
                                                     : 1;
}

// Where the scope names constants.
void KernelEmitter::NarrowTo(const Scope& scope, int64_t a, int64_t b) {
  ThreadsHere& t = threads_;
  t.any = t.any && scope.kind == Scope::Kind::kLanes;
  if (scope.kind == Scope::Kind::kLanes) {
    t.first_lane = a;
    t.lanes = b - a;
  } else if (scope.kind == Scope::Kind::kThreads) {
    t.first_warp = a / kWarpThreads;
    t.warps = ir::WarpsOf(b) - t.first_warp;
    if (a % kWarpThreads != 0 || b % kWarpThreads != 0) {
      t.first_lane = t.warps == 1 ? a % kWarpThreads : 0;
      t.lanes = t.warps == 1 ? b - a : 0;
    }
  } else {
    int64_t warps =
        scope.kind == Scope::Kind::kWarpgroups ? kWarpgroupWarps : 1;
    t.first_warp = a * warps;
    t.warps = (b - a) * warps;
  }
}

void KernelEmitter::EmitScope(const Stmt& stmt) {
  ThreadsHere before = threads_;
  int32_t role_before = role_;
  out_->Open(Cat("if (", ScopeCondition(stmt.scopes), ")"));
  if (!stmt.name.empty()) {
    auto& roles = file().plan.roles;
    roles.push_back(stmt.name);
    role_ = static_cast<int32_t>(roles.size()) - 1;
  }
  if (!stmt.name.empty() && !LeavesLoop(stmt.body)) {
    EmitRole(stmt);
  } else {
    EmitBlock(stmt.body);
  }
  out_->Close();
  threads_ = before;
  role_ = role_before;
  // What follows needs the warp together again.
  if (NarrowsLanes(stmt.scopes) && threads_.whole_warps() && later_)
    out_->Line("__syncwarp();");
}

}  // namespace tilesim::hwtests
