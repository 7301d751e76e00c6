#include "checkers/pipeline/waits_first.h"

#include <algorithm>
#include <map>
#include <string>

#include "checkers/proof/condition.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Kernel;
using ir::Operand;
using ir::OpKind;
using ir::Stmt;

namespace {

bool IsWait(const Stmt& s) {
  return s.op && s.op->info->kind == OpKind::kGriddepcontrolWait;
}

// In no scope, loop or condition.
bool WaitsAlways(const Kernel& kernel) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), IsWait);
}

bool Allocates(const Kernel& kernel) {
  return ir::Contains(kernel.body, [](const Stmt& s) {
    return s.op && s.op->info->mnemonic.starts_with("tcgen05.alloc");
  });
}

const ir::Decl* GlobalOf(const Kernel& kernel, const Operand& o) {
  if (o.kind != Operand::Kind::kRef || o.ref.decl < 0) return nullptr;
  const ir::Decl& d = kernel.decls[o.ref.decl];
  return d.space == ir::Space::kGlobal ? &d : nullptr;
}

}  // namespace

bool WaitsFirst(const Block& block, const IsAsked& asked, bool waited) {
  for (const Stmt& s : block) {
    waited |= IsWait(s);
    if (s.op && !waited && asked(s)) return false;
    if (!WaitsFirst(s.body, asked, waited) ||
        !WaitsFirst(s.orelse, asked, waited))
      return false;
  }
  return true;
}

bool ComeOneByOne(const ir::Program& program) {
  std::map<std::string, int> kernels;  // that use the tensor
  for (const Kernel& k : program.kernels) {
    std::map<std::string, int> used;
    ir::ForEachStmt(k.body, [&](const Stmt& s) {
      for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
        const ir::Decl* d = GlobalOf(k, s.op->operands[i]);
        if (d != nullptr) used[d->name] = 1;
      }
    });
    for (const auto& [name, one] : used) kernels[name] += one;
  }
  for (const Kernel& k : program.kernels) {
    if (k.body.empty() || Allocates(k)) return false;  // compiled: who knows
    if (!k.programmatic) continue;
    const auto shared = [&](const Stmt& s) {
      return std::any_of(s.op->operands.begin(), s.op->operands.end(),
                         [&](const Operand& o) {
                           const ir::Decl* d = GlobalOf(k, o);
                           return d != nullptr && kernels.at(d->name) > 1;
                         });
    };
    const bool last = &k == &program.kernels.back();
    const bool behind = WaitsFirst(k.body, shared) ||
                        !proof::IsJudged(proof::Condition::kBehindTheWait);
    if (!behind || (!last && !WaitsAlways(k))) return false;
  }
  return true;
}

}  // namespace tilesim::checkers::pipeline
