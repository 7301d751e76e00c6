#include "checkers/pipeline/undefined.h"

#include <algorithm>

#include "checkers/grid/touches.h"
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
  out.kernel = code.kernel().name;
  const std::set<std::string> undefined = UndefinedIn(program);
  if (undefined.empty()) return out;
  std::set<int32_t> written;
  for (const machine::CompiledOp& op : code.ops) {
    const std::vector<grid::Touch> touches = grid::TouchesOf(code, op);
    for (const grid::Touch& t : touches) {
      const std::string& name = code.kernel().decls[t.decl].name;
      if (!undefined.contains(name)) continue;
      if (!t.write) out.read.insert(name);
      if (t.write && !grid::AddsTo(touches, t)) out.written.insert(name);
      if (t.write) written.insert(t.decl);
    }
  }
  for (int32_t decl : written) {
    const std::string& name = code.kernel().decls[decl].name;
    if (out.written.contains(name) && stores_all(decl)) out.stored.insert(name);
  }
  return out;
}

bool ReadsOwn(const UndefinedUse& use) {
  return std::any_of(
      use.read.begin(), use.read.end(),
      [&](const std::string& name) { return use.written.contains(name); });
}

ReadsNotShown ReadsNotShownOf(const std::vector<UndefinedUse>& kernels) {
  ReadsNotShown out;
  if (std::all_of(kernels.begin(), kernels.end(),
                  [](const UndefinedUse& k) { return k.every_cta_run; }))
    return out;
  // By kernels before: all of it, some of it.
  std::set<std::string> stored, begun, named;
  for (const UndefinedUse& k : kernels) {
    for (const std::string& tensor : k.read) {
      if (stored.contains(tensor)) continue;
      if (!k.written.contains(tensor) || begun.contains(tensor)) {
        out.open.push_back(ir::Cat(
            "it is not shown that all that `", k.kernel, "` reads of `", tensor,
            "`, which is undefined at first, is written before it, in grids "
            "that were not run"));
      } else if (named.insert(tensor).second) {
        out.not_judged.push_back(ir::Cat(
            "whether all that is read of `", tensor,
            "`, which is undefined at first, was written before, in grids "
            "that were not run"));
      }
    }
    stored.insert(k.stored.begin(), k.stored.end());
    begun.insert(k.written.begin(), k.written.end());
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
