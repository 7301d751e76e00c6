#include "ir/program.h"

#include <tuple>

namespace tilesim::ir {
namespace {

auto Parts(const Stmt& s) {
  return std::tie(s.kind, s.name, s.value, s.low, s.high, s.step, s.scopes,
                  s.body, s.orelse, s.decl, s.joined, s.op, s.call);
}

auto Parts(const Kernel& k) {
  return std::tie(k.name, k.target, k.params, k.constants, k.requirements,
                  k.decls, k.computes, k.grid, k.cluster, k.block, k.regs,
                  k.programmatic, k.body);
}

}  // namespace

bool operator==(const Stmt& a, const Stmt& b) { return Parts(a) == Parts(b); }

bool operator==(const Kernel& a, const Kernel& b) {
  return Parts(a) == Parts(b);
}

}  // namespace tilesim::ir
