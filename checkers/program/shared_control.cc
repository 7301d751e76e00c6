#include "checkers/program/shared_control.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::checkers::program {
namespace {

bool Names(const ir::Kernel& kernel, const std::string& tensor) {
  return std::any_of(kernel.decls.begin(), kernel.decls.end(),
                     [&](const ir::Decl& d) { return d.name == tensor; });
}

}  // namespace

std::vector<std::string> SharedControlOf(const ir::Program& program,
                                         const machine::Code& code) {
  std::vector<std::string> out;
  for (size_t i = 0; i < code.control_decl.size(); ++i) {
    const std::string& name = code.kernel().decls[i].name;
    bool global = code.bound.decls[i].space == ir::Space::kGlobal;
    if (!code.control_decl[i] || !global) continue;
    bool shared =
        std::any_of(program.kernels.begin(), program.kernels.end(),
                    [&](const ir::Kernel& k) {
                      return k.name != code.kernel().name && Names(k, name);
                    });
    if (shared) out.push_back(name);
  }
  return out;
}

void SharedControl::OnCluster(const ClusterRun& run, Conclusions out) {
  for (const std::string& name : SharedControlOf(program_, run.code))
    out.open.Add(ir::Cat("control may depend on values of `", name,
                         "`, which another kernel writes"));
}

}  // namespace tilesim::checkers::program
