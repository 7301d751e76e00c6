// The layout of programs: lines, indentation, comments. The text of what
// stands on a line is in print_parts.cc.
#include "ir/printer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/cat.h"
#include "ir/print_parts.h"

namespace tilesim::ir {
namespace {

constexpr int kIndent = 2;
constexpr int kContinuation = 4;

// How tightly what stands before the space at `i` holds the line together, if
// a line may be broken there: commas least, `=` most, operators as they bind.
// `:+` and what does not join lines (frontend/language.md, "Text"): nullopt.
std::optional<int> Tightness(std::string_view text, size_t i) {
  if (i > 0 && text[i - 1] == ',') return 0;
  size_t start = text.rfind(' ', i - 1) + 1;
  std::string_view word = text.substr(start, i - start);
  if (word == "?") return 1;
  if (word == "=") return 100;
  for (const OpSpelling& op : kBinaryOps) {
    if (op.text == word) return op.precedence;
  }
  return std::nullopt;
}

// Where to break a line that has `room`: at a space outside of all brackets
// sooner than inside, at a loose joint sooner than at a tight one, and as late
// as fits; if nothing fits, at the first space beyond.
size_t BreakAt(std::string_view text, size_t room) {
  size_t best = std::string::npos;
  std::pair<int, int> least;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    std::optional<int> tightness = c == ' ' ? Tightness(text, i) : std::nullopt;
    if (!tightness) continue;
    if (i > room) return best == std::string::npos ? i : best;
    std::pair<int, int> cost = {depth, *tightness};
    if (best != std::string::npos && cost > least) continue;
    best = i;
    least = cost;
  }
  return best;
}

class Printer {
 public:
  explicit Printer(size_t columns) : columns_(columns) {}

  std::string Run(const Program& program) {
    for (const Include& i : program.includes)
      Leaf(i.comments, Cat("include \"", i.path, "\""));
    for (const Fn& f : program.functions) {
      Blank();
      PrintFunction(f);
    }
    for (const Kernel& kernel : program.kernels) {
      Blank();
      PrintKernel(kernel);
    }
    Lines(program.comments.end);
    TrimBlanks();
    return std::move(out_);
  }

 private:
  // --- lines ---------------------------------------------------------------

  void Line(std::string_view text, const std::string& comment = "") {
    std::string indent(depth_ * kIndent, ' ');
    std::string rest(text);
    while (indent.size() + rest.size() > columns_) {
      size_t cut = BreakAt(rest, columns_ - std::min(columns_, indent.size()));
      if (cut == std::string::npos) break;
      Append(&out_, indent, rest.substr(0, cut), "\n");
      rest.erase(0, cut + 1);
      indent.assign(depth_ * kIndent + kContinuation, ' ');
    }
    Append(&out_, indent, rest, comment.empty() ? "" : "  ", comment, "\n");
  }

  void Blank() {
    bool needed = !out_.empty() && out_.back() == '\n' &&
                  (out_.size() < 2 || out_[out_.size() - 2] != '\n');
    if (needed && !after_brace_) out_ += '\n';
  }

  // Comments and blank lines above something.
  void Lines(const std::vector<std::string>& comments) {
    for (const std::string& c : comments) {
      if (c.empty()) {
        Blank();
      } else {
        // Never broken: the rest of a comment would be no comment.
        Append(&out_, std::string(depth_ * kIndent, ' '), c, "\n");
        after_brace_ = false;
      }
    }
  }

  // No blank line before a closing brace or at the end of the file.
  void TrimBlanks() {
    while (out_.size() >= 2 && out_[out_.size() - 1] == '\n' &&
           out_[out_.size() - 2] == '\n') {
      out_.pop_back();
    }
  }

  void Leaf(const Comments& comments, std::string_view text) {
    Lines(comments.above);
    Line(text, comments.after);
    after_brace_ = false;
  }

  void Open(std::string_view text, const std::string& comment) {
    Line(text, comment);
    ++depth_;
    after_brace_ = true;
  }

  // `rest` follows the brace: " else {", or nothing.
  void Close(const std::vector<std::string>& comments, std::string_view rest,
             const std::string& after) {
    Lines(comments);
    TrimBlanks();
    --depth_;
    Line(Cat("}", rest), after);
    after_brace_ = false;
  }

  void PrintFunction(const Fn& f) {
    Lines(f.comments.above);
    after_brace_ = false;
    Open(Cat(HeadOf(f), " {"), f.comments.open);
    PrintBlock(f.body);
    Close(f.comments.end, "", f.comments.after);
  }

  // --- kernels -------------------------------------------------------------

  void PrintKernel(const Kernel& kernel) {
    Lines(kernel.comments.above);
    after_brace_ = false;
    Open(Cat("kernel ", kernel.name, " target ", Name(kernel.target),
             kernel.programmatic ? " programmatic" : "", " {"),
         kernel.comments.open);
    kernel_ = &kernel;
    for (const Item& item :
         kernel.items.empty() ? DefaultItems(kernel) : kernel.items) {
      PrintItem(item);
    }
    Close(kernel.comments.end, "", kernel.comments.after);
  }

  // Sizes, memory, result, launch, statements.
  static std::vector<Item> DefaultItems(const Kernel& kernel) {
    std::vector<Item> items;
    auto add = [&](Item::Kind kind, size_t n) {
      for (size_t i = 0; i < n; ++i)
        items.push_back({kind, static_cast<int32_t>(i), 1, {}});
    };
    add(Item::Kind::kParam, kernel.params.size());
    add(Item::Kind::kConstants, kernel.constants.size());
    add(Item::Kind::kRequires, kernel.requirements.size());
    for (size_t i = 0; i < kernel.decls.size(); ++i) {
      if (kernel.decls[i].space != Space::kReg)
        items.push_back({Item::Kind::kDecls, static_cast<int32_t>(i), 1, {}});
    }
    add(Item::Kind::kComputes, kernel.computes.size());
    add(Item::Kind::kGrid, kernel.grid.empty() ? 0 : 1);
    add(Item::Kind::kCluster, kernel.cluster.empty() ? 0 : 1);
    add(Item::Kind::kBlock, 1);
    add(Item::Kind::kStmt, kernel.body.size());
    return items;
  }

  void PrintItem(const Item& item) {
    if (item.kind == Item::Kind::kStmt)
      return PrintStmt(kernel_->body, item.first);
    Leaf(item.comments, ItemText(*kernel_, item));
  }

  // --- statements ----------------------------------------------------------

  void PrintBlock(const Block& block) {
    for (size_t i = 0; i < block.size(); ++i) PrintStmt(block, i);
  }

  // The declaration at `i` and those that share its line.
  void PrintDecl(const Block& block, size_t i) {
    std::vector<const Decl*> decls = {&*block[i].decl};
    size_t last = i;
    while (last + 1 < block.size() && block[last + 1].joined)
      decls.push_back(&*block[++last].decl);
    Lines(block[i].comments.above);
    Line(ToString(decls), block[last].comments.after);
    after_brace_ = false;
  }

  void PrintStmt(const Block& block, size_t i) {
    const Stmt& s = block[i];
    if (s.joined) return;
    if (s.kind == Stmt::Kind::kDecl) return PrintDecl(block, i);
    if (s.kind == Stmt::Kind::kIf) {
      Lines(s.comments.above);
      return PrintIf(s, "", s.comments.after);
    }
    std::string text = StmtText(s);
    if (!HasBody(s)) return Leaf(s.comments, text);
    Lines(s.comments.above);
    Open(Cat(text, " {"), s.comments.open);
    PrintBlock(s.body);
    Close(s.comments.end, "", s.comments.after);
  }

  // An if alone in an else block without comments is an `else if`.
  static bool IsElseIf(const Stmt& s) {
    return s.orelse.size() == 1 && s.orelse[0].kind == Stmt::Kind::kIf &&
           s.orelse[0].comments.above.empty() && s.comments.else_open.empty() &&
           s.comments.else_end.empty();
  }

  void PrintIf(const Stmt& s, std::string_view before,
               const std::string& after) {
    std::string head = Cat(StmtText(s), " {");
    if (before.empty()) {
      Open(head, s.comments.open);
    } else {
      ++depth_;
      after_brace_ = true;
    }
    PrintBlock(s.body);
    if (s.orelse.empty()) return Close(s.comments.end, "", after);
    if (IsElseIf(s)) {
      const Stmt& inner = s.orelse[0];
      Close(s.comments.end, Cat(" else ", StmtText(inner), " {"),
            inner.comments.open);
      return PrintIf(inner, "else", after);
    }
    Close(s.comments.end, " else {", s.comments.else_open);
    ++depth_;
    after_brace_ = true;
    PrintBlock(s.orelse);
    Close(s.comments.else_end, "", after);
  }

  size_t columns_;
  std::string out_;
  const Kernel* kernel_ = nullptr;
  int depth_ = 0;
  bool after_brace_ = false;  // a blank line would open a block
};

}  // namespace

std::string Print(const Program& program, size_t columns) {
  return Printer(columns).Run(program);
}

}  // namespace tilesim::ir
