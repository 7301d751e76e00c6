#include "checkers/grid/parts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "checkers/grid/cases.h"
#include "checkers/proof/condition.h"

namespace tilesim::checkers::grid {
namespace {

constexpr size_t kMostPlaces = 4;  // at which one part may end

// A number of the launch in the words of another kernel: parameters of one name
// are one number. nullopt: it is made of something else.
class Translation {
 public:
  Translation(const Accesses& from, Accesses& to) : from_(from), to_(to) {}

  std::optional<Linear> Of(const Linear& l) {
    Linear out = l.constant();
    for (const auto& [v, c] : l.terms()) {
      const std::optional<Linear> of = Of(v);
      if (!of) return std::nullopt;
      out += *of * c;
    }
    return to_.terms.Usable(out);
  }

 private:
  std::optional<Linear> Of(Var v) {
    const Linear of = Linear::Of(v);
    for (const auto& [name, value] : from_.params) {
      if (value == of) return ParamOf(name);
    }
    if (const auto& q = from_.terms[v].quotient) {
      const auto a = Of(q->of), by = Of(q->by);
      return a && by ? std::optional(to_.terms.Divide(*a, *by)) : std::nullopt;
    }
    for (const solver::Product& p : from_.terms[v].products) {
      if (p.value != of) continue;
      const auto a = Of(p.a), b = Of(p.b);
      if (a && b) return to_.terms.Multiply(*a, *b);
    }
    return std::nullopt;
  }

  std::optional<Linear> ParamOf(const std::string& name) const {
    const auto param =
        std::find_if(to_.params.begin(), to_.params.end(),
                     [&](const auto& p) { return p.first == name; });
    return param == to_.params.end() ? std::nullopt
                                     : std::optional(param->second);
  }

  const Accesses& from_;
  Accesses& to_;
};

bool Stores(const Access& a, int32_t decl) { return a.write && a.decl == decl; }

// What of the places at which it stores along a dimension is of the launch.
std::set<Linear> BeginsOf(const StoringKernel& kernel, size_t d) {
  std::set<Linear> out;
  for (const Access& a : kernel.accesses.all) {
    if (!Stores(a, kernel.decl) || d >= a.start.size()) continue;
    Linear begin = a.start[d].constant();
    for (const auto& [v, c] : a.start[d].terms()) {
      if (kernel.accesses.terms[v].of_launch) begin += Linear::Of(v) * c;
    }
    if (!begin.is_constant()) out.insert(begin);
  }
  return out;
}

// Whether the kernel stores all from `low` to `high` along a dimension: as of a
// tensor that begins there, and ends there.
bool StoresPart(const StoringKernel& kernel, Accesses all, size_t d,
                const Linear& low, const Linear& high) {
  for (Access& a : all.all) {
    if (Stores(a, kernel.decl)) a.start[d] = all.terms.Usable(a.start[d] - low);
  }
  Tensor& part = all.tensors.at(kernel.decl);
  part.shape[d] = all.terms.Usable(high - low);
  return StoresAllInCases(all, kernel.code, kernel.words, kernel.decl);
}

// The one stores up to where the other begins.
bool StoreInTurn(const StoringKernel& lower, const StoringKernel& upper) {
  const auto tensor = upper.accesses.tensors.find(upper.decl);
  if (tensor == upper.accesses.tensors.end() ||
      !lower.accesses.tensors.contains(lower.decl))
    return false;
  const std::vector<Linear>& shape = tensor->second.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::set<Linear> begins = BeginsOf(upper, d);
    if (begins.size() > kMostPlaces) continue;
    for (const Linear& begin : begins) {
      Accesses all = lower.accesses;
      const auto end = Translation(upper.accesses, all).Of(begin);
      const bool judged = proof::IsJudged(proof::Condition::kPartsMeet);
      if (end && (!judged || StoresPart(lower, all, d, 0, *end)) &&
          StoresPart(upper, upper.accesses, d, begin, shape[d]))
        return true;
    }
  }
  return false;
}

}  // namespace

bool StoresAllInParts(const std::vector<StoringKernel>& kernels) {
  for (const StoringKernel& one : kernels) {
    if (StoresAllInCases(one.accesses, one.code, one.words, one.decl))
      return true;
  }
  for (const StoringKernel& lower : kernels) {
    for (const StoringKernel& upper : kernels) {
      if (&lower != &upper && StoreInTurn(lower, upper)) return true;
    }
  }
  return false;
}

}  // namespace tilesim::checkers::grid
