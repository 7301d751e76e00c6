// Atomics on words of shared memory that decide control. Each lane executes one
// after the other, in an order that nothing says: where what they return
// decides, the guide takes one lane at a time (Walk::OneLane), and the search
// all orders of warps.
#include "ptx/machine/atomic_words.h"

#include <algorithm>
#include <string>

#include "ptx/machine/guide.h"

namespace tilesim::ptx {
using machine::Cta;
using machine::KnownWord;

uint64_t AfterAtomic(std::string_view spelling, uint64_t old, uint64_t b,
                     uint64_t c, int bits) {
  auto has = [&](std::string_view word) {
    return spelling.find(word) != std::string_view::npos;
  };
  const bool is_signed = has(".s32") || has(".s64");
  auto less = [&](uint64_t x, uint64_t y) {
    return is_signed ? SignExtend(x, bits) < SignExtend(y, bits) : x < y;
  };
  if (has(".cas")) return old == b ? c : old;
  if (has(".exch")) return b;
  if (has(".add")) return old + b;
  if (has(".inc")) return old >= b ? 0 : old + 1;
  if (has(".dec")) return old == 0 || old > b ? b : old - 1;
  if (has(".min")) return less(b, old) ? b : old;
  if (has(".max")) return less(old, b) ? b : old;
  if (has(".and")) return old & b;
  if (has(".or")) return old | b;
  return old ^ b;
}

bool IsIncrement(std::string_view spelling) {
  return spelling.find(".inc.") != std::string_view::npos;
}

bool IsAtomicOfFloats(std::string_view spelling) {
  return spelling.substr(spelling.rfind('.') + 1).find('f') !=
         std::string_view::npos;
}

void PtxGuide::AtomicIn(Cta& cta, machine::Strand& strand, const Step& step,
                        const ir::BoundKernel& bound, const Cta& own) const {
  constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
  const Who who{strand, own, bound};
  const Value address = Of(step.sources[0], who);
  const std::string_view spelling =
      program_.graph.nodes[static_cast<size_t>(step.node)].instruction().opcode;
  const auto bytes = static_cast<int32_t>(step.word_bytes);
  const int bits = 8 * bytes;
  const int32_t either = EitherOf(program_, strand);
  Value result;
  for (size_t t = 0; t < who.threads(); ++t) {
    if ((strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0) continue;
    const auto at = static_cast<int32_t>(lanes_.At(address, t) & kOffset);
    stored_by_[at] = step.node;
    auto word = std::find_if(
        cta.words.begin(), cta.words.end(),
        [&](const KnownWord& w) { return w.at == at && w.bytes == bytes; });
    Value data[2];
    for (size_t i = 0; i < 2 && i < step.data.size(); ++i)
      data[i] = Of(step.data[i], who);
    const bool known = word != cta.words.end() && !step.data.empty() &&
                       !data[0].unknown() && !data[1].unknown() && either < 0 &&
                       !IsAtomicOfFloats(spelling);
    if (!known) {
      result =
          Lanes::Unknown(UnknownAt(at, word != cta.words.end(), strand.pc));
      unknown_from_[at] = static_cast<int32_t>(result.base);
      std::erase_if(cta.words, [&](const KnownWord& w) {
        return w.at < at + bytes && at < w.at + w.bytes;
      });
      continue;
    }
    const auto old = static_cast<uint64_t>(word->value);
    result = Value{old};
    word->value = static_cast<int64_t>(ZeroExtend(
        AfterAtomic(spelling, old, ZeroExtend(lanes_.At(data[0], t), bits),
                    ZeroExtend(lanes_.At(data[1], t), bits), bits),
        bits));
  }
  if (step.results.empty()) return;
  const bool is_signed = spelling[spelling.rfind('.') + 1] == 's';
  if (!result.unknown() && is_signed)
    result.base = static_cast<uint64_t>(SignExtend(result.base, bits));
  if (!result.unknown())
    result.base = ZeroExtend(result.base, step.results[0].bits);
  Set(strand, step.results[0], result);
}

// Where it comes from that a word is not known. What was last stored there, and
// what is added to it, is followed in the next attempt.
int32_t PtxGuide::UnknownAt(int32_t at, bool word_known, int32_t pc) const {
  for (const auto& [place, node] : stored_by_) {
    if (place <= at && at < place + 16) wanted_stores_.insert(node);
  }
  auto unknown = unknown_from_.find(at);
  return !word_known && unknown != unknown_from_.end() ? unknown->second : pc;
}

}  // namespace tilesim::ptx
