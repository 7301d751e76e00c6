#include "checkers/grid/query.h"

#include "checkers/grid/text.h"

namespace tilesim::checkers::grid {
using ir::Stmt;

namespace {

bool Adjusts(const Stmt& s, const Query& query, const std::set<int32_t>& set) {
  std::set<int32_t> others = set;
  std::erase_if(others, [&](int32_t slot) { return query.Answers(slot); });
  if (Mentions(s.value, others)) return false;
  if (s.kind == Stmt::Kind::kAssign) return query.Answers(s.slot);
  const auto all = [&](const ir::Block& block) {
    return std::all_of(block.begin(), block.end(), [&](const Stmt& inner) {
      return Adjusts(inner, query, set);
    });
  };
  return s.kind == Stmt::Kind::kIf && all(s.body) && all(s.orelse);
}

}  // namespace

std::optional<Query> OnlyQuery(
    const ir::Block& body, const std::set<int32_t>& set,
    absl::FunctionRef<std::optional<Query>(const ir::Op&)> query_of) {
  std::optional<Query> found;
  if (Jumps(body, Stmt::Kind::kContinue)) return found;
  for (const Stmt& s : body) {
    std::optional<Query> query;
    if (s.op) query = query_of(*s.op);
    if (query && found) return std::nullopt;
    if (query) found = query;
    if (query || !found) continue;
    const std::set<int32_t> by = SetIn(s);
    if (std::none_of(by.begin(), by.end(),
                     [&](int32_t slot) { return found->Answers(slot); }))
      continue;
    if (!Adjusts(s, *found, set)) return std::nullopt;
    found->adjusts.push_back(&s);
  }
  return found;
}

}  // namespace tilesim::checkers::grid
