#include "frontend/import.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

using Names = std::set<std::string, std::less<>>;

Names Declared(const ir::Kernel& kernel) {
  Names names;
  for (const ir::Param& p : kernel.params) names.insert(p.name);
  for (const ir::Constant& c : kernel.constants) names.insert(c.name);
  for (const ir::Decl& d : kernel.decls) names.insert(d.name);
  ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    bool declares = s.kind == ir::Stmt::Kind::kLet ||
                    s.kind == ir::Stmt::Kind::kVar ||
                    s.kind == ir::Stmt::Kind::kFor;
    if (declares) names.insert(s.name);
  });
  return names;
}

// Declarations of the top level by name. The first of a name counts.
struct Index {
  std::map<std::string_view, const ir::Param*> params;
  std::map<std::string_view, const ir::Constant*> constants;
  std::map<std::string_view, const ir::Decl*> globals;

  explicit Index(const ir::Kernel& kernel) {
    for (const ir::Param& p : kernel.params) params.emplace(p.name, &p);
    for (const ir::Constant& c : kernel.constants)
      constants.emplace(c.name, &c);
    for (const ir::Decl& d : kernel.decls) {
      if (d.space == ir::Space::kGlobal) globals.emplace(d.name, &d);
    }
  }
};

template <typename T>
const T* Find(const std::map<std::string_view, const T*>& map,
              std::string_view name) {
  auto it = map.find(name);
  return it == map.end() ? nullptr : it->second;
}

// All names of `earlier` that are needed: the wanted ones and what those
// depend on.
void AddDependencies(const Index& earlier, Names& wanted) {
  std::vector<std::string> work(wanted.begin(), wanted.end());
  ir::NameFn add = [&](const std::string& name) {
    if (wanted.insert(name).second) work.push_back(name);
  };
  while (!work.empty()) {
    std::string name = std::move(work.back());
    work.pop_back();
    if (const auto* p = Find(earlier.params, name)) ForEachName(*p, add);
    if (const auto* c = Find(earlier.constants, name)) ForEachName(*c, add);
    if (const auto* d = Find(earlier.globals, name)) ForEachName(*d, add);
  }
}

// In front of `own`, so that they are declared before they are used.
template <typename T>
int32_t Prepend(const std::vector<T>& earlier, const Names& wanted,
                Names& declared, std::vector<T>& own) {
  std::vector<T> imported;
  for (const T& t : earlier) {
    if (!wanted.contains(t.name)) continue;
    if constexpr (std::is_same_v<T, ir::Decl>) {
      if (t.space != ir::Space::kGlobal) continue;
    }
    if (declared.insert(t.name).second) imported.push_back(t);
  }
  own.insert(own.begin(), imported.begin(), imported.end());
  return static_cast<int32_t>(imported.size());
}

void Shift(ir::Kernel& kernel, int32_t params, int32_t constants,
           int32_t decls) {
  for (ir::Item& item : kernel.items) {
    if (item.kind == ir::Item::Kind::kParam) item.first += params;
    if (item.kind == ir::Item::Kind::kConstants) item.first += constants;
    if (item.kind == ir::Item::Kind::kDecls) item.first += decls;
  }
  ForEachStmt(kernel.body, [&](ir::Stmt& s) {
    if (s.decl_id >= 0) s.decl_id += decls;
  });
}

bool Same(const ir::Param& a, const ir::Param& b) {
  return a.low == b.low && a.high == b.high && a.step == b.step &&
         a.value == b.value;
}

bool Same(const ir::Constant& a, const ir::Constant& b) {
  return a.value == b.value && a.is_let == b.is_let;
}

bool Same(const ir::Decl& a, const ir::Decl& b) { return a == b; }

class Redeclared {
 public:
  Redeclared(const ir::Kernel& earlier, const ir::Kernel& kernel,
             ir::Diagnostics& diagnostics)
      : earlier_(earlier),
        index_(earlier),
        kernel_(kernel),
        diagnostics_(diagnostics) {}

  void Run() {
    for (const ir::Param& p : kernel_.params)
      Compare(Find(index_.params, p.name), p, "param");
    for (const ir::Constant& c : kernel_.constants) {
      if (!c.is_let) Compare(Find(index_.constants, c.name), c, "const");
    }
    for (const ir::Decl& d : kernel_.decls) {
      if (d.space == ir::Space::kGlobal)
        Compare(Find(index_.globals, d.name), d, "global");
    }
  }

 private:
  template <typename T>
  void Compare(const T* before, const T& now, std::string_view what) {
    if (before == nullptr || Same(*before, now)) return;
    ir::Diagnostic& d = diagnostics_.Error(
        "name/redeclared", now.span,
        ir::Cat(what, " `", now.name, "` differs from the one of kernel `",
                earlier_.name, "`"));
    d.labels.push_back({before->span, "declared here"});
    d.help = "use it without declaring it again, or give it another name";
  }

  const ir::Kernel& earlier_;
  Index index_;
  const ir::Kernel& kernel_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

void ImportFromEarlier(ir::Program& program, size_t index) {
  ir::Kernel& kernel = program.kernels[index];
  if (index == 0) return;
  Names own = Declared(kernel);
  Names wanted;
  ForEachName(kernel, [&](const std::string& name) {
    if (!own.contains(name)) wanted.insert(name);
  });
  // The nearest earlier kernel has what it imported itself.
  for (size_t i = index; i-- > 0;) {
    const ir::Kernel& earlier = program.kernels[i];
    AddDependencies(Index(earlier), wanted);
    int32_t params = Prepend(earlier.params, wanted, own, kernel.params);
    int32_t constants =
        Prepend(earlier.constants, wanted, own, kernel.constants);
    int32_t decls = Prepend(earlier.decls, wanted, own, kernel.decls);
    Shift(kernel, params, constants, decls);
  }
}

void CheckRedeclared(const ir::Program& program, size_t index,
                     ir::Diagnostics& diagnostics) {
  for (size_t i = 0; i < index; ++i) {
    Redeclared(program.kernels[i], program.kernels[index], diagnostics).Run();
  }
}

}  // namespace tilesim::frontend
