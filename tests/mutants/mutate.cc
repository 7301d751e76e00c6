#include "tests/mutants/mutate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ir/cat.h"
#include "ir/effect.h"
#include "ir/printer.h"

namespace tilesim::mutants {
namespace {

using ir::EffectKind;
using ir::Expr;
using ir::ExprOp;
using ir::Stmt;

// A statement that may be changed, and what is known about it.
struct Site {
  const ir::Block& block;
  size_t index;
  const ir::BoundKernel& bound;
  std::vector<ir::Effect> effects;  // of an op

  const Stmt& stmt() const { return block[index]; }
};

// The same statement of a copy of the program, to be changed.
using Edit = std::function<void(ir::Block&, size_t)>;
using Edits = std::vector<Edit>;

Expr Binary(ExprOp op, Expr left, int64_t right) {
  Expr out;
  out.kind = ir::ExprKind::kBinary;
  out.op = op;
  out.args = {std::move(left), Expr::Int(right)};
  return out;
}

bool IsSync(const ir::Effect& e) {
  return e.kind != EffectKind::kClcQuery && ir::Orders(e);
}

bool SyncOp(const Site& s) {
  return std::any_of(s.effects.begin(), s.effects.end(), IsSync);
}

void Drop(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  out.push_back([](ir::Block& b, size_t i) {
    b.erase(b.begin() + static_cast<long>(i));
  });
}

void Duplicate(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  out.push_back([](ir::Block& b, size_t i) {
    Stmt copy = b[i];
    b.insert(b.begin() + static_cast<long>(i), std::move(copy));
  });
}

// A declaration is no neighbour: to move it means nothing, or is an error.
bool IsNeighbour(const Stmt& s) {
  return s.kind != Stmt::Kind::kDecl && s.kind != Stmt::Kind::kLet;
}

void SwapWithNeighbour(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  if (s.index + 1 < s.block.size() && IsNeighbour(s.block[s.index + 1]))
    out.push_back([](ir::Block& b, size_t i) { std::swap(b[i], b[i + 1]); });
  if (s.index > 0 && IsNeighbour(s.block[s.index - 1]))
    out.push_back([](ir::Block& b, size_t i) { std::swap(b[i], b[i - 1]); });
}

// To the other end of its block.
void MoveCommit(const Site& s, Edits& out) {
  bool commits =
      std::any_of(s.effects.begin(), s.effects.end(), [](const ir::Effect& e) {
        return e.kind == EffectKind::kCommit || e.kind == EffectKind::kTrack;
      });
  if (!commits) return;
  out.push_back([](ir::Block& b, size_t i) {
    auto at = b.begin() + static_cast<long>(i);
    std::rotate(at, at + 1, b.end());
  });
  out.push_back([](ir::Block& b, size_t i) {
    auto at = b.begin() + static_cast<long>(i);
    std::rotate(b.begin(), at, at + 1);
  });
}

// Each integer operand of a synchronising op for which `wanted(name)`, changed.
template <typename Wanted>
void ChangeNumbers(const Site& s, ExprOp op, int64_t by, Wanted wanted,
                   Edits& out) {
  if (!SyncOp(s)) return;
  const ir::Op& it = *s.stmt().op;
  for (size_t k = 0; k < it.operands.size(); ++k) {
    const ir::OperandSpec& spec = it.info->operands[k];
    if ((spec.types & ir::kTakesInt) == 0 || !wanted(spec.name)) continue;
    if (it.operands[k].kind != ir::Operand::Kind::kExpr) continue;
    out.push_back([=](ir::Block& b, size_t i) {
      Expr& e = b[i].op->operands[k].expr;
      e = Binary(op, std::move(e), by);
    });
  }
}

bool IsParity(std::string_view name) { return name == "parity"; }
bool IsBytes(std::string_view name) { return name == "bytes"; }
bool IsThreads(std::string_view name) { return name == "threads"; }
bool IsCount(std::string_view name) {
  return !IsParity(name) && !IsBytes(name) && !IsThreads(name);
}

void FlipParity(const Site& s, Edits& out) {
  ChangeNumbers(s, ExprOp::kBitXor, 1, IsParity, out);
}

void ChangeBytes(const Site& s, Edits& out) {
  for (int64_t by : {16, -16}) ChangeNumbers(s, ExprOp::kAdd, by, IsBytes, out);
}

// An arrival without a count arrives once.
void WriteTwo(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  const ir::Op& it = *s.stmt().op;
  for (size_t k = 0; k < it.operands.size(); ++k) {
    if (it.info->operands[k].name != "count" || it.has(k)) continue;
    out.push_back([=](ir::Block& b, size_t i) {
      ir::Operand& o = b[i].op->operands[k];
      o.kind = ir::Operand::Kind::kExpr;
      o.expr = Expr::Int(2);
    });
  }
}

void ChangeCount(const Site& s, Edits& out) {
  for (int64_t by : {1, -1}) {
    ChangeNumbers(s, ExprOp::kAdd, by, IsCount, out);
    // A named barrier counts whole warps.
    ChangeNumbers(s, ExprOp::kAdd, 32 * by, IsThreads, out);
  }
  WriteTwo(s, out);
}

// The next and the previous object of an array, going round.
void ChangeSlot(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  const ir::Op& it = *s.stmt().op;
  for (size_t k = 0; k < it.operands.size(); ++k) {
    if (it.operands[k].kind != ir::Operand::Kind::kRef) continue;
    const ir::BoundDecl& decl = s.bound.decls[it.operands[k].ref.decl];
    if (decl.array_rank == 0) continue;
    int64_t n = decl.array[0];
    for (int64_t by : {int64_t{1}, n - 1}) {
      out.push_back([=](ir::Block& b, size_t i) {
        Expr& e = b[i].op->operands[k].ref.groups[0][0].start;
        e = Binary(ExprOp::kRem, Binary(ExprOp::kAdd, std::move(e), by), n);
      });
    }
  }
}

// The next mbarrier after the one that is named, going round.
const ir::Decl* OtherBarrier(const ir::Kernel& kernel, int32_t named) {
  auto n = static_cast<int32_t>(kernel.decls.size());
  for (int32_t i = 1; i < n; ++i) {
    const ir::Decl& d = kernel.decls[(named + i) % n];
    if (d.space == ir::Space::kMbarrier) return &d;
  }
  return nullptr;
}

void WrongBarrier(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  const ir::Op& it = *s.stmt().op;
  for (size_t k = 0; k < it.operands.size(); ++k) {
    if ((it.info->operands[k].types & ir::kTakesBarrier) == 0) continue;
    if (it.operands[k].kind != ir::Operand::Kind::kRef) continue;
    const ir::Decl* other =
        OtherBarrier(*s.bound.kernel, it.operands[k].ref.decl);
    if (other == nullptr) continue;
    out.push_back([k, name = other->name, rank = other->array.size()](
                      ir::Block& b, size_t i) {
      ir::Ref& r = b[i].op->operands[k].ref;
      r.name = name;
      ir::Subscript first;
      first.start = Expr::Int(0);
      if (rank == 0) r.groups.clear();
      if (rank == 0) return;
      if (r.groups.empty()) r.groups.emplace_back();
      r.groups[0].resize(rank, first);
    });
  }
}

// The own barrier instead of a peer's.
void StayAtHome(const Site& s, Edits& out) {
  if (!SyncOp(s)) return;
  const ir::Op& it = *s.stmt().op;
  for (size_t k = 0; k < it.operands.size(); ++k) {
    if (it.operands[k].ref.cta.empty()) continue;
    out.push_back(
        [=](ir::Block& b, size_t i) { b[i].op->operands[k].ref.cta.clear(); });
  }
}

bool OneOfMany(const ir::Scope& s) {
  using Kind = ir::Scope::Kind;
  return s.kind == Kind::kElect || (s.kind == Kind::kLanes && !s.range);
}

void RemoveElect(const Site& s, Edits& out) {
  if (s.stmt().kind != Stmt::Kind::kScope) return;
  const std::vector<ir::Scope>& scopes = s.stmt().scopes;
  for (size_t k = 0; k < scopes.size(); ++k) {
    if (!OneOfMany(scopes[k])) continue;
    out.push_back([=](ir::Block& b, size_t i) {
      auto one = b[i].scopes.begin() + static_cast<long>(k);
      bool warp = one->one && k > 0 && (one - 1)->implied;
      b[i].scopes.erase(one - (warp ? 1 : 0), one + 1);
      if (!b[i].scopes.empty()) return;
      ir::Block body = std::move(b[i].body);
      auto at = b.erase(b.begin() + static_cast<long>(i));
      b.insert(at, body.begin(), body.end());
    });
  }
}

struct Mutation {
  std::string_view name;
  void (*edits)(const Site&, Edits&);
};

constexpr Mutation kMutations[] = {
    {"drop", Drop},
    {"duplicate", Duplicate},
    {"swap", SwapWithNeighbour},
    {"move commit", MoveCommit},
    {"parity", FlipParity},
    {"count", ChangeCount},
    {"bytes", ChangeBytes},
    {"slot", ChangeSlot},
    {"barrier", WrongBarrier},
    {"home", StayAtHome},
    {"elect", RemoveElect},
};

// Where a statement is: the kernel, then an index into a body for every level;
// those of an else follow those of its body.
using Place = std::vector<size_t>;

ir::Block& BlockAt(ir::Program& program, const Place& place) {
  ir::Block* block = &program.kernels[place[0]].body;
  for (size_t i = 1; i + 1 < place.size(); i += 2) {
    Stmt& s = (*block)[place[i]];
    block = place[i + 1] == 0 ? &s.body : &s.orelse;
  }
  return *block;
}

// Keeps the list of the kernel's lines true of a body that has `change` more
// statements from `at` on.
void Renumber(ir::Kernel& kernel, size_t at, long change) {
  using Kind = ir::Item::Kind;
  auto first = static_cast<int32_t>(at);
  std::vector<ir::Item> out;
  for (ir::Item& item : kernel.items) {
    if (item.kind == Kind::kStmt && item.first == first) {
      for (long i = 0; i <= change; ++i) {
        item.first = first + static_cast<int32_t>(i);
        out.push_back(item);
      }
      continue;
    }
    if (item.kind == Kind::kStmt && item.first > first)
      item.first += static_cast<int32_t>(change);
    out.push_back(std::move(item));
  }
  kernel.items = std::move(out);
}

class Mutator {
 public:
  Mutator(const ir::Program& program, const std::vector<machine::Code>& codes)
      : program_(program), codes_(codes) {
    for (const machine::Code& code : codes) {
      for (const machine::CompiledOp& op : code.ops) compiled_[op.op] = &op;
    }
    seen_.insert(ir::Print(program));
  }

  std::vector<Mutant> Run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      Place place = {k};
      Walk(program_.kernels[k].body, place);
    }
    return std::move(out_);
  }

 private:
  void Walk(const ir::Block& block, Place& place) {
    for (size_t i = 0; i < block.size(); ++i) {
      place.push_back(i);
      At(block, i, place);
      for (size_t side : {0, 1}) {
        place.push_back(side);
        Walk(side == 0 ? block[i].body : block[i].orelse, place);
        place.pop_back();
      }
      place.pop_back();
    }
  }

  void At(const ir::Block& block, size_t i, const Place& place) {
    Site site{block, i, codes_[place[0]].bound, {}};
    if (block[i].op) {
      auto compiled = compiled_.find(&*block[i].op);
      if (compiled == compiled_.end()) return;  // nobody gets there
      ir::EffectSink sink;
      ir::EffectsOf(machine::FixedOperands(*compiled->second), sink);
      site.effects = sink.effects();
    }
    for (const Mutation& m : kMutations) {
      Edits edits;
      m.edits(site, edits);
      for (const Edit& edit : edits) Try(m, edit, site, place);
    }
  }

  void Try(const Mutation& m, const Edit& edit, const Site& site,
           const Place& place) {
    ir::Program copy = program_;
    ir::Block& block = BlockAt(copy, place);
    auto before = static_cast<long>(block.size());
    edit(block, place.back());
    if (place.size() == 2)
      Renumber(copy.kernels[place[0]], place[1],
               static_cast<long>(block.size()) - before);
    std::string text = ir::Print(copy);
    if (!seen_.insert(text).second) return;
    const Stmt& s = site.stmt();
    out_.push_back({std::string(m.name), s.span.line,
                    s.op ? ir::ToString(*s.op) : ir::ToString(s.scopes),
                    std::move(text)});
  }

  const ir::Program& program_;
  const std::vector<machine::Code>& codes_;
  std::map<const ir::Op*, const machine::CompiledOp*> compiled_;
  std::set<std::string> seen_;  // texts
  std::vector<Mutant> out_;
};

}  // namespace

std::vector<Mutant> MutantsOf(const ir::Program& program,
                              const std::vector<machine::Code>& codes) {
  return Mutator(program, codes).Run();
}

}  // namespace tilesim::mutants
