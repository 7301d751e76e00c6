#include "checkers/grid/strides.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
using solver::Answer;
using solver::Lt;
using solver::Ne;
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

// Whether it is a multiple of `n` wherever an access is made.
bool IsMultiple(const Accesses& accesses, const Linear& of, int64_t n,
                const Formula& when, const solver::Effort& effort) {
  Terms terms = accesses.terms;
  const Linear rest = terms.Remainder(of, n);
  Question q(terms);
  q.Require(accesses.launch, Cta::kFirst);
  q.Require(when, Cta::kFirst);
  q.Require(Ne(q.Of(rest, Cta::kFirst), 0));
  return q.Answer(effort).answer == Answer::kNone;
}

// A step along any dimension but the last is one of whole bytes, if there are
// two places in it.
bool RowsInWholeBytes(const Accesses& accesses, const Tensor& t,
                      const Formula& when, const solver::Effort& effort) {
  auto whole = [&](const Linear& step) {
    return IsMultiple(accesses, step, t.per_byte, when, effort);
  };
  const auto one = [](const Linear& extent) { return extent == Linear(1); };
  if (t.strides.empty())
    return std::all_of(t.shape.begin(), t.shape.end() - 1, one) ||
           whole(t.shape.back());
  bool all = t.strides.back() == Linear(1);
  for (size_t d = 0; d + 1 < t.strides.size(); ++d)
    all = all && (one(t.shape[d]) || whole(t.strides[d]));
  return all;
}

}  // namespace

bool InWholeBytes(const Accesses& accesses, const Access& a,
                  const solver::Effort& effort) {
  const Tensor& t = accesses.tensors.at(a.decl);
  if (t.per_byte == 1 || a.start.empty()) return true;
  for (const Linear& l : {a.start.back(), a.extent.back()}) {
    if (!IsMultiple(accesses, l, t.per_byte, a.when, effort)) return false;
  }
  return RowsInWholeBytes(accesses, t, a.when, effort);
}

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
