#include "checkers/launch/launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "checkers/launch/boxes.h"
#include "checkers/launch/outline.h"
#include "checkers/launch/walk.h"
#include "checkers/launch/word_places.h"
#include "checkers/launch/written.h"
#include "ir/cat.h"
#include "sim/machine/place.h"

namespace tilesim::checkers::launch {
using machine::Code;

namespace {

// A box of a tensor, and who touches it.
struct Access {
  int32_t site = -1;
  int64_t cta = 0;  // in the grid
  bool may = false;
};

// Accesses to one tensor. Objects of an array are one more dimension.
struct Accessed {
  explicit Accessed(int rank) : boxes(rank + 1) {}
  Boxes boxes;
  std::vector<Access> accesses;  // of each box
};

struct SiteOfOp {
  const machine::CompiledOp* op = nullptr;
  grid::Touch touch;
};

class Looker : public Walker::Visitor {
 public:
  Looker(const Code& code, const grid::Words& words, const Effort& effort)
      : code_(code),
        effort_(effort),
        outline_(OutlineOf(code, words)),
        places_(words),
        written_(code) {}

  Launch Run() {
    out_.limit = outline_.limit;
    if (out_.limit.empty()) Walk();
    if (out_.limit.empty() && !out_.fault) {
      for (const auto& [decl, accessed] : accessed_) Meet(decl, accessed);
      CheckStrides();
    }
    if (out_.fault) return std::move(out_);
    out_.written = written_.Targets(
        out_.limit,
        out_.limit.empty() ? std::set<int32_t>() : outline_.by_memory_stores);
    if (out_.limit.empty() && outline_.hands_out)
      out_.limit = "cluster launch control may hand out clusters";
    return std::move(out_);
  }

  void Touches(const Visit& v) override {
    places_.Add(v);
    if (v.touch.write) written_.Add(v);
    if (InTheWay(v.touch.decl)) AddBox(v);
  }

  void Fails(const machine::Cta&, ir::Span) override {
    if (!out_.fault) out_.fault = cluster_;
  }

 private:
  void Walk() {
    int64_t steps = effort_.steps;
    Walker walker(code_, outline_, steps, *this);
    const ir::BoundKernel& b = code_.bound;
    const int64_t clusters = b.ctas() / b.cluster_size();
    machine::Cta cta;
    for (cluster_ = 0; cluster_ < clusters && !out_.fault; ++cluster_) {
      for (int64_t rank = 0; rank < b.cluster_size(); ++rank) {
        machine::Place(b, cluster_, static_cast<int>(rank), cta);
        walker.Walk(cta);
      }
      if (steps <= 0 || boxes_ > effort_.boxes) {
        out_.limit = ir::Cat("of ", clusters, " clusters only ", cluster_,
                             " were walked through");
        return;
      }
    }
  }

  // What of it lies in the tensor.
  void AddBox(const Visit& v) {
    const ir::BoundDecl& d = code_.bound.decls[v.touch.decl];
    std::array<int64_t, ir::kMaxRank + 1> low{}, high{};
    low[0] = v.box.index;
    high[0] = v.box.index + 1;
    for (int i = 0; i < d.rank; ++i) {
      low[i + 1] = std::max<int64_t>(v.box.start[i], 0);
      high[i + 1] = std::min(v.box.start[i] + v.box.extent[i], d.shape[i]);
      if (low[i + 1] >= high[i + 1]) return;
    }
    if (++boxes_ > effort_.boxes) return;
    auto size = static_cast<size_t>(d.rank + 1);
    Accessed& all = accessed_.try_emplace(v.touch.decl, d.rank).first->second;
    all.boxes.Add(cluster_, v.touch.write, {low.data(), size},
                  {high.data(), size});
    all.accesses.push_back({SiteOf(v), v.cta.linear, v.may});
  }

  bool InTheWay(int32_t decl) {
    auto [known, fresh] = in_the_way_.try_emplace(decl, true);
    if (fresh) known->second = IsInTheWay(outline_.touches, decl);
    return known->second;
  }

  int32_t SiteOf(const Visit& v) {
    auto key = std::tuple(&v.op, v.touch.operand, v.touch.write);
    auto [known, fresh] =
        site_of_.try_emplace(key, static_cast<int32_t>(sites_.size()));
    if (fresh) sites_.push_back({&v.op, v.touch});
    return known->second;
  }

  // --- meetings
  // ----------------------------------------------------------------

  void Meet(int32_t decl, const Accessed& all) {
    std::set<std::pair<int32_t, int32_t>> told;
    bool done = all.boxes.ForOverlaps(effort_.comparisons, [&](int64_t i,
                                                               int64_t k) {
      const Access &a = all.accesses[i], &b = all.accesses[k];
      const SiteOfOp &one = sites_[a.site], &other = sites_[b.site];
      if (ir::AreAtomic(one.touch.atomic, other.touch.atomic)) return true;
      if (told.count({a.site, b.site}) != 0) return true;
      if (places_.Ordered(*one.op->op, one.touch, a.cta, *other.op->op,
                          other.touch, b.cta))
        return true;
      told.insert({a.site, b.site});
      out_.meetings.push_back({one.op->op, other.op->op, decl, ClusterOf(a.cta),
                               ClusterOf(b.cta), a.may || b.may});
      return told.size() < kMostTold;
    });
    if (!done)
      out_.limit =
          ir::Cat("too many CTAs touch ", code_.kernel().decls[decl].name,
                  " to compare them all");
  }

  // Whether elements of a tensor lie at places of their own: in some order of
  // its dimensions a step along one leaves room for all of the next.
  void CheckStrides() {
    for (const auto& [decl, accessed] : accessed_) {
      const ir::BoundDecl& d = code_.bound.decls[decl];
      std::vector<std::pair<int64_t, int64_t>> steps;  // stride, extent
      for (int i = 0; i < d.rank; ++i) {
        if (d.shape[i] > 1) steps.emplace_back(d.strides[i], d.shape[i]);
      }
      std::sort(steps.begin(), steps.end());
      int64_t room = 1;
      for (auto [stride, extent] : steps) {
        if (stride < room)
          out_.limit = ir::Cat("elements of ", code_.kernel().decls[decl].name,
                               " lie at the same place");
        room = stride * extent;
      }
    }
  }

  int64_t ClusterOf(int64_t cta) const {
    const ir::BoundKernel& b = code_.bound;
    int64_t out = 0, stride = 1;
    for (int d = 0; d < 3; ++d) {
      out += cta % b.grid[d] / b.cluster[d] * stride;
      stride *= b.grid[d] / b.cluster[d];
      cta /= b.grid[d];
    }
    return out;
  }

  static constexpr size_t kMostTold = 8;

  const Code& code_;
  const Effort effort_;
  const Outline outline_;
  WordPlaces places_;
  Stores written_;
  Launch out_;
  int64_t cluster_ = 0;
  int64_t boxes_ = 0;
  std::map<int32_t, Accessed> accessed_;  // by declaration
  std::map<int32_t, bool> in_the_way_;
  std::vector<SiteOfOp> sites_;
  std::map<std::tuple<const machine::CompiledOp*, int, bool>, int32_t> site_of_;
};

}  // namespace

Launch LookAt(const Code& code, const grid::Words& words,
              const Effort& effort) {
  return Looker(code, words, effort).Run();
}

}  // namespace tilesim::checkers::launch
