#include "ir/loops.h"

namespace tilesim::ir {

Loops::Loops(const Kernel& kernel) {
  Nest around;
  Walk(kernel.body, around);
}

void Loops::Walk(const Block& block, Nest& around) {
  for (const Stmt& s : block) {
    if (s.kind == Stmt::Kind::kDecl && !around.empty())
      decls_[s.decl_id] = around.back();
    if (s.op) ops_[&*s.op] = around;
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
  return found == decls_.end() ? nullptr : found->second;
}

const Stmt* Loops::AroundBoth(const Op& a, const Op& b) const {
  const Nest &x = ops_.at(&a), &y = ops_.at(&b);
  const Stmt* out = nullptr;
  for (size_t i = 0; i < x.size() && i < y.size() && x[i] == y[i]; ++i)
    out = x[i];
  return out;
}

}  // namespace tilesim::ir
