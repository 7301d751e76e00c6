#include "sim/machine/data/coverage.h"

#include <algorithm>
#include <set>

#include "ir/cat.h"
#include "sim/machine/data/box_rows.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {
namespace {

// A bit an element: 256 MiB.
constexpr int64_t kMostElements = int64_t{1} << 31;
// Boxes that overlap others are looked for so often: a CTA that stores its own
// elements again and again in other boxes would take for ever.
constexpr int64_t kMostSearches = 256;

int64_t ElementsOf(const ir::BoundDecl& d) {
  int64_t n = 1;
  for (int i = 0; i < d.rank; ++i) n *= d.shape[i];
  return n;
}

std::set<std::string> TargetsOf(const std::vector<const Code*>& codes) {
  std::set<std::string> out;
  for (const Code* code : codes) {
    const std::vector<ir::Computes>& lines = code->kernel().computes;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (code->bound.computes[i]) out.insert(lines[i].target);
    }
  }
  return out;
}

bool Overlap(const std::array<int64_t, ir::kMaxRank>& a,
             const std::array<int32_t, ir::kMaxRank>& a_extent,
             const std::array<int64_t, ir::kMaxRank>& b,
             const std::array<int32_t, ir::kMaxRank>& b_extent, int rank) {
  for (int i = 0; i < rank; ++i) {
    if (a[i] >= b[i] + b_extent[i] || b[i] >= a[i] + a_extent[i]) return false;
  }
  return true;
}

std::string PlaceOf(int64_t element, const std::vector<int64_t>& shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0; element /= shape[i])
    at[i] = element % shape[i];
  std::string out;
  for (int64_t i : at) ir::Append(&out, out.empty() ? "[" : ", ", i);
  return out + "]";
}

}  // namespace

std::vector<ir::Diagnostic> FindingsOf(const TargetCoverage& t) {
  std::vector<ir::Diagnostic> out;
  if (t.holes > 0) {
    ir::Diagnostic& d = out.emplace_back();
    d.code = "result/hole";
    d.span = t.span;
    d.message =
        ir::Cat("no CTA stores ", t.holes, " of the elements of `", t.target,
                "`; the first is ", PlaceOf(t.first_hole, t.shape));
    for (const ir::Span& span : t.idle)
      d.labels.push_back({span, "no CTA comes to this store"});
    d.help =
        t.idle.empty()
            ? "look at the grid, and at who stores the last tile of a row"
            : "look at the conditions and loops around the stores that are "
              "marked, and at the grid";
  }
  if (t.twice) {
    ir::Diagnostic& d = out.emplace_back();
    d.code = "result/twice";
    d.span = t.twice->second;
    d.message =
        ir::Cat("CTA ", t.twice->second_cta, " stores elements of `", t.target,
                "` that CTA ", t.twice->first_cta, " stores as well");
    d.labels.push_back({t.twice->first, "stored here by the other"});
    d.help = "give each CTA a tile of its own";
  }
  return out;
}

std::vector<ir::Span> IdleStores(const Code& code, int32_t decl,
                                 const std::set<int32_t>& reached) {
  // Two calls of a function have one place in the text.
  auto place = [](const ir::Span& s) { return std::pair(s.line, s.column); };
  std::set<std::pair<int32_t, int32_t>> known;
  for (int32_t i : reached) known.insert(place(code.ops[i].op->span));
  std::vector<ir::Span> out;
  for (const CompiledOp& op : code.ops) {
    if (!known.insert(place(op.op->span)).second) continue;
    ir::EffectSink sink;
    ir::EffectsOf(FixedOperands(op), sink);
    const bool writes = std::any_of(
        sink.effects().begin(), sink.effects().end(), [&](const ir::Effect& e) {
          if (e.kind != ir::EffectKind::kWrite) return false;
          const CompiledOperand& to = op.operands[e.operand];
          return to.kind == ir::OperandValue::Kind::kTile &&
                 to.fixed.tile.decl == decl;
        });
    if (writes) out.push_back(op.op->span);
  }
  return out;
}

Coverage::Coverage(std::vector<const Code*> codes) : codes_(std::move(codes)) {
  for (const Code* code : codes_) {
    std::vector<Store>& stores = stores_.emplace_back();
    for (const CompiledOp& op : code->ops)
      stores.push_back(FindStore(*code, op));
    bool none = std::all_of(stores.begin(), stores.end(),
                            [](const Store& s) { return s.operand < 0; });
    if (none) stores.clear();
    talk_.push_back(std::any_of(
        code->kernel().decls.begin(), code->kernel().decls.end(),
        [&](const ir::Decl& d) {
          size_t i = static_cast<size_t>(&d - code->kernel().decls.data());
          return d.space == ir::Space::kGlobal && code->control_decl[i];
        }));
  }
}

Coverage::Store Coverage::FindStore(const Code& code,
                                    const CompiledOp& op) const {
  Store out;
  std::set<std::string> targets = TargetsOf(codes_);
  ir::EffectSink sink;
  ir::EffectsOf(FixedOperands(op), sink);
  for (const ir::Effect& e : sink.effects()) {
    if (e.kind != ir::EffectKind::kWrite) continue;
    const CompiledOperand& operand = op.operands[e.operand];
    if (operand.kind != ir::OperandValue::Kind::kTile ||
        operand.fixed.tile.space != ir::Space::kGlobal)
      continue;
    int32_t decl = operand.fixed.tile.decl;
    const ir::BoundDecl& d = code.bound.decls[decl];
    if (targets.count(code.kernel().decls[decl].name) == 0 || d.objects != 1 ||
        ElementsOf(d) > kMostElements)
      continue;
    out.operand = e.operand;
    // An op with any ordered access to the tensor treats all of it so: of a
    // reduction by the async proxy it is the read.
    out.adds = std::any_of(sink.effects().begin(), sink.effects().end(),
                           [&](const ir::Effect& other) {
                             return other.operand == e.operand &&
                                    (other.adds || other.sem != ir::Sem::kWeak);
                           });
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    bool tile = op.operands[i].kind == ir::OperandValue::Kind::kTile;
    if (tile && op.operands[i].fixed.tile.space == ir::Space::kReg)
      out.registers = static_cast<int>(i);
  }
  return out;
}

void Coverage::Note(Job& job, const CompiledOp& op) {
  const int32_t kernel = job.site().kernel;
  const Store& store = StoreOf(kernel, op);
  const ir::TileValue& box = job.tile(store.operand);
  const ir::BoundDecl& d = job.decl(store.operand);
  Stored& stored = stored_[{kernel, std::string(job.name(store.operand))}];
  if (stored.elements.size() == 0) stored.elements.Resize(ElementsOf(d));
  stored.reached.insert(static_cast<int32_t>(&op - codes_[kernel]->ops.data()));
  Box now{box.start, box.extent, box.rank, job.site().linear, op.op->span};
  bool alone = !store.adds && !talk_[kernel];
  bool known = false;  // some of it was stored before
  int64_t first = -1;
  auto mark = [&](int64_t element, int64_t count) {
    if (first < 0) first = element;
    known = known || stored.elements.Any(element, count);
    stored.elements.Set(element, count);
  };
  auto part = [&](const Mask& mask) {
    ForRows(box, d, [&](int64_t row, int64_t at, int64_t col, int64_t count) {
      if (mask.all()) return mark(at, count);
      for (int64_t i = 0; i < count; ++i) {
        if (mask.Has(row, col + i, box.cols())) mark(at + i, 1);
      }
    });
  };
  if (store.registers < 0) {
    part({});
  } else {
    for (const Unit& unit : job.UnitsOf(store.registers))
      part(job.MaskOf(store.registers, unit));
  }
  if (!alone || first < 0 || Again(stored, now, first)) return;
  if (known && !stored.twice) Compare(stored, now);
  stored.at.emplace(first, stored.boxes.size());
  stored.boxes.push_back(now);
}

bool Coverage::Again(const Stored& stored, const Box& box, int64_t first) {
  auto [from, to] = stored.at.equal_range(first);
  return std::any_of(from, to, [&](const auto& known) {
    const Box& other = stored.boxes[known.second];
    return other.cta == box.cta && other.start == box.start &&
           other.extent == box.extent;
  });
}

// Finds who stored part of the box before.
void Coverage::Compare(Stored& stored, const Box& box) {
  if (++stored.searches > kMostSearches) return;
  for (const Box& other : stored.boxes) {
    if (other.cta == box.cta ||
        !Overlap(other.start, other.extent, box.start, box.extent, box.rank))
      continue;
    stored.twice = {other.span, box.span, other.cta, box.cta};
    return;
  }
}

std::vector<TargetCoverage> Coverage::Targets() const {
  std::vector<TargetCoverage> out;
  std::set<std::string> done;
  for (const Code* code : codes_) {
    const std::vector<ir::Computes>& lines = code->kernel().computes;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!code->bound.computes[i] || !done.insert(lines[i].target).second)
        continue;
      const ir::BoundDecl& d = code->bound.decls[lines[i].decl];
      TargetCoverage& t = out.emplace_back();
      t.target = lines[i].target;
      t.span = lines[i].span;
      t.shape.assign(d.shape.begin(), d.shape.begin() + d.rank);
      t.followed = d.objects == 1 && ElementsOf(d) <= kMostElements;
      if (!t.followed) continue;
      Bits all;
      all.Resize(ElementsOf(d));
      for (const auto& [where, stored] : stored_) {
        if (where.second != t.target) continue;
        all.Add(stored.elements);
        if (!t.twice) t.twice = stored.twice;
        t.pairs_followed &= stored.searches <= kMostSearches;
      }
      t.holes = all.size() - all.Count();
      if (t.holes == 0) continue;
      t.first_hole = all.Next(0, false);
      t.idle = IdleStoresTo(t.target);
    }
  }
  return out;
}

std::vector<ir::Span> Coverage::IdleStoresTo(const std::string& target) const {
  std::vector<ir::Span> out;
  for (size_t k = 0; k < codes_.size(); ++k) {
    const std::vector<ir::Decl>& decls = codes_[k]->kernel().decls;
    for (size_t i = 0; i < decls.size(); ++i) {
      if (decls[i].name != target) continue;
      const auto at = stored_.find({static_cast<int32_t>(k), target});
      const std::vector<ir::Span> idle = IdleStores(
          *codes_[k], static_cast<int32_t>(i),
          at == stored_.end() ? std::set<int32_t>{} : at->second.reached);
      out.insert(out.end(), idle.begin(), idle.end());
    }
  }
  return out;
}

}  // namespace tilesim::machine
