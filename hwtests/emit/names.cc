#include "hwtests/emit/names.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::DType;

// C++ keywords that are words of the language's kind, and what lowered code
// uses itself.
constexpr std::string_view kReserved[] = {
    "alignas",   "alignof",   "and",       "asm",       "auto",
    "bool",      "break",     "case",      "catch",     "char",
    "class",     "concept",   "const",     "constexpr", "continue",
    "decltype",  "default",   "delete",    "do",        "double",
    "else",      "enum",      "explicit",  "export",    "extern",
    "false",     "float",     "trace",     "for",       "friend",    "goto",
    "if",        "inline",    "int",       "long",      "mutable",
    "namespace", "new",       "noexcept",  "not",       "nullptr",
    "operator",  "or",        "private",   "protected", "public",
    "register",  "requires",  "return",    "short",     "signed",
    "sizeof",    "smem",      "static",    "struct",    "switch",
    "template",  "this",      "throw",     "true",
    "try",       "typedef",   "typename",  "union",     "unsigned",
    "using",     "virtual",   "void",      "volatile",  "warp",
    "while",     "xor",       "main",      "min",       "max",
    "threadIdx", "blockIdx",  "blockDim",  "gridDim",   "warpSize",
    "uint8_t",   "uint16_t",  "uint32_t",  "uint64_t",  "int8_t",
    "int16_t",   "int32_t",   "int64_t",   "CUtensorMap"};

void AddBlock(const ir::Block& block, std::set<std::string, std::less<>>* out) {
  for (const ir::Stmt& stmt : block) {
    if (!stmt.name.empty()) out->insert(CppName(stmt.name));
    AddBlock(stmt.body, out);
    AddBlock(stmt.orelse, out);
  }
}

}  // namespace

std::string CodeNamespace(std::string_view kernel) {
  return ir::Cat(CppName(kernel), "_code");
}

std::string CppName(std::string_view name) {
  bool taken = std::find(std::begin(kReserved), std::end(kReserved), name) !=
               std::end(kReserved);
  // A name of the text that ends in _ moves on, so that it stays distinct.
  return taken || name.ends_with('_') ? ir::Cat(name, "_") : std::string(name);
}

NameTable::NameTable(const ir::Kernel& kernel) {
  for (const std::string& name : kernel.slot_names)
    objects_.insert(CppName(name));
  for (const ir::Decl& decl : kernel.decls) objects_.insert(CppName(decl.name));
  used_ = objects_;
  used_.insert(CppName(kernel.name));
  AddBlock(kernel.body, &used_);
}

std::string NameTable::Local(std::string_view name) const {
  std::string local = CppName(name);
  for (int i = 2; used_.contains(local); ++i) local = ir::Cat(name, i);
  return local;
}

std::string NameTable::Fresh(std::string_view name) {
  std::string fresh = Local(name);
  used_.insert(fresh);
  return fresh;
}

std::string_view ElementType(ir::DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kTF32:
      return "float";
    case DType::kF16:
      return "tile::f16";
    case DType::kBF16:
      return "tile::bf16";
    case DType::kS8:
      return "int8_t";
    case DType::kS32:
      return "int32_t";
    case DType::kU32:
      return "uint32_t";
    case DType::kS64:
      return "int64_t";
    case DType::kU64:
      return "uint64_t";
    default:
      return "uint8_t";
  }
}

std::string_view WordType(ir::DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kTF32:
      return "float";
    case DType::kS32:
      return "int32_t";
    default:
      return "uint32_t";
  }
}

}  // namespace tilesim::hwtests
