#include "checkers/grid/strides.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Lt;
using Cta = Question::Cta;

namespace {

// Whether, with the dimensions in this order, a step along one leaves room for
// all of the next.
bool Fits(const Accesses& accesses, const Tensor& t,
          const std::vector<size_t>& order, const solver::Effort& effort) {
  Terms terms = accesses.terms;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t inner = i + 1 < order.size() ? order[i + 1] : order[i];
    bool last = i + 1 == order.size();
    Linear room =
        last ? Linear(1) : terms.Multiply(t.strides[inner], t.shape[inner]);
    Question q(terms);
    q.Require(accesses.launch, Cta::kFirst);
    q.Require(
        Lt(q.Of(t.strides[order[i]], Cta::kFirst), q.Of(room, Cta::kFirst)));
    if (q.Answer(effort).answer != Answer::kNone) return false;
  }
  return true;
}

}  // namespace

bool OnePlaceEach(const Accesses& accesses, int32_t decl,
                  const solver::Effort& effort) {
  const Tensor& t = accesses.tensors.at(decl);
  if (t.strides.empty()) return true;
  std::vector<size_t> order(t.strides.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    if (Fits(accesses, t, order, effort)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

}  // namespace tilesim::checkers::grid
