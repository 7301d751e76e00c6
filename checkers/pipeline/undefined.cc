#include "checkers/pipeline/undefined.h"

#include <algorithm>
#include <iterator>

#include "checkers/run/words_used.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

std::set<std::string> UndefinedIn(const ir::Program& program) {
  std::set<std::string> out;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Decl& d : kernel.decls) {
      if (d.space == ir::Space::kGlobal && d.undefined) out.insert(d.name);
    }
  }
  return out;
}

UndefinedUse UndefinedUseOf(const ir::Program& program,
                            const machine::Code& code,
                            const std::function<bool(int32_t)>& stores_all) {
  UndefinedUse out;
  const std::set<std::string> undefined = UndefinedIn(program);
  if (undefined.empty()) return out;
  std::set<int32_t> written;
  for (const machine::CompiledOp& op : code.ops) {
    for (const ir::Effect& e : run::EffectsIn(op)) {
      const bool reads = e.kind == ir::EffectKind::kRead;
      if (!reads && e.kind != ir::EffectKind::kWrite) continue;
      const machine::CompiledOperand& operand = op.operands[e.operand];
      if (operand.kind != ir::OperandValue::Kind::kTile ||
          operand.fixed.tile.space != ir::Space::kGlobal)
        continue;
      const int32_t decl = operand.fixed.tile.decl;
      const std::string& name = code.kernel().decls[decl].name;
      if (undefined.count(name) == 0) continue;
      if (reads)
        out.read.insert(name);
      else
        written.insert(decl);
    }
  }
  for (int32_t decl : written) {
    if (stores_all(decl)) out.stored.insert(code.kernel().decls[decl].name);
  }
  return out;
}

std::vector<std::string> ReadsNotShown(
    const std::vector<UndefinedUse>& kernels) {
  std::vector<std::string> out;
  if (std::all_of(kernels.begin(), kernels.end(),
                  [](const UndefinedUse& k) { return k.every_cta_run; }))
    return out;
  std::set<std::string> stored, open;
  for (const UndefinedUse& k : kernels) {
    std::set_difference(k.read.begin(), k.read.end(), stored.begin(),
                        stored.end(), std::inserter(open, open.end()));
    stored.insert(k.stored.begin(), k.stored.end());
  }
  for (const std::string& tensor : open)
    out.push_back(ir::Cat("whether all that is read of `", tensor,
                          "`, which is undefined at first, was written "
                          "before, in grids that were not run"));
  return out;
}

}  // namespace tilesim::checkers::pipeline
