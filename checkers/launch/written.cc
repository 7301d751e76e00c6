#include "checkers/launch/written.h"

#include <algorithm>
#include <bit>

#include "ir/cat.h"
#include "ir/warp.h"
#include "sim/machine/data/box_rows.h"

namespace tilesim::checkers::launch {
namespace {

// A bit an element: 32 MiB.
constexpr int64_t kMostWritten = int64_t{1} << 28;
// Boxes of which some warps have stored their part, at any time.
constexpr size_t kMostParts = 100'000;

int64_t ElementsOf(const ir::BoundDecl& d) {
  int64_t n = 1;
  for (int i = 0; i < d.rank; ++i) n *= d.shape[i];
  return n;
}

// Whether `holders` warps in a row, of which the first stands at a multiple of
// them, are all there.
bool HasAGroup(uint32_t warps, int holders) {
  const uint64_t group = (uint64_t{1} << holders) - 1;
  for (int first = 0; first + holders <= ir::kMaxWarps; first += holders) {
    if ((warps >> first & group) == group) return true;
  }
  return false;
}

}  // namespace

std::optional<Parts> InParts(const machine::Code& code, const Visit& v) {
  for (const machine::CompiledOperand& c : v.op.operands) {
    bool reg = c.kind == ir::OperandValue::Kind::kTile &&
               c.fixed.tile.space == ir::Space::kReg;
    if (!reg) continue;
    const int32_t decl = c.fixed.tile.decl;
    int64_t threads = code.bound.decls[decl].fragment.threads;
    if (threads == 0) threads = v.op.group_threads;
    const auto warps = static_cast<int>(ir::WarpsOf(threads));
    if (v.warps < warps) return Parts{warps, code.kernel().decls[decl].name};
  }
  return std::nullopt;
}

Stores::Stores(const machine::Code& code) : code_(code) {
  const std::vector<ir::Computes>& lines = code.kernel().computes;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!code.bound.computes[i]) continue;
    const ir::BoundDecl& d = code.bound.decls[lines[i].decl];
    Stored& stored = stored_[lines[i].decl];
    if (d.objects != 1 || ElementsOf(d) > kMostWritten) {
      stored.limit = "it is too large";
    } else {
      stored.elements.Resize(ElementsOf(d));
    }
  }
}

void Stores::Add(const Visit& v) {
  auto at = stored_.find(v.touch.decl);
  if (at == stored_.end()) return;
  Stored& stored = at->second;
  stored.reached.insert(static_cast<int32_t>(&v.op - code_.ops.data()));
  if (v.may && stored.limit.empty()) {
    stored.by_memory = true;
    stored.possible = stored.elements;
    stored.limit = ir::Cat("memory decides whether line ",
                           v.op.op->span.text_line(), " stores to it");
  }
  if (stored.by_memory) AddBox(v, stored.possible);
  if (v.may || !stored.limit.empty()) return;
  if (auto parts = InParts(code_, v)) {
    AddPart(v, *parts, stored);
  } else {
    AddBox(v, stored.elements);
  }
}

// Warps that have gone apart store their parts one by one: once each of a group
// has, the box is stored.
void Stores::AddPart(const Visit& v, const Parts& parts, Stored& stored) {
  const PartKey key{v.cta.linear,
                    static_cast<int32_t>(&v.op - code_.ops.data()), v.box.start,
                    v.box.extent};
  InPart& part = stored.in_part[key];
  for (int w = v.first_warp; w < v.first_warp + v.warps; ++w)
    part.warps |= uint32_t{1} << w;
  if (HasAGroup(part.warps, parts.holders)) {
    AddBox(v, stored.elements);
    stored.in_part.erase(key);
    return;
  }
  if (stored.in_part.size() > kMostParts)
    stored.limit = "it has too many parts";
  part.missing = ir::Cat(
      "in line ", v.op.op->span.text_line(), " `", parts.of, "`, of which ",
      parts.holders, " warps hold a part each, is stored by ",
      std::popcount(part.warps),
      " of them, and which elements those have is not followed");
}

void Stores::AddBox(const Visit& v, machine::Bits& elements) {
  machine::ForRows(v.box, code_.bound.decls[v.touch.decl],
                   [&](int64_t, int64_t element, int64_t, int64_t count) {
                     elements.Set(element, count);
                   });
}

std::vector<Written> Stores::Targets(const std::string& limit,
                                     const std::set<int32_t>& by_memory) const {
  std::vector<Written> out;
  for (const auto& [decl, stored] : stored_) {
    const ir::Kernel& kernel = code_.kernel();
    const ir::BoundDecl& d = code_.bound.decls[decl];
    Written& w = out.emplace_back();
    w.limit = limit.empty() ? stored.limit : limit;
    w.by_memory = limit.empty() ? stored.by_memory : by_memory.contains(decl);
    for (const auto& [key, part] : stored.in_part) {
      if (w.limit.empty()) w.limit = part.missing;
    }
    w.stores.target = kernel.decls[decl].name;
    for (const ir::Computes& line : kernel.computes) {
      if (line.decl == decl) w.stores.span = line.span;
    }
    w.stores.shape.assign(d.shape.begin(), d.shape.begin() + d.rank);
    // Whatever memory holds, nobody stores the rest.
    const bool rest = limit.empty() && stored.by_memory;
    const machine::Bits& all = rest ? stored.possible : stored.elements;
    if (!w.limit.empty() && !rest) continue;
    const int64_t holes = all.size() - all.Count();
    if (rest && holes == 0) continue;
    w.limit.clear();
    w.by_memory = false;
    w.stores.holes = holes;
    if (holes == 0) continue;
    w.stores.first_hole = all.Next(0, false);
    w.stores.idle = machine::IdleStores(code_, decl, stored.reached);
  }
  return out;
}

}  // namespace tilesim::checkers::launch
