#include "sim/timing/live_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/ops/all.h"
#include "sim/timing/cost.h"

namespace tilesim::timing {
namespace {

// What an op does to register tiles.
struct Uses {
  LiveTiles reads, writes;
  bool whole = false;  // all of what it writes
};

// A product reads its accumulator unless a number says that it adds nothing.
bool Adds(const ir::Op& op, int accumulate) {
  const auto i = static_cast<size_t>(accumulate);
  if (i >= op.operands.size()) return true;
  const ir::Operand& o = op.operands[i];
  return o.kind != ir::Operand::Kind::kExpr ||
         o.expr.kind != ir::ExprKind::kInt || o.expr.value != 0;
}

class Liveness {
 public:
  explicit Liveness(const ir::BoundKernel& kernel) : kernel_(kernel) {}

  struct Point {
    LiveAt live;
    Uses uses;
    LiveTiles behind;  // what is read later
    int line = -1;     // of ops with nothing but scalars between
  };

  // From the end on: what is read later lives.
  std::vector<Point> Run() {
    NoteFactors(kernel_.kernel->body);
    Pass(kernel_.kernel->body, {});
    std::reverse(points_.begin(), points_.end());
    return std::move(points_);
  }

 private:
  LiveTiles Pass(const ir::Block& block, LiveTiles live) {
    int line = ++lines_;
    for (size_t i = block.size(); i-- > 0;) {
      const ir::Stmt& s = block[i];
      if (s.kind == ir::Stmt::Kind::kDecl) {
        std::erase_if(live,
                      [&](const LiveTile& t) { return t.decl == s.decl_id; });
      } else if (s.op) {
        live = Before(*s.op, std::move(live), line);
      } else if (!s.body.empty() || !s.orelse.empty()) {
        live = Inside(s, std::move(live));
        line = ++lines_;
      }
    }
    return live;
  }

  LiveTiles Inside(const ir::Stmt& s, LiveTiles live) {
    const bool loop =
        s.kind == ir::Stmt::Kind::kFor || s.kind == ir::Stmt::Kind::kWhile;
    if (loop) {
      // What an iteration reads, the one before it keeps.
      const size_t recorded = points_.size();
      for (size_t before = live.size() + 1; before != live.size();) {
        before = live.size();
        points_.resize(recorded);
        live.merge(Pass(s.body, live));
      }
      return live;
    }
    LiveTiles out = Pass(s.orelse, live);
    out.merge(Pass(s.body, std::move(live)));
    return out;
  }

  LiveTiles Before(const ir::Op& op, LiveTiles live, int line) {
    Point point{{&op, {}, live}, UsesOf(op), live, line};
    const Uses& uses = point.uses;
    point.live.after.insert(uses.writes.begin(), uses.writes.end());
    if (uses.whole) {
      for (const LiveTile& t : uses.writes) live.erase(t);
    }
    live.insert(uses.reads.begin(), uses.reads.end());
    point.live.before = live;
    // A product takes its factor whole, in registers in a row: ptxas gives it
    // others than those that it is made of.
    if (IsArithmetic(op.info->kind)) {
      for (const LiveTile& t : uses.writes) {
        if (factors_.contains(t.decl)) point.live.before.insert(t);
      }
    }
    points_.push_back(std::move(point));
    return live;
  }

  // Register tiles that wgmma multiplies.
  void NoteFactors(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      if (s.op && s.op->info->kind == ir::OpKind::kWgmmaMmaAsync)
        factors_.insert(s.op->operands[ir::ops::WgmmaMmaAsync::kA].ref.decl);
      NoteFactors(s.body);
      NoteFactors(s.orelse);
    }
  }

  Uses UsesOf(const ir::Op& op) const {
    const bool updates = op.info->kind == ir::OpKind::kMaskCausal ||
                         (op.info->kind == ir::OpKind::kWgmmaMmaAsync &&
                          Adds(op, ir::ops::WgmmaMmaAsync::kAccumulate)) ||
                         (op.info->kind == ir::OpKind::kMmaSync &&
                          Adds(op, ir::ops::MmaSync::kAccumulate));
    Uses out;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Operand& o = op.operands[i];
      if (o.kind != ir::Operand::Kind::kRef || o.ref.decl < 0 ||
          kernel_.decls[static_cast<size_t>(o.ref.decl)].space !=
              ir::Space::kReg)
        continue;
      const LiveTiles named = Named(o.ref);
      const bool written = i == 0;
      const bool whole = written && named.size() == 1 && IsWhole(o.ref);
      if (written) out.writes = named;
      if (written) out.whole = whole && !updates;
      if (!written || updates) out.reads.insert(named.begin(), named.end());
    }
    return out;
  }

  // One of an array where a number says which: else it may be any.
  LiveTiles Named(const ir::Ref& ref) const {
    const int64_t objects = std::max<int64_t>(
        kernel_.decls[static_cast<size_t>(ref.decl)].objects, 1);
    const bool one = objects > 1 && !ref.groups.empty() &&
                     ref.groups[0].size() == 1 &&
                     ref.groups[0][0].kind == ir::Subscript::Kind::kIndex &&
                     ref.groups[0][0].start.kind == ir::ExprKind::kInt &&
                     ref.groups[0][0].start.value < objects;
    if (one) return {{ref.decl, ref.groups[0][0].start.value}};
    LiveTiles out;
    for (int64_t i = 0; i < objects; ++i) out.insert({ref.decl, i});
    return out;
  }

  bool IsWhole(const ir::Ref& ref) const {
    const bool array = kernel_.decls[static_cast<size_t>(ref.decl)].objects > 1;
    return ref.groups.size() == (array ? 1 : 0);
  }

  const ir::BoundKernel& kernel_;
  std::vector<Point> points_;
  std::set<int32_t> factors_;
  int lines_ = 0;
};

using Point = Liveness::Point;

bool Reduces(const ir::Op& op) {
  return op.info->kind == ir::OpKind::kRowMax ||
         op.info->kind == ir::OpKind::kRowSum;
}

// A tile that is computed and used up element by element needs no registers of
// its own: what it is computed of lives as long instead, where that is less.
class Fusion {
 public:
  Fusion(const ir::BoundKernel& kernel, std::vector<Point>& points)
      : kernel_(kernel), points_(points) {}

  void Run() {
    for (size_t i = 0; i < points_.size(); ++i) {
      const Uses& uses = points_[i].uses;
      if (!uses.whole || !IsArithmetic(points_[i].live.op->info->kind))
        continue;
      const LiveTile tile = *uses.writes.begin();
      if (uses.reads.contains(tile)) continue;
      if (const auto last = LastUse(i, tile)) Fuse(i, *last, tile);
    }
  }

 private:
  // nullopt: it is not used up by the ops in a row.
  std::optional<size_t> LastUse(size_t first, const LiveTile& tile) const {
    for (size_t i = first + 1; i < points_.size(); ++i) {
      const Point& p = points_[i];
      if (p.line != points_[first].line) return std::nullopt;
      const bool named =
          p.uses.reads.contains(tile) || p.uses.writes.contains(tile);
      if (named && !IsArithmetic(p.live.op->info->kind)) return std::nullopt;
      if (!p.behind.contains(tile)) return i;
      // All of it must be there before anybody knows what comes of it.
      if (named && Reduces(*p.live.op)) return std::nullopt;
    }
    return std::nullopt;
  }

  void Fuse(size_t first, size_t last, const LiveTile& tile) {
    LiveTiles of;  // all that it is computed of
    for (size_t i = first; i <= last; ++i) {
      const Uses& uses = points_[i].uses;
      for (const LiveTile& t : uses.writes) {
        if (t != tile && of.contains(t) && i < last) return;  // is another now
      }
      if (uses.writes.contains(tile))
        of.insert(uses.reads.begin(), uses.reads.end());
    }
    of.erase(tile);
    LiveTiles longer;
    for (const LiveTile& t : of) {
      if (!points_[last].live.before.contains(t)) longer.insert(t);
    }
    if (WordsOf(kernel_, longer) >= WordsOf(kernel_, tile.decl)) return;
    for (size_t i = first; i <= last; ++i) {
      LiveAt& live = points_[i].live;
      if (i > first) Exchange(live.before, tile, longer);
      if (i < last) Exchange(live.after, tile, longer);
    }
  }

  static void Exchange(LiveTiles& live, const LiveTile& tile,
                       const LiveTiles& longer) {
    live.erase(tile);
    live.insert(longer.begin(), longer.end());
  }

  const ir::BoundKernel& kernel_;
  std::vector<Point>& points_;
};

}  // namespace

std::vector<LiveAt> LiveTilesOf(const ir::BoundKernel& kernel) {
  std::vector<Point> points = Liveness(kernel).Run();
  Fusion(kernel, points).Run();
  std::vector<LiveAt> out;
  for (Point& p : points) out.push_back(std::move(p.live));
  return out;
}

int64_t WordsOf(const ir::BoundKernel& kernel, int32_t decl) {
  const ir::BoundDecl& d = kernel.decls[static_cast<size_t>(decl)];
  const int64_t threads = d.fragment.threads > 0
                              ? d.fragment.threads
                              : std::max<int64_t>(kernel.block, 1);
  return d.object_bytes / 4 / threads;
}

int64_t WordsOf(const ir::BoundKernel& kernel, const LiveTiles& tiles) {
  int64_t words = 0;
  for (const LiveTile& t : tiles) words += WordsOf(kernel, t.decl);
  return words;
}

}  // namespace tilesim::timing
