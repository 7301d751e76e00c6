// The loops of a kernel's text around declarations.
#ifndef TILESIM_IR_LOOPS_H_
#define TILESIM_IR_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/program.h"

namespace tilesim::ir {

class Loops {
 public:
  explicit Loops(const Kernel& kernel);

  // The innermost one in which the tile is declared: it begins anew in each of
  // its iterations. Null: none.
  const Stmt* AroundDecl(int32_t decl) const;
  // How many there are around that.
  size_t DepthOfDecl(int32_t decl) const;

 private:
  using Nest = std::vector<const Stmt*>;  // the outermost first

  void Walk(const Block& block, Nest& around);

  std::map<int32_t, Nest> decls_;
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_LOOPS_H_
