// Ops: everything they look like comes from the op table.
#include <algorithm>
#include <utility>

#include "frontend/elsewhere.h"
#include "frontend/parser.h"
#include "frontend/ptx_order.h"
#include "frontend/suggest.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr uint16_t kTakesRef = ir::kTakesBarrier | ir::kTakesGlobal |
                               ir::kTakesShared | ir::kTakesTmem |
                               ir::kTakesReg | ir::kTakesPool;
constexpr uint16_t kTakesExpr = ir::kTakesInt | ir::kTakesFloat | ir::kTakesVar;

std::vector<std::string_view> KnownWords() {
  std::vector<std::string_view> words;
  for (const ir::OpInfo* info : ir::AllOps()) words.push_back(info->mnemonic);
  for (std::string_view w :
       {"let",       "var",        "for",      "while",   "if",     "break",
        "continue",  "reg",        "role",     "elect",   "warp",   "warps",
        "warpgroup", "warpgroups", "thread",   "threads", "lane",   "lanes",
        "param",     "const",      "requires", "global",  "shared", "mbarrier",
        "tmem",      "computes",   "grid",     "cluster", "block"}) {
    words.push_back(w);
  }
  return words;
}

// Ops that begin with the same words, for what is only a beginning; of what
// begins no op, those that its first words begin.
std::string OpsThatStartWith(std::string_view text) {
  constexpr size_t kLongest = 100;  // no op's name is longer
  if (text.size() > kLongest)
    text = text.substr(0, std::min(text.rfind('.', kLongest), kLongest));
  std::vector<std::string_view> out;
  while (out.empty() && !text.empty()) {
    std::string start = ir::Cat(text, ".");
    for (const ir::OpInfo* info : ir::AllOps()) {
      if (info->mnemonic.substr(0, start.size()) == start)
        out.push_back(info->mnemonic);
    }
    size_t dot = text.rfind('.');
    text = text.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return out.empty() ? "" : ir::Cat("there are ", Alternatives(out));
}

// "`atom.cas.relaxed.gpu` here", of how PTX writes it.
std::string AsInPtx(std::string_view name) {
  std::string op = OpOfPtx(name);
  return op.empty() ? "" : ir::Cat("`", op, "` here");
}

ir::Span Part(const Token& name, std::string_view part) {
  ir::Span span = name.span;
  span.column += static_cast<int32_t>(part.data() - name.text.data());
  span.length = static_cast<int32_t>(part.size());
  return span;
}

std::string_view OperandKind(const ir::OperandSpec& spec) {
  if (spec.types & ir::kTakesBarrier) return "an mbarrier";
  if (spec.types & kTakesRef) return "a tile";
  if (spec.types & ir::kTakesVar) return "a var";
  return "a number";
}

}  // namespace

// The longest prefix, ending at a dot, that is a mnemonic; the rest are
// modifiers.
const ir::OpInfo* Parser::Mnemonic(const Token& name, std::string_view* rest) {
  // One character more than any mnemonic, so that no word is cut into one.
  constexpr size_t kLongest = 80;
  std::string_view prefix = name.text.substr(0, kLongest + 1);
  if (prefix.size() > kLongest) prefix = prefix.substr(0, prefix.rfind('.'));
  while (true) {
    if (const ir::OpInfo* info = ir::OpNamed(prefix)) {
      *rest = name.text.substr(prefix.size());
      return info;
    }
    size_t dot = prefix.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    prefix = prefix.substr(0, dot);
  }
}

// A word without a dot may have been meant to begin a statement or to declare
// something.
bool Parser::OpStmt() {
  bool surely = cur_.dotted || ir::OpNamed(cur_.text) != nullptr;
  size_t before = diagnostics_.errors();
  bool ok = WholeOp();
  if (surely) op_errors_ += diagnostics_.errors() - before;
  return ok;
}

bool Parser::WholeOp() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kOp);
  Token name = cur_;
  std::string_view rest;
  const ir::OpInfo* info = Mnemonic(name, &rest);
  if (info == nullptr) {
    ir::Diagnostic& d = Error("name/op", name.span,
                              ir::Cat("there is no op ", Quoted(name.text)));
    if (name.text == "fn")
      d.help = "functions stand before the first kernel, not in one";
    if (d.help.empty()) d.help = CalledHere(name.text);
    // `acc += bias`
    if (d.help.empty() && next_.is("+"))
      d.help = ir::Cat("of tiles: `add ", name.text, ", ", name.text,
                       ", OTHER` here; of a var: `", name.text, " = ",
                       name.text, " + OTHER`");
    if (d.help.empty()) d.help = AsInPtx(name.text);
    if (d.help.empty()) d.help = DidYouMean(name.text, KnownWords());
    if (d.help.empty()) d.help = OpsThatStartWith(name.text);
    return false;
  }
  ir::Op& op = s.op.emplace();
  op.info = info;
  op.mods.resize(info->mods.size());
  op.operands.resize(info->operands.size());
  Spend(static_cast<int64_t>(info->operands.size()) * 4);
  Advance();
  if (!Modifiers(name, rest, &op) || !Operands(&op)) return false;
  op.span = s.span = SpanFrom(name);
  if (!AllThere(op)) return false;
  if (!AtEndOfStatement()) return Expected("the end of the statement");
  Push(std::move(s));
  return true;
}

bool Parser::Modifiers(const Token& name, std::string_view rest, ir::Op* op) {
  uint64_t seen = 0;
  while (!rest.empty()) {
    // Past the separator; a stray `::` is part of what is unknown.
    rest.remove_prefix(rest[0] == '.' ? 1 : 0);
    std::string_view word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(word.size());
    if (!Modifier(name, word, op, &seen)) return false;
  }
  return true;
}

bool Parser::Modifier(const Token& name, std::string_view word, ir::Op* op,
                      uint64_t* seen) {
  std::vector<std::string_view> known;
  for (size_t m = 0; m < op->info->mods.size(); ++m) {
    const ir::ModSpec& mod = op->info->mods[m];
    for (size_t c = 0; c < mod.choices.size(); ++c) {
      if (!mod.choices[c].empty()) known.push_back(mod.choices[c]);
      if (mod.choices[c] != word || word.empty()) continue;
      if (*seen >> m & 1) {
        Error("name/modifier", Part(name, word),
              ir::Cat("`.", word, "` is a second choice of ", mod.name));
        return false;
      }
      *seen |= uint64_t{1} << m;
      op->mods[m] = static_cast<uint8_t>(c);
      return true;
    }
  }
  ir::Diagnostic& d =
      Error("name/modifier", Part(name, word),
            ir::Cat("`", op->info->mnemonic, "` has no modifier ",
                    Quoted(ir::Cat(".", word))));
  d.help = CalledHere(name.text);
  if (d.help.empty()) d.help = AsInPtx(name.text);
  if (d.help.empty()) d.help = DidYouMean(word, known);
  if (d.help.empty() && !known.empty())
    d.help = ir::Cat("it has ", Alternatives(known));
  if (d.help.empty()) d.help = OpsThatStartWith(op->info->mnemonic);
  return false;
}

bool Parser::Operands(ir::Op* op) {
  size_t next = 0;
  if (AtEndOfStatement()) return true;
  do {
    bool keyword = cur_.kind == TokenKind::kName && next_.is("=");
    bool ok = keyword ? KeywordOperand(op) : PositionalOperand(op, &next);
    if (!ok) return false;
  } while (Accept(","));
  return AtEndOfStatement() || Expected("`,` or the end of the statement");
}

bool Parser::KeywordOperand(ir::Op* op) {
  std::vector<std::string_view> known;
  for (size_t i = 0; i < op->info->operands.size(); ++i) {
    const ir::OperandSpec& spec = op->info->operands[i];
    if (!spec.keyword) continue;
    known.push_back(spec.name);
    if (spec.name != cur_.text) continue;
    if (op->has(i)) {
      Error("syntax/duplicate", cur_.span,
            ir::Cat("`", spec.name, "` is given twice"));
      return false;
    }
    Advance();
    Advance();
    return OperandValue(spec, &op->operands[i]);
  }
  ir::Diagnostic& d =
      Error("name/operand", cur_.span,
            ir::Cat("`", op->info->mnemonic, "` has no operand called ",
                    Quoted(cur_.text)));
  d.help = DidYouMean(cur_.text, known);
  if (d.help.empty() && !known.empty())
    d.help = ir::Cat("it has ", Alternatives(known));
  return false;
}

bool Parser::PositionalOperand(ir::Op* op, size_t* next) {
  std::string_view keyword;
  for (; *next < op->info->operands.size(); ++*next) {
    const ir::OperandSpec& spec = op->info->operands[*next];
    if (!spec.keyword) return OperandValue(spec, &op->operands[(*next)++]);
    if (keyword.empty() && !op->has(*next)) keyword = spec.name;
  }
  auto positional =
      std::count_if(op->info->operands.begin(), op->info->operands.end(),
                    [](const ir::OperandSpec& s) { return !s.keyword; });
  ir::Diagnostic& d =
      Error("syntax/operands", cur_.span,
            ir::Cat("`", op->info->mnemonic, "` takes ",
                    positional == 0 ? "no operands" : ir::Cat(positional),
                    positional == 0   ? ""
                    : positional == 1 ? " operand"
                                      : " operands",
                    "; ", Describe(cur_), " is one more"));
  if (!keyword.empty()) d.help = ir::Cat("write `", keyword, " = ...`");
  return false;
}

// Where both a tile and a number are possible, a name alone is taken as a
// tile; name resolution corrects that for scalars.
bool Parser::OperandValue(const ir::OperandSpec& spec, ir::Operand* out) {
  Token first = cur_;
  bool name = cur_.kind == TokenKind::kName && !cur_.dotted;
  bool ref = (spec.types & kTakesRef) != 0;
  if (ref && (spec.types & kTakesExpr) != 0) {
    bool alone = next_.kind == TokenKind::kNewline ||
                 next_.kind == TokenKind::kEnd || next_.is(",") ||
                 next_.is(";") || next_.is("}");
    bool subscripted = next_.is("[") || next_.is("@");
    bool transposed = At("transpose") && next_.is("(");
    ref = name && (alone || subscripted || transposed);
  }
  bool ok;
  if (ref) {
    if (!name || IsKeyword(cur_.text))
      return Expected(ir::Cat(OperandKind(spec), " for `", spec.name, "`"));
    out->kind = ir::Operand::Kind::kRef;
    ok = Reference(&out->ref);
  } else {
    out->kind = ir::Operand::Kind::kExpr;
    ok = Expr(&out->expr);
  }
  out->span = SpanFrom(first);
  return ok;
}

// NAME [subs]* [@ cta e], transpose(ref)
bool Parser::Reference(ir::Ref* out) {
  Token first = cur_;
  if (At("transpose") && next_.is("(")) {
    Advance();
    Advance();
    if (cur_.kind != TokenKind::kName || cur_.dotted || IsKeyword(cur_.text))
      return Expected("a tile");
    out->transposed = true;
  }
  out->name = std::string(cur_.text);
  Advance();
  if (!Subscripts(out)) return false;
  if (Accept("@")) {
    if (!Accept("cta")) return Expected("`cta` and a cluster rank");
    if (!Expr(&out->cta.emplace_back())) return false;
  }
  if (out->transposed && !Expect(")", "the tile")) return false;
  out->span = SpanFrom(first);
  return true;
}

bool Parser::Subscripts(ir::Ref* out) {
  while (Accept("[")) {
    std::vector<ir::Subscript>& group = out->groups.emplace_back();
    do {
      Spend(3);
      if (!OneSubscript(&group.emplace_back())) return false;
    } while (Accept(","));
    if (!Accept("]"))
      return Expected("`,`, `:+` or `]`",
                      At(":") ? "a box is `START :+ EXTENT`, and `:` all" : "");
  }
  return true;
}

bool Parser::OneSubscript(ir::Subscript* out) {
  if (Accept(":")) {
    out->kind = ir::Subscript::Kind::kAll;
    return true;
  }
  if (!Expr(&out->start)) return false;
  if (!Accept(":+")) return true;
  out->kind = ir::Subscript::Kind::kSlice;
  return Expr(&out->extent);
}

bool Parser::AllThere(const ir::Op& op) {
  std::vector<std::string_view> missing;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::OperandSpec& spec = op.info->operands[i];
    if (!spec.optional && !op.has(i)) missing.push_back(spec.name);
  }
  if (missing.empty()) return true;
  std::string names;
  for (std::string_view name : missing)
    ir::Append(&names, names.empty() ? "`" : ", `", name, "`");
  const ir::OperandSpec& spec = *std::find_if(
      op.info->operands.begin(), op.info->operands.end(),
      [&](const ir::OperandSpec& s) { return s.name == missing[0]; });
  ir::Diagnostic& d =
      Error("syntax/missing", op.span,
            ir::Cat("`", op.info->mnemonic, "` is given no ", names));
  d.help =
      ir::Cat("`", spec.name, spec.keyword ? " = ...`" : "`", ": ", spec.doc);
  return false;
}

}  // namespace tilesim::frontend
