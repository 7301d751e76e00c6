// Words that cp.async copies to shared memory, where loads find them that
// decide: pages of a cache by a table that is copied ahead.
//
//   cp.async.ca.shared.global [Page], [Table + 4 * j], 4, %bytes;
//   ...                                    // groups, a barrier
//   ld.shared.b32 %page, [Page];
//
// Such a copy is followed as a load, whose result it stores where it copies to.
// The store is seen where the copy is issued: that whoever loads comes after
// the end of the copy is for checkers/judge/control_values to show, as of any
// store. The copy itself reads and writes as it does elsewhere.
#include <algorithm>
#include <string>

#include "ir/cat.h"
#include "ir/ops/memory.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/lower_steps.h"

namespace tilesim::ptx {
namespace {

constexpr int64_t kMostOfCopy = 16;

// Numbers of the load: its bytes.
bool FillCopied(Filling& f, const Step& s, ir::ConcreteOp& out) {
  ir::OperandValue& source =
      out.operands[static_cast<size_t>(ir::ops::LdGlobal::kSrc)];
  return s.words_of >= 0
             ? f.Words(s.sources[0], s.numbers[0], s.words_of, source)
             : f.OfThreads(s.sources[0], s.numbers[0], 'g', source);
}

std::optional<ScalarOp> Compare() {
  Instruction compare;
  compare.opcode = "setp.ne.u32";
  compare.operands.resize(3);
  for (Operand& o : compare.operands) o.kind = Operand::Kind::kName;
  std::string why;
  return CompileScalar(compare, &why);
}

}  // namespace

int32_t Steps::NewRegister(std::string name) {
  const auto reg = static_cast<int32_t>(program_.registers.size());
  program_.registers.push_back(std::move(name));
  program_.graph_registers.push_back(-1);
  return reg;
}

// The guard of what is executed where the copy reads anything (its src-size,
// which is 0 or all: FillCopy); the node's own, where it always does.
void Steps::GuardOfCopied(int32_t node, const Step& copy, Step& out) {
  if (copy.sources.size() < 3) return;
  const std::optional<ScalarOp> op = Compare();
  const int32_t line = program_.graph.nodes[node].statement->span.text_line();
  const Target some{NewRegister(ir::Cat("src-size on line ", line)), 1};
  Step& none = Emit(Step::Kind::kConstant, node);
  none.guard = -1;
  none.results = {some};
  none.sources.emplace_back();
  Step& any = Emit(Step::Kind::kScalar, node);
  any.scalar = *op;
  any.results = {some};
  any.sources = {copy.sources[2], Source()};
  out.guard = some.reg;
  out.negated = false;
}

// How long a word is that the copy is followed for; 0: it is not.
int64_t Steps::CopiedWord(int32_t node) const {
  if (program_.whole || program_.timed) return 0;
  const auto copies = followed_.copies.find(node);
  if (copies != followed_.copies.end()) return copies->second;
  const auto words = followed_.words.find(node);
  return words == followed_.words.end()
             ? 0
             : program_.memory.globals()[words->second].word;
}

void Steps::ReadCopied(int32_t node, Step& copy) {
  const int64_t word = CopiedWord(node), bytes = copy.numbers[0];
  if (word == 0 || bytes % word != 0) return;
  const Node& n = program_.graph.nodes[node];
  std::vector<Target> results;
  for (int64_t i = 0; i < bytes / word; ++i) {
    const std::string name =
        ir::Cat("what line ", n.statement->span.text_line(), " copies");
    results.push_back({NewRegister(name), static_cast<int>(8 * word)});
    Step& none = Emit(Step::Kind::kConstant, node);
    none.guard = -1;
    none.results = {results.back()};
    none.sources.emplace_back();
  }
  Step guarded;
  guarded.guard = n.guard < 0 ? -1 : slots_[n.guard];
  guarded.negated = n.guard >= 0 && n.instruction().guard.negated;
  GuardOfCopied(node, copy, guarded);
  Step step;
  Making m{program_.graph, n, program_.memory, {}, slots_, step};
  m.op = ir::OpKind::kLdGlobal;
  m.Tile(ir::ops::LdGlobal::kSrc, ir::Space::kGlobal);
  Step& s = Emit(Step::Kind::kOp, node);
  s.guard = guarded.guard;
  s.negated = guarded.negated;
  s.op = AddOp(n, m, m.op);
  code_.instrs.back().a = s.op;
  s.fill = FillCopied;
  s.sources = {copy.sources[1]};
  s.numbers = {bytes};
  s.buffers_by = 0;
  if (followed_.words.contains(node)) {
    s.results = results;
    s.word_bytes = word;
    FollowWords(m, s);
    copy.numbers.push_back(s.words_of);
    copy.collective = copy.sources.size();
  }
  const auto taken = followed_.taken.find(node);
  for (const Target& t : results) {
    if (followed_.words.contains(node)) break;
    Step& element = Emit(taken == followed_.taken.end() ? Step::Kind::kUnknown
                                                        : Step::Kind::kConstant,
                         node);
    element.guard = guarded.guard;
    element.negated = guarded.negated;
    element.of_op = true;
    element.results = {t};
    if (taken != followed_.taken.end())
      element.sources.emplace_back().bits =
          ZeroExtend(static_cast<uint64_t>(taken->second), t.bits);
  }
  for (const Target& t : results) {
    Source& datum = copy.data.emplace_back();
    datum.reg = t.reg;
    datum.width = t.bits;
  }
  copy.word_bytes = word;
}

// Which copies have put something at a place, in any run: what a load there
// may find.
void PtxGuide::Copied(const Who& who, const Step& step, int32_t pc) const {
  const bool followed = step.word_bytes > 0;
  if (closed_ && !followed) return;
  constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
  constexpr int64_t kWord = 4;
  const Value address = Of(step.sources[0], who);
  // Threads copy to places next to each other, as a rule.
  auto copied = copied_.end();
  auto unknown = unknown_from_.end();
  for (size_t t = 0; t < who.threads(); ++t) {
    if ((who.strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0) continue;
    const auto at = static_cast<int64_t>(lanes_.At(address, t) & kOffset);
    if (copied == copied_.end() || copied->first != at)
      copied = copied_.try_emplace(at).first;
    copied->second.insert(pc);
    ++copied;
    for (int64_t i = 0; !followed && i < step.numbers[0]; i += kWord) {
      if (unknown == unknown_from_.end() || unknown->first != at + i)
        unknown = unknown_from_.try_emplace(at + i).first;
      unknown->second = pc;
      ++unknown;
    }
  }
}

void PtxGuide::LoadsCopied(const Step& load, int64_t at) const {
  if (copied_.empty()) return;
  for (auto from = copied_.lower_bound(at - kMostOfCopy + 1);
       from != copied_.end() && from->first <= at; ++from) {
    for (int32_t pc : from->second) {
      const Step& copy = program_.steps[static_cast<size_t>(pc)];
      if (at < from->first + copy.numbers[0])
        loads_copied_[copy.node].insert(load.node);
    }
  }
}

std::set<int32_t> PtxGuide::LoadsOfCopied(int32_t node) const {
  auto found = loads_copied_.find(node);
  return found == loads_copied_.end() ? std::set<int32_t>() : found->second;
}

namespace {

// Of what is less than an element a domain says nothing.
bool HasLongerElements(const PtxGuide& guide, int32_t copy, int64_t word) {
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  const std::set<size_t> of = guide.BuffersOf(copy);
  return std::any_of(of.begin(), of.end(), [&](size_t b) {
    const std::string& dtype = buffers[b].dtype;
    return !dtype.empty() && static_cast<int64_t>(ScalarBytes(dtype)) > word;
  });
}

}  // namespace

// By the words of their readers.
void PtxGuide::GrowCopies(Followed& followed) const {
  for (const auto& [copy, loads] : loads_copied_) {
    if (!followed.loads.contains(copy)) continue;
    int64_t word = kMostOfCopy;
    for (int32_t load : loads) {
      const std::string_view s =
          program_.graph.nodes[static_cast<size_t>(load)].instruction().opcode;
      const auto each =
          static_cast<int64_t>(ScalarBytes(s.substr(s.rfind('.') + 1)));
      if (each > 0) word = std::min(word, each);
    }
    if (!HasLongerElements(*this, copy, word)) followed.copies[copy] = word;
  }
}

}  // namespace tilesim::ptx
