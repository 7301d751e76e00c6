#include <utility>

#include "ir/cat.h"
#include "ptx/text/parser.h"

namespace tilesim::ptx {
namespace {

constexpr int kMaxConstantDepth = 64;

// Constants of the PTX manual's section on constant expressions are computed
// here, in 64 bits, and kept as a number.
void SetBits(uint64_t bits, Number* out) {
  *out = {};
  out->bits = bits;
  out->negative = static_cast<int64_t>(bits) < 0;
  out->text = ir::Cat(out->negative ? 0 - bits : bits);
}

}  // namespace

bool Parser::Operands(Instruction* i) {
  if (At(";")) return true;
  // A missing `;` is told of as such. (nvcc writes calls on several lines.)
  if (cur_.first_on_line && !i->opcode.starts_with("call") && !At("{") &&
      !At("[") && !At("%")) {
    if (AtKind(Token::Kind::kName) || AtKind(Token::Kind::kDot) || At("@") ||
        At("}"))
      return true;
  }
  do {
    i->operands.emplace_back();
    if (!OperandOf(&i->operands.back())) return false;
  } while (Accept(","));
  return true;
}

// p|q, or one of its sides.
bool Parser::OperandOf(Operand* out) {
  ir::Span span = cur_.span;
  if (!Single(out)) return false;
  if (Accept("|")) {
    Operand pair;
    pair.kind = Operand::Kind::kPair;
    pair.parts.resize(2);
    pair.parts[0] = std::move(*out);
    if (!Single(&pair.parts[1])) return false;
    *out = std::move(pair);
  }
  out->span = span;
  return true;
}

bool Parser::Single(Operand* out) {
  out->span = cur_.span;
  if (Accept("{")) return Bracketed(out, "}", Operand::Kind::kVector);
  if (Accept("(")) return Bracketed(out, ")", Operand::Kind::kList);
  if (Accept("[")) return AddressOf(out);
  if (Accept("!")) {
    out->negated = true;
    return Name("a predicate after `!`", &out->name);
  }
  if (AtKind(Token::Kind::kName)) return NameOperand(out);
  if (!AtKind(Token::Kind::kNumber) && !At("-") && !At("+") && !At("~"))
    return Expected("an operand");
  out->kind = Operand::Kind::kNumber;
  return Sum(&out->number);
}

bool Parser::NameOperand(Operand* out) {
  out->name = cur_.text;
  Advance();
  if (!Accept("[")) return Offset(out);
  out->kind = Operand::Kind::kElement;
  return Sum(&out->number) && Expect("]", "the index");
}

// What may stand in vectors and lists holds neither.
bool Parser::Bracketed(Operand* out, std::string_view close,
                       Operand::Kind kind) {
  out->kind = kind;
  while (!At(close)) {
    Operand& part = out->parts.emplace_back();
    if (At("{") || At("(") || At("["))
      return Expected(ir::Cat("a register or constant before `", close, "`"));
    if (!Single(&part)) return false;
    if (!Accept(",") && !At(close))
      return Expected(ir::Cat("`,` or `", close, "` after an operand"));
  }
  Advance();
  return true;
}

// The base, then coordinates or what else the instruction puts there.
bool Parser::AddressOf(Operand* out) {
  out->kind = Operand::Kind::kAddress;
  do {
    Operand& part = out->parts.emplace_back();
    if (At("[") || At("(")) return Expected("an address");
    if (!Single(&part)) return false;
  } while (Accept(","));
  return Expect("]", "the address");
}

// +4, -4, +-4: what is added to a name.
bool Parser::Offset(Operand* out) {
  if (!At("+") && !At("-")) return true;
  bool negative = At("-");
  Advance();
  out->has_offset = true;
  if (!Constant(&out->number)) return false;
  if (!negative) return true;
  out->number.negative = !out->number.negative;
  out->number.bits = 0 - out->number.bits;
  return true;
}

// A number with its sign, or what a constant expression comes to.
bool Parser::Constant(Number* out) {
  bool negative = false;
  while (At("-") || At("+")) {
    negative ^= At("-");
    Advance();
  }
  if (!ConstantPrimary(out)) return false;
  if (!negative) return true;
  out->negative = !out->negative;
  switch (out->kind) {
    case Number::Kind::kInteger:
      out->bits = 0 - out->bits;
      break;
    case Number::Kind::kF32:
      out->bits ^= uint64_t{1} << 31;
      break;
    case Number::Kind::kF64:
      out->bits ^= uint64_t{1} << 63;
      break;
  }
  return true;
}

bool Parser::ConstantPrimary(Number* out) {
  if (At("(") || At("~")) {
    if (depth_ >= kMaxConstantDepth) {
      Error("syntax/too-deep", cur_.span, "a constant nested too deep");
      return false;
    }
    ++depth_;
    bool good = Nested(out);
    --depth_;
    return good;
  }
  if (!AtKind(Token::Kind::kNumber)) return Expected("a constant");
  std::optional<Number> n = ReadNumber(cur_.text);
  if (!n) {
    Error("syntax/number", cur_.span,
          ir::Cat(Describe(cur_), " is no number, or beyond 64 bits"))
        .help = "numbers are 10, 0x1f, 017, 0b11, 10U, 0f3f800000, 1.5";
    return false;
  }
  *out = *std::move(n);
  Advance();
  return true;
}

// ~constant, (constant)
bool Parser::Nested(Number* out) {
  if (Accept("~")) {
    if (!ConstantPrimary(out)) return false;
    SetBits(~out->bits, out);
    return true;
  }
  Advance();
  if (!Sum(out) || !Expect(")", "the constant")) return false;
  SetBits(out->bits, out);
  return true;
}

bool Parser::Product(Number* out) {
  if (!Constant(out)) return false;
  while (At("*")) {
    Advance();
    Number right;
    if (!Constant(&right)) return false;
    SetBits(out->bits * right.bits, out);
  }
  return true;
}

bool Parser::Sum(Number* out) {
  if (!Product(out)) return false;
  while (At("+") || At("-")) {
    bool minus = At("-");
    Advance();
    Number right;
    if (!Product(&right)) return false;
    SetBits(minus ? out->bits - right.bits : out->bits + right.bits, out);
  }
  return true;
}

}  // namespace tilesim::ptx
