#include "ptx/values/threads.h"

#include <bit>
#include <cstring>

#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
using For = GlobalBytes::For;

}  // namespace

Threads::Threads(Values& values, const Lowered& kernel,
                 const machine::State& state, const machine::Strand& strand,
                 const Node& node)
    : values_(values),
      kernel_(kernel),
      state_(state),
      strand_(strand),
      cta_(state.ctas[static_cast<size_t>(strand.cta)]),
      node_(node),
      own_(values.CtaAt(strand.cta)) {
  for (int w = 0; w < warps(); ++w)
    lanes_[static_cast<size_t>(w)] = strand.threads.lanes;
}

void Threads::Mask(const In& guard) {
  for (int w = 0; w < warps(); ++w) {
    const uint64_t* holds = Words(first_warp() + w, guard.word);
    uint32_t out = 0;
    for (int l = 0; l < ir::kWarpThreads; ++l)
      out |= uint32_t{(holds[l] != 0) != guard.negated} << l;
    lanes_[static_cast<size_t>(w)] &= out;
  }
}

int64_t Threads::count() const {
  int64_t n = 0;
  for (int w = 0; w < warps(); ++w) n += std::popcount(lanes(w));
  return n;
}

bool Threads::none() const { return count() == 0; }

size_t Threads::First() const {
  int w = 0;
  while (lanes(w) == 0) ++w;
  return static_cast<size_t>(first_warp() + w) * ir::kWarpThreads +
         static_cast<size_t>(std::countr_zero(lanes(w)));
}

void Threads::Fail(std::string_view why) {
  values_.Fail(ir::Cat("line ", node_.statement->span.text_line(), ": ", why));
}

CtaValues* Threads::Peer(int rank) {
  for (int32_t slot : state_.clusters[cta_.cluster].ctas) {
    if (state_.ctas[static_cast<size_t>(slot)].rank == rank)
      return values_.CtaAt(slot);
  }
  return nullptr;
}

uint8_t* Threads::SharedOf(int rank, int64_t offset, int64_t bytes) {
  CtaValues* to = rank == cta_.rank ? own_ : Peer(rank);
  if (to != nullptr && offset >= 0 &&
      offset + bytes <= static_cast<int64_t>(to->shared.size()))
    return to->shared.data() + offset;
  Fail(
      fmt::format("no {} bytes of shared memory are at {:#x} of the CTA of "
                  "rank {}",
                  bytes, offset, rank));
  return nullptr;
}

uint8_t* Threads::Shared(uint64_t address, int64_t bytes) {
  if (IsIn(address, kSharedWindow)) address -= kSharedWindow;
  return SharedOf(static_cast<int>(address >> kRankShift & 0xff),
                  static_cast<int64_t>(address & kOffset), bytes);
}

uint8_t* Threads::Global(uint64_t address, int64_t bytes,
                         GlobalBytes::For what) {
  uint8_t* at = values_.globals().At(address, bytes, what);
  if (at == nullptr)
    Fail(fmt::format("no buffer of the launch has {} bytes at {:#x}", bytes,
                     address));
  return at;
}

bool Threads::Load(char space, uint64_t address, size_t thread, int64_t bytes,
                   uint8_t* out) {
  if (space == 'l' || (space == 'a' && IsIn(address, kLocalWindow))) {
    const auto& local = own_->local[thread];
    for (int64_t i = 0; i < bytes; ++i) {
      auto found = local.find(address + static_cast<uint64_t>(i));
      out[i] = found == local.end() ? uint8_t{0xff} : found->second;
    }
    return true;
  }
  if (space == 'c' || (space == 'a' && IsIn(address, kConstWindow))) {
    for (int64_t i = 0; i < bytes; ++i) {
      auto byte = memory().ConstBits(address + static_cast<uint64_t>(i), 1);
      if (!byte) {
        Fail("nothing says what this constant holds");
        return false;
      }
      out[i] = static_cast<uint8_t>(*byte);
    }
    return true;
  }
  if (space == 'p' || (space == 'a' && IsIn(address, kParamWindow))) {
    for (int64_t i = 0; i < bytes; ++i) {
      auto byte = memory().ParamBits(address + static_cast<uint64_t>(i), 1);
      if (!byte) {
        Fail("the launch does not say what this parameter holds");
        return false;
      }
      out[i] = static_cast<uint8_t>(*byte);
    }
    return true;
  }
  const bool shared =
      space == 's' || (space == 'a' && IsIn(address, kSharedWindow));
  const uint8_t* at =
      shared ? Shared(address, bytes) : Global(address, bytes, For::kReading);
  if (at == nullptr) return false;
  std::memcpy(out, at, static_cast<size_t>(bytes));
  return true;
}

bool Threads::Store(char space, uint64_t address, size_t thread, int64_t bytes,
                    const uint8_t* from) {
  if (space == 'l' || (space == 'a' && IsIn(address, kLocalWindow))) {
    for (int64_t i = 0; i < bytes; ++i)
      own_->local[thread][address + static_cast<uint64_t>(i)] = from[i];
    return true;
  }
  const bool shared =
      space == 's' || (space == 'a' && IsIn(address, kSharedWindow));
  uint8_t* at =
      shared ? Shared(address, bytes) : Global(address, bytes, For::kWriting);
  if (at == nullptr) return false;
  std::memcpy(at, from, static_cast<size_t>(bytes));
  return true;
}

}  // namespace tilesim::ptx
