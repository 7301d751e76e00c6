#include "checkers/footprint/footprint.h"

#include <algorithm>
#include <utility>

#include "checkers/footprint/rows.h"
#include "checkers/run/control_memory.h"
#include "sim/machine/byte_sets.h"
#include "sim/machine/data/threads.h"
#include "sim/machine/matrix_rows.h"

namespace tilesim::checkers::footprint {
using run::AnyWrites;
using run::Event;

namespace {

constexpr int64_t kCpAsyncBytes = 16;

IntervalSet All(const ir::TileValue& t) {
  return IntervalSet({{0, t.elements()}});
}

// Whether any op is relaxed: who waits by it may come behind tcgen05.alloc, and
// behind the fences of tcgen05, without the word that alloc has stored.
bool AnyRelaxed(const machine::Code& code) {
  return std::any_of(code.ops.begin(), code.ops.end(),
                     [](const machine::CompiledOp& op) {
                       for (size_t i = 0; i < op.op->mods.size(); ++i) {
                         const std::string_view spelling =
                             op.op->info->mods[i].choices[op.op->mods[i]];
                         if (spelling.starts_with("relaxed")) return true;
                       }
                       return false;
                     });
}

// Warps of a warpgroup multiply 16 of A's 64 rows each.
IntervalSet QuarterOf(const ir::TileValue& t, const ir::ThreadSet& threads) {
  int64_t share = t.elements() / ir::kWarpgroupWarps;
  std::vector<Interval> rows;
  for (int w = 0; w < threads.warps; ++w) {
    int64_t quarter = (threads.first_warp + w) % ir::kWarpgroupWarps;
    rows.push_back({quarter * share, (quarter + 1) * share});
  }
  return IntervalSet(std::move(rows));
}

int RegisterOperand(const ir::ConcreteOp& op) {
  for (size_t i = 0; i < op.info().operands.size(); ++i) {
    int n = static_cast<int>(i);
    if (op.is_tile(n) && op.tile(n).space == ir::Space::kReg) return n;
  }
  return -1;
}

// Those who share the op with them: of their warps, all lanes that execute it.
ir::ThreadSet Sharing(const Event& event, ir::ThreadSet threads) {
  threads.lanes = event.threads().lanes;
  return threads;
}

Footprint Whole(IntervalSet bytes) {
  Interval reach = bytes.hull();
  return {std::move(bytes), reach};
}

void Append(const ir::TileValue& t, Fragments::Key& key) {
  key.insert(key.end(),
             {t.decl, t.index, t.transposed, t.rank, t.start[1], t.start[2]});
  key.insert(key.end(), t.start.begin(), t.start.begin() + t.rank);
  key.insert(key.end(), t.extent.begin(), t.extent.begin() + t.rank);
}

}  // namespace

Footprints::Footprints(const machine::Code& code, Fragments& fragments)
    : code_(code),
      fragments_(fragments),
      written_(AnyWrites(code)),
      memory_(fragments.MemoryOf(code.bound)) {
  const auto& decls = code.bound.decls;
  at_risk_.resize(decls.size());
  const bool relaxed = AnyRelaxed(code);
  // Compiled code loads an address where it needs it, as any other word.
  for (size_t i = 0; i < decls.size() && code.guide == nullptr; ++i) {
    auto decl = static_cast<int32_t>(i);
    if (!decls[i].is_pool || decls[i].slot < 0) continue;
    at_risk_[i] = relaxed || MayBeWritten(decl);
    any_at_risk_ |= at_risk_[i];
  }
}

Footprint Footprints::Memory(const Event& event, int operand,
                             const ir::ThreadSet& threads) {
  const ir::ConcreteOp& op = event.concrete();
  const ir::TileValue& t = op.tile(operand);
  if (t.space == ir::Space::kGlobal)
    return Whole(code_.byte_sets != nullptr
                     ? Listed(t, threads)
                     : Global(t, InBox(event, operand, threads)));
  return *OnChip(event, operand, threads);
}

const Footprint* Footprints::OnChip(const Event& event, int operand,
                                    const ir::ThreadSet& threads) {
  if (event.concrete().tile(operand).space == ir::Space::kGlobal)
    return nullptr;
  auto [found, fresh] =
      of_acts_.try_emplace({event.instance, operand, threads.first_warp,
                            threads.warps, threads.lanes});
  if (fresh) found->second = &OnChipOnce(event, operand, threads);
  return found->second;
}

const Footprint& Footprints::OnChipOnce(const Event& event, int operand,
                                        const ir::ThreadSet& threads) {
  const ir::ConcreteOp& op = event.concrete();
  const machine::CompiledOp& compiled = code_.ops[event.op];
  Fragments::Key key{memory_,
                     reinterpret_cast<intptr_t>(&op.info()),
                     compiled.first_thread,
                     compiled.group_threads,
                     operand,
                     threads.first_warp,
                     threads.warps,
                     threads.lanes,
                     event.threads().lanes};
  key.insert(key.end(), op.op->mods.begin(), op.op->mods.end());
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    if (op.is_tile(i) && op.tile(i).space != ir::Space::kGlobal)
      Append(op.tile(i), key);
    if (!op.is_tile(i)) key.push_back(op.number_or(i, 0));
  }
  return fragments_.OnChip(
      std::move(key), [&] { return WorkOutOnChip(event, operand, threads); });
}

Footprint Footprints::WorkOutOnChip(const Event& event, int operand,
                                    const ir::ThreadSet& threads) {
  const ir::TileValue& t = event.concrete().tile(operand);
  const bool tensor = t.space == ir::Space::kTmem;
  if (code_.byte_sets != nullptr)
    return tensor ? OfLanes(Listed(t, threads)) : Whole(Listed(t, threads));
  if (tensor) return OfLanes(Tensor(event, t, threads));
  const ir::BoundDecl& d = decl(t);
  return Whole(fragments_.Shared(d, t, InBox(event, operand, threads))
                   .Shifted(d.place + t.index * d.object_bytes));
}

IntervalSet Footprints::InBox(const Event& event, int operand,
                              const ir::ThreadSet& threads) {
  const ir::ConcreteOp& op = event.concrete();
  const ir::TileValue& t = op.tile(operand);
  if (op.info().async == ir::AsyncUnit::kCpAsync)
    return CopiedBy(event, operand, threads);
  if (op.info().async == ir::AsyncUnit::kWgmma &&
      op.info().operands[operand].name == "a" && !t.transposed)
    return QuarterOf(t, threads);
  int reg = RegisterOperand(op);
  bool shares = (op.info().async == ir::AsyncUnit::kNone ||
                 op.info().async == ir::AsyncUnit::kStAsync) &&
                reg >= 0 && !t.transposed &&
                op.tile(reg).elements() == t.elements();
  return shares ? HeldBy(event, reg, threads) : All(t);
}

// What the threads hold of a register tile is what they move.
const IntervalSet& Footprints::HeldBy(const Event& event, int reg,
                                      const ir::ThreadSet& threads) {
  const ir::TileValue& t = event.concrete().tile(reg);
  const ir::FragmentLayout& layout = decl(t).fragment;
  machine::Units units =
      machine::UnitsOf(layout, code_.ops[event.op], Sharing(event, threads));
  for (machine::Unit& unit : units)
    unit.all &= threads.lanes == event.threads().lanes;
  return fragments_.HeldBy(layout, units, t, threads);
}

// cp.async: the threads of the scope take so many bytes each in turn.
IntervalSet Footprints::CopiedBy(const Event& event, int operand,
                                 const ir::ThreadSet& threads) const {
  const ir::TileValue& t = event.concrete().tile(operand);
  machine::Unit unit =
      machine::ScopeUnit(code_.ops[event.op], Sharing(event, threads));
  unit.all &= threads.lanes == event.threads().lanes;
  if (unit.all || unit.threads == 0) return All(t);
  int64_t vector =
      std::max<int64_t>(1, kCpAsyncBytes * 8 / values::BitsOf(t.dtype));
  for (size_t i = 0; i < event.concrete().info().operands.size(); ++i) {
    if (event.concrete().info().operands[i].name != "vec") continue;
    int64_t bytes =
        event.concrete().number_or(static_cast<int>(i), kCpAsyncBytes);
    vector = std::max<int64_t>(1, bytes * 8 / values::BitsOf(t.dtype));
  }
  std::vector<Interval> mine;
  for (int64_t i = 0; i < t.elements(); i += vector) {
    auto turn = static_cast<int32_t>(i / vector % unit.threads);
    if (machine::Executes(threads, unit.Thread(turn)))
      mine.push_back({i, std::min(i + vector, t.elements())});
  }
  return IntervalSet(std::move(mine));
}

// What lies outside the tensor is neither read nor written.
IntervalSet Footprints::Global(const ir::TileValue& t,
                               const IntervalSet& elements) const {
  const ir::BoundDecl& d = decl(t);
  int bits = values::BitsOf(t.dtype);
  std::vector<Interval> bytes;
  ForRows(t, elements, [&](int64_t r, int64_t first, int64_t cols) {
    int64_t at = 0;
    int last = t.rank - 1;
    for (int i = last - 1; i >= 0; --i) {
      int64_t x = t.start[i] + r % t.extent[i];
      r /= t.extent[i];
      if (x < 0 || x >= d.shape[i]) return;
      at += x * d.strides[i];
    }
    int64_t start = last < 0 ? 0 : t.start[last];
    int64_t shape = last < 0 ? 1 : d.shape[last];
    int64_t stride = last < 0 ? 1 : d.strides[last];
    int64_t begin = std::clamp<int64_t>(start + first, 0, shape);
    int64_t end = std::clamp<int64_t>(start + first + cols, 0, shape);
    if (begin >= end) return;
    if (stride == 1) {
      bytes.push_back({(at + begin) * bits / 8, ((at + end) * bits + 7) / 8});
      return;
    }
    for (int64_t c = begin; c < end; ++c) {
      int64_t x = at + c * stride;
      bytes.push_back({x * bits / 8, ((x + 1) * bits + 7) / 8});
    }
  });
  return IntervalSet(std::move(bytes));
}

IntervalSet Footprints::Listed(const ir::TileValue& t,
                               const ir::ThreadSet& threads) const {
  const int32_t set = machine::SetOf(t);
  if (set < 0) return IntervalSet({{t.start[0], t.start[0] + t.extent[0]}});
  std::vector<Interval> out;
  const auto add = [&](const machine::ByteSets::Run& r) {
    out.push_back({t.start[0] + r.begin, t.start[0] + r.end});
  };
  const machine::Fragment fragment = machine::FragmentOf(t);
  if (fragment == machine::Fragment::kNone || threads.lanes == ir::kAllLanes) {
    code_.byte_sets->ForRuns(set, threads, add);
    return IntervalSet(std::move(out));
  }
  for (const machine::ByteSets::Part& part : (*code_.byte_sets)[set]) {
    if (part.Has(threads))
      machine::ForPieces(part, fragment, threads.lanes, add);
  }
  return IntervalSet(std::move(out));
}

const IntervalSet& Footprints::Registers(const Event& event, int operand,
                                         int32_t warp) {
  static const IntervalSet kNone;
  const ir::TileValue& box = event.concrete().tile(operand);
  if (code_.byte_sets != nullptr) {
    auto [at, fresh] = listed_.try_emplace(machine::SetOf(box));
    if (fresh) at->second = Listed(box, {static_cast<uint16_t>(warp), 1});
    return at->second;
  }
  Held& h = held_;
  bool known = h.instance == event.instance && h.operand == operand &&
               warp >= h.first && warp < h.first + h.warps;
  if (!known) {
    const ir::TileValue& t = event.concrete().tile(operand);
    const ir::FragmentLayout& layout = decl(t).fragment;
    const ir::ThreadSet one{static_cast<uint16_t>(warp), 1};
    const machine::Unit unit =
        machine::UnitsOf(layout, code_.ops[event.op], one)[0];
    h.instance = event.instance;
    h.operand = operand;
    h.first = unit.first / ir::kWarpThreads;
    h.by_warp = &fragments_.Registers(layout, unit, t);
    h.warps = std::max(1, unit.threads / ir::kWarpThreads);
  }
  auto i = static_cast<size_t>(warp - h.first);
  return i < h.by_warp->size() ? (*h.by_warp)[i] : kNone;
}

const IntervalSet& Footprints::RegistersByLane(const Event& event, int operand,
                                               int32_t warp) {
  const ir::TileValue& box = event.concrete().tile(operand);
  const ir::FragmentLayout& layout = decl(box).fragment;
  const ir::ThreadSet lanes{static_cast<uint16_t>(warp), 1,
                            event.threads().lanes};
  const machine::Unit unit =
      machine::UnitsOf(layout, code_.ops[event.op], lanes)[0];
  return fragments_.RegistersByLane(layout, unit, box, lanes);
}

Place PlaceOf(const Event& event, int operand, int32_t rank) {
  const ir::TileValue& tile = event.concrete().tile(operand);
  Place p;
  p.space = tile.space;
  if (tile.space == ir::Space::kGlobal) {
    p.owner = tile.decl;
  } else if (rank >= 0) {
    p.owner = event.cluster + rank;
  } else {
    p.owner = tile.cta == ir::kOwnCta ? event.cta : event.cluster + tile.cta;
  }
  return p;
}

}  // namespace tilesim::checkers::footprint
