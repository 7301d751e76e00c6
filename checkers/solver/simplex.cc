#include "checkers/solver/simplex.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::solver {
namespace {

using Wide = __int128;

bool Fits(Wide v) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return v <= kMost && v >= -kMost;
}

// to = to * times + what * more.
bool Add(int64_t& to, int64_t times, int64_t what, int64_t more) {
  Wide sum = Wide{to} * times + Wide{what} * more;
  to = static_cast<int64_t>(sum);
  return Fits(sum);
}

}  // namespace

// docs/all_sizes.md 6.9.
void Simplex::Add(const Linear& l, bool zero, int tag) {
  if (state_ != State::kSome) return;
  std::optional<Row> row = RowOf(l, tag);
  if (!row) {
    state_ = State::kTooLarge;
    return;
  }
  if (zero) {
    equations_.push_back(tag);
    if (row->constant > 0) {
      row->constant = -row->constant;
      for (int64_t& c : row->of) c = -c;
    }
  }
  if (!zero) Narrow(*row);
  const bool below = row->constant < 0;
  if (!zero && !below) {
    bool implied = true;
    for (size_t c = 0; c < columns_.size(); ++c)
      implied &= row->of[c] == 0 || (columns_[c].natural && row->of[c] > 0);
    if (!implied) rows_.push_back(std::move(*row));
    return;
  }
  rows_.push_back(std::move(*row));
  if (below) {
    std::optional<size_t> column = RaiseLast();
    if (zero && column) Remove(*column);
    return;
  }
  // An equation that holds at the vertex: it stays one.
  std::optional<size_t> column = Raising(rows_.back(), true);
  if (!column) {
    rows_.pop_back();
    return;
  }
  if (Pivot(rows_.size() - 1, *column)) Remove(*column);
}

// A sum of integers, all times one number.
void Simplex::Narrow(Row& row) {
  int64_t common = 0;
  for (int64_t c : row.of) common = std::gcd(common, c);
  if (row.denominator != 1 || common <= 1) return;
  for (int64_t& c : row.of) c /= common;
  row.constant = row.constant / common - (row.constant % common < 0 ? 1 : 0);
}

bool Simplex::Cut() {
  if (state_ != State::kSome) return false;
  std::optional<Row> cut = FirstCut();
  if (!cut) {
    BoundVariables();
    if (state_ != State::kSome) return true;
    cut = FirstCut();
  }
  if (!cut) return false;
  rows_.push_back(std::move(*cut));
  RaiseLast();
  return true;
}

std::optional<Simplex::Row> Simplex::FirstCut() {
  for (const Row& row : rows_) {
    if (row.unknown.natural || row.constant % row.denominator == 0) continue;
    if (auto cut = CutOf(row)) return cut;
  }
  return std::nullopt;
}

// Gomory. With remainders f, g by d of the coefficients of d * x = k + sum a *
// z, f + sum g * z is a multiple of d, and of natural z at least f: so at least
// d.
std::optional<Simplex::Row> Simplex::CutOf(const Row& row) {
  const int64_t d = row.denominator;
  auto remainder = [&](int64_t a) { return a % d < 0 ? a % d + d : a % d; };
  Row out{{ids_, true, -1, 0}, d, remainder(row.constant) - d, {}};
  for (size_t c = 0; c < columns_.size(); ++c) {
    out.of.push_back(remainder(row.of[c]));
    if (out.of[c] != 0 && !columns_[c].natural) return std::nullopt;
  }
  ++ids_;
  return out;
}

std::optional<std::vector<int64_t>> Simplex::Integers(int variables) const {
  std::vector<int64_t> out(static_cast<size_t>(variables), 0);
  for (const Row& row : rows_) {
    if (row.unknown.natural) continue;
    if (row.constant % row.denominator != 0) return std::nullopt;
    out[static_cast<size_t>(row.unknown.variable)] =
        row.constant / row.denominator;
  }
  return out;
}

std::optional<Simplex::Row> Simplex::RowOf(const Linear& l, int tag) {
  if (l.overflowed() || !Fits(l.constant())) return std::nullopt;
  for (const auto& [v, c] : l.terms()) AddVariable(v);
  Row out{{ids_++, true, -1, tag}, 1, l.constant(), {}};
  out.of.assign(columns_.size(), 0);
  for (const auto& [v, c] : l.terms()) {
    const Place& place = places_[static_cast<size_t>(v)];
    if (place.in == Place::In::kColumn) {
      if (!solver::Add(out.of[place.at], 1, out.denominator, c))
        return std::nullopt;
      continue;
    }
    const Row& row = rows_[place.at];
    const int64_t common = std::gcd(out.denominator, row.denominator);
    int64_t more;
    if (__builtin_mul_overflow(c, out.denominator / common, &more) ||
        !Combine(out, row.denominator / common, row, more))
      return std::nullopt;
  }
  return out;
}

void Simplex::AddVariable(Var v) {
  const auto at = static_cast<size_t>(v);
  if (places_.size() <= at) places_.resize(at + 1);
  if (places_[at].in != Place::In::kNowhere) return;
  columns_.push_back({ids_++, false, v, 0});
  places_[at] = {Place::In::kColumn, columns_.size() - 1};
  for (Row& row : rows_) row.of.push_back(0);
}

std::optional<size_t> Simplex::RaiseLast() {
  const size_t last = rows_.size() - 1;
  while (true) {
    std::optional<size_t> column = Raising(rows_[last], false);
    if (!column || !proof::IsJudged(proof::Condition::kNothingRaises)) {
      Refute(rows_[last]);
      return std::nullopt;
    }
    const bool grows = rows_[last].of[*column] > 0;
    std::optional<size_t> row = FirstAtZero(*column, grows, last);
    if (row && !Sooner(rows_[*row], rows_[last], *column)) row.reset();
    if (!Pivot(row.value_or(last), *column)) return std::nullopt;
    if (!row) return column;
  }
}

// By Bland's rule the first of those that do, which ends; variables before
// others, as they never come back, and of these one that is no fraction then.
std::optional<size_t> Simplex::Raising(const Row& row, bool any) const {
  std::optional<size_t> best;
  auto rank = [&](size_t c) {
    const Unknown& u = columns_[c];
    const int64_t of = row.of[c];
    return std::tuple(u.natural, !u.natural && of != 1 && of != -1, u.id);
  };
  for (size_t c = 0; c < columns_.size(); ++c) {
    bool raises = columns_[c].natural && !any ? row.of[c] > 0 : row.of[c] != 0;
    if (raises && (!best || rank(c) < rank(*best))) best = c;
  }
  return best;
}

std::optional<size_t> Simplex::FirstAtZero(size_t column, bool grows,
                                           size_t rows) const {
  std::optional<size_t> first;
  for (size_t r = 0; r < rows; ++r) {
    const Row& row = rows_[r];
    const int64_t slope = row.of[column];
    if (!row.unknown.natural || slope == 0 || (slope > 0) == grows) continue;
    const bool better = !first || Sooner(row, rows_[*first], column) ||
                        (!Sooner(rows_[*first], row, column) &&
                         row.unknown.id < rows_[*first].unknown.id);
    if (better) first = r;
  }
  return first;
}

bool Simplex::Sooner(const Row& a, const Row& b, size_t column) const {
  auto size = [](int64_t v) { return Wide{v < 0 ? -v : v}; };
  return size(a.constant) * size(b.of[column]) <
         size(b.constant) * size(a.of[column]);
}

void Simplex::BoundVariables() {
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].natural) continue;
    auto row = FirstAtZero(c, true, rows_.size());
    if (!row) row = FirstAtZero(c, false, rows_.size());
    if (row && !Pivot(*row, c)) return;
  }
}

bool Simplex::Pivot(size_t row, size_t column) {
  Row& pivot = rows_[row];
  const int64_t a = pivot.of[column];
  const int64_t sign = a > 0 ? -1 : 1;
  // a * column = denominator * unknown - constant - the others.
  pivot.constant *= sign;
  for (int64_t& c : pivot.of) c *= sign;
  pivot.of[column] = -sign * pivot.denominator;
  pivot.denominator = a > 0 ? a : -a;
  std::swap(pivot.unknown, columns_[column]);
  SetPlace(pivot.unknown, {Place::In::kRow, row});
  SetPlace(columns_[column], {Place::In::kColumn, column});
  bool fits = pivots_left_-- > 0 && Combine(pivot, 1, pivot, 0);
  for (size_t r = 0; fits && r < rows_.size(); ++r) {
    const int64_t of = rows_[r].of[column];
    if (r == row || of == 0) continue;
    const int64_t common = std::gcd(pivot.denominator, of);
    rows_[r].of[column] = 0;
    fits = Combine(rows_[r], pivot.denominator / common, pivot, of / common);
  }
  if (!fits) state_ = State::kTooLarge;
  return fits;
}

// What is 0 everywhere.
void Simplex::Remove(size_t column) {
  for (Row& row : rows_) {
    row.of[column] = row.of.back();
    row.of.pop_back();
  }
  columns_[column] = columns_.back();
  columns_.pop_back();
  if (column < columns_.size())
    SetPlace(columns_[column], {Place::In::kColumn, column});
}

// No column raises the row, so it and the inequalities that lower it contradict
// each other; equations have left no trace, and all are told.
void Simplex::Refute(const Row& row) {
  state_ = State::kNone;
  because_ = equations_;
  because_.push_back(row.unknown.tag);
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (row.of[c] != 0) because_.push_back(columns_[c].tag);
  }
}

void Simplex::SetPlace(const Unknown& unknown, Place place) {
  if (!unknown.natural) places_[static_cast<size_t>(unknown.variable)] = place;
}

bool Simplex::Combine(Row& l, int64_t times, const Row& other, int64_t more) {
  bool fits = solver::Add(l.denominator, times, 0, 0) &&
              solver::Add(l.constant, times, other.constant, more);
  for (size_t c = 0; c < l.of.size(); ++c)
    fits &= solver::Add(l.of[c], times, other.of[c], more);
  if (!fits || l.denominator == 1) return fits;
  int64_t common = std::gcd(l.denominator, l.constant);
  for (size_t c = 0; c < l.of.size() && common > 1; ++c)
    common = std::gcd(common, l.of[c]);
  if (common == 1) return true;
  l.denominator /= common;
  l.constant /= common;
  for (int64_t& c : l.of) c /= common;
  return true;
}

}  // namespace tilesim::checkers::solver
