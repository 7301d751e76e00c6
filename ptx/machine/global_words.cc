// Control that goes through buffers: words of global memory that some load
// returns to what decides. All accesses to such a buffer are executed on its
// values, which the machine keeps where it keeps those of `.tile` text
// (CompiledOp::control); how CTAs talk by them is for checkers/run to find out.
//
// Words are what is loaded and stored in one piece, so that a buffer is an
// array of the shortest of them.
#include <algorithm>
#include <tuple>

#include "ir/cat.h"
#include "ptx/flow/waits.h"
#include "ptx/machine/atomic_words.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/handed_over.h"
#include "ptx/machine/words_beside.h"

namespace tilesim::ptx {
using machine::Strand;

namespace {

// A word as the elements of its buffer that it is made of.
class Cell {
 public:
  // `changes` counts those of its elements.
  Cell(machine::DataPort& data, int kernel, int32_t decl, int64_t first,
       int64_t elements, int bits, uint64_t& changes)
      : data_(data),
        kernel_(kernel),
        decl_(decl),
        first_(first),
        elements_(elements),
        bits_(bits),
        changes_(changes) {}

  uint64_t Load() const {
    uint64_t out = 0;
    for (int64_t i = 0; i < elements_; ++i)
      out |= data_.Element(kernel_, decl_, first_ + i) << (i * bits_);
    return out;
  }
  void Store(uint64_t value) const {
    for (int64_t i = 0; i < elements_; ++i) {
      const uint64_t word = ZeroExtend(value >> (i * bits_), bits_);
      if (data_.Element(kernel_, decl_, first_ + i) != word) ++changes_;
      data_.SetElement(kernel_, decl_, first_ + i, word);
    }
  }

 private:
  machine::DataPort& data_;
  int kernel_;
  int32_t decl_;
  int64_t first_, elements_;
  int bits_;  // of an element
  uint64_t& changes_;
};

// The words that a step accesses, side by side.
class Cells {
 public:
  Cells(machine::DataPort& data, int kernel, const Step& step, int64_t first,
        int64_t element_bytes, uint64_t& changes)
      : data_(data),
        kernel_(kernel),
        step_(step),
        first_(first),
        element_bytes_(element_bytes),
        changes_(changes) {}

  int64_t elements() const { return step_.word_bytes / element_bytes_; }
  int bits() const { return static_cast<int>(8 * step_.word_bytes); }
  Cell operator()(size_t i) const {
    return {data_,          kernel_,
            step_.words_of, first_ + static_cast<int64_t>(i) * elements(),
            elements(),     static_cast<int>(8 * element_bytes_),
            changes_};
  }

 private:
  machine::DataPort& data_;
  int kernel_;
  const Step& step_;
  int64_t first_, element_bytes_;
  uint64_t& changes_;
};

// What an atomic leaves of a word.
template <class Datum>
uint64_t AtomicOf(std::string_view spelling, uint64_t old, const Datum& datum,
                  const Step& step, int bits) {
  return AfterAtomic(spelling, old, datum(0),
                     step.data.size() > 1 ? datum(1) : 0, bits);
}

// `note`: of each word that is stored.
template <class Datum, class Note>
void StoreAll(const Cells& cell, const Step& step, std::string_view spelling,
              const Datum& datum, const Note& note) {
  for (size_t i = 0; i < (step.lane_by_lane ? 1 : step.data.size()); ++i) {
    const uint64_t now = step.lane_by_lane ? AtomicOf(spelling, cell(0).Load(),
                                                      datum, step, cell.bits())
                                           : datum(i);
    cell(i).Store(now);
    note(cell(i).Load());
  }
}

// What the spelling's type makes of a word's bits.
uint64_t Wide(std::string_view spelling, uint64_t value, int bits) {
  const bool is_signed =
      spelling.find(".s", spelling.rfind('.')) != std::string_view::npos;
  return is_signed ? static_cast<uint64_t>(SignExtend(value, bits)) : value;
}

}  // namespace

void PtxGuide::InGlobal(machine::State& state, int32_t strand,
                        const ir::ConcreteOp& op,
                        machine::DataPort& data) const {
  Strand& s = state.strands[strand];
  const Step& step = program_.steps[s.pc];
  const machine::Cta& cta = state.ctas[s.cta];
  const Who who{s, cta, *bound_};
  const int64_t element = op.tile(step.word_operand).start[0];
  const Cells cell(data, cta.kernel, step, element,
                   program_.memory.GlobalOf(step.words_of).word, changes_);
  const int word_bits = cell.bits();
  const auto first = static_cast<size_t>(s.threads.first_lane());
  auto datum = [&](size_t i) {
    return ZeroExtend(lanes_.At(Of(step.data[i], who), first), word_bits);
  };
  std::string_view spelling =
      program_.graph.nodes[step.node].instruction().opcode;
  auto result = [&](size_t i, uint64_t value) {
    if (i >= step.results.size()) return;
    const Target& t = step.results[i];
    Set(s, t, Value{ZeroExtend(Wide(spelling, value, word_bits), t.bits)});
  };
  auto put = [&](uint64_t now, uint64_t returned) {
    cell(0).Store(now);
    result(0, returned);
  };
  if (const uint64_t word = cell(0).Load(); IsRound(step, word))
    return std::apply(put, InRound(step, who, element, word,
                                   step.data.empty() ? 0 : datum(0)));
  const auto turns = in_turn_.find(step.words_of);
  const bool in_turn = turns != in_turn_.end();
  const std::optional<uint64_t> turn =
      in_turn ? AwaitedTurn(step, who, word_bits) : std::nullopt;
  auto note = [&](uint64_t word) {
    NoteTurn(step, {state.clusters[cta.cluster].linear, cta.linear}, element,
             static_cast<int64_t>(word));
  };
  if (in_turn && cell.elements() == 1 && IsInVain(cell(0).Load())) {
    if (const auto asked = AskInVain(cell(0).Load(), turn)) {
      if (asked->first == asked->second) note(asked->first);
      return put(asked->second, asked->first);
    }
    cell(0).Store(0);
  }
  const uint64_t old = cell(0).Load();
  if (const auto lock = UseLock(step, old)) return std::apply(put, *lock);
  StoreAll(cell, step, spelling, datum,
           [&](uint64_t word) { NoteStored(step.words_of, word); });
  for (size_t i = 0; i < step.results.size(); ++i)
    result(i, step.lane_by_lane ? old : cell(i).Load());
  if (!in_turn) return;
  const uint64_t word = cell(0).Load();
  if (!turn && step.data.empty()) return;
  if (!turn || *turn == word) return note(word);
  // How often who meets others in each round asks in vain is known at first.
  const std::optional<TurnAsk>& ask = TurnAskOf(step.node, turns->second);
  if (!ask->meets.empty()) note(static_cast<uint64_t>(kSeveral));
  // Others do what is to be done, once it has asked in vain.
  cell(0).Store(*turn);
}

// --- what is to be followed
// ---------------------------------------------------

void PtxGuide::Want(int32_t origin, bool decides) const {
  if (origin < 0 || origin >= static_cast<int32_t>(program_.steps.size()))
    return;
  const Step& step = program_.steps[static_cast<size_t>(origin)];
  wants_local_ |= in_local_.contains(step.node) ||
                  (step.kind == Step::Kind::kOwn && !step.loads_const);
  if (!buffers_of_.contains(step.node)) return;
  wanted_loads_.insert(step.node);
  if (decides) deciding_.insert(step.node);
}

std::string PtxGuide::MissingFor(int32_t origin) const {
  if (origin < 0 || origin >= static_cast<int32_t>(program_.steps.size()))
    return "";
  const Step& step = program_.steps[static_cast<size_t>(origin)];
  if (step.kind == Step::Kind::kOwn && step.loads_const)
    return "; the host may write it: give a buffer of the variable's name "
           "(start)";
  auto found =
      buffers_of_.find(program_.steps[static_cast<size_t>(origin)].node);
  if (found == buffers_of_.end()) return "";
  for (size_t buffer : found->second) {
    const std::string& name = program_.memory.globals()[buffer].name;
    if (IsFromOutside(buffer))
      return ir::Cat("; nothing in the launch writes `", name,
                     "`: the host or another GPU may, while the kernel runs");
    if (!program_.memory.IsKnown(buffer))
      return ir::Cat("; the launch does not say what `", name,
                     "` holds (start, domain)");
  }
  return "";
}

// The launch says so; or it is read by strong loads of the whole system, and no
// strong store or atomic was seen to write it, nor may be yet.
bool PtxGuide::IsFromOutside(size_t buffer) const {
  const Buffer& b = program_.memory.file().buffers[buffer];
  if (b.start.kind == Start::Kind::kExternal) return true;
  bool polls = false;
  for (size_t i = 0; i < program_.graph.nodes.size(); ++i) {
    const Node& n = program_.graph.nodes[i];
    if (n.op == nullptr) continue;
    const std::string_view s = n.instruction().opcode;
    auto has = [&](std::string_view word) { return s.find(word) != s.npos; };
    auto found = buffers_of_.find(static_cast<int32_t>(i));
    const bool seen = found != buffers_of_.end();
    const bool here = seen && found->second.contains(buffer);
    const bool strong =
        has(".release") || has(".relaxed") || has(".volatile") || has(".mmio");
    const bool writes = s.starts_with("atom") || s.starts_with("red") ||
                        (s.starts_with("st") && strong);
    if (writes && (here || !seen)) return false;
    polls |= here && s.starts_with("ld") && has(".sys");
  }
  return polls;
}

bool MayBeHandedOver(const PtxGuide& guide, size_t buffer) {
  const Graph& g = guide.program().graph;
  if (guide.program().memory.file().launches.size() != 1) return true;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.op == nullptr) continue;
    const std::string_view s = n.instruction().opcode;
    if (s.find(".shared") != std::string_view::npos) continue;
    const auto has = [&](std::string_view word) {
      return s.find(word) != s.npos;
    };
    const bool strong =
        has(".release") || has(".relaxed") || has(".volatile") || has(".mmio");
    const bool writes = s.starts_with("atom") || s.starts_with("red") ||
                        (s.starts_with("st") && strong);
    const std::set<size_t> of = guide.BuffersOf(static_cast<int32_t>(i));
    if (writes && (of.empty() || of.contains(buffer))) return true;
  }
  return false;
}

void PtxGuide::NoteGlobal(int32_t pc, size_t buffer) const {
  const Step& step = program_.steps[static_cast<size_t>(pc)];
  buffers_of_[step.node].insert(buffer);
  if (!step.strong || wanted_loads_.contains(step.node) ||
      !MayBeHandedOver(*this, buffer))
    return;
  wanted_loads_.insert(step.node);
  deciding_.insert(step.node);
}

void PtxGuide::NoteBytes(int32_t pc, size_t buffer, int64_t begin, int64_t end,
                         bool across) const {
  const int32_t node = program_.steps[static_cast<size_t>(pc)].node;
  const auto first = static_cast<uint64_t>(begin),
             behind = static_cast<uint64_t>(end);
  auto [at, fresh] = bytes_of_.try_emplace({node, buffer});
  TouchedBytes& known = at->second;
  if (fresh) known = {node, buffer, first, behind};
  known.begin = std::min(known.begin, first);
  known.end = std::max(known.end, behind);
  known.across |= across;
}

std::vector<TouchedBytes> PtxGuide::TouchedBuffers() const {
  std::vector<TouchedBytes> out;
  for (const auto& [key, touched] : bytes_of_) {
    out.push_back(touched);
    out.back().decides = deciding_.contains(touched.node) &&
                         program_.memory.IsKnown(touched.buffer);
    out.back().lock = program_.graph.nodes[static_cast<size_t>(touched.node)]
                          .instruction()
                          .opcode.find(".cas.") != std::string::npos;
  }
  return out;
}

void PtxGuide::NoteElement(int32_t op, int64_t cta, int64_t element) const {
  if (closed_) return;
  auto [at, fresh] = element_of_.try_emplace({op, cta}, element);
  if (!fresh && at->second != element) at->second = -1;
}

void PtxGuide::Take(const Followed& followed) {
  wide_ = followed.wide;
  deciding_ = followed.beside;
}

bool PtxGuide::Grow(Followed& followed, bool beside) const {
  const Followed before = followed;
  followed.stores.insert(wanted_stores_.begin(), wanted_stores_.end());
  followed.loads.insert(wanted_loads_.begin(), wanted_loads_.end());
  GrowCopies(followed);
  followed.local |= wants_local_;
  if (followed.local)
    followed.stores.insert(in_local_.begin(), in_local_.end());
  std::set<size_t> wanted;
  for (int32_t load : followed.loads) {
    auto found = buffers_of_.find(load);
    if (found == buffers_of_.end()) continue;
    for (size_t buffer : found->second) {
      if (program_.memory.IsKnown(buffer) && !IsFromOutside(buffer))
        wanted.insert(buffer);
    }
  }
  for (const auto& [node, buffer] : followed.words) wanted.insert(buffer);
  for (const auto& [node, buffers] : buffers_of_) {
    if (buffers.size() == 1 && wanted.contains(*buffers.begin()))
      followed.words.emplace(node, *buffers.begin());
  }
  if (beside && followed.words != before.words) {
    for (const auto& [node, buffer] :
         WordsBeside(program_.graph, followed.words)) {
      if (buffers_of_.contains(node)) continue;
      followed.words.emplace(node, buffer);
      followed.beside.insert(node);
    }
  }
  return followed != before;
}

// --- what text says by itself
// -------------------------------------------------

const Step* PtxGuide::StepOf(const machine::CompiledOp& op) const {
  const auto number = static_cast<size_t>(op.number);
  const int32_t step = number < step_of_.size() ? step_of_[number] : -1;
  return step < 0 ? nullptr : &program_.steps[static_cast<size_t>(step)];
}

bool PtxGuide::AsksUntil(const machine::CompiledOp& op, int64_t value) const {
  const Step* s = StepOf(op);
  return s != nullptr && LoopAsksUntil(program_.graph, s->node, value,
                                       /*grows=*/false, Fixed());
}

bool PtxGuide::AsksUntilGrown(const machine::CompiledOp& op,
                              int64_t value) const {
  const Step* s = StepOf(op);
  return s != nullptr && LoopAsksUntil(program_.graph, s->node, value,
                                       /*grows=*/true, Fixed());
}

std::optional<int64_t> PtxGuide::CountsUpTo(
    const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->data.empty() ||
      !IsIncrement(program_.graph.nodes[s->node].instruction().opcode))
    return std::nullopt;
  const Source& most = s->data[0];
  const bool fixed = most.reg < 0 && most.special == Special::kNone;
  return fixed ? static_cast<int64_t>(most.bits) : 0;
}

bool PtxGuide::StoresZero(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->data.size() != 1) return false;
  const std::string_view spelling =
      program_.graph.nodes[s->node].instruction().opcode;
  const Source& source = s->data[0];
  return (spelling.starts_with("st.") ||
          spelling.find(".exch") != std::string_view::npos) &&
         source.reg < 0 && source.special == Special::kNone && source.bits == 0;
}

bool PtxGuide::StoresSame(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s != nullptr && !s->data.empty() && !s->lane_by_lane &&
         std::all_of(s->data.begin(), s->data.end(), [](const Source& source) {
           return source.reg < 0 && source.special == Special::kNone;
         });
}

// In its block, before anything is stored: who stores behind the shfl.sync
// comes after the loads of all its lanes.
bool PtxGuide::IsShuffled(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->node < 0) return false;
  const Graph& g = program_.graph;
  const std::vector<int32_t>& loaded = g.nodes[s->node].defines;
  auto loads = [&](int32_t reg) {
    return std::find(loaded.begin(), loaded.end(), reg) != loaded.end();
  };
  const Block& block = g.blocks[g.BlockOf(s->node)];
  for (int32_t i = s->node + 1; i < block.last; ++i) {
    const Node& n = g.nodes[i];
    if (n.op == nullptr) return false;
    const std::string_view opcode = n.op->opcode;
    const bool hands = std::any_of(n.reads.begin(), n.reads.end(), loads) ||
                       std::any_of(n.data.begin(), n.data.end(), loads);
    if (opcode == "shfl.sync" && hands) return true;
    const bool loads_too = opcode.starts_with("ld");
    if (n.op->kind != OpKind::kValue && opcode != "shfl.sync" && !loads_too)
      return false;
  }
  return false;
}

bool PtxGuide::TakesForReadOnly(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->node < 0) return false;
  return program_.graph.nodes[s->node].instruction().Has(".nc");
}

std::optional<int64_t> PtxGuide::ElementOf(const machine::CompiledOp& op,
                                           int64_t cta) const {
  auto found = element_of_.find({op.number, cta});
  if (found == element_of_.end() || found->second < 0) return std::nullopt;
  return found->second;
}

}  // namespace tilesim::ptx
