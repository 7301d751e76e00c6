// Words of buffers by which CTAs shut each other out: locks, and what is read
// and written by who holds one (checkers/run/locks.h).
#include <algorithm>
#include <string_view>

#include "ptx/flow/locks.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/launch_numbers.h"

namespace tilesim::ptx {
namespace {

// Of one declaration.
constexpr size_t kMostStored = 64;

}  // namespace

std::optional<int64_t> PtxGuide::FixedNumber(const Source& source) const {
  if (source.special != Special::kNone) return std::nullopt;
  if (source.reg < 0) return static_cast<int64_t>(source.bits);
  const auto slot = static_cast<size_t>(source.reg);
  if (slot >= program_.graph_registers.size()) return std::nullopt;
  const auto n = NumberAtLaunch(program_.graph, program_.memory,
                                program_.graph_registers[slot]);
  if (!n) return std::nullopt;
  return static_cast<int64_t>(*n + source.bits);
}

// One word of those that its buffer is taken for.
bool PtxGuide::IsWord(const Step& step) const {
  return step.node >= 0 && step.words_of >= 0 &&
         step.word_bytes == program_.memory.GlobalOf(step.words_of).word;
}

std::optional<machine::Counting::LockTry> PtxGuide::MakeLockTry(
    const Step& step) const {
  const Graph& graph = program_.graph;
  const std::string_view spelling =
      graph.nodes[static_cast<size_t>(step.node)].instruction().opcode;
  if (!spelling.starts_with("atom.") || !step.lane_by_lane ||
      step.results.size() != 1 || !IsWord(step))
    return std::nullopt;
  std::optional<int64_t> held;
  if (spelling.find(".cas.") != std::string_view::npos &&
      step.data.size() == 2 && FixedNumber(step.data[0]) == 0) {
    held = FixedNumber(step.data[1]);
  } else if (spelling.find(".exch.") != std::string_view::npos &&
             step.data.size() == 1) {
    held = FixedNumber(step.data[0]);
  }
  if (!held) return std::nullopt;
  const LockLoop loop = LockLoopOf(graph, step.node, *held, Fixed());
  if (loop.kind == LockLoop::Kind::kNone) return std::nullopt;
  LockTry out{*held, loop.kind == LockLoop::Kind::kRounds, {}};
  for (const Step& s : program_.steps) {
    for (int32_t node : loop.meets) {
      if (s.kind == Step::Kind::kOp && s.node == node)
        out.meets.push_back(s.op);
    }
  }
  return out;
}

const std::optional<machine::Counting::LockTry>& PtxGuide::LockTryOf(
    const Step& step) const {
  auto [at, fresh] = tries_.try_emplace(step.node);
  if (fresh) at->second = MakeLockTry(step);
  return at->second;
}

std::optional<machine::Counting::LockTry> PtxGuide::TriesLock(
    const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s == nullptr || s->node < 0 ? std::nullopt : LockTryOf(*s);
}

bool PtxGuide::FreesLock(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || !IsWord(*s) || s->data.size() != 1) return false;
  const bool wanted =
      std::any_of(s->results.begin(), s->results.end(),
                  [](const Target& result) { return result.reg >= 0; });
  if (wanted) return false;
  const std::string_view spelling =
      program_.graph.nodes[static_cast<size_t>(s->node)].instruction().opcode;
  return (spelling.starts_with("st.") ||
          spelling.find(".exch.") != std::string_view::npos) &&
         FixedNumber(s->data[0]) == 0;
}

std::optional<std::pair<uint64_t, uint64_t>> PtxGuide::UseLock(
    const Step& step, uint64_t word) const {
  constexpr auto kFirst = static_cast<uint64_t>(kHeldByOthers);
  constexpr auto kEach = static_cast<uint64_t>(kLeft);
  constexpr uint64_t kMine = kEach - 1;  // the CTA holds it
  const bool at_times = word > kFirst && word < kFirst + kEach * kEach;
  if (!at_times || !locks_.contains(step.words_of)) return std::nullopt;
  const uint64_t left = (word - kFirst) % kEach,
                 times = (word - kFirst) / kEach;
  const uint64_t free = word - left;
  if (const std::optional<LockTry>& tries = LockTryOf(step)) {
    const auto held = static_cast<uint64_t>(tries->held);
    if (left == kMine) return std::pair(word, held);
    if (left > 0) return std::pair(word - 1, held);
    return std::pair(free + kMine, uint64_t{0});
  }
  // It puts the lock back.
  return std::pair(free + times, uint64_t{left == kMine});
}

void PtxGuide::NoteStored(int32_t decl, uint64_t word) const {
  if (!closed_ || locks_.contains(decl)) return;
  std::set<int64_t>& all = stored_in_[decl];
  if (all.size() <= kMostStored) all.insert(static_cast<int64_t>(word));
}

std::optional<std::set<int64_t>> PtxGuide::Stored(int32_t decl) const {
  auto found = stored_in_.find(decl);
  if (found == stored_in_.end()) return std::set<int64_t>{};
  if (found->second.size() > kMostStored) return std::nullopt;
  return found->second;
}

}  // namespace tilesim::ptx
