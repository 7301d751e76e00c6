// Expressions and names of the text as C++. A name that the function at hand
// does not define becomes a parameter of it (frame.h); constants and offsets
// are remembered, so that they are defined in front (constants.h).
#ifndef TILESIM_HWTESTS_EMIT_EXPRESSION_PRINTER_H_
#define TILESIM_HWTESTS_EMIT_EXPRESSION_PRINTER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "hwtests/emit/frame.h"
#include "hwtests/emit/kernel_context.h"

namespace tilesim::hwtests {

class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(const KernelContext& context)
      : context_(context) {}

  // The function at hand (Within).
  Frame& frame() { return *frame_; }

  std::string Text(const ir::Expr& expr) { return Print(expr, 0); }
  // Fit to stand beside `*` or after a cast.
  std::string Factor(const ir::Expr& expr) { return Print(expr, 13); }
  // Fit to stand beside `+`.
  std::string Term(const ir::Expr& expr) { return Print(expr, 11); }
  // Fit to stand beside `<`.
  std::string Compared(const ir::Expr& expr) { return Print(expr, 10); }
  // A number that elements of that type are combined with: rounded to it, as
  // the operands of an instruction are.
  std::string FloatText(const ir::Expr& expr, ir::DType type = ir::DType::kF32);
  std::string ScalarText(int32_t slot);
  std::string ScalarType(int32_t slot) const;

  std::string Shared();                  // smem
  std::string Warp();                    // warp
  std::string Warpgroup();               // warp / 4
  std::string SharedName(int32_t decl);  // constexpr offset
  std::string RegName(int32_t decl);
  std::string GlobalName(int32_t decl);
  std::string MapName(int32_t map);
  std::string TmemName(int32_t pool);  // its address, from its slot
  void Use(Capture capture) { frame_->captures.insert(capture); }

  // What has been mentioned: slots, declarations.
  const std::set<int32_t>& constants() const { return constants_; }
  const std::set<int32_t>& offsets() const { return offsets_; }

 private:
  friend class Within;
  std::string Print(const ir::Expr& expr, int outer);
  std::string BinaryText(const ir::Expr& expr, int outer);
  std::string NameText(const ir::Expr& expr);
  std::string BuiltinText(ir::Builtin builtin);
  std::string CallText(const ir::Expr& expr);
  std::string BytesText(const ir::Expr& call);
  bool IsIn64Bits(const ir::Expr& expr) const;
  void UseScalar(int32_t slot);

  const KernelContext& context_;
  Frame* frame_ = nullptr;
  std::set<int32_t> constants_;
  std::set<int32_t> offsets_;
};

// As long as it lives, `frame` is the function at hand.
class Within {
 public:
  Within(ExpressionPrinter& print, Frame* frame)
      : print_(print), outer_(std::exchange(print.frame_, frame)) {}
  ~Within() { print_.frame_ = outer_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  ExpressionPrinter& print_;
  Frame* outer_;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_EXPRESSION_PRINTER_H_
