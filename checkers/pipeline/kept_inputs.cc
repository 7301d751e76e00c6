#include "checkers/pipeline/kept_inputs.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/op.h"
#include "ir/stored.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
namespace {

bool SetsScalar(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) != 0 && op.has(i))
      return true;
  }
  return false;
}

// Tensors that have a domain, in whichever kernel, and those that decide.
std::set<std::string> InputsOf(const ir::Program& program, size_t index) {
  std::set<std::string> out;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Decl& d : kernel.decls) {
      if (d.domain_low || d.domain_high) out.insert(d.name);
    }
  }
  const ir::Kernel& kernel = program.kernels[index];
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    if (!s.op || !SetsScalar(*s.op)) return;
    for (const ir::Operand& o : s.op->operands) {
      if (o.kind == ir::Operand::Kind::kRef && o.ref.decl >= 0)
        out.insert(kernel.decls[o.ref.decl].name);
    }
  });
  return out;
}

}  // namespace

bool NobodyElseStoresInputs(const ir::Program& program, size_t index) {
  const std::set<std::string> inputs = InputsOf(program, index);
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    if (i == index) continue;
    for (const std::string& stored : ir::StoredTensors(program.kernels[i])) {
      if (inputs.contains(stored)) return false;
    }
  }
  return true;
}

}  // namespace tilesim::checkers::pipeline
