#include "ptx/isa/isa.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

namespace tilesim::ptx {
namespace {

constexpr Op kOps[] = {
#define PTX_OP(opcode, operands, unit, kind) \
  {opcode, operands, Unit::unit, OpKind::kind},
#include "ptx/isa/isa.def"
#undef PTX_OP
};

const std::map<std::string_view, const Op*>& ByOpcode() {
  static const auto& rows = *[] {
    auto* made = new std::map<std::string_view, const Op*>;
    for (const Op& op : kOps) made->emplace(op.opcode, &op);
    return made;
  }();
  return rows;
}

Role RoleOfLetter(char letter) {
  switch (letter) {
    case 'd':
      return Role::kDefined;
    case 'r':
      return Role::kRead;
    case 'v':
      return Role::kData;
    case 'u':
      return Role::kUpdated;
    case 'a':
      return Role::kAddress;
    case 'l':
      return Role::kLabel;
    default:
      return Role::kNone;
  }
}

bool HasWord(std::string_view spelling, std::string_view word) {
  size_t at = spelling.find(word);
  size_t end = at + word.size();
  return at != std::string_view::npos &&
         (end == spelling.size() || spelling[end] == '.');
}

// Forms of an instruction that lack the operand its row begins with: an
// arrival without a token, fences that name no memory.
bool LacksResult(const Instruction& i) {
  return i.operands.empty() || i.operands[0].kind == Operand::Kind::kAddress;
}

}  // namespace

std::span<const Op> AllOps() { return kOps; }

const Op* FindOp(std::string_view spelling) {
  for (std::string_view name = spelling; !name.empty();) {
    if (auto found = ByOpcode().find(name); found != ByOpcode().end())
      return found->second;
    // tcgen05.wait::ld: words are parted by dots and by double colons.
    size_t part = name.find_last_of(".:");
    if (part == std::string_view::npos) break;
    name = name.substr(0, part);
  }
  return nullptr;
}

Unit UnitOf(const Op& op, std::string_view spelling) {
  if (op.unit != Unit::kInteger) return op.unit;
  for (std::string_view type :
       {".f32", ".f64", ".f16", ".f16x2", ".bf16", ".bf16x2", ".f32x2"}) {
    if (HasWord(spelling, type)) return Unit::kFloat;
  }
  return Unit::kInteger;
}

Role RoleOf(const Op& op, const Instruction& i, size_t index) {
  std::string_view letters = op.operands;
  if (letters.size() > 1 && letters[0] == 'd' && letters[1] == 'a' &&
      LacksResult(i))
    letters.remove_prefix(1);
  Role role = RoleOfLetter(letters[std::min(index, letters.size() - 1)]);
  // Brackets are an address wherever they stand: `tcgen05.mma [d], [a], ...`.
  bool address = index < i.operands.size() &&
                 i.operands[index].kind == Operand::Kind::kAddress;
  if (address) return Role::kAddress;
  // A matrix in registers is data; one that a descriptor describes is not.
  bool described = op.opcode == "wgmma.mma_async" && index == 1 &&
                   index < i.operands.size() &&
                   i.operands[index].kind == Operand::Kind::kName;
  if (described) return Role::kRead;
  return role == Role::kAddress ? Role::kRead : role;
}

std::string_view NameOf(Unit unit) {
  switch (unit) {
    case Unit::kInteger:
      return "integer";
    case Unit::kFloat:
      return "float";
    case Unit::kSpecialFunction:
      return "special function";
    case Unit::kConversion:
      return "conversion";
    case Unit::kMove:
      return "move";
    case Unit::kCrossLane:
      return "cross-lane";
    case Unit::kBranchUnit:
      return "branch";
    case Unit::kMemory:
      return "memory";
    case Unit::kBarrier:
      return "barrier";
    case Unit::kFence:
      return "fence";
    case Unit::kAsyncCopy:
      return "asynchronous copy";
    case Unit::kTensorCore:
      return "tensor core";
    case Unit::kTensorMemory:
      return "tensor memory";
    case Unit::kGrid:
      return "grid";
    case Unit::kRegisterPool:
      return "register pool";
  }
  return "";
}

bool IsSpecialRegister(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "%tid",
      "%ntid",
      "%laneid",
      "%warpid",
      "%nwarpid",
      "%ctaid",
      "%nctaid",
      "%smid",
      "%nsmid",
      "%gridid",
      "%is_explicit_cluster",
      "%clusterid",
      "%nclusterid",
      "%cluster_ctaid",
      "%cluster_nctaid",
      "%cluster_ctarank",
      "%cluster_nctarank",
      "%lanemask_eq",
      "%lanemask_le",
      "%lanemask_lt",
      "%lanemask_ge",
      "%lanemask_gt",
      "%clock",
      "%clock_hi",
      "%clock64",
      "%globaltimer",
      "%globaltimer_lo",
      "%globaltimer_hi",
      "%total_smem_size",
      "%aggr_smem_size",
      "%dynamic_smem_size",
      "%current_graph_exec",
  };
  // Of which there are several, with numbers.
  constexpr std::string_view kFamilies[] = {"%pm", "%envreg",
                                            "%reserved_smem_offset_"};
  const std::string_view whole = name.substr(0, name.find('.'));
  return std::find(std::begin(kNames), std::end(kNames), whole) !=
             std::end(kNames) ||
         std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](std::string_view f) { return whole.starts_with(f); });
}

}  // namespace tilesim::ptx
