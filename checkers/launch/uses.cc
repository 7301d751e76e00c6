#include "checkers/launch/uses.h"

#include <algorithm>
#include <cstdint>

#include "checkers/grid/touches.h"
#include "checkers/launch/outline.h"
#include "checkers/launch/walk.h"
#include "checkers/launch/written.h"
#include "sim/machine/data/box_rows.h"
#include "sim/machine/place.h"

namespace tilesim::checkers::launch {
using machine::Code;

namespace {

// Of all tensors together, a bit each.
constexpr int64_t kMostUsed = int64_t{1} << 27;

class User : public Walker::Visitor {
 public:
  User(const Code& code, const std::set<std::string>& tensors) : code_(code) {
    int64_t all = 0;
    for (size_t i = 0; i < code.kernel().decls.size(); ++i) {
      const ir::Decl& d = code.kernel().decls[i];
      if (d.space != ir::Space::kGlobal || !tensors.contains(d.name)) continue;
      const ir::BoundDecl& bound = code.bound.decls[i];
      int64_t elements = bound.objects;
      for (int k = 0; k < bound.rank; ++k) elements *= bound.shape[k];
      all += elements;
      if (bound.objects != 1 || all > kMostUsed)
        out_.limit = "`" + d.name + "` is too large";
      decls_.insert(static_cast<int32_t>(i));
      if (!out_.limit.empty()) continue;
      Use& use = out_.of[d.name];
      for (machine::Bits* bits :
           {&use.stored, &use.surely_stored, &use.may_be_read})
        bits->Resize(elements);
    }
  }

  const std::set<int32_t>& decls() const { return decls_; }

  Uses Run(const Outline& outline, const Effort& effort) {
    if (out_.limit.empty()) out_.limit = outline.limit;
    if (out_.limit.empty() && outline.hands_out)
      out_.limit = "cluster launch control hands out clusters";
    if (!decls_.empty() && out_.limit.empty()) Walk(outline, effort);
    return std::move(out_);
  }

  void Touches(const Visit& v) override {
    if (!decls_.contains(v.touch.decl)) return;
    Use& use = out_.of[code_.kernel().decls[v.touch.decl].name];
    // Of a part of a tile it is not known which elements are touched.
    const bool may = v.may || InParts(code_, v);
    if (v.touch.write) {
      if (grid::AddsTo(grid::TouchesOf(code_, v.op), v.touch)) return;
      Add(v, use.stored);
      if (!may) Add(v, use.surely_stored);
      return;
    }
    Add(v, use.may_be_read);
    if (may) return;
    auto read =
        std::find_if(use.reads.begin(), use.reads.end(),
                     [&](const Use::Read& r) { return r.op == v.op.op; });
    if (read == use.reads.end()) {
      read = use.reads.insert(read, {v.op.op, {}});
      read->elements.Resize(use.stored.size());
    }
    Add(v, read->elements);
  }

  void Fails(const machine::Cta&, ir::Span) override {
    out_.limit = "a scalar has no value";
  }

 private:
  void Walk(const Outline& outline, const Effort& effort) {
    int64_t steps = effort.steps;
    Walker walker(code_, outline, steps, *this);
    const ir::BoundKernel& b = code_.bound;
    const int64_t clusters = b.ctas() / b.cluster_size();
    machine::Cta cta;
    for (int64_t cluster = 0; cluster < clusters && out_.limit.empty();
         ++cluster) {
      for (int64_t rank = 0; rank < b.cluster_size(); ++rank) {
        machine::Place(b, cluster, static_cast<int>(rank), cta);
        walker.Walk(cta);
      }
      if (steps <= 0) out_.limit = "not all CTAs were walked through";
    }
  }

  void Add(const Visit& v, machine::Bits& elements) const {
    machine::ForRows(v.box, code_.bound.decls[v.touch.decl],
                     [&](int64_t, int64_t element, int64_t, int64_t count) {
                       elements.Set(element, count);
                     });
  }

  const Code& code_;
  std::set<int32_t> decls_;
  Uses out_;
};

}  // namespace

Uses UsesOf(const Code& code, const grid::Words& words,
            const std::set<std::string>& tensors, const Effort& effort) {
  User user(code, tensors);
  return user.Run(OutlineOf(code, words, user.decls()), effort);
}

}  // namespace tilesim::checkers::launch
