#include "checkers/grid/example.h"

#include <algorithm>

namespace tilesim::checkers::grid {
using Cta = Question::Cta;

Example ExampleAt(const Accesses& accesses, const Question& question,
                  const std::vector<int64_t>& values) {
  auto value = [&](const Linear& l, Cta cta) {
    return question.ValueOf(l, cta, values);
  };
  Example out;
  for (const auto& [name, param] : accesses.params)
    out.sizes[name] = value(param, Cta::kFirst);
  out.sm_count = std::max<int64_t>(1, value(accesses.sm_count, Cta::kFirst));
  for (size_t d = 0; d < 3; ++d) {
    out.first[d] = value(accesses.cta[d], Cta::kFirst);
    out.second[d] = value(accesses.cta[d], Cta::kSecond);
  }
  return out;
}

}  // namespace tilesim::checkers::grid
