#include "ptx/machine/guide.h"

#include <algorithm>
#include <bit>

#include "ir/cat.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
using machine::Strand;

int32_t Barriers::Of(int64_t offset) {
  auto [at, fresh] =
      numbers_.try_emplace(offset, static_cast<int32_t>(offsets_.size()));
  if (!fresh) return at->second;
  if (at->second >= most_) {
    numbers_.erase(at);
    return -1;
  }
  offsets_.push_back(offset);
  return at->second;
}

PtxGuide::PtxGuide(Program program, Decls decls,
                   std::shared_ptr<machine::ByteSets> sets)
    : program_(std::move(program)),
      decls_(decls),
      sets_(std::move(sets)),
      barriers_(decls.barriers),
      pools_(decls.pools) {
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& s = program_.steps[i];
    if (s.kind != Step::Kind::kOp || s.op < 0) continue;
    const auto op = static_cast<size_t>(s.op);
    if (op >= step_of_.size()) step_of_.resize(op + 1, -1);
    if (step_of_[op] < 0) step_of_[op] = static_cast<int32_t>(i);
  }
}

bool PtxGuide::Touches(const ir::TileValue& box) const {
  const int32_t set = machine::SetOf(box);
  bool found = false;
  for (int64_t barrier : barriers_.offsets()) {
    auto meets = [&](int64_t begin, int64_t end) {
      found |= begin < barrier + 8 && barrier < end;
    };
    if (set < 0) {
      meets(box.start[0], box.start[0] + box.extent[0]);
    } else {
      sets_->ForRuns(set, {0, ir::kMaxWarps},
                     [&](const machine::ByteSets::Run& r) {
                       meets(box.start[0] + r.begin, box.start[0] + r.end);
                     });
    }
  }
  return found;
}

bool PtxGuide::NoteShared(const ir::TileValue& box) const {
  bool fresh =
      boxes_.insert({box.start[0], box.start[1], box.extent[0]}).second;
  return !fresh || !closed_ || touched_barriers_ || !Touches(box);
}

void PtxGuide::CloseBarriers() const {
  barriers_.Close();
  closed_ = true;
  for (const auto& [start, set, extent] : boxes_) {
    ir::TileValue box;
    box.start[0] = start;
    box.start[1] = set;
    box.extent[0] = static_cast<int32_t>(extent);
    touched_barriers_ |= Touches(box);
  }
}

// --- values -----------------------------------------------------------------

Value PtxGuide::OfSpecial(const Source& source, const Who& who) const {
  if (source.special == Special::kAnyNumber) return Lanes::Unknown(-1);
  if (!DiffersByThread(source.special)) {
    Value out{NumberOf(source.special, program_.memory, who.cta, 0) +
              source.bits};
    if (terms_ != nullptr) terms_->Place(source, who.cta.rank, &out);
    return out;
  }
  std::vector<uint64_t> threads(who.threads());
  int64_t first = int64_t{who.strand.threads.first_warp} * ir::kWarpThreads;
  for (size_t i = 0; i < threads.size(); ++i)
    threads[i] = NumberOf(source.special, program_.memory, who.cta,
                          first + static_cast<int64_t>(i)) +
                 source.bits;
  return lanes_.Of(threads);
}

Value PtxGuide::Of(const Source& source, const Who& who) const {
  if (source.reg < 0)
    return source.special == Special::kNone ? Value{source.bits}
                                            : OfSpecial(source, who);
  const Value v = Get(who.strand, source.reg);
  if (v.unknown() || (!source.negated && source.bits == 0)) return v;
  Value out = Moved(source, v, who.threads());
  if (v.term != 0 && terms_ != nullptr)
    terms_->Moved(source, v, who.threads(), &out);
  return out;
}

Value PtxGuide::OfWithParts(const Source& source, const Who& who) const {
  const Value v = source.reg < 0 ? Value() : Peek(who.strand, source.reg);
  if (!Lanes::HasParts(v)) return Of(source, who);
  if (!source.negated && source.bits == 0) return v;
  const size_t threads = who.threads();
  const Value moved = Moved(source, lanes_.NumbersOf(v), threads);
  std::vector<std::optional<uint64_t>> each(threads);
  for (size_t i = 0; i < threads; ++i) {
    if (lanes_.AtIfKnown(v, i)) each[i] = lanes_.At(moved, i);
  }
  return lanes_.OfSome(Lanes::OriginOf(v), each, lanes_.ElectedInPart(v));
}

Value PtxGuide::Moved(const Source& source, const Value& v,
                      size_t threads) const {
  Value sum;
  if (!source.negated && lanes_.Add(v, source.bits, source.width, &sum))
    return sum;
  std::vector<uint64_t> each(threads);
  for (size_t i = 0; i < each.size(); ++i) {
    uint64_t n = lanes_.At(v, i);
    each[i] = source.negated ? uint64_t{n == 0}
                             : ZeroExtend(n + source.bits, source.width);
  }
  return lanes_.Of(each, lanes_.Elected(v));
}

void PtxGuide::Set(Strand& strand, const Target& target, Value value) const {
  if (target.reg < 0) return;
  const Terms::Handled handled(terms());
  const size_t threads = size_t{strand.threads.warps} * ir::kWarpThreads;
  uint32_t mask = strand.threads.lanes;
  bool matters = false;  // to lanes that wait
  for (const machine::Frame& f : strand.frames) {
    const auto& live = program_.live[f.join];
    matters |= f.lanes != mask &&
               std::binary_search(live.begin(), live.end(), target.reg);
    matters |= f.rest != 0 &&
               std::binary_search(program_.live[f.rest_pc].begin(),
                                  program_.live[f.rest_pc].end(), target.reg);
  }
  if (mask != ir::kAllLanes && matters) {
    Value old = Peek(strand, target.reg);
    // Lanes that have not written it are taken to have 0: they may never read
    // it.
    const bool undefined = Lanes::UndefinedIn(old) >= 0;
    if (undefined) old = Value();
    if (old.unknown() || value.unknown()) {
      // Counters of loops would have ever new parts.
      constexpr int kMostBits = 16;
      const bool parts = FollowsParts() && !undefined &&
                         Lanes::UndefinedIn(value) < 0 && value.term == 0 &&
                         old.term == 0 && target.bits <= kMostBits;
      if (parts)
        value = lanes_.Merge(value, old, mask, threads);
      else
        value = Lanes::Unknown(Lanes::OriginOf(old.unknown() ? old : value));
    } else if (!(old == value)) {
      Value merged = lanes_.Merge(value, old, mask, threads);
      if (terms_ != nullptr && (value.term != 0 || old.term != 0))
        terms_->Merge(value, old, mask, threads, &merged);
      value = merged;
    }
  }
  PutRegister(strand, target.reg, value);
}

void PtxGuide::NoteIgnored() const {
  if (!program_.ignores_setmaxnreg) return;
  for (const Node& n : program_.graph.nodes) {
    if (n.op != nullptr && n.op->opcode == "setmaxnreg")
      Note(NotJudged::kRegisters, n.statement->span.text_line());
  }
}

std::string PtxGuide::UndefinedText(std::string_view what, int32_t reg) const {
  return ir::Cat(what, " depends on ",
                 program_.registers[static_cast<size_t>(reg)],
                 ", which nothing has written");
}

bool PtxGuide::DividesBy0(const Value& value) const {
  const int32_t origin = Lanes::OriginOf(value);
  return value.unknown() && origin >= 0 &&
         origin < static_cast<int32_t>(program_.steps.size()) &&
         program_.steps[static_cast<size_t>(origin)].divides &&
         !some_divide_by_0_.contains(origin);
}

std::string PtxGuide::DivisionText(std::string_view what,
                                   const Value& value) const {
  const Step& step =
      program_.steps[static_cast<size_t>(Lanes::OriginOf(value))];
  const Statement& at = *program_.graph.nodes[step.node].statement;
  return ir::Cat(what, " depends on what `", at.instruction.opcode,
                 "` on line ", at.span.text_line(),
                 " makes of a division by 0");
}

// --- watched runs -----------------------------------------------------------

void PtxGuide::Watch(int64_t cluster) const {
  if (payload_ == nullptr) terms_ = std::make_unique<Terms>(*this, cluster);
}

std::unique_ptr<machine::WatchedRun> PtxGuide::Watched() const {
  std::unique_ptr<Terms> terms = std::move(terms_);
  if (terms == nullptr || !terms->Close()) return nullptr;
  return terms;
}

// --- strands ----------------------------------------------------------------

// Registers that nobody reads again keep what both had, unless a run is
// watched.
void PtxGuide::Divide(Strand& strand, Strand& other) const {
  int first = std::min(strand.threads.first_warp, other.threads.first_warp);
  for (Strand* s : {&strand, &other}) {
    size_t from = size_t(s->threads.first_warp - first) * ir::kWarpThreads;
    size_t count = size_t{s->threads.warps} * ir::kWarpThreads;
    auto part = [&](int32_t reg) {
      const Value v = Peek(*s, reg);
      const bool same = v.unknown() ? !Lanes::HasParts(v) : v.uniform();
      if (same && v.term == 0) return;
      Value out = lanes_.Slice(v, from, count);
      if (v.term != 0 && terms_ != nullptr) terms_->Slice(v, from, count, &out);
      PutRegister(*s, reg, out);
    };
    if (terms_ == nullptr && s->frames.empty()) {
      for (int16_t reg : program_.live[s->pc]) part(reg);
      continue;
    }
    for (size_t reg = 0; 2 * reg < s->slots.size(); ++reg)
      part(static_cast<int32_t>(reg));
  }
}

// One that has a register that only it has written stays by itself: of threads
// together all would have it, or none. Predicates, and what has parts, keep
// what is known.
bool PtxGuide::MayJoin(const Strand& a, const Strand& b) const {
  auto has_parts = [&](int16_t reg, const Value& x, const Value& y) {
    const int32_t number = program_.graph_registers[static_cast<size_t>(reg)];
    return FollowsParts() && Lanes::UndefinedIn(x) < 0 &&
           Lanes::UndefinedIn(y) < 0 &&
           (Lanes::HasParts(x) || Lanes::HasParts(y) ||
            (number >= 0 && program_.graph.register_bits[number] == 1));
  };
  auto alike = [&](const std::vector<int16_t>& live) {
    return std::all_of(live.begin(), live.end(), [&](int16_t reg) {
      const Value x = Peek(a, reg), y = Peek(b, reg);
      return x.unknown() == y.unknown() || has_parts(reg, x, y);
    });
  };
  return alike(program_.live[a.pc]) &&
         std::all_of(a.frames.begin(), a.frames.end(),
                     [&](const machine::Frame& f) {
                       return alike(program_.live[f.join]) &&
                              (f.rest == 0 || alike(program_.live[f.rest_pc]));
                     });
}

// Whatever each has is kept, thread by thread: that they are one from here on
// says only that they execute the same. Registers that nobody reads again may
// be of other threads' past.
void PtxGuide::Join(machine::Machine& /*machine*/,
                    const machine::State& /*state*/, Strand& strand,
                    const Strand& other, bool /*forced*/) const {
  bool behind = strand.threads.first_warp < other.threads.first_warp;
  const Strand& a = behind ? strand : other;
  const Strand& b = behind ? other : strand;
  const size_t a_threads = size_t{a.threads.warps} * ir::kWarpThreads;
  const size_t b_threads = size_t{b.threads.warps} * ir::kWarpThreads;
  std::vector<int64_t> slots(strand.slots.size());
  auto keep = [&](const std::vector<int16_t>& live) {
    for (int16_t reg : live) {
      const Value x = Peek(a, reg), y = Peek(b, reg);
      Value both = lanes_.Join(x, a_threads, y, b_threads);
      if (terms_ != nullptr && !both.unknown() && (x.term != 0 || y.term != 0))
        terms_->Join(x, a_threads, y, b_threads, &both);
      if (terms_ != nullptr && Lanes::HasParts(both)) {
        terms_->GoesBy(x);
        terms_->GoesBy(y);
      }
      PutIn(slots, reg, both);
    }
  };
  keep(program_.live[strand.pc]);
  for (const machine::Frame& f : strand.frames) {
    keep(program_.live[f.join]);
    if (f.rest != 0) keep(program_.live[f.rest_pc]);
  }
  strand.slots = std::move(slots);
}

void PtxGuide::AppendLive(const Strand& strand, int warp,
                          std::vector<int64_t>& out) const {
  size_t from = size_t(warp - strand.threads.first_warp) * ir::kWarpThreads;
  auto put = [&](const std::vector<int16_t>& live) {
    for (int16_t reg : live) {
      Value v = Get(strand, reg);
      if (v.unknown()) v = Peek(strand, reg);
      if (strand.threads.warps > 1) v = lanes_.Slice(v, from, ir::kWarpThreads);
      out.push_back(static_cast<int64_t>(v.base));
      out.push_back(v.pattern);
    }
  };
  put(program_.live[strand.pc]);
  for (const machine::Frame& f : strand.frames) {
    out.push_back(f.join);
    out.push_back(int64_t{f.lanes} << 32 | f.rest);
    out.push_back(f.rest_pc);
    put(program_.live[f.join]);
    if (f.rest != 0) put(program_.live[f.rest_pc]);
  }
}

bool PtxGuide::MayName(const machine::CompiledOp& op, int operand,
                       int32_t decl) const {
  const int32_t pool = (decl - decls_.first_pool) / 2;
  if (decl >= decls_.first_pool && decl < decls_.first_barrier)
    return pool < static_cast<int32_t>(pools_.all().size()) &&
           pools_.all()[static_cast<size_t>(pool)].IsBy(op.number);
  if (op.operands[operand].kind != ir::OperandValue::Kind::kBarrier)
    return false;
  // What it names if it is executed at all, runs have seen; else it may be any.
  auto first = named_.lower_bound({op.number, 0});
  bool seen = first != named_.end() && first->first == op.number;
  return !seen || named_.count({op.number, decl - decls_.first_barrier}) != 0;
}

void PtxGuide::Returned(Strand& strand, const ir::ConcreteOp&, int /*operand*/,
                        int64_t value) const {
  SetResult(strand, static_cast<uint64_t>(value));
}

// A way of a branch begins where the operation does not stand (Walk::Divided).
bool PtxGuide::PartsLeft(const Strand& strand) const {
  if (strand.frames.empty()) return false;
  const machine::Frame& f = strand.frames.back();
  return f.rest != 0 && f.join == strand.pc && f.rest_pc == strand.pc - 1;
}

bool PtxGuide::TakeAsNo(Strand& strand, int32_t op) const {
  const Step& test = program_.steps[program_.tests.at(op)];
  if (test.results.empty() || test.results[0].reg < 0) return false;
  const Value answer = Get(strand, test.results[0].reg);
  Set(strand, test.results[0], Value{0});
  return answer != Value{0};
}

void PtxGuide::SetResult(Strand& strand, uint64_t value) const {
  const Step& s = program_.steps[strand.pc];
  if (s.results.empty()) return;
  Set(strand, s.results[0], Value{value});
  if (payload_ != nullptr && s.results[0].reg >= 0)
    payload_->SetRegister(strand, program_.graph_registers[s.results[0].reg],
                          value);
}

// The state that an arrival returns is opaque but to waits, which take of it
// the parity of its phase, and to mbarrier.pending_count, which is not
// followed.
void PtxGuide::Arrived(Strand& strand, uint32_t phase) const {
  SetResult(strand, phase & 1);
}

void PtxGuide::TakeFromPayload(Strand& strand,
                               const std::vector<Target>& targets) const {
  for (const Target& t : targets) {
    if (t.reg < 0) continue;
    std::vector<uint64_t> threads(size_t{strand.threads.warps} *
                                  ir::kWarpThreads);
    const auto first = static_cast<size_t>(strand.threads.first_lane());
    for (size_t i = 0; i < threads.size(); ++i) {
      const bool here = (strand.threads.lanes >> i % ir::kWarpThreads & 1) != 0;
      threads[i] = payload_->Register(strand, here ? i : first,
                                      program_.graph_registers[t.reg]);
    }
    Set(strand, t, lanes_.Of(threads));
  }
}

// --- operands ---------------------------------------------------------------

namespace {

// Data decide whether the access is executed: they may see to it that it lies
// inside (`if (i < n)`), so that one outside is no error.
bool IsIfSo(const Program& program, const Strand& strand) {
  return program.steps[static_cast<size_t>(strand.pc)].may_skip &&
         EitherOf(program, strand) >= 0;
}

bool InsideShared(const machine::CompiledOp& op, const ir::BoundKernel& bound,
                  const ir::ConcreteOp& out) {
  return std::all_of(op.varying.begin(), op.varying.end(), [&](int8_t i) {
    if (!out.is_tile(i) || out.tile(i).space != ir::Space::kShared) return true;
    const ir::TileValue& t = out.tile(i);
    return t.start[0] >= 0 && t.start[0] + t.extent[0] <= bound.shared_bytes;
  });
}

}  // namespace

int PtxGuide::Operands(const machine::Machine& machine,
                       const machine::State& state, const Strand& strand,
                       const machine::CompiledOp& op,
                       ir::ConcreteOp& out) const {
  const machine::Cta& cta = state.ctas[strand.cta];
  out.threads = strand.threads;
  const Step& step = program_.steps[strand.pc];
  // What it takes is compared when it is executed.
  const Terms::Handled handled(terms());
  if (terms_ != nullptr) terms_->Compiled(op);
  Filling filling(*this, {strand, cta, machine.code_of(cta).bound}, step);
  if (step.fill == nullptr) return -1;
  if (!step.fill(filling, step, out)) return 0;
  if (IsIfSo(program_, strand) && !InsideShared(op, *bound_, out)) return 0;
  for (int8_t i : op.varying) {
    if (out.is_tile(i) && out.tile(i).space == ir::Space::kShared &&
        !NoteShared(out.tile(i)))
      return i;
  }
  return -1;
}

void PtxGuide::ReportOperand(machine::Machine& machine,
                             const machine::State& state, const Strand& strand,
                             const machine::CompiledOp& op,
                             int /*operand*/) const {
  const machine::Cta& cta = state.ctas[strand.cta];
  const Step& step = program_.steps[strand.pc];
  Filling filling(*this, {strand, cta, machine.code_of(cta).bound}, step);
  ir::ConcreteOp out = op.fixed;
  out.threads = strand.threads;
  const bool if_so = IsIfSo(program_, strand);
  if (step.fill(filling, step, out))
    filling.Open(InsideShared(op, *bound_, out)
                     ? "it accesses bytes of an mbarrier, which no run before "
                       "it did"
                     : "it lies outside of shared memory");
  const Trouble& t = filling.trouble();
  if (if_so)
    return machine.AddNotFollowed(
        ir::Cat("line ", op.op->span.text_line(),
                ": whether it is executed, data decide: ", t.what));
  if (t.code)
    return machine.Report(state, strand.cta, &op, *t.code, t.what, t.help);
  machine.AddNotFollowed(
      ir::Cat("line ", op.op->span.text_line(), ": ", t.what));
}

}  // namespace tilesim::ptx
