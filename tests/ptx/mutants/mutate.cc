#include "tests/ptx/mutants/mutate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "ir/cat.h"
#include "ptx/isa/isa.h"
#include "ptx/text/printer.h"

namespace tilesim::ptx_mutants {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Statement;

// A statement that may be changed.
struct Site {
  const Body& body;
  size_t at;
  const std::map<std::string, size_t>& labels;

  const Instruction& op() const { return body[at].instruction; }
  bool Is(std::string_view prefix) const {
    return op().opcode.starts_with(prefix);
  }
  bool Has(std::string_view part) const {
    return op().opcode.find(part) != std::string::npos;
  }
};

struct Named {
  std::string what;
  Edit edit;
};
using Edits = std::vector<Named>;

bool IsInstruction(const Statement& s) {
  return s.kind == Statement::Kind::kInstruction;
}

bool IsOperation(const Statement& s) {
  if (!IsInstruction(s)) return false;
  const ptx::Op* row = ptx::FindOp(s.instruction.opcode);
  return row != nullptr && row->kind == ptx::OpKind::kOp;
}

// Products have no order of their own to break.
bool Orders(const Statement& s) {
  if (!IsOperation(s)) return false;
  const std::string& opcode = s.instruction.opcode;
  return !opcode.starts_with("wgmma.mma") && !opcode.starts_with("elect") &&
         !opcode.starts_with("shfl") && !opcode.starts_with("vote") &&
         !opcode.starts_with("match") && !opcode.starts_with("redux");
}

bool IsFence(const Site& s) {
  return s.Is("fence") || s.Is("membar") || s.Is("wgmma.fence") ||
         s.Is("tcgen05.fence");
}

bool IsWait(const Site& s) {
  return s.Is("mbarrier.try_wait") || s.Is("mbarrier.test_wait");
}

Operand Integer(int64_t value) {
  Operand out;
  out.kind = Operand::Kind::kNumber;
  out.number.negative = value < 0;
  out.number.bits = static_cast<uint64_t>(value);
  out.number.text = std::to_string(value < 0 ? -value : value);
  return out;
}

Operand Name(std::string name) {
  Operand out;
  out.kind = Operand::Kind::kName;
  out.name = std::move(name);
  return out;
}

Statement Step(const Statement& like, std::string opcode,
               std::vector<Operand> operands) {
  Statement out;
  out.span = like.span;
  out.instruction.opcode = std::move(opcode);
  out.instruction.operands = std::move(operands);
  return out;
}

// A wait that is left out has always been passed.
void RemoveAt(Body& body, size_t at) {
  Statement& s = body[at];
  const std::string& opcode = s.instruction.opcode;
  if (opcode.starts_with("mbarrier.try_wait") ||
      opcode.starts_with("mbarrier.test_wait")) {
    std::vector<Operand> operands = {s.instruction.operands[0], Integer(0),
                                     Integer(0)};
    s = Step(s, "setp.eq.u32", std::move(operands));
    return;
  }
  body.erase(body.begin() + static_cast<long>(at));
}

void Drop(const Site& s, Edits& out) {
  if (Orders(s.body[s.at]) && !IsFence(s)) out.push_back({"drop", RemoveAt});
}

void Double(const Site& s, Edits& out) {
  if (!Orders(s.body[s.at])) return;
  out.push_back({"double", [](Body& body, size_t at) {
                   Statement copy = body[at];
                   body.insert(body.begin() + static_cast<long>(at),
                               std::move(copy));
                 }});
}

// The next operation or access before control goes anywhere; 0: there is none.
size_t NextOperation(const Site& s) {
  for (size_t i = s.at + 1; i < s.body.size(); ++i) {
    const Statement& next = s.body[i];
    if (next.kind == Statement::Kind::kLabel) return 0;
    if (!IsInstruction(next)) continue;
    const ptx::Op* row = ptx::FindOp(next.instruction.opcode);
    if (row == nullptr || row->kind == ptx::OpKind::kBranch) return 0;
    if (row->kind == ptx::OpKind::kAccess &&
        next.instruction.opcode.find(".param") != std::string::npos)
      continue;
    if (row->kind != ptx::OpKind::kValue) return i;
  }
  return 0;
}

// Behind the operation that comes next, unless that is in a scope of its own
// whose registers it has.
void Swap(const Site& s, Edits& out) {
  if (!Orders(s.body[s.at]) || IsWait(s)) return;
  const size_t next = NextOperation(s);
  if (next == 0) return;
  // Out of all scopes that lie between.
  size_t to = next;
  int depth = 0;
  for (size_t i = s.at; i <= next; ++i) {
    depth += s.body[i].kind == Statement::Kind::kOpen;
    depth -= s.body[i].kind == Statement::Kind::kClose;
  }
  while (depth > 0 && ++to < s.body.size())
    depth -= s.body[to].kind == Statement::Kind::kClose;
  if (depth != 0 || to >= s.body.size()) return;
  out.push_back({"swap", [to](Body& body, size_t at) {
                   auto first = body.begin() + static_cast<long>(at);
                   std::rotate(first, first + 1,
                               body.begin() + static_cast<long>(to) + 1);
                 }});
}

// Operand `k` with `opcode by` applied. A register gets another for it, in a
// scope around the operation.
Edit Changed(size_t k, std::string_view opcode, int64_t by) {
  return [=](Body& body, size_t at) {
    Operand& o = body[at].instruction.operands[k];
    if (o.kind == Operand::Kind::kNumber) {
      const int64_t v = o.number.value();
      o = Integer(opcode == "xor.b32" ? v ^ by : v + by);
      return;
    }
    Statement open, close, reg;
    open.kind = Statement::Kind::kOpen;
    close.kind = Statement::Kind::kClose;
    reg.kind = Statement::Kind::kVariable;
    ptx::Variable& v = reg.variable.emplace_back();
    v.space = ".reg";
    v.type = ".b32";
    v.names.emplace_back().name = "%changed";
    open.span = close.span = reg.span = body[at].span;
    Statement step =
        Step(body[at], std::string(opcode), {Name("%changed"), o, Integer(by)});
    o = Name("%changed");
    std::vector<Statement> around = {open, reg, std::move(step), body[at],
                                     close};
    auto place = body.erase(body.begin() + static_cast<long>(at));
    body.insert(place, around.begin(), around.end());
  };
}

void AddCounts(size_t k, std::initializer_list<int64_t> steps, Edits& out) {
  for (int64_t by : steps)
    out.push_back(
        {ir::Cat("count ", by > 0 ? "+" : "", by), Changed(k, "add.s32", by)});
}

void Count(const Site& s, Edits& out) {
  const size_t n = s.op().operands.size();
  if (s.Is("mbarrier.init")) AddCounts(1, {1, -1}, out);
  if (s.Is("mbarrier.expect_tx")) AddCounts(1, {16, -16}, out);
  if (s.Is("mbarrier.arrive.expect_tx")) AddCounts(n - 1, {16, -16}, out);
  if (s.Is("mbarrier.arrive") && !s.Has("expect_tx")) {
    const bool counted = s.op().operands.back().kind != Operand::Kind::kAddress;
    if (counted) AddCounts(n - 1, {1}, out);
    if (!counted)
      out.push_back({"count +1", [](Body& body, size_t at) {
                       body[at].instruction.operands.push_back(Integer(2));
                     }});
  }
  if ((s.Is("bar.") || s.Is("barrier.")) && n > 1 && !s.Has(".red"))
    AddCounts(n - 1, {32, -32}, out);
  const bool groups = s.Has("wait_group");
  if (groups && n == 1) {
    AddCounts(0, {1}, out);
    if (s.op().operands[0].number.value() > 0) AddCounts(0, {-1}, out);
  }
  // A bulk copy's bytes stand behind its addresses.
  if (s.Is("cp.async.bulk.shared") && n > 2) AddCounts(2, {-16}, out);
}

void Parity(const Site& s, Edits& out) {
  if (IsWait(s) && s.Has(".parity"))
    out.push_back({"parity ^1", Changed(2, "xor.b32", 1)});
}

void Shift(const Site& s, size_t k, int64_t by, Edits& out) {
  const Operand& o = s.op().operands[k];
  if (o.kind != Operand::Kind::kAddress || o.parts.empty() ||
      o.parts[0].kind != Operand::Kind::kName)
    return;
  out.push_back(
      {ir::Cat("address ", by > 0 ? "+" : "", by), [=](Body& body, size_t at) {
         Operand& base = body[at].instruction.operands[k].parts[0];
         const int64_t before = base.has_offset ? base.number.value() : 0;
         base.has_offset = true;
         base.number = Integer(before + by).number;
       }});
}

// The mbarrier beside, or the tile one swizzle pattern further on.
void Stage(const Site& s, Edits& out) {
  const std::vector<Operand>& operands = s.op().operands;
  const bool copies = s.Is("cp.async.bulk") && s.Has("mbarrier::");
  if (s.Is("mbarrier.") || s.Is("tcgen05.commit")) {
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].kind != Operand::Kind::kAddress) continue;
      Shift(s, k, 8, out);
      Shift(s, k, -8, out);
      return;
    }
  }
  if (!copies) return;
  Shift(s, 0, 1024, out);
  for (size_t k = operands.size(); k-- > 1;) {
    if (operands[k].kind != Operand::Kind::kAddress) continue;
    Shift(s, k, 8, out);
    return;
  }
}

// Something that orders stands between here and there.
bool AnyOrders(const Body& body, size_t from, size_t to) {
  return std::any_of(body.begin() + static_cast<long>(from),
                     body.begin() + static_cast<long>(to), Orders);
}

void Guard(const Site& s, Edits& out) {
  if (!s.op().guard) return;
  const Edit turned = [](Body& body, size_t at) {
    ptx::Guard& g = body[at].instruction.guard;
    g.negated = !g.negated;
  };
  if (s.op().opcode.starts_with("bra")) {
    auto to = s.labels.find(s.op().operands.back().name);
    if (to == s.labels.end() || to->second < s.at ||
        !AnyOrders(s.body, s.at, to->second))
      return;
    out.push_back({"branch dropped", RemoveAt});
    out.push_back({"branch negated", turned});
  } else if (Orders(s.body[s.at])) {
    out.push_back({"guard dropped", [](Body& body, size_t at) {
                     body[at].instruction.guard = {};
                   }});
    out.push_back({"guard negated", turned});
  }
}

void Replace(const Site& s, std::string_view from, std::string_view to,
             Edits& out) {
  const size_t place = s.op().opcode.find(from);
  if (place == std::string::npos) return;
  out.push_back({ir::Cat(from, " -> ", to.empty() ? "nothing" : to),
                 [=](Body& body, size_t at) {
                   std::string& opcode = body[at].instruction.opcode;
                   opcode.replace(opcode.find(from), from.size(), to);
                 }});
}

void Fence(const Site& s, Edits& out) {
  if (IsFence(s)) out.push_back({"drop", RemoveAt});
  if (!IsFence(s) && !s.Is("mbarrier.")) return;
  if (s.Is("fence.acq_rel") || s.Is("fence.sc")) {
    Replace(s, ".gpu", ".cta", out);
    Replace(s, ".sys", ".cta", out);
  }
  if (s.Is("fence.acq_rel") || s.Is("fence.sc") || s.Is("mbarrier."))
    Replace(s, ".cluster.", ".cta.", out);
  Replace(s, "fence.proxy.async.global", "fence.proxy.async.shared::cta", out);
  Replace(s, "fence.proxy.async.shared::cta", "fence.proxy.async.global", out);
  Replace(s, "::before_thread_sync", "::after_thread_sync", out);
  Replace(s, "::after_thread_sync", "::before_thread_sync", out);
}

struct Kind {
  std::string_view name;
  void (*edits)(const Site&, Edits&);
};

constexpr Kind kKinds[] = {
    {"drop", Drop},     {"double", Double}, {"swap", Swap},   {"count", Count},
    {"parity", Parity}, {"stage", Stage},   {"guard", Guard}, {"fence", Fence},
};

std::map<std::string, size_t> LabelsOf(const Body& body) {
  std::map<std::string, size_t> out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == Statement::Kind::kLabel) out[body[i].name] = i;
  }
  return out;
}

// A loop that only waits is none here: it has one operation, and goes back to
// the label before it.
std::vector<bool> InLoops(const Body& body,
                          const std::map<std::string, size_t>& labels) {
  std::vector<bool> out(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (!IsInstruction(body[i])) continue;
    const Instruction& op = body[i].instruction;
    if (!op.opcode.starts_with("bra") || op.operands.empty()) continue;
    auto to = labels.find(op.operands.back().name);
    if (to == labels.end() || to->second > i) continue;
    auto first = body.begin() + static_cast<long>(to->second);
    auto last = body.begin() + static_cast<long>(i);
    if (std::count_if(first, last, IsOperation) < 2) continue;
    std::fill(out.begin() + static_cast<long>(to->second),
              out.begin() + static_cast<long>(i), true);
  }
  return out;
}

}  // namespace

const std::vector<std::string_view>& Kinds() {
  static const auto* names = [] {
    auto* out = new std::vector<std::string_view>;
    for (const Kind& kind : kKinds) out->push_back(kind.name);
    return out;
  }();
  return *names;
}

std::vector<Mutant> MutantsOf(const ptx::Module& module, size_t function) {
  const Body& body = module.functions[function].body;
  const std::map<std::string, size_t> labels = LabelsOf(body);
  const std::vector<bool> in_loop = InLoops(body, labels);
  std::vector<Mutant> out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (!IsInstruction(body[i])) continue;
    for (const Kind& kind : kKinds) {
      Edits edits;
      kind.edits({body, i, labels}, edits);
      for (Named& e : edits)
        out.push_back({kind.name, std::move(e.what), function, i, in_loop[i],
                       std::move(e.edit)});
    }
  }
  return out;
}

ptx::Module Apply(const ptx::Module& module, const Mutant& mutant) {
  ptx::Module out = module;
  mutant.edit(out.functions[mutant.function].body, mutant.at);
  return out;
}

}  // namespace tilesim::ptx_mutants
