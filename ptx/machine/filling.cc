#include "ptx/machine/filling.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "ir/cat.h"
#include "ptx/machine/handed_over.h"

namespace tilesim::ptx {
using ir::OperandValue;
using machine::ByteSets;

namespace {

constexpr uint64_t kOffsetMask = (uint64_t{1} << kRankShift) - 1;
constexpr int64_t kBarrierBytes = 8;

void Box(ir::Space space, int32_t decl, int64_t start, int64_t bytes,
         OperandValue& out) {
  out.kind = OperandValue::Kind::kTile;
  out.tile = ir::TileValue();
  out.tile.space = space;
  out.tile.decl = static_cast<int16_t>(decl);
  out.tile.dtype = ir::DType::kU8;
  out.tile.rank = 1;
  out.tile.start[0] = start;
  out.tile.extent[0] = static_cast<int32_t>(bytes);
}

bool IsShared(uint64_t address, bool generic) {
  return generic ? address >> 48 == kSharedWindow >> 48
                 : address < uint64_t{1} << 32;
}

bool IsGeneric(SharedWindow window) {
  return window == SharedWindow::kGeneric ||
         window == SharedWindow::kGenericOwn;
}

}  // namespace

SharedWindow SharedWindowOf(std::string_view opcode) {
  auto has = [&](std::string_view s) { return opcode.find(s) != opcode.npos; };
  if (has(".shared::cluster")) return SharedWindow::kCluster;
  if (has(".shared")) return SharedWindow::kOwn;
  for (std::string_view own : {"mbarrier.init", "mbarrier.inval",
                               "mbarrier.test_wait", "mbarrier.try_wait"}) {
    if (opcode.starts_with(own)) return SharedWindow::kGenericOwn;
  }
  return opcode.starts_with("tcgen05.") ? SharedWindow::kEither
                                        : SharedWindow::kGeneric;
}

bool Filling::Bad(ir::Code code, std::string what, std::string help) {
  trouble_ = {code, std::move(what), std::move(help)};
  return false;
}

bool Filling::Open(std::string what) {
  trouble_ = {std::nullopt, std::move(what), ""};
  return false;
}

bool Filling::NotKnown(const Value& v) {
  if (int32_t reg = Lanes::UndefinedIn(v); reg >= 0)
    return Bad("uninit/register", guide_.UndefinedText("what it does", reg),
               std::string(kHowToDefine));
  if (guide_.DividesBy0(v))
    return Bad("uninit/register", guide_.DivisionText("what it does", v),
               std::string(kHowToDivide));
  auto origin = static_cast<int32_t>(v.base);
  guide_.Want(origin, decides_);
  const Program& p = guide_.program();
  if (origin < 0 || origin >= static_cast<int32_t>(p.steps.size()))
    return Open("what it does depends on a clock, or on where it runs");
  const Step& s = p.steps[origin];
  return Open(
      fmt::format("what it does depends on what `{}` on line {} returns, which "
                  "is not known{}",
                  p.graph.nodes[s.node].instruction().opcode,
                  p.graph.nodes[s.node].statement->span.text_line(),
                  guide_.MissingFor(origin)));
}

bool Filling::Number(const Source& source, int64_t* out) {
  Value v = Of(source);
  if (v.unknown()) return NotKnown(v);
  *out = static_cast<int64_t>(guide_.lanes().At(
      v, static_cast<size_t>(who_.strand.threads.first_lane())));
  return true;
}

void Filling::SetInt(int64_t n, OperandValue& out) {
  out.kind = OperandValue::Kind::kInt;
  out.number = n;
  out.real = static_cast<double>(n);
}

bool Filling::Int(const Source& source, OperandValue& out) {
  int64_t n = 0;
  if (!Number(source, &n)) return false;
  SetInt(n, out);
  return true;
}

std::string_view Filling::opcode() const {
  return guide_.program().graph.nodes[step_.node].instruction().opcode;
}

bool Filling::Shared(uint64_t address, SharedPlace* out) {
  const bool generic = IsGeneric(window_);
  // Of a register that is wider than addresses of the state space the low bits
  // count (PTX 6.4.1): those of a generic address of shared memory.
  const bool wide = !generic && IsIn(address, kSharedWindow);
  const bool either =
      wide || (window_ == SharedWindow::kEither && IsShared(address, true));
  if (!either && !IsShared(address, generic))
    return Bad(
        "bounds/shared",
        fmt::format("the address {:#x} is not one of shared memory{}", address,
                    generic ? ", as generic addresses have it" : ""));
  auto low = static_cast<uint32_t>(address);
  out->offset = static_cast<int64_t>(low & kOffsetMask);
  auto rank = static_cast<int64_t>(low >> kRankShift);
  if (rank >= who_.bound.cluster_size())
    return Bad("cluster/rank",
               fmt::format("the address {:#x} is of CTA {} of a cluster of {}",
                           low, rank, who_.bound.cluster_size()));
  out->cta = rank == who_.cta.rank ? ir::kOwnCta : static_cast<int8_t>(rank);
  const bool any =
      window_ != SharedWindow::kOwn && window_ != SharedWindow::kGenericOwn;
  if (out->cta == ir::kOwnCta || any) return true;
  return Bad(
      "cluster/rank",
      fmt::format("the address {:#x} is of CTA {} of the cluster, and {} "
                  "accesses shared memory of its own CTA alone",
                  low, rank, opcode()),
      window_ == SharedWindow::kOwn
          ? ".shared is .shared::cta: write .shared::cluster, where the "
            "instruction has it"
          : "only threads of the CTA in whose memory an mbarrier lies "
            "may wait for it");
}

bool Filling::OwnSharedBox(const Source& address, int64_t bytes, int64_t align,
                           OperandValue& out) {
  const SharedWindow kept = std::exchange(window_, SharedWindow::kOwn);
  const bool ok = SharedBox(address, bytes, align, out);
  window_ = kept;
  return ok;
}

bool Filling::AreOfOneCta(const OperandValue& written,
                          const OperandValue& barrier) {
  if (written.tile.cta == barrier.barrier.cta ||
      opcode().find("cta_group::2") != std::string_view::npos)
    return true;
  return Bad("cluster/rank",
             fmt::format("the mbarrier of {} lies in the memory of another CTA "
                         "than what it writes",
                         opcode()),
             "give it the address of that CTA's mbarrier: mapa with the same "
             "rank for both");
}

bool Filling::Barrier(const Step& step, const Source& source,
                      OperandValue& out) {
  int64_t address = 0;
  SharedPlace at;
  if (!Number(source, &address)) return false;
  if (!Shared(static_cast<uint64_t>(address), &at)) return false;
  if (at.offset % kBarrierBytes != 0 ||
      at.offset + kBarrierBytes > who_.bound.shared_bytes)
    return Bad("bounds/shared",
               ir::Cat("there is no mbarrier at byte ", at.offset,
                       " of shared memory"),
               "8 bytes, at a multiple of 8");
  int32_t index = guide_.barriers().Of(at.offset);
  if (index < 0) return Open("there are more mbarriers than are followed");
  guide_.Named(step.op, index);
  out.kind = OperandValue::Kind::kBarrier;
  out.barrier.index = index;
  out.barrier.decl = static_cast<int16_t>(guide_.decls().first_barrier + index);
  out.barrier.cta = out.tile.cta = at.cta;
  return true;
}

// PTX 9.7.9.25, 9.7.14.5.15 (a row of a matrix) and 6.4.1: what is not aligned
// is undefined, and faults.
bool Filling::Aligned(uint64_t address, int64_t by) {
  if (address % static_cast<uint64_t>(by) == 0) return true;
  return Bad(
      "layout/alignment",
      fmt::format("the address {:#x} is no multiple of {}", address, by));
}

bool Filling::SharedBox(const Source& source, int64_t bytes, int64_t align,
                        OperandValue& out) {
  int64_t address = 0;
  SharedPlace at;
  if (!Number(source, &address)) return false;
  if (!Aligned(static_cast<uint64_t>(address), align)) return false;
  if (!Shared(static_cast<uint64_t>(address), &at)) return false;
  Box(ir::Space::kShared, guide_.decls().shared, at.offset, bytes, out);
  out.tile.cta = out.barrier.cta = at.cta;
  return true;
}

bool Filling::InGlobal(uint64_t first, OperandValue& out) {
  const Memory::Global* g = memory().GlobalAt(first);
  if (g == nullptr)
    return Bad(
        "bounds/global",
        fmt::format("the address {:#x} lies in no buffer of the launch", first),
        "give every buffer that the kernel touches, with its bytes");
  if (!InOnePiece(*g, static_cast<int64_t>(first - g->address),
                  out.tile.extent[0]) ||
      !Payload(*g))
    return false;
  out.tile.decl = static_cast<int16_t>(g->decl);
  out.tile.start[0] = static_cast<int64_t>(first - g->address);
  return true;
}

bool Filling::Payload(const Memory::Global& buffer) {
  const auto number = static_cast<size_t>(&buffer - memory().globals().data());
  guide_.NoteGlobal(who_.strand.pc, number);
  if (!buffer.given)
    return Open(ir::Cat("it reaches `", buffer.name,
                        "` by an address that is no parameter of the launch"));
  const Step& step =
      guide_.program().steps[static_cast<size_t>(who_.strand.pc)];
  if (buffer.word == 0 && step.strong && guide_.closed() &&
      guide_.IsFromOutside(number))
    return Open(
        ir::Cat("whether it synchronises depends on what the host or "
                "another GPU writes to `",
                buffer.name, "` while the kernel runs"));
  if (buffer.word == 0 && step.strong && guide_.closed() &&
      MayBeHandedOver(guide_, number))
    return Open(ir::Cat("whether it synchronises depends on what `",
                        buffer.name,
                        "` holds, which is not followed: the launch may say it "
                        "(start, domain)"));
  if (buffer.word == 0) return true;
  return Open(
      ir::Cat("it accesses `", buffer.name,
              "`, whose words decide where control goes, in a way that is not "
              "followed"));
}

bool Filling::InOnePiece(const Memory::Global& buffer, int64_t begin,
                         int64_t bytes) {
  const auto from = std::max(begin, -static_cast<int64_t>(buffer.before));
  const auto to = std::min(begin + bytes,
                           static_cast<int64_t>(buffer.bytes + buffer.behind));
  const bool across =
      from < to && (from < 0 || to > static_cast<int64_t>(buffer.bytes));
  const auto number = static_cast<size_t>(&buffer - memory().globals().data());
  guide_.NoteBytes(
      who_.strand.pc, number, std::max<int64_t>(from, 0),
      std::clamp<int64_t>(to, 0, static_cast<int64_t>(buffer.bytes)), across);
  return !across || Open(ir::Cat("it accesses `", buffer.name,
                                 "` and what lies beside it in one buffer"));
}

bool Filling::OfBuffer(size_t buffer) {
  return Payload(memory().globals()[buffer]);
}

bool Filling::Words(const Source& source, int64_t bytes, int32_t decl,
                    OperandValue& out) {
  const Memory::Global& words = memory().GlobalOf(decl);
  int64_t address = 0;
  if (!Number(source, &address)) return false;
  if (!Aligned(static_cast<uint64_t>(address), bytes)) return false;
  const Memory::Global* g = memory().GlobalAt(static_cast<uint64_t>(address));
  if (g == nullptr) return InGlobal(static_cast<uint64_t>(address), out);
  if (g != &words &&
      InOnePiece(
          *g, static_cast<int64_t>(address) - static_cast<int64_t>(g->address),
          bytes))
    return Open(ir::Cat("it accesses `", g->name, "`, and `", words.name,
                        "` in the runs before"));
  const auto at =
      static_cast<int64_t>(static_cast<uint64_t>(address) - g->address);
  guide_.NoteGlobal(who_.strand.pc,
                    static_cast<size_t>(g - memory().globals().data()));
  if (!InOnePiece(*g, at, bytes)) return false;
  if (at % words.word != 0 || at + bytes > static_cast<int64_t>(g->bytes))
    return Open(ir::Cat("it accesses part of a word of `", words.name, "`"));
  const ir::DType dtype = who_.bound.decls[static_cast<size_t>(decl)].dtype;
  Box(ir::Space::kGlobal, decl, at / words.word, bytes / words.word, out);
  out.tile.dtype = dtype;
  const Step& step =
      guide_.program().steps[static_cast<size_t>(who_.strand.pc)];
  guide_.NoteElement(step.op, who_.cta.linear, out.tile.start[0]);
  return true;
}

bool Filling::GlobalBox(const Source& source, int64_t bytes, int64_t align,
                        OperandValue& out) {
  int64_t address = 0;
  if (!Number(source, &address)) return false;
  if (!Aligned(static_cast<uint64_t>(address), align)) return false;
  Box(ir::Space::kGlobal, 0, 0, bytes, out);
  return InGlobal(static_cast<uint64_t>(address), out) &&
         Inside(out.tile.decl, out.tile.start[0], bytes);
}

bool Filling::Inside(int32_t decl, int64_t begin, int64_t bytes) {
  const Memory::Global& g = memory().GlobalOf(decl);
  if (begin >= 0 && begin + bytes <= static_cast<int64_t>(g.bytes)) return true;
  return Bad("bounds/global",
             fmt::format("bytes {} to {} of `{}` are accessed, which has {}",
                         begin, begin + bytes, g.name, g.bytes),
             "give every buffer that the kernel touches, with its bytes");
}

void Filling::Listed(ir::Space space, int32_t decl, ByteSets::Parts parts,
                     OperandValue& out) {
  int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
  for (const ByteSets::Part& p : parts) {
    for (const ByteSets::Run& r : p.runs) {
      least = std::min(least, r.begin);
      most = std::max(most, r.end);
    }
  }
  if (most <= least) least = most = 0;
  for (ByteSets::Part& p : parts) {
    for (ByteSets::Run& r : p.runs) r = {r.begin - least, r.end - least};
  }
  Box(space, decl, least, most - least, out);
  machine::PutSet(guide_.sets().Of(std::move(parts)), out.tile);
}

bool Filling::SharedMatrix(uint64_t descriptor, const MatrixShape& shape,
                           ReadsMatrix read, OperandValue& out) {
  const int64_t reader = read == &Tcgen05Matrix ? 2 : shape.quarters;
  auto [known, fresh] = guide_.boxes().try_emplace(
      PtxGuide::Key{static_cast<int64_t>(descriptor), shape.rows, shape.k_bytes,
                    shape.element_bits, shape.mn_major, reader});
  if (fresh) {
    machine::ByteSets::Parts parts;
    std::string why;
    if (!read(descriptor, shape, &parts, &why)) {
      guide_.boxes().erase(known);
      return Open(std::move(why));
    }
    Listed(ir::Space::kShared, guide_.decls().shared, std::move(parts),
           known->second);
  }
  out = known->second;
  return true;
}

void Filling::Registers(const std::vector<int64_t>& numbers, size_t first,
                        size_t count, OperandValue& out) {
  auto [known, fresh] = guide_.registers().try_emplace({who_.strand.pc, first});
  if (fresh) {
    ByteSets::Part part{0, ir::kMaxWarps, ir::kAllLanes, {}};
    for (size_t i = first; i < first + count; ++i)
      part.runs.push_back({numbers[i], numbers[i] + 1});
    std::sort(part.runs.begin(), part.runs.end());
    int64_t end = part.runs.empty() ? 0 : part.runs.back().end;
    OperandValue& box = known->second;
    Box(ir::Space::kReg, guide_.decls().registers, 0, end, box);
    machine::PutSet(guide_.sets().Of({std::move(part)}), box.tile);
  }
  out = known->second;
}

namespace {

// The first thread of those that access some bytes; the first of all: none
// does.
size_t FirstOf(const Lanes& lanes, const Who& who, const Value& most) {
  const ir::ThreadSet& t = who.strand.threads;
  const auto first = static_cast<size_t>(t.first_lane());
  for (size_t i = first; !most.uniform() && i < who.threads(); ++i) {
    const bool here = (t.lanes >> (i % ir::kWarpThreads) & 1) != 0;
    if (here && lanes.At(most, i) != 0) return i;
  }
  return first;
}

}  // namespace

// Distances from the first address decide all of it, and so the pattern does;
// the address itself only whether each is a multiple of `bytes`.
bool Filling::TouchedBy(const Value& v, const Value& most, int64_t bytes,
                        bool shared, PtxGuide::Touched* out) {
  const ir::ThreadSet& t = who_.strand.threads;
  const Lanes& lanes = guide_.lanes();
  const uint64_t first = lanes.At(v, FirstOf(lanes, who_, most));
  const auto size = static_cast<uint64_t>(bytes);
  const auto further = static_cast<int64_t>(guide_.WideOf(step_));
  const PtxGuide::Touching key{v.pattern,    most,    bytes + (further << 16),
                               first % size, t.lanes, t.first_warp,
                               t.warps,      shared};
  if (auto known = guide_.touched().find(key);
      known != guide_.touched().end()) {
    *out = known->second;
    return true;
  }
  ByteSets::Parts parts;
  uint64_t askew = 0;  // an address that is none
  auto add = [&](int32_t warp, int32_t warps, uint32_t mask, size_t thread) {
    const uint64_t at = lanes.At(v, thread);
    if (at % size != 0) askew = at;
    auto d = static_cast<int64_t>(at - first);
    auto n = std::min(bytes, static_cast<int64_t>(lanes.At(most, thread)));
    if (n <= 0) return;
    n += further;
    parts.push_back({warp, warps, mask, {{d, d + n}}});
    out->least = std::min(out->least, d);
    out->end = std::max(out->end, d + n);
  };
  if (v.uniform() && most.uniform()) {
    add(t.first_warp, t.warps, t.lanes, 0);
  } else {
    for (int i = 0; i < t.warps * ir::kWarpThreads; ++i) {
      uint32_t bit = uint32_t{1} << (i % ir::kWarpThreads);
      if ((t.lanes & bit) != 0)
        add(t.first_warp + i / ir::kWarpThreads, 1, bit,
            static_cast<size_t>(i));
    }
  }
  if (!Aligned(askew, bytes)) return false;
  Listed(shared ? ir::Space::kShared : ir::Space::kGlobal,
         shared ? guide_.decls().shared : 0, std::move(parts), out->box);
  if (std::has_single_bit(size)) guide_.touched().emplace(key, *out);
  return true;
}

bool Filling::OfOneSpace(const Value& address, bool shared) const {
  const ir::ThreadSet& t = who_.strand.threads;
  for (size_t i = 0; !address.uniform() && i < who_.threads(); ++i) {
    const bool executes = (t.lanes >> (i % ir::kWarpThreads) & 1) != 0;
    if (executes && IsShared(guide_.lanes().At(address, i), true) != shared)
      return false;
  }
  return true;
}

namespace {

// Whether some that go on begin in another buffer than that.
bool OfSeveralBuffers(const Value& address, const Memory::Global& buffer,
                      const Memory& memory, const Lanes& lanes,
                      const Who& who) {
  const ir::ThreadSet& t = who.strand.threads;
  for (size_t i = 0; i < who.threads(); ++i) {
    if ((t.lanes >> (i % ir::kWarpThreads) & 1) == 0) continue;
    const Memory::Global* other = memory.GlobalAt(lanes.At(address, i));
    if (other != nullptr && other != &buffer) return true;
  }
  return false;
}

}  // namespace

bool Filling::OfThreads(const Source& source, int64_t bytes, char space,
                        OperandValue& out, const Source* at_most) {
  Value v = Of(source);
  Value most =
      at_most == nullptr ? Value{static_cast<uint64_t>(bytes)} : Of(*at_most);
  if (v.unknown()) return NotKnown(v);
  if (most.unknown()) return NotKnown(most);
  const uint64_t first =
      guide_.lanes().At(v, FirstOf(guide_.lanes(), who_, most));
  bool shared = space == 's' || (space == 'a' && IsShared(first, true));
  if (space == 'a' && !OfOneSpace(v, shared))
    return Open("some of its threads access shared memory, others global");
  SharedPlace place;
  if (shared && !Shared(first, &place)) return false;
  // Of one CTA's memory, or of one buffer: distances from the first address.
  PtxGuide::Touched touched;
  if (!TouchedBy(v, most, bytes, shared, &touched)) return false;
  out = touched.box;
  if (shared) {
    auto low = static_cast<int64_t>(static_cast<uint32_t>(first) & kOffsetMask);
    if (low + touched.least < 0 ||
        low + touched.end > static_cast<int64_t>(kOffsetMask))
      return Open("its threads touch memory of several CTAs");
    out.tile.start[0] = low + touched.least;
    out.tile.cta = out.barrier.cta = place.cta;
    return true;
  }
  const Memory::Global* g = memory().GlobalAt(first);
  if (g == nullptr) return InGlobal(first, out);
  const int64_t least =
      static_cast<int64_t>(first - g->address) + touched.least;
  if (!InOnePiece(*g, least, touched.end - touched.least) || !Payload(*g))
    return false;
  out.tile.decl = static_cast<int16_t>(g->decl);
  out.tile.start[0] = least;
  const bool inside = least >= 0 && least + touched.end - touched.least <=
                                        static_cast<int64_t>(g->bytes);
  if (!inside && OfSeveralBuffers(v, *g, memory(), guide_.lanes(), who_))
    return Open("its threads access several buffers");
  return Inside(g->decl, out.tile.start[0], touched.end - touched.least);
}

bool Filling::OfRows(const Source& source, int64_t rows, OperandValue& out) {
  constexpr int64_t kRow = 16;
  Value v = Of(source);
  if (v.unknown()) return NotKnown(v);
  const ir::ThreadSet& t = who_.strand.threads;
  uint64_t first = guide_.lanes().At(v, 0);
  SharedPlace place;
  if (!Shared(first, &place)) return false;
  // Addresses decide all of it, and whose rows they are.
  constexpr int64_t kOfRows = -1;  // no descriptor's
  const PtxGuide::Key key{static_cast<int64_t>(v.base),
                          v.pattern,
                          rows,
                          kOfRows,
                          t.first_warp * int64_t{ir::kMaxWarps} + t.warps,
                          place.cta};
  if (auto known = guide_.boxes().find(key); known != guide_.boxes().end()) {
    out = known->second;
    return true;
  }
  ByteSets::Parts parts;
  for (int w = 0; w < t.warps; ++w) {
    ByteSets::Part& part = parts.emplace_back();
    part = {t.first_warp + w, 1, ir::kAllLanes, {}};
    for (int64_t r = 0; r < rows; ++r) {
      auto thread = static_cast<size_t>(w * ir::kWarpThreads + r);
      const uint64_t address = guide_.lanes().At(v, thread);
      if (!Aligned(address, kRow)) return false;
      auto at = place.offset + static_cast<int64_t>(address - first);
      if (at < 0 || at > static_cast<int64_t>(kOffsetMask))
        return Open("its lanes name memory of several CTAs");
      part.runs.push_back({at, at + kRow});
    }
  }
  Listed(ir::Space::kShared, guide_.decls().shared, std::move(parts), out);
  out.tile.cta = out.barrier.cta = place.cta;
  guide_.boxes().emplace(key, out);
  return true;
}

}  // namespace tilesim::ptx
