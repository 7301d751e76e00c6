// One copy of a function's statements, for one call.
#ifndef TILESIM_FRONTEND_INSTANCE_H_
#define TILESIM_FRONTEND_INSTANCE_H_

#include <cstdint>
#include <map>
#include <string>

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Nodes of a tree, and how high it is.
int64_t SizeOf(const ir::Expr& e);
int HeightOf(const ir::Expr& e);

// Rewrites what it is given: spans become those of `place`, names what the call
// makes of them. Everything else stays.
class Instance {
 public:
  explicit Instance(ir::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  int32_t place = 0;
  std::map<std::string, std::string> renamed;  // what the function declares
  std::map<std::string, ir::Expr> numbers;     // parameters, and what they are
  std::map<std::string, ir::Ref> tiles;

  void Rewrite(ir::Expr& e) const;
  void Rewrite(ir::Stmt& s) const;
  void Rewrite(ir::Operand& o) const;

  // What was made so far, in nodes.
  int64_t nodes() const { return nodes_; }

 private:
  void Rewrite(ir::Ref& r) const;
  void Rename(std::string& name) const;
  void BytesOf(ir::Expr& e) const;
  void PutBox(const ir::Ref& of, ir::Ref& r) const;
  ir::Span Here(ir::Span span) const {
    return span.line > 0 ? span.In(place) : span;
  }

  ir::Diagnostics& diagnostics_;
  mutable int64_t nodes_ = 0;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_INSTANCE_H_
