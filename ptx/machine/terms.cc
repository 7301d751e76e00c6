#include "ptx/machine/terms.h"

#include <algorithm>
#include <array>

#include "ptx/machine/filling.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/operands.h"
#include "sim/machine/place.h"

namespace tilesim::ptx {
using machine::Cta;
using machine::Strand;

namespace {

bool IsPlace(Special special) {
  switch (special) {
    case Special::kCtaX:
    case Special::kCtaY:
    case Special::kCtaZ:
    case Special::kClusterX:
    case Special::kClusterY:
    case Special::kClusterZ:
      return true;
    default:
      return false;
  }
}

bool SameTile(const ir::TileValue& a, const ir::TileValue& b) {
  ir::TileValue moved = a;
  if (a.space == ir::Space::kGlobal) moved.start[0] = b.start[0];
  return moved == b;
}

// But for where in globals.
bool SameOp(const ir::ConcreteOp& a, const ir::ConcreteOp& b) {
  const ir::ThreadSet &s = a.threads, &t = b.threads;
  if (s.first_warp != t.first_warp || s.warps != t.warps ||
      s.lanes != t.lanes || s.electors != t.electors ||
      a.cluster_rank != b.cluster_rank)
    return false;
  for (size_t i = 0; i < a.info().operands.size(); ++i) {
    const ir::OperandValue &x = a.operands[i], &y = b.operands[i];
    if (x.kind != y.kind || x.number != y.number ||
        x.barrier.index != y.barrier.index || x.barrier.cta != y.barrier.cta)
      return false;
    if (x.kind == ir::OperandValue::Kind::kTile && !SameTile(x.tile, y.tile))
      return false;
  }
  return true;
}

Value Plain(Value v) {
  v.term = 0;
  return v;
}

}  // namespace

Terms::Terms(const PtxGuide& guide, int64_t cluster)
    : guide_(guide), cluster_(cluster), terms_(1) {}

// --- as the run goes --------------------------------------------------------

void Terms::Depend(const Value& v, bool& some, int32_t& variable) const {
  if (v.term == 0) return;
  const int32_t of = VariableOf(v);
  variable = some && of != variable ? kOfSeveral : of;
  some = true;
}

void Terms::Make(Term term, Value* out) {
  if (out->unknown()) return Lose();
  bool some = false;
  for (const Value& v : term.in) Depend(v, some, term.variable);
  if (some && term.variable == kOfSeveral) {
    some = false;
    term.variable = 0;
    for (Value& v : term.in) {
      if (IsTheSame(v)) v = Plain(v);
      Depend(v, some, term.variable);
    }
    if (!some) return;
  }
  Key key{static_cast<int64_t>(term.made),
          term.variable,
          term.pc,
          static_cast<int64_t>(term.a),
          static_cast<int64_t>(term.b),
          static_cast<int64_t>(term.threads),
          static_cast<int64_t>(term.source.special),
          term.source.negated,
          static_cast<int64_t>(term.source.bits),
          term.source.width};
  for (const Value& v : term.in) {
    // Of a value with a term, that says all.
    key.push_back(v.term != 0 ? 0 : static_cast<int64_t>(v.base));
    key.push_back(v.term != 0 ? 0 : v.pattern);
    key.push_back(v.term);
  }
  auto [at, fresh] =
      numbers_.try_emplace(std::move(key), static_cast<int32_t>(terms_.size()));
  if (fresh) terms_.push_back(std::move(term));
  out->term = at->second;
}

void Terms::Place(const Source& source, int rank, Value* out) {
  if (!IsPlace(source.special)) return;
  Read();
  Term t;
  t.made = Made::kPlace;
  t.uniform = true;
  t.pc = rank;
  t.source = source;
  Make(std::move(t), out);
}

void Terms::Moved(const Source& source, const Value& of, size_t threads,
                  Value* out) {
  Term t;
  t.made = Made::kMoved;
  t.uniform = IsUniform(of);
  t.threads = threads;
  t.source = source;
  t.source.reg = 0;
  t.in = {of};
  Make(std::move(t), out);
}

void Terms::Computed(int32_t pc, std::span<const Value> in, size_t threads,
                     size_t result, Value* out) {
  Term t;
  t.made = Made::kComputed;
  t.uniform = std::all_of(in.begin(), in.end(),
                          [&](const Value& v) { return IsUniform(v); });
  t.pc = pc;
  t.a = result;
  t.threads = threads;
  t.in.assign(in.begin(), in.end());
  Make(std::move(t), out);
}

void Terms::Slice(const Value& of, size_t first, size_t count, Value* out) {
  if (IsUniform(of)) {
    *out = of;
    return;
  }
  Term t;
  t.made = Made::kSlice;
  t.a = first;
  t.b = count;
  t.in = {of};
  Make(std::move(t), out);
}

void Terms::Join(const Value& a, size_t a_threads, const Value& b,
                 size_t b_threads, Value* out) {
  if (a == b && IsUniform(a)) {
    *out = a;
    return;
  }
  Term t;
  t.made = Made::kJoin;
  t.a = a_threads;
  t.b = b_threads;
  t.in = {a, b};
  Make(std::move(t), out);
}

void Terms::Merge(const Value& those, const Value& others, uint32_t lanes,
                  size_t threads, Value* out) {
  Term t;
  t.made = Made::kMerge;
  t.a = lanes;
  t.threads = threads;
  t.in = {those, others};
  Make(std::move(t), out);
}

void Terms::GoesBy(const Value& v) {
  if (v.term != 0) goes_by_.try_emplace(v.term, Noted{v, refused_});
}

void Terms::GoesByLanes(const Value& v) {
  if (v.term != 0 && !IsUniform(v))
    lanes_.try_emplace(v.term, Noted{v, refused_});
}

bool Terms::IsOfPlace(const Strand& strand, const Source& source) const {
  if (source.reg < 0) return IsPlace(source.special);
  return PtxGuide::Peek(strand, source.reg).term != 0;
}

// Of a map that the launch has, the address is the same everywhere.
void Terms::NoteMap(const Value& address) {
  if (address.unknown() || !address.uniform()) return Lose();
  if (std::find(maps_.begin(), maps_.end(), address) == maps_.end())
    maps_.push_back(address);
}

void Terms::Compiled(const machine::CompiledOp& op) {
  fixed_[op.op] = &op.fixed;
}

void Terms::Executed(const Who& who, const ir::ConcreteOp& op) {
  const int64_t nth = executed_++;
  const Strand& strand = who.strand;
  const Cta& cta = who.cta;
  const Step& step = guide_.program().steps[static_cast<size_t>(strand.pc)];
  using Part = Step::MapPart;
  const bool maps = step.map == Part::kCopy || step.map == Part::kAcquire;
  if ((maps || step.map_operand) && !step.sources.empty()) {
    const Handled handled(this);
    NoteMap(guide_.Of(step.sources[0], who));
  }
  Op out;
  bool some = false;
  out.strand = strand;
  auto note = [&](const Source& source, bool fills) {
    if (!IsOfPlace(out.strand, source)) return;
    if (source.reg >= 0) {
      Depend(PtxGuide::Peek(out.strand, source.reg), some, out.variable);
    } else {
      out.variable = some && out.variable != 0 ? kOfSeveral : 0;
    }
    some = true;
    out.of_place |= source.reg < 0;
    if (fills && source.reg >= 0)
      out.has.emplace_back(source.reg, PtxGuide::Peek(out.strand, source.reg));
  };
  auto note_all = [&] {
    for (size_t i = 0; i < step.sources.size(); ++i)
      note(step.sources[i], i > 0 || !step.map_operand);
    for (const Source& s : step.data) note(s, true);
  };
  note_all();
  if (out.variable == kOfSeveral) {
    for (const auto& [reg, v] : std::exchange(out.has, {})) {
      if (IsTheSame(v)) PtxGuide::PutRegister(out.strand, reg, Plain(v));
    }
    out.variable = 0;
    some = out.of_place = false;
    note_all();
  }
  if (!some) return;
  // Words of a buffer, or of a map, that differ from cluster to cluster.
  if (step.words_of >= 0 || step.map == Part::kReplace ||
      out.variable == kOfSeveral) {
    return Lose();
  }
  if (ctas_.empty() || ctas_.back().rank != cta.rank ||
      ctas_.back().words != cta.words || ctas_.back().tmem != cta.tmem)
    ctas_.push_back(cta);
  out.nth = nth;
  out.cta = ctas_.size() - 1;
  out.op = op;
  out.fixed = fixed_.at(op.op);
  // The map that is found here stands for the one that is found there.
  if (step.map_operand && step.sources[0].reg >= 0)
    PtxGuide::PutRegister(out.strand, step.sources[0].reg,
                          Plain(PtxGuide::Peek(strand, step.sources[0].reg)));
  ops_.push_back(std::move(out));
}

// --- of other clusters ------------------------------------------------------

// A part has its terms in the order in which they were made.
void Terms::FindParts() {
  parts_.assign(answers_.size() + 1, Needed());
  std::vector<bool> needed(terms_.size());
  auto need = [&](const Value& v) {
    if (v.term != 0) needed[static_cast<size_t>(v.term)] = true;
  };
  auto asked = [&](bool behind, int32_t variable) -> Needed* {
    if (variable == kOfSeveral) lost_ = true;
    if (variable == kOfSeveral || (only_behind_ && !behind)) return nullptr;
    return &parts_[static_cast<size_t>(variable)];
  };
  for (auto [all, of] : {std::pair(&goes_by_, &Needed::goes_by),
                         std::pair(&lanes_, &Needed::lanes)}) {
    for (const auto& [term, noted] : *all) {
      Needed* part = asked(noted.behind, VariableOf(noted.value));
      if (part == nullptr) continue;
      (part->*of).push_back(noted.value);
      need(noted.value);
    }
  }
  for (const Value& v : maps_) need(v);
  for (size_t i = 0; i < ops_.size(); ++i) {
    Needed* part = asked(i >= ops_before_ && refused_, ops_[i].variable);
    if (part == nullptr) continue;
    part->ops.push_back(i);
    for (const auto& [reg, v] : ops_[i].has) need(v);
  }
  for (size_t i = terms_.size(); i-- > 1;) {
    if (!needed[i]) continue;
    for (const Value& v : terms_[i].in) need(v);
  }
  for (size_t i = 1; i < terms_.size(); ++i) {
    if (needed[i] && terms_[i].variable == kOfSeveral) lost_ = true;
    if (needed[i] && !lost_)
      parts_[static_cast<size_t>(terms_[i].variable)].terms.push_back(
          static_cast<int32_t>(i));
  }
  values_.resize(terms_.size());
}

// That the clusters that were handed out give what was executed is asked as
// well.
bool Terms::Close() {
  if (lost_ || open_ != 0) return false;
  const bool handed = !answers_.empty();
  for (const Value& v : maps_) lost_ |= handed && v.term != 0;
  if (!lost_) FindParts();
  if (lost_) return false;
  for (size_t variable = 0; variable < parts_.size(); ++variable) {
    std::vector<Start> starts;
    const int64_t own =
        variable == 0 ? cluster_ : ClusterOf(answers_[variable - 1]);
    if (!Same(static_cast<int32_t>(variable), own, starts)) return false;
    // What is filled in again is what was executed.
    size_t at = 0;
    for (const size_t n : parts_[variable].ops) {
      const Op& op = ops_[n];
      for (size_t i = 0; i < op.op.info().operands.size(); ++i) {
        const ir::OperandValue& o = op.op.operands[i];
        if (o.kind != ir::OperandValue::Kind::kTile ||
            o.tile.space != ir::Space::kGlobal)
          continue;
        if (starts[at++].first != o.tile.start[0]) return false;
      }
    }
  }
  return true;
}

bool Terms::Divides(const Term& term, std::span<const Value> in) const {
  const Step& step = guide_.program().steps[static_cast<size_t>(term.pc)];
  if (!step.divides) return true;
  const int bits = BitsOf(step.scalar.input_types[1]);
  for (size_t t = 0; t < term.threads; ++t) {
    if (ZeroExtend(guide_.lanes().At(in[1], t), bits) == 0) return false;
    if (in[1].uniform()) break;
  }
  return true;
}

bool Terms::WorkOut(const Term& t, const std::vector<Cta>& places, Value* out) {
  std::array<Value, kMaxWords> in;
  for (size_t i = 0; i < t.in.size(); ++i) {
    in[i] = In(t.in[i]);
    if (in[i].unknown()) return false;
  }
  Lanes& lanes = guide_.lanes();
  switch (t.made) {
    case Made::kPlace:
      *out = Value{NumberOf(t.source.special, guide_.program().memory,
                            places[static_cast<size_t>(t.pc)], 0) +
                   t.source.bits};
      return true;
    case Made::kAnswer:
    case Made::kAsked:
      *out = AnswerIn(t, in[0]);
      return !out->unknown();
    case Made::kMoved:
      *out = guide_.Moved(t.source, in[0], t.threads);
      return true;
    case Made::kSlice:
      *out = lanes.Slice(in[0], t.a, t.b);
      return true;
    case Made::kJoin:
      *out = lanes.Join(in[0], t.a, in[1], t.b);
      return true;
    case Made::kMerge:
      *out = in[0] == in[1]
                 ? in[0]
                 : lanes.Merge(in[0], in[1], static_cast<uint32_t>(t.a),
                               t.threads);
      return true;
    case Made::kComputed:
      break;
  }
  const Step& step = guide_.program().steps[static_cast<size_t>(t.pc)];
  if (!Divides(t, in)) return false;
  std::array<Value, kMaxWords> results;
  guide_.Compute(t.pc, step, in, t.threads, results);
  *out = results[t.a];
  return true;
}

bool Terms::WorkAll(const std::vector<int32_t>& terms, int64_t cluster) {
  std::vector<Cta> places(static_cast<size_t>(guide_.bound().cluster_size()));
  for (size_t rank = 0; rank < places.size(); ++rank)
    machine::Place(guide_.bound(), cluster, static_cast<int>(rank),
                   places[rank]);
  answer_ = AnswerOf(cluster);
  for (const int32_t term : terms) {
    const auto i = static_cast<size_t>(term);
    if (!WorkOut(terms_[i], places, &values_[i]) || values_[i].unknown())
      return false;
    values_[i] = Plain(values_[i]);
  }
  return true;
}

bool Terms::ConditionsHold(int32_t variable) const {
  const Needed& part = parts_[static_cast<size_t>(variable)];
  for (const Value& v : part.goes_by) {
    if (In(v) != Plain(v)) return false;
  }
  for (const Value& v : part.lanes) {
    if (In(v).pattern != v.pattern) return false;
  }
  return !answers_.empty() || MapsAreTheSame();
}

// As many, one for one. Windows of addresses are told by the upper bits.
bool Terms::MapsAreTheSame() const {
  constexpr int kWindow = 48;
  std::map<uint64_t, uint64_t> there, here;
  for (const Value& v : maps_) {
    const Value other = In(v);
    if (!other.uniform() || other.base >> kWindow != v.base >> kWindow ||
        there.try_emplace(v.base, other.base).first->second != other.base ||
        here.try_emplace(other.base, v.base).first->second != v.base)
      return false;
  }
  return true;
}

const ir::ConcreteOp* Terms::Filled(Op& op, int64_t cluster) {
  Cta& cta = ctas_[op.cta];
  machine::Place(guide_.bound(), cluster, cta.rank, cta);
  const ir::ThreadSet& t = op.strand.threads;
  Key key{op.strand.pc,
          t.first_warp,
          t.warps,
          t.lanes,
          t.electors,
          static_cast<int64_t>(op.cta),
          op.of_place ? cluster : -1};
  for (const auto& [reg, v] : op.has) {
    const Value now = In(v);
    key.push_back(static_cast<int64_t>(now.base));
    key.push_back(now.pattern);
    PtxGuide::PutRegister(op.strand, reg, now);
  }
  // What else an operation takes, without a term, is a part of it.
  const Step& step = guide_.program().steps[static_cast<size_t>(op.strand.pc)];
  auto rest = [&](const Source& s) {
    if (s.reg < 0) return;
    const Value v = PtxGuide::Peek(op.strand, s.reg);
    key.push_back(static_cast<int64_t>(v.base));
    key.push_back(v.pattern);
  };
  for (const Source& s : step.sources) rest(s);
  for (const Source& s : step.data) rest(s);
  constexpr size_t kMostKept = 1 << 14;
  if (filled_.size() > kMostKept) filled_.clear();
  auto [at, fresh] = filled_.try_emplace(std::move(key));
  if (fresh) {
    ir::ConcreteOp out = *op.fixed;
    out.threads = op.strand.threads;
    out.cluster_rank = op.op.cluster_rank;
    Filling filling(guide_, {op.strand, cta, guide_.bound()}, step);
    if (step.fill == nullptr || step.fill(filling, step, out)) at->second = out;
  }
  return at->second ? &*at->second : nullptr;
}

bool Terms::SameIn(int64_t cluster, std::vector<Start>& out) {
  return answers_.empty() && Same(0, cluster, out);
}

bool Terms::Same(int32_t variable, int64_t cluster, std::vector<Start>& out) {
  out.clear();
  if (!WorkAll(parts_[static_cast<size_t>(variable)].terms, cluster) ||
      !ConditionsHold(variable))
    return false;
  for (const size_t n : parts_[static_cast<size_t>(variable)].ops) {
    Op& op = ops_[n];
    // The threads are where they were if another cluster was handed to them.
    const ir::ConcreteOp* now = Filled(op, variable == 0 ? cluster : cluster_);
    if (now == nullptr || !SameOp(*now, op.op)) return false;
    for (size_t i = 0; i < now->info().operands.size(); ++i) {
      const ir::OperandValue& o = now->operands[i];
      if (o.kind == ir::OperandValue::Kind::kTile &&
          o.tile.space == ir::Space::kGlobal)
        out.push_back({op.nth, static_cast<int>(i), o.tile.start[0]});
    }
  }
  return true;
}

}  // namespace tilesim::ptx
