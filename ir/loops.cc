#include "ir/loops.h"

namespace tilesim::ir {

Loops::Loops(const Kernel& kernel) {
  Nest around;
  Walk(kernel.body, around);
}

void Loops::Walk(const Block& block, Nest& around) {
  for (const Stmt& s : block) {
    if (s.kind == Stmt::Kind::kDecl && !around.empty())
      decls_[s.decl_id] = around;
    const bool loop =
        s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    if (loop) around.push_back(&s);
    Walk(s.body, around);
    Walk(s.orelse, around);
    if (loop) around.pop_back();
  }
}

const Stmt* Loops::AroundDecl(int32_t decl) const {
  auto found = decls_.find(decl);
  return found == decls_.end() ? nullptr : found->second.back();
}

size_t Loops::DepthOfDecl(int32_t decl) const {
  auto found = decls_.find(decl);
  return found == decls_.end() ? 0 : found->second.size();
}

}  // namespace tilesim::ir
