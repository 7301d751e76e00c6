#include "checkers/order/condition.h"

#include <optional>

namespace tilesim::checkers::order {
namespace {

std::optional<Condition> weakened;

}  // namespace

Weakened::Weakened(Condition condition) { weakened = condition; }
Weakened::~Weakened() { weakened.reset(); }

bool IsJudged(Condition condition) { return weakened != condition; }

}  // namespace tilesim::checkers::order
