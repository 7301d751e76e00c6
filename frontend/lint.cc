#include "frontend/lint.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

struct TextName {
  std::string_view what;  // "let", "mbarrier"
  std::string name;
  ir::Span span;
  bool used = false;
};

// The names that are known at a statement, the innermost last.
class UnusedNames {
 public:
  explicit UnusedNames(std::vector<TextName>& unused) : unused_(unused) {}

  void Open() { blocks_.push_back(known_.size()); }
  void Close() {
    for (size_t i = blocks_.back(); i < known_.size(); ++i) {
      if (!known_[i].used) unused_.push_back(std::move(known_[i]));
    }
    known_.resize(blocks_.back());
    blocks_.pop_back();
  }
  void Declare(std::string_view what, const std::string& name, ir::Span span) {
    bool meant = name.empty() || name.front() == '_';
    known_.push_back({what, name, span, meant});
  }
  // A loop may count turns that need no number, a call return more than is
  // wanted.
  void DeclareUsed(const std::string& name) {
    known_.push_back({"", name, {}, true});
  }
  void Use(const std::string& name) {
    auto last = std::find_if(known_.rbegin(), known_.rend(),
                             [&](const TextName& n) { return n.name == name; });
    if (last != known_.rend()) last->used = true;
  }

 private:
  std::vector<TextName> known_;
  std::vector<size_t> blocks_;
  std::vector<TextName>& unused_;
};

// A value that is only ever assigned is not used.
void UseNames(const ir::Stmt& s, UnusedNames& names) {
  ir::NameFn use = [&](const std::string& name) { names.Use(name); };
  if (s.kind == ir::Stmt::Kind::kAssign) return ForEachName(s.value, use);
  ForEachName(s, use);
}

void Walk(const ir::Block& block, UnusedNames& names) {
  using Kind = ir::Stmt::Kind;
  for (const ir::Stmt& s : block) {
    UseNames(s, names);
    if (s.kind == Kind::kLet) names.Declare("let", s.name, s.span);
    if (s.kind == Kind::kVar) names.Declare("var", s.name, s.span);
    bool calls = s.call && s.call->how != ir::Call::Results::kAssign;
    for (const std::string& name :
         calls ? s.call->names : std::vector<std::string>())
      names.DeclareUsed(name);
    if (s.decl) names.Declare("reg", s.decl->name, s.decl->span);
    for (const ir::Block* inner : {&s.body, &s.orelse}) {
      names.Open();
      if (s.kind == Kind::kFor) names.DeclareUsed(s.name);
      Walk(*inner, names);
      names.Close();
    }
  }
}

// What the top level of a kernel declares, register tiles aside: those are
// statements.
void Declare(const ir::Kernel& kernel, UnusedNames& names) {
  for (const ir::Param& p : kernel.params)
    names.Declare("param", p.name, p.span);
  for (const ir::Constant& c : kernel.constants)
    names.Declare(c.is_let ? "let" : "const", c.name, c.span);
  for (const ir::Decl& d : kernel.decls) {
    if (d.space != ir::Space::kReg)
      names.Declare(ir::Name(d.space), d.name, d.span);
  }
}

// UnusedNames that a kernel does not declare itself are those of an earlier
// one.
void UseOfLater(const ir::Program& program, size_t kernel, UnusedNames& names) {
  for (size_t i = kernel + 1; i < program.kernels.size(); ++i)
    ForEachName(program.kernels[i],
                [&](const std::string& n) { names.Use(n); });
}

void UnusedOf(const ir::Program& program, size_t index, UnusedNames& names) {
  const ir::Kernel& kernel = program.kernels[index];
  names.Open();
  Declare(kernel, names);
  ir::Kernel head = kernel;
  head.body.clear();
  ForEachName(head, [&](const std::string& name) { names.Use(name); });
  for (const ir::Fn& fn : program.functions) {
    ForEachStmt(fn.body, [&](const ir::Stmt& s) { UseNames(s, names); });
  }
  UseOfLater(program, index, names);
  Walk(kernel.body, names);
  names.Close();
}

void Unused(const ir::Program& program, std::vector<TextName>& unused) {
  UnusedNames names(unused);
  for (const ir::Fn& fn : program.functions) {
    names.Open();
    Walk(fn.body, names);
    names.Close();
  }
  for (size_t i = 0; i < program.kernels.size(); ++i)
    UnusedOf(program, i, names);
}

// Every name in a statement of the program.
std::set<std::string> NamesInStatements(const ir::Program& program) {
  std::set<std::string> out;
  auto add = [&](const ir::Stmt& s) {
    ForEachName(s, [&](const std::string& name) { out.insert(name); });
  };
  for (const ir::Kernel& kernel : program.kernels)
    ForEachStmt(kernel.body, add);
  for (const ir::Fn& fn : program.functions) ForEachStmt(fn.body, add);
  return out;
}

void Unwritten(const ir::Program& program, ir::Diagnostics& diagnostics) {
  std::set<std::string> named = NamesInStatements(program);
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Computes& c : kernel.computes) {
      if (named.contains(c.target)) continue;
      diagnostics
          .Warning("lint/unwritten", c.span,
                   ir::Cat("no op writes `", c.target, "`"))
          .help = "store the result, or leave out what it computes";
    }
  }
}

}  // namespace

void Lint(const ir::Program& program, ir::Diagnostics& diagnostics) {
  std::vector<TextName> unused;
  Unused(program, unused);
  // Included functions see the top level of the kernel that calls them.
  bool all_seen = program.includes.empty();
  std::stable_sort(unused.begin(), unused.end(),
                   [](const TextName& a, const TextName& b) {
                     return std::pair(a.span.line, a.span.column) <
                            std::pair(b.span.line, b.span.column);
                   });
  for (const TextName& n : unused) {
    if (!all_seen && n.what != "reg" && n.what != "var") continue;
    diagnostics
        .Warning("lint/unused", n.span,
                 ir::Cat("nothing uses the ", n.what, " `", n.name, "`"))
        .help = "take it out, or begin its name with `_`";
  }
  if (all_seen) Unwritten(program, diagnostics);
}

void LintText(const ir::Source& source, ir::Diagnostics& diagnostics) {
  ir::Diagnostics told_before;
  if (auto program = ParseSyntax(source, told_before))
    Lint(*program, diagnostics);
}

}  // namespace tilesim::frontend
