#include "checkers/grid/inside.h"

#include <cstddef>
#include <map>

#include "checkers/grid/accesses.h"
#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
using solver::Lt;

namespace {

class Asker {
 public:
  Asker(const machine::Code& code, const ir::Overrides& fixed)
      : all_(AccessesOf(code, fixed, Tensors::kAll, Inputs::kInDomain)) {}

  std::set<Side> Run() {
    if (!all_.limit.empty()) return {};
    for (const Access& a : all_.all) Ask(a);
    std::set<Side> out;
    for (const auto& [side, inside] : inside_) {
      if (inside) out.insert(side);
    }
    return out;
  }

 private:
  // Several accesses may be one side: an op that reads and writes an operand.
  void Ask(const Access& a) {
    const ir::There there = ir::MustBeThere(*a.op, a.operand);
    if (there == ir::There::kNothing) return;
    const Site box = Site::Of(*a.op, a.operand);
    const std::vector<Linear>& shape = all_.tensors.at(a.decl).shape;
    for (size_t d = 0; d < a.start.size(); ++d) {
      bool& inside = inside_.try_emplace({box, static_cast<int32_t>(d)}, true)
                         .first->second;
      inside = inside && Never(a, Lt(a.start[d], 0));
      // Past the end nothing is asked of it.
      if (there == ir::There::kStart) continue;
      inside = inside && Never(a, Lt(shape[d], a.start[d] + a.extent[d]));
    }
  }

  // In no CTA of any launch that makes the access.
  bool Never(const Access& a, const Formula& f) const {
    Question q(all_.terms);
    q.Require(all_.launch, Question::Cta::kFirst);
    q.Require(a.when, Question::Cta::kFirst);
    q.Require(f, Question::Cta::kFirst);
    return q.Answer(kRefute).answer == solver::Answer::kNone;
  }

  const Accesses all_;
  std::map<Side, bool> inside_;
};

}  // namespace

// docs/all_sizes.md 5.5.
std::set<Side> SidesInside(const machine::Code& code,
                           const ir::Overrides& fixed) {
  return Asker(code, fixed).Run();
}

}  // namespace tilesim::checkers::grid
