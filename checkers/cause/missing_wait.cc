#include "checkers/cause/missing_wait.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/cat.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/tcgen05.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Stmt;
using ir::ops::MbarrierWait;
using ir::ops::Tcgen05FenceAfter;
using order::BarrierIn;
using order::Unawaited;
using report::Finding;
using report::Findings;
using report::Signature;

namespace {

// Places that are tried.
constexpr size_t kMaxPlaces = 14;

using Index = std::vector<std::vector<ir::Subscript>>;

Signature PlaceOf(const ir::Span& span) { return {{}, span.line, span.column}; }

// Ops that findings are about.
std::vector<Signature> NamedIn(const Findings& findings) {
  std::vector<Signature> out;
  for (const Finding& f : findings.all()) {
    if (f.diagnostic.severity != ir::Severity::kError) continue;
    out.push_back(PlaceOf(f.diagnostic.span));
    for (const ir::Label& label : f.diagnostic.labels)
      out.push_back(PlaceOf(label.span));
  }
  return out;
}

class Places {
 public:
  Places(const machine::Code& code, const Findings& findings)
      : kernel_(code.kernel()),
        named_(NamedIn(findings)),
        unawaited_(order::UnawaitedIn(code)) {}

  std::vector<WaitPlace> Find() {
    for (const Unawaited& barriers : unawaited_) {
      barriers_ = &barriers;
      Before(kernel_.body);
    }
    for (const Unawaited& barriers : unawaited_) {
      barriers_ = &barriers;
      ir::ForEachStmt(kernel_.body, [&](const Stmt& s) {
        if (s.op && Signals(*s.op)) Add(s, true, BarrierIn(*s.op)->groups);
      });
    }
    return std::move(out_);
  }

 private:
  // Before an op that a finding names and the fences that it has before it, or,
  // as others may stand between, before the first op of each block that it is
  // in.
  void Before(const Block& block) {
    const Stmt *first = nullptr, *fence = nullptr;
    for (const Stmt& s : block) {
      if (first == nullptr && s.op) first = &s;
      around_.push_back(first != nullptr ? first : &s);
      Before(s.body);
      Before(s.orelse);
      const bool fences = s.op && s.op->info == &Tcgen05FenceAfter::kInfo;
      if (s.op && IsNamed(*s.op) && !Signals(*s.op)) AddAt(s, fence);
      if (fence == nullptr || !fences) fence = fences ? &s : nullptr;
      around_.pop_back();
    }
  }

  void AddAt(const Stmt& s, const Stmt* fence) {
    auto index = IndexAt(*s.op);
    if (!index) return;
    if (fence != nullptr) Add(*fence, false, *index);
    Add(s, false, *index);
    for (auto at = around_.rbegin(); at != around_.rend(); ++at)
      Add(**at, false, *index);
  }

  bool IsNamed(const ir::Op& op) const {
    return std::find(named_.begin(), named_.end(), PlaceOf(op.span)) !=
           named_.end();
  }
  bool Signals(const ir::Op& op) const {
    const auto& all = barriers_->signals;
    return std::find(all.begin(), all.end(), &op) != all.end();
  }

  void Add(const Stmt& at, bool after, Index index) {
    bool known = std::any_of(out_.begin(), out_.end(), [&](const WaitPlace& p) {
      return p.at == &at && p.after == after &&
             p.barriers.decl == barriers_->decl;
    });
    if (known || out_.size() == kMaxPlaces) return;
    out_.push_back({*barriers_, &at, after, std::move(index)});
  }

  // Of the barrier that goes with what an op works on: of arrays that are as
  // long, the object with the same index.
  std::optional<Index> IndexAt(const ir::Op& op) const {
    const ir::Decl& barrier = kernel_.decls[barriers_->decl];
    if (barrier.array.empty()) return std::vector<std::vector<ir::Subscript>>();
    for (const ir::Operand& o : op.operands) {
      bool alike = o.kind == ir::Operand::Kind::kRef && !o.ref.groups.empty() &&
                   kernel_.decls[o.ref.decl].array == barrier.array;
      if (alike) return Index{o.ref.groups.front()};
    }
    return std::nullopt;
  }

  const ir::Kernel& kernel_;
  std::vector<Signature> named_;
  std::vector<Unawaited> unawaited_;
  const Unawaited* barriers_ = nullptr;  // that it is at
  std::vector<const Stmt*> around_;      // of each block that a statement is in
  std::vector<WaitPlace> out_;
};

Stmt WaitAt(const ir::Kernel& kernel, const WaitPlace& place) {
  Stmt out;
  out.kind = Stmt::Kind::kOp;
  out.span = place.at->span;
  ir::Op& op = out.op.emplace();
  op.info = &MbarrierWait::kInfo;
  op.mods.assign(op.info->mods.size(), 0);
  op.operands.resize(op.info->operands.size());
  op.span = place.at->span;
  ir::Operand& barrier = op.operands[MbarrierWait::kBar];
  barrier.kind = ir::Operand::Kind::kRef;
  barrier.ref.name = kernel.decls[place.barriers.decl].name;
  barrier.ref.decl = place.barriers.decl;
  barrier.ref.groups = place.index;
  ir::Operand& parity = op.operands[MbarrierWait::kParity];
  parity.kind = ir::Operand::Kind::kExpr;
  parity.expr = ir::Expr::Int(0, op.span);
  return out;
}

// The copy of `block` with it; `found`, once it is there.
Block Inserted(const Block& block, const WaitPlace& place, const Stmt& wait,
               bool& found) {
  Block out;
  for (const Stmt& s : block) {
    const bool here = &s == place.at;
    found |= here;
    if (here && !place.after) out.push_back(wait);
    Stmt copy = s;
    copy.body = Inserted(s.body, place, wait, found);
    copy.orelse = Inserted(s.orelse, place, wait, found);
    out.push_back(std::move(copy));
    if (here && place.after) out.push_back(wait);
  }
  return out;
}

}  // namespace

std::vector<WaitPlace> PlacesForWaits(const machine::Code& code,
                                      const Findings& findings) {
  return Places(code, findings).Find();
}

std::unique_ptr<WithWait> AddWait(const machine::Code& code,
                                  const WaitPlace& place) {
  bool found = false;
  Stmt wait = WaitAt(code.kernel(), place);
  wait.name = "wait";  // by which it is known
  ir::Kernel kernel = code.kernel();
  kernel.body = Inserted(code.kernel().body, place, wait, found);
  if (!found) return nullptr;
  auto out = std::make_unique<WithWait>();
  out->text = Changed(code, std::move(kernel));
  if (out->text == nullptr) return nullptr;
  ir::ForEachStmt(std::as_const(out->text->kernel.body), [&](const Stmt& s) {
    if (s.kind != Stmt::Kind::kOp || s.name != wait.name) return;
    const auto& ops = out->text->code->ops;
    auto at = std::find_if(ops.begin(), ops.end(),
                           [&](const auto& op) { return op.op == &*s.op; });
    if (at != ops.end()) out->wait = static_cast<int32_t>(at - ops.begin());
  });
  return out->wait < 0 ? nullptr : std::move(out);
}

Finding* Tell(const machine::Code& code, const WaitPlace& place, bool fresh,
              Findings& findings) {
  const std::string& name = code.kernel().decls[place.barriers.decl].name;
  Finding* found = order::Tell(code, place.barriers, findings);
  if (found == nullptr) return nullptr;
  ir::Diagnostic& d = found->diagnostic;
  d.labels.push_back({place.at->span, place.after
                                          ? "a wait is missing after this"
                                          : "a wait is missing before this"});
  const std::string index =
      place.index.empty()
          ? ""
          : ir::Cat("[", ir::ToString(place.index[0][0].start), "]");
  d.help = ir::Cat(
      "`mbarrier.wait ", name, index, ", parity = ..` ",
      place.after ? "after" : "before", " line ", place.at->span.text_line(),
      fresh
          ? "; on a fresh barrier parity 1 passes, for what nobody has to free"
          : "; the first phase has parity 0");
  return found;
}

bool TellMissingWait(Explanation& x) {
  std::optional<Findings> best;
  Finding cause;
  const size_t all = ErrorsIn(x.findings());
  for (const WaitPlace& place : PlacesForWaits(x.code(), x.findings())) {
    for (bool fresh : {false, true}) {
      if (!x.may_run() || (best && !best->has_errors())) break;
      auto with = AddWait(x.code(), place);
      if (with == nullptr) break;
      Repaired r = x.Run(*with->text->code,
                         {{with->wait, fresh ? run::LastSeen::kNone : -1}});
      const size_t left = ErrorsIn(r.seen);
      if (!Ends(r.log) || 2 * left >= all || !x.AreKnown(r.seen) ||
          (best && ErrorsIn(*best) <= left))
        continue;
      Findings told;
      cause = *Tell(x.code(), place, fresh, told);
      best = std::move(r.seen);
    }
  }
  if (!best) return false;
  x.TellCause({cause}, [&](const Finding& f) {
    return IsError(f) && !HasLike(*best, f);
  });
  return true;
}

}  // namespace tilesim::checkers::cause
