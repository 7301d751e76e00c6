// The rules of legality, one list a unit of the machine.
#ifndef TILESIM_FRONTEND_LEGALITY_RULES_H_
#define TILESIM_FRONTEND_LEGALITY_RULES_H_

#include <span>

#include "frontend/legality/op_check.h"

namespace tilesim::frontend {

struct Rule {
  ir::OpKind op;
  void (*check)(OpCheck&);
};

std::span<const Rule> TmaRules();
std::span<const Rule> WgmmaRules();
std::span<const Rule> Tcgen05Rules();
std::span<const Rule> MbarrierRules();
std::span<const Rule> SyncRules();
std::span<const Rule> MemoryRules();
std::span<const Rule> MmaRules();
std::span<const Rule> TileRules();

// What holds for every op, then the rules of its own.
void CheckLegality(OpCheck& op);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEGALITY_RULES_H_
