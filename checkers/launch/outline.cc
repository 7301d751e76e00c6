#include "checkers/launch/outline.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/reads.h"

namespace tilesim::checkers::launch {
using machine::Code;
using machine::CompiledExpr;
using machine::CompiledOp;
using machine::Instr;
using Kind = Instr::Kind;

namespace {

class Outliner {
 public:
  Outliner(const Code& code, const grid::Words& words,
           const std::set<int32_t>& also)
      : code_(code), words_(words), also_(also), count_(Size(code.instrs)) {
    out_.past.assign(count_, -1);
    out_.end.assign(count_, -1);
    out_.may.assign(count_, false);
    size_t slots = code.initial_slots.size();
    needed_.assign(slots, false);
    from_memory_.assign(slots, false);
  }

  Outline Run() {
    FollowTouches();
    Refuse();
    FindRegions();
    PassOver();
    FromMemory();
    Limits();
    for (int32_t pc = 0; pc < count_; ++pc)
      out_.by_memory.push_back(DecidedByMemory(pc));
    out_.needed = std::move(needed_);
    return std::move(out_);
  }

 private:
  // A loop, a branch with its else, or a scope: [begin, end).
  struct Region {
    int32_t begin = 0, end = 0;
    bool loop = false;
  };

  template <typename T>
  static int32_t Size(const std::vector<T>& v) {
    return static_cast<int32_t>(v.size());
  }
  const Instr& At(int32_t pc) const { return code_.instrs[pc]; }

  // --- which ops -------------------------------------------------------------

  void FollowTouches() {
    for (const CompiledOp& op : code_.ops)
      out_.touches.push_back(grid::TouchesOf(code_, op));
    const std::set<int32_t> decls = DeclsInTheWay();
    for (size_t op = 0; op < code_.ops.size(); ++op) {
      if (OrdersCtas(*code_.ops[op].op)) continue;
      std::erase_if(out_.touches[op], [&](const grid::Touch& t) {
        return decls.count(t.decl) == 0;
      });
    }
  }

  std::set<int32_t> DeclsInTheWay() const {
    std::set<int32_t> out = also_;
    for (size_t decl = 0; decl < code_.bound.decls.size(); ++decl) {
      if (IsInTheWay(out_.touches, static_cast<int32_t>(decl)))
        out.insert(static_cast<int32_t>(decl));
    }
    for (const ir::Computes& line : code_.kernel().computes)
      out.insert(line.decl);
    return out;
  }

  bool OrdersCtas(const ir::Op& op) const {
    return words_.HasOp(grid::Site::Of(op));
  }

  // --- cluster launch control ------------------------------------------------

  void Refuse() {
    out_.refused.resize(code_.ops.size());
    ir::EffectSink sink;
    for (size_t op = 0; op < code_.ops.size(); ++op) {
      sink.Clear();
      ir::EffectsOf(machine::FixedOperands(code_.ops[op]), sink);
      for (const ir::Effect& e : sink.effects()) {
        out_.hands_out |= e.kind == ir::EffectKind::kClcCancel;
        if (e.kind == ir::EffectKind::kClcQuery)
          out_.refused[op] = SetBy(code_.ops[op]);
      }
    }
  }

  // --- what is passed over
  // -----------------------------------------------------

  void FindRegions() {
    for (int32_t pc = 0; pc < count_; ++pc) {
      if (At(pc).kind == Kind::kForTest || IsWhile(pc)) Add(pc, At(pc).b, true);
    }
    for (int32_t pc = 0; pc < count_; ++pc) {
      if (At(pc).kind == Kind::kNarrow) Add(pc, At(pc).b, false);
      if (At(pc).kind == Kind::kBranch && !IsWhile(pc))
        Add(pc, EndOfBranch(pc), false);
    }
  }

  // The last instruction of a `while` leads back to its test.
  bool IsWhile(int32_t pc) const {
    if (At(pc).kind != Kind::kBranch) return false;
    const Instr& last = At(At(pc).b - 1);
    return last.kind == Kind::kJump && last.b == pc;
  }

  // The jump before the place where a branch goes on leads over its else,
  // unless it is a `break`.
  int32_t EndOfBranch(int32_t pc) const {
    const int32_t other = At(pc).b;
    const Instr& last = At(other - 1);
    bool over = other - 1 > pc && last.kind == Kind::kJump && last.b > other;
    bool breaks =
        over &&
        std::any_of(regions_.begin(), regions_.end(), [&](const Region& r) {
          return r.loop && r.begin < pc && pc < r.end && r.end == last.b;
        });
    return over && !breaks ? last.b : other;
  }

  void Add(int32_t begin, int32_t end, bool loop) {
    regions_.push_back({begin, end, loop});
    out_.end[begin] = end;
  }

  bool Jumps(const Instr& i) const {
    return i.kind == Kind::kJump || i.kind == Kind::kForNext ||
           i.kind == Kind::kBranch || i.kind == Kind::kForTest ||
           i.kind == Kind::kNarrow;
  }

  // Whether nothing in it is followed, and it is left at its end only.
  bool Idle(const Region& r) const {
    for (int32_t pc = r.begin; pc < r.end; ++pc) {
      const Instr& i = At(pc);
      if (i.kind == Kind::kExit) return false;
      if (Jumps(i) && (i.b < r.begin || i.b > r.end)) return false;
      if (i.kind == Kind::kOp && !out_.touches[i.a].empty()) return false;
      if (SetsNeeded(i)) return false;
    }
    return true;
  }

  bool SetsNeeded(const Instr& i) const {
    if (i.kind == Kind::kSet || i.kind == Kind::kForNext) return needed_[i.a];
    if (i.kind != Kind::kOp) return false;
    const std::vector<int32_t> slots = SetBy(code_.ops[i.a]);
    return std::any_of(slots.begin(), slots.end(),
                       [&](int32_t slot) { return needed_[slot]; });
  }

  static std::vector<int32_t> SetBy(const CompiledOp& op) {
    std::vector<int32_t> out;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bool var = (op.op->info->operands[i].types & ir::kTakesVar) != 0;
      if (var && op.operands[i].fixed.slot >= 0)
        out.push_back(op.operands[i].fixed.slot);
    }
    return out;
  }

  // What is executed needs scalars; a region that sets one of them is executed;
  // and so on.
  void PassOver() {
    for (bool more = true; more;) {
      Choose();
      more = false;
      for (int32_t pc = 0; pc < count_; ++pc) {
        if (out_.past[pc] >= 0) {
          pc = out_.past[pc] - 1;
          continue;
        }
        more |= Need(At(pc));
      }
    }
  }

  void Choose() {
    std::fill(out_.past.begin(), out_.past.end(), -1);
    for (const Region& r : regions_) {
      if (Idle(r)) out_.past[r.begin] = r.end;
    }
  }

  // Whether it needs a scalar that nothing before needed.
  bool Need(const Instr& i) {
    bool fresh = false;
    auto slot = [&](int32_t s) {
      fresh |= !needed_[s];
      needed_[s] = true;
      return false;
    };
    auto expr = [&](const CompiledExpr& e) { Reads(code_, e, slot); };
    bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext;
    if (!sets || needed_[i.a]) expr(i.expr);
    if (i.kind == Kind::kForTest) slot(i.a);
    if (i.kind == Kind::kNarrow) {
      for (int32_t k = 0; k < i.count; ++k) {
        expr(code_.scopes[i.a + k].low);
        expr(code_.scopes[i.a + k].high);
      }
    }
    if (i.kind == Kind::kOp) ForIndices(code_.ops[i.a], expr);
    return fresh;
  }

  // The expressions that say where an op touches what is followed.
  void ForIndices(const CompiledOp& op,
                  const std::function<void(const CompiledExpr&)>& f) const {
    for (const grid::Touch& t : out_.touches[&op - code_.ops.data()]) {
      const machine::CompiledOperand& c = op.operands[t.operand];
      for (const CompiledExpr& e : c.index) f(e);
      for (const auto& start : c.starts) f(start.expr);
    }
  }

  // --- what memory decides
  // -----------------------------------------------------

  bool FromMemory(const CompiledExpr& e) const {
    return Reads(code_, e, [&](int32_t s) { return from_memory_[s]; });
  }

  bool DecidedByMemory(int32_t pc) const {
    const Instr& i = At(pc);
    if (i.kind == Kind::kForTest && from_memory_[i.a]) return true;
    bool scope = false;
    for (int32_t k = 0; i.kind == Kind::kNarrow && k < i.count; ++k) {
      scope |= FromMemory(code_.scopes[i.a + k].low) ||
               FromMemory(code_.scopes[i.a + k].high);
    }
    return scope || FromMemory(i.expr);
  }

  void FromMemory() {
    for (size_t op = 0; op < code_.ops.size(); ++op) {
      if (!out_.refused[op].empty()) continue;
      for (int32_t slot : SetBy(code_.ops[op])) from_memory_[slot] = true;
    }
    FindReads();
    for (grown_ = true; grown_;) {
      grown_ = false;
      blocks_.clear();
      for (const Region& r : regions_) {
        if (DecidedByMemory(r.begin)) MayExecute(r);
      }
      for (int32_t pc = 0; pc < count_; ++pc) {
        const Instr& i = At(pc);
        bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext;
        if (sets && (FromMemory(i.expr) || SeenOutside(pc, i.a)))
          Grow(from_memory_, i.a);
      }
    }
  }

  void FindReads() {
    reads_.resize(needed_.size());
    for (int32_t pc = 0; pc < count_; ++pc) {
      const Instr& i = At(pc);
      auto slot = [&](int32_t s) {
        reads_[s].push_back(pc);
        return false;
      };
      ForExpressions(i, [&](const CompiledExpr& e) { Reads(code_, e, slot); });
      if (i.kind == Kind::kForTest || i.kind == Kind::kForNext) slot(i.a);
    }
  }

  void ForExpressions(const Instr& i,
                      const std::function<void(const CompiledExpr&)>& f) const {
    f(i.expr);
    for (int32_t k = 0; i.kind == Kind::kNarrow && k < i.count; ++k) {
      f(code_.scopes[i.a + k].low);
      f(code_.scopes[i.a + k].high);
    }
    if (i.kind != Kind::kOp) return;
    for (const machine::CompiledOperand& c : code_.ops[i.a].operands) {
      f(c.expr);
      for (const CompiledExpr& e : c.index) f(e);
      for (const auto& start : c.starts) f(start.expr);
    }
  }

  // Whether a scalar that is set in a block that may be executed is read
  // elsewhere: there it may have been set or not. In the block it has been.
  bool SeenOutside(int32_t pc, int32_t slot) const {
    const Region* block = nullptr;
    for (const Region& b : blocks_) {
      bool in = b.begin <= pc && pc < b.end;
      if (in &&
          (block == nullptr || b.end - b.begin < block->end - block->begin))
        block = &b;
    }
    if (block == nullptr) return false;
    return std::any_of(
        reads_[slot].begin(), reads_[slot].end(),
        [&](int32_t at) { return at < block->begin || at >= block->end; });
  }

  void Grow(std::vector<bool>& all, int32_t at) {
    grown_ |= !all[at];
    all[at] = true;
  }

  // What is left by a jump out of it may not be executed either.
  void MayExecute(const Region& r) {
    if (out_.past[r.begin] >= 0) return;
    int32_t begin = r.begin + 1, end = r.end;
    for (int32_t pc = begin; pc < end; ++pc) {
      const Instr& i = At(pc);
      if (!Jumps(i) || (i.b >= r.begin && i.b <= r.end)) continue;
      const Region* loop = LoopAround(r);
      if (loop == nullptr) continue;
      begin = std::min(begin, loop->begin + 1);
      end = std::max(end, loop->end);
    }
    blocks_.push_back({begin, end, false});
    for (int32_t pc = begin; pc < end; ++pc) Grow(out_.may, pc);
  }

  const Region* LoopAround(const Region& r) const {
    const Region* out = nullptr;
    for (const Region& loop : regions_) {
      bool around = loop.loop && loop.begin < r.begin && r.begin < loop.end;
      if (around && (out == nullptr || loop.begin > out->begin)) out = &loop;
    }
    return out;
  }

  // --- limits
  // --------------------------------------------------------------------

  void Limits() {
    for (const Region& r : regions_) {
      if (!r.loop || PassedOver(r.begin) || OnlyWaits(r)) continue;
      // A `while` that memory may end, or a loop that it bounds.
      bool open = At(r.begin).kind == Kind::kBranch && out_.may[r.begin + 1] &&
                  !out_.may[r.begin];
      if (!open && !DecidedByMemory(r.begin)) continue;
      for (int32_t pc = r.begin; pc < r.end; ++pc) NoteStores(pc);
      Limit(ir::Cat("memory decides how often the loop on line ",
                    At(r.begin).span.text_line(), " goes around"));
    }
    for (int32_t pc = 0; pc < count_; ++pc) {
      if (At(pc).kind != Kind::kOp) continue;
      const CompiledOp& op = code_.ops[At(pc).a];
      bool known = true;
      ForIndices(op, [&](const CompiledExpr& e) { known &= !FromMemory(e); });
      if (out_.may[pc] || !known) NoteStores(pc);
      if (!known)
        Limit(ir::Cat("memory decides what line ", op.op->span.text_line(),
                      " touches"));
    }
  }

  void NoteStores(int32_t pc) {
    if (At(pc).kind != Kind::kOp) return;
    for (const grid::Touch& t : out_.touches[At(pc).a]) {
      if (t.write) out_.by_memory_stores.insert(t.decl);
    }
  }

  // Reads of flags until they are set: however often, the same words.
  bool OnlyWaits(const Region& r) const {
    for (int32_t pc = r.begin; pc < r.end; ++pc) {
      if (At(pc).kind != Kind::kOp || out_.touches[At(pc).a].empty()) continue;
      if (!words_.wait.contains(grid::Site::Of(*code_.ops[At(pc).a].op)))
        return false;
    }
    return true;
  }

  bool PassedOver(int32_t at) const {
    for (int32_t pc = 0; pc <= at; ++pc) {
      if (out_.past[pc] > at) return true;
    }
    return false;
  }

  // The first one counts.
  void Limit(std::string why) {
    if (out_.limit.empty()) out_.limit = std::move(why);
  }

  const Code& code_;
  const grid::Words& words_;
  const std::set<int32_t>& also_;
  const int32_t count_;
  Outline out_;
  std::vector<Region> regions_;
  std::vector<Region> blocks_;               // that memory decides about
  std::vector<std::vector<int32_t>> reads_;  // by slot: where it is read
  std::vector<bool> needed_;                 // by slot
  std::vector<bool> from_memory_;  // by slot: memory decides its value
  bool grown_ = false;
};

}  // namespace

bool IsInTheWay(const std::vector<std::vector<grid::Touch>>& touches,
                int32_t decl) {
  std::set<ir::Atomic> kinds;
  bool written = false;
  for (const std::vector<grid::Touch>& of_op : touches) {
    for (const grid::Touch& t : of_op) {
      if (t.decl != decl) continue;
      written |= t.write;
      kinds.insert(t.atomic);
    }
  }
  return written && (kinds.size() > 1 || *kinds.begin() == ir::Atomic::kNot);
}

Outline OutlineOf(const Code& code, const grid::Words& words,
                  const std::set<int32_t>& also) {
  return Outliner(code, words, also).Run();
}

}  // namespace tilesim::checkers::launch
