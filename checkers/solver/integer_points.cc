#include "checkers/solver/integer_points.h"

#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "checkers/solver/elimination.h"

namespace tilesim::checkers::solver {

struct IntegerPoints::Context {
  isl_ctx* isl = isl_ctx_alloc();
  ~Context() { isl_ctx_free(isl); }
};

IntegerPoints::IntegerPoints(int64_t max_operations)
    : context_(std::make_unique<Context>()) {
  isl_options_set_on_error(context_->isl, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context_->isl,
                             static_cast<unsigned long>(max_operations));
}

IntegerPoints::~IntegerPoints() = default;

namespace {

// Variables that occur, numbered anew: a dimension costs even where nothing is
// said of it.
class Dimensions {
 public:
  Dimensions(const Polyhedron& p, int variables) : of_(variables, -1) {
    for (const auto* all : {&p.zero, &p.natural}) {
      for (const Linear& l : *all) {
        for (const auto& [v, coefficient] : l.terms()) {
          if (of_[v] < 0) of_[v] = count_++;
        }
      }
    }
  }
  int count() const { return count_; }
  int of(Var v) const { return of_[v]; }
  size_t variables() const { return of_.size(); }

 private:
  std::vector<int> of_;
  int count_ = 0;
};

// A row an expression: the constant, then coefficients.
isl_mat* MatrixOf(isl_ctx* ctx, std::span<const Linear> rows,
                  const Dimensions& dims) {
  isl_mat* m = isl_mat_alloc(ctx, static_cast<unsigned>(rows.size()),
                             static_cast<unsigned>(1 + dims.count()));
  for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
    for (int i = 0; i <= dims.count(); ++i)
      m = isl_mat_set_element_si(m, row, i, 0);
    auto set = [&](int column, int64_t value) {
      m = isl_mat_set_element_val(m, row, column,
                                  isl_val_int_from_si(ctx, value));
    };
    set(0, rows[row].constant());
    for (const auto& [v, coefficient] : rows[row].terms())
      set(1 + dims.of(v), coefficient);
  }
  return m;
}

std::optional<int64_t> NumberOf(isl_point* point, int dim) {
  isl_val* v = isl_point_get_coordinate_val(point, isl_dim_set, dim);
  std::optional<int64_t> out;
  bool fits = isl_val_cmp_si(v, std::numeric_limits<int64_t>::max() / 2) < 0 &&
              isl_val_cmp_si(v, std::numeric_limits<int64_t>::min() / 2) > 0;
  if (v != nullptr && fits) out = isl_val_get_num_si(v);
  isl_val_free(v);
  return out;
}

Point PointOf(isl_point* point, const Dimensions& dims) {
  Point out;
  if (point == nullptr) return out;
  if (isl_point_is_void(point) == isl_bool_true) {
    out.answer = Answer::kNone;
    return out;
  }
  out.values.assign(dims.variables(), 0);
  for (size_t v = 0; v < dims.variables(); ++v) {
    if (dims.of(static_cast<Var>(v)) < 0) continue;
    std::optional<int64_t> at = NumberOf(point, dims.of(static_cast<Var>(v)));
    if (!at) return {};
    out.values[v] = *at;
  }
  out.answer = Answer::kSome;
  return out;
}

}  // namespace

Point IntegerPoints::Find(Polyhedron polyhedron, int variables) {
  isl_ctx* ctx = context_->isl;
  if (isl_ctx_last_error(ctx) != isl_error_none) return {};
  const Elimination elimination(std::move(polyhedron));
  if (elimination.contradictory()) return {Answer::kNone, {}};
  const Polyhedron& p = elimination.rest();
  Dimensions dims(p, variables);
  isl_space* space =
      isl_space_set_alloc(ctx, 0, static_cast<unsigned>(dims.count()));
  isl_basic_set* set = isl_basic_set_from_constraint_matrices(
      space, MatrixOf(ctx, p.zero, dims), MatrixOf(ctx, p.natural, dims),
      isl_dim_cst, isl_dim_set, isl_dim_div, isl_dim_param);
  isl_point* point = isl_basic_set_sample_point(set);
  Point out = PointOf(point, dims);
  isl_point_free(point);
  if (out.answer == Answer::kSome && !elimination.Complete(out.values))
    return {};
  return out;
}

}  // namespace tilesim::checkers::solver
