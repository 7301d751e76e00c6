#include "ptx/flow/inline_calls.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ptx/isa/isa.h"
#include "ptx/launch/kernel.h"
#include "ptx/launch/launch.h"

namespace tilesim::ptx {
namespace {

using Kind = Statement::Kind;

constexpr size_t kMostStatements = 1 << 20;

// A variable of the .param space of calls: what the caller stores, the callee
// loads, or the other way round.
struct Passed {
  std::string name;  // of what takes its place; unique
  Variable variable;
  // Its accesses as pieces: from which byte on, how long. Overlapping ones, or
  // of other sizes than registers have, make it local memory.
  std::set<std::pair<uint64_t, uint64_t>> pieces;
  bool local = false;
};

std::string TypeOf(std::string_view opcode) {
  return std::string(opcode.substr(opcode.rfind('.') + 1));
}

bool IsPassing(std::string_view opcode) {
  return opcode.starts_with("st.param") || opcode.starts_with("ld.param");
}

// A statement of the result; `passed`: which one it accesses, declares or -1.
struct Out {
  Statement statement;
  int32_t passed = -1;
};

Operand Name(std::string name) {
  Operand o;
  o.kind = Operand::Kind::kName;
  o.name = std::move(name);
  return o;
}

Statement Plain(Kind kind, const ir::Span& span, std::string name = "") {
  Statement s;
  s.kind = kind;
  s.span = span;
  s.name = std::move(name);
  return s;
}

Statement Instructed(const ir::Span& span, std::string opcode,
                     std::vector<Operand> operands, Guard guard = {}) {
  Statement s = Plain(Kind::kInstruction, span);
  s.instruction.opcode = std::move(opcode);
  s.instruction.operands = std::move(operands);
  s.instruction.guard = std::move(guard);
  return s;
}

Statement Declared(const ir::Span& span, std::string space, std::string type,
                   std::string name) {
  Statement s = Plain(Kind::kVariable, span);
  Variable& v = s.variable.emplace_back();
  v.space = std::move(space);
  v.type = std::move(type);
  v.names.emplace_back().name = std::move(name);
  return s;
}

class Inliner {
 public:
  explicit Inliner(const Module& module) : module_(module) {}

  Inlined Run(const Function& kernel) {
    Inlined out;
    out.function = kernel;
    Body(kernel, {});
    out.function.body = Finish();
    out.left = std::move(left_);
    return out;
  }

 private:
  // Names of .param variables, and of renamed ones, in the scopes of a body.
  struct Names {
    std::map<std::string, int32_t> passed;
    std::map<std::string, std::string> renamed;
  };
  using Bound = std::map<std::string, int32_t>;

  void Body(const Function& f, const Bound& formals) {
    active_.push_back(f.name);
    const bool called = active_.size() > 1;
    const std::string end = ir::Cat("$end_of_call_", ++numbers_);
    std::vector<Names> scopes(1);
    scopes[0].passed = formals;
    for (const Statement& s : f.body) {
      if (out_.size() > kMostStatements) break;
      switch (s.kind) {
        case Kind::kOpen:
          scopes.emplace_back();
          Emit(s);
          break;
        case Kind::kClose:
          if (scopes.size() > 1) scopes.pop_back();
          Emit(s);
          break;
        case Kind::kVariable:
          Declaration(s, called, scopes);
          break;
        case Kind::kInstruction:
          Instruction(s, called ? end : "", scopes);
          break;
        default:
          Emit(s);
      }
    }
    if (called) Emit(Plain(Kind::kLabel, f.brace, end));
    active_.pop_back();
  }

  void Emit(Statement s, int32_t passed = -1) {
    out_.push_back({std::move(s), passed});
  }

  static int32_t PassedNamed(const std::vector<Names>& scopes,
                             const std::string& name) {
    for (size_t i = scopes.size(); i-- > 0;) {
      auto found = scopes[i].passed.find(name);
      if (found != scopes[i].passed.end()) return found->second;
    }
    return -1;
  }

  int32_t NewPassed(const Variable& v, const Declarator& d) {
    Passed p;
    p.variable = v;
    p.variable.names = {d};
    p.name = ir::Cat("%", d.name, "$", passed_.size());
    std::replace(p.name.begin(), p.name.end(), '.', '_');
    passed_.push_back(std::move(p));
    return static_cast<int32_t>(passed_.size()) - 1;
  }

  void Declaration(const Statement& s, bool called,
                   std::vector<Names>& scopes) {
    const Variable& v = s.variable[0];
    if (v.space == ".param") {
      for (const Declarator& d : v.names) {
        const int32_t p = NewPassed(v, d);
        scopes.back().passed[d.name] = p;
        Emit(Plain(Kind::kVariable, s.span), p);
      }
      return;
    }
    // Of a function that is called twice, shared memory is there once, and
    // local memory once a call.
    if (v.space == ".shared" && !shared_.insert(v.names[0].name).second) return;
    if (v.space != ".local" || !called) return Emit(s);
    Statement local = s;
    for (Declarator& d : local.variable[0].names) {
      const std::string fresh = ir::Cat(d.name, "$", ++numbers_);
      scopes.back().renamed[d.name] = fresh;
      d.name = fresh;
    }
    Emit(std::move(local));
  }

  void Rename(const std::vector<Names>& scopes, Operand& o) {
    for (size_t i = scopes.size(); i-- > 0 && !o.name.empty();) {
      auto found = scopes[i].renamed.find(o.name);
      if (found == scopes[i].renamed.end()) continue;
      o.name = found->second;
      break;
    }
    // Whose address is taken lies in memory.
    const int32_t p = o.name.empty() ? -1 : PassedNamed(scopes, o.name);
    if (p >= 0) {
      passed_[static_cast<size_t>(p)].local = true;
      o.name = passed_[static_cast<size_t>(p)].name.substr(1);
    }
    for (Operand& part : o.parts) Rename(scopes, part);
  }

  void Instruction(const Statement& s, const std::string& end,
                   const std::vector<Names>& scopes) {
    const std::string& opcode = s.instruction.opcode;
    const bool returns = opcode == "ret" || opcode.starts_with("ret.");
    if (returns && !end.empty())
      return Emit(Instructed(s.span, s.instruction.guard ? "bra" : "bra.uni",
                             {Name(end)}, s.instruction.guard));
    if (opcode == "call" || opcode.starts_with("call.")) return Call(s, scopes);
    if (IsPassing(opcode) && Access(s, scopes)) return;
    Statement out = s;
    for (Operand& o : out.instruction.operands) Rename(scopes, o);
    // By a register: of a variable that lies in local memory by now.
    const bool by_address = IsPassing(opcode) && active_.size() > 1;
    if (by_address)
      out.instruction.opcode =
          ir::Cat(opcode.substr(0, 2), opcode.substr(opcode.find('.', 3)));
    Emit(std::move(out));
  }

  // A load or store of a .param variable of calls. False: it is none.
  bool Access(const Statement& s, const std::vector<Names>& scopes) {
    const std::vector<Operand>& operands = s.instruction.operands;
    const size_t at = s.instruction.opcode.starts_with("st") ? 0 : 1;
    if (operands.size() != 2 || operands[at].parts.empty()) return false;
    const Operand& base = operands[at].parts[0];
    const int32_t p = PassedNamed(scopes, base.name);
    if (p < 0) return false;
    Passed& passed = passed_[static_cast<size_t>(p)];
    const std::string type = TypeOf(s.instruction.opcode);
    const uint64_t bytes = ScalarBytes(type);
    const Operand& data = operands[1 - at];
    const size_t count =
        data.kind == Operand::Kind::kVector ? data.parts.size() : 1;
    const uint64_t from = base.has_offset ? base.number.bits : 0;
    for (size_t i = 0; i < count; ++i)
      passed.pieces.insert({from + i * bytes, bytes});
    passed.local |= bytes < 2 || bytes > 8 || type == "s16";
    Statement out = s;
    Rename(scopes, out.instruction.operands[1 - at]);
    Emit(std::move(out), p);
    return true;
  }

  const Function* Callee(const std::string& name) const {
    for (const Alias& alias : module_.aliases) {
      if (alias.name == name && alias.of != name) return Callee(alias.of);
    }
    for (const Function& f : module_.functions) {
      if (f.name == name && f.has_body && !f.is_entry) return &f;
    }
    return nullptr;
  }

  // The operands of a call: its results, its function, its arguments.
  struct CallParts {
    std::vector<Operand> results, arguments;
    std::string function;
  };
  static CallParts PartsOf(const Statement& s) {
    CallParts out;
    for (const Operand& o : s.instruction.operands) {
      const bool list = o.kind == Operand::Kind::kList;
      if (list && out.function.empty()) out.results = o.parts;
      if (list && !out.function.empty()) out.arguments = o.parts;
      if (!list && out.function.empty()) out.function = o.name;
    }
    return out;
  }

  std::string WhyNot(const CallParts& call, const Function* f) const {
    if (call.function.starts_with('%')) return "what it calls is in a register";
    if (f == nullptr) return "its body is not in this file";
    if (std::find(active_.begin(), active_.end(), f->name) != active_.end())
      return "a function that calls itself is not followed";
    if (call.arguments.size() != f->signature.params.size() ||
        call.results.size() != f->signature.returns.size())
      return "its arguments do not fit";
    return out_.size() > kMostStatements ? "there is too much to inline" : "";
  }

  void Call(const Statement& s, const std::vector<Names>& scopes) {
    const CallParts call = PartsOf(s);
    const Function* f = Callee(call.function);
    const std::string why = WhyNot(call, f);
    if (!why.empty()) {
      const bool known =
          call.function == "vprintf" || call.function == "__assertfail";
      if (!known) left_[s.span.line] = why;
      return Emit(s);
    }
    const std::string past = ir::Cat("$past_call_", ++numbers_);
    Emit(Plain(Kind::kOpen, s.span));
    if (s.instruction.guard) {
      Guard other = s.instruction.guard;
      other.negated = !other.negated;
      Emit(Instructed(s.span, "bra", {Name(past)}, other));
    }
    Bound formals;
    for (size_t i = 0; i < call.arguments.size(); ++i)
      Bind(s, call.arguments[i], f->signature.params[i], true, scopes, formals);
    for (size_t i = 0; i < call.results.size(); ++i)
      Bind(s, call.results[i], f->signature.returns[i], false, scopes, formals);
    Emit(Plain(Kind::kOpen, s.span));
    Body(*f, formals);
    Emit(Plain(Kind::kClose, s.span));
    for (size_t i = 0; i < call.results.size(); ++i)
      Return(s, call.results[i], f->signature.returns[i], scopes, formals);
    if (s.instruction.guard) Emit(Plain(Kind::kLabel, s.span, past));
    Emit(Plain(Kind::kClose, s.span));
  }

  // A variable of the caller is the formal one. A register or a number is moved
  // there, and a formal register is declared.
  void Bind(const Statement& s, const Operand& actual, const Variable& formal,
            bool argument, const std::vector<Names>& scopes, Bound& formals) {
    const Declarator& d = formal.names[0];
    const int32_t p =
        actual.name.empty() ? -1 : PassedNamed(scopes, actual.name);
    if (p >= 0 && formal.space == ".param") {
      formals[d.name] = p;
      return;
    }
    if (formal.space == ".reg") {
      Emit(Declared(s.span, ".reg", formal.type, d.name));
      if (argument)
        Emit(Instructed(s.span, "mov" + formal.type, {Name(d.name), actual}));
      return;
    }
    const int32_t fresh = NewPassed(formal, d);
    formals[d.name] = fresh;
    Emit(Plain(Kind::kVariable, s.span), fresh);
    if (!argument || actual.is_sink()) return;
    Move(s, fresh, formal, actual, "st");
  }

  void Return(const Statement& s, const Operand& actual, const Variable& formal,
              const std::vector<Names>& scopes, const Bound& formals) {
    const std::string& name = formal.names[0].name;
    if (actual.is_sink() || PassedNamed(scopes, actual.name) >= 0) return;
    if (formal.space == ".reg")
      return Emit(
          Instructed(s.span, "mov" + formal.type, {actual, Name(name)}));
    Move(s, formals.at(name), formal, actual, "ld");
  }

  void Move(const Statement& s, int32_t p, const Variable& formal,
            const Operand& actual, std::string_view how) {
    Operand place;
    place.kind = Operand::Kind::kAddress;
    place.parts.push_back(Name(formal.names[0].name));
    std::vector<Operand> operands = {place, actual};
    if (how == "ld") std::swap(operands[0], operands[1]);
    Passed& passed = passed_[static_cast<size_t>(p)];
    passed.pieces.insert({0, ScalarBytes(formal.type.substr(1))});
    Emit(Instructed(s.span, ir::Cat(how, ".param", formal.type), operands), p);
  }

  // --- the second pass: what each .param variable has become ----------------

  void DecideWhere() {
    for (Passed& p : passed_) {
      uint64_t end = 0;
      for (const auto& [from, bytes] : p.pieces) {
        p.local |= from < end;
        end = from + bytes;
      }
    }
  }

  static std::string Piece(const Passed& p, uint64_t from) {
    return ir::Cat(p.name, "_", from);
  }

  void Declare(const Passed& p, const ir::Span& span,
               std::vector<Statement>& out) const {
    if (p.local) {
      Statement s = Plain(Kind::kVariable, span);
      s.variable.push_back(p.variable);
      s.variable[0].space = ".local";
      s.variable[0].names[0].name = p.name.substr(1);
      s.variable[0].names[0].initial.reset();
      out.push_back(std::move(s));
      return;
    }
    for (const auto& [from, bytes] : p.pieces)
      out.push_back(
          Declared(span, ".reg", ir::Cat(".b", 8 * bytes), Piece(p, from)));
  }

  static void Rewrite(const Passed& p, Statement s,
                      std::vector<Statement>& out) {
    std::vector<Operand>& operands = s.instruction.operands;
    const bool stores = s.instruction.opcode.starts_with("st");
    const size_t at = stores ? 0 : 1;
    Operand& base = operands[at].parts[0];
    if (p.local) {
      base.name = p.name.substr(1);
      std::string& opcode = s.instruction.opcode;
      opcode = ir::Cat(stores ? "st.local" : "ld.local",
                       opcode.substr(opcode.find('.', 8)));
      out.push_back(std::move(s));
      return;
    }
    const std::string type = TypeOf(s.instruction.opcode);
    const uint64_t bytes = ScalarBytes(type);
    const std::string moves =
        ir::Cat("mov.", type[0] == 'f' && bytes >= 4 ? "f" : "b", 8 * bytes);
    const Operand& data = operands[1 - at];
    const bool several = data.kind == Operand::Kind::kVector;
    uint64_t from = base.has_offset ? base.number.bits : 0;
    for (size_t i = 0; i < (several ? data.parts.size() : 1); ++i) {
      const Operand& one = several ? data.parts[i] : data;
      std::vector<Operand> moved = {Name(Piece(p, from)), one};
      if (!stores) std::swap(moved[0], moved[1]);
      if (!one.is_sink())
        out.push_back(
            Instructed(s.span, moves, std::move(moved), s.instruction.guard));
      from += bytes;
    }
  }

  std::vector<Statement> Finish() {
    DecideWhere();
    std::vector<Statement> out;
    out.reserve(out_.size());
    for (Out& o : out_) {
      if (o.passed < 0) {
        out.push_back(std::move(o.statement));
      } else if (o.statement.kind == Kind::kVariable) {
        Declare(passed_[static_cast<size_t>(o.passed)], o.statement.span, out);
      } else {
        Rewrite(passed_[static_cast<size_t>(o.passed)], std::move(o.statement),
                out);
      }
    }
    return out;
  }

  const Module& module_;
  std::vector<Out> out_;
  std::vector<Passed> passed_;
  std::vector<std::string> active_;  // functions, from the kernel on
  std::set<std::string> shared_;
  std::map<int32_t, std::string> left_;
  int64_t numbers_ = 0;
};

}  // namespace

bool Calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Statement& s) {
                       return s.kind == Kind::kInstruction &&
                              (s.instruction.opcode == "call" ||
                               s.instruction.opcode.starts_with("call."));
                     });
}

Inlined InlineCalls(const Module& module, const Function& kernel) {
  return Inliner(module).Run(kernel);
}

}  // namespace tilesim::ptx
