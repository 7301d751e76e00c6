// Functions of the reference result (`computes`), a row each. The parser, the
// check of shapes, the page of words and the count of work read this table.
//
// Errors: none; FindReferenceFunction gives null for a name that is none.
#ifndef TILESIM_IR_REFERENCE_FUNCTIONS_H_
#define TILESIM_IR_REFERENCE_FUNCTIONS_H_

#include <cstdint>
#include <string_view>

namespace tilesim::ir {

// The shape of a function's result, from those of its arguments.
enum class ResultShape : uint8_t {
  kFirst,      // that of the first argument
  kTurned,     // its last two dimensions exchanged; a vector is one row
  kColumn,     // one number a row: the last dimension is 1
  kBroadcast,  // that of both, after dimensions of 1 are repeated
};

struct ReferenceFunction {
  std::string_view name;
  int arity;
  ResultShape result;
  std::string_view doc;
};

inline constexpr ReferenceFunction kReferenceFunctions[] = {
    {"transpose", 1, ResultShape::kTurned,
     "last two dimensions exchanged; of a vector, a column"},
    {"mul", 2, ResultShape::kBroadcast, "products, element by element"},
    {"div", 2, ResultShape::kBroadcast, "quotients, element by element"},
    {"row_sum", 1, ResultShape::kColumn, "of each row: a column"},
    {"row_mean", 1, ResultShape::kColumn, "of each row: a column"},
    {"row_max", 1, ResultShape::kColumn, "the largest of each row: a column"},
    {"softmax", 1, ResultShape::kFirst, "over the last dimension"},
    {"causal", 1, ResultShape::kFirst, "minus infinity above the diagonal"},
    {"block_scale", 2, ResultShape::kFirst,
     "x[i, k] * s[i / (rows x / rows s), k / (cols x / cols s)]"},
    {"relu", 1, ResultShape::kFirst, "max(x, 0)"},
    {"exp2", 1, ResultShape::kFirst, "2 to the power"},
    {"rsqrt", 1, ResultShape::kFirst, "1 / sqrt(x)"},
    {"sigmoid", 1, ResultShape::kFirst, "1 / (1 + exp(-x))"},
    {"silu", 1, ResultShape::kFirst, "x * sigmoid(x)"},
    {"gelu", 1, ResultShape::kFirst, "x / 2 * (1 + erf(x / sqrt(2)))"},
};

const ReferenceFunction* FindReferenceFunction(std::string_view name);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_REFERENCE_FUNCTIONS_H_
