// The names of a kernel that are known at one point of its text, and the
// resolution of expressions against them.
#ifndef TILESIM_FRONTEND_SYMBOLS_H_
#define TILESIM_FRONTEND_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/eval.h"
#include "ir/program.h"

namespace tilesim::frontend {

// When a value is known. Larger: later.
enum class Known : uint8_t {
  kAlways,  // from constants alone
  kLaunch,  // once parameters have values
  kRun,     // only while running
};

struct Symbol {
  ir::NameKind kind = ir::NameKind::kUnresolved;  // kUnresolved: a declaration
  Known known = Known::kRun;
  bool is_float = false;
  int32_t slot = -1;  // of a scalar
  int32_t decl = -1;  // of a declaration
  ir::Space space = ir::Space::kGlobal;
  ir::Span span;

  bool is_decl() const { return kind == ir::NameKind::kUnresolved; }
};

// "a global tensor", "a param": what a message calls it.
std::string_view Noun(const Symbol& symbol);

class Symbols {
 public:
  explicit Symbols(ir::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // Reports a name that is already known (name/duplicate).
  void Declare(const std::string& name, Symbol symbol);
  // Names declared between Enter and Leave end at Leave.
  void Enter() { marks_.push_back(order_.size()); }
  void Leave();
  const Symbol* Find(std::string_view name) const;
  // Reports an unknown name with what it may have been meant to be.
  // `otherwise`: the help if no known name is like it.
  void Unknown(std::string_view name, ir::Span span,
               std::string otherwise = "");
  // Names of the top level, to tell unknown names from those known later.
  void Announce(const std::string& name, ir::Span span) {
    announced_.emplace(name, span);
  }

 private:
  ir::Diagnostics& diagnostics_;
  std::map<std::string, Symbol, std::less<>> table_;
  std::map<std::string, ir::Span, std::less<>> announced_;
  std::vector<std::string> order_;
  std::vector<size_t> marks_;
};

struct ExprType {
  Known known = Known::kAlways;
  bool is_float = false;
  bool ok = true;  // false: already reported
};

// Resolves the names of expressions and finds what they are.
class ExprChecker {
 public:
  ExprChecker(const Symbols& symbols, Symbols& reporter,
              ir::Diagnostics& diagnostics)
      : symbols_(symbols), reporter_(reporter), diagnostics_(diagnostics) {}

  ExprType Check(ir::Expr& e);
  // An integer known at `limit` or before; reports otherwise.
  bool Int(ir::Expr& e, Known limit);
  // An integer or a float, known at `limit` or before.
  bool Number(ir::Expr& e, Known limit);

 private:
  ExprType Name(ir::Expr& e);
  ExprType Builtin(ir::Expr& e);
  ExprType Operator(ir::Expr& e);
  ExprType Call(ir::Expr& e);
  bool InTime(const ir::Expr& e, ExprType type, Known limit);

  const Symbols& symbols_;
  Symbols& reporter_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_SYMBOLS_H_
