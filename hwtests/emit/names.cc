#include "hwtests/emit/names.h"

#include <algorithm>

#include "hwtests/emit/c_functions.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::DType;

// Macros of the headers that lowered code includes, or nvcc does.
constexpr std::string_view kMacros[] = {
    "BUFSIZ",       "CHAR_BIT",     "CHAR_MAX",   "CHAR_MIN",  "EOF",
    "EXIT_FAILURE", "EXIT_SUCCESS", "HUGE_VAL",   "HUGE_VALF", "INFINITY",
    "INT16_MAX",    "INT32_MAX",    "INT32_MIN",  "INT64_MAX", "INT64_MIN",
    "INT8_MAX",     "INT_MAX",      "INT_MIN",    "LLONG_MAX", "LLONG_MIN",
    "LONG_MAX",     "LONG_MIN",     "M_1_PI",     "M_2_PI",    "M_2_SQRTPI",
    "M_E",          "M_LN10",       "M_LN2",      "M_LOG10E",  "M_LOG2E",
    "M_PI",         "M_PI_2",       "M_PI_4",     "M_SQRT1_2", "M_SQRT2",
    "NAN",          "NULL",         "RAND_MAX",   "SHRT_MAX",  "SIZE_MAX",
    "UINT16_MAX",   "UINT32_MAX",   "UINT64_MAX", "UINT8_MAX", "UINT_MAX",
    "ULLONG_MAX",   "ULONG_MAX",    "USHRT_MAX",  "assert",    "errno",
    "isfinite",     "isinf",        "isnan",      "linux",     "offsetof",
    "signbit",      "stderr",       "stdin",      "stdout",    "unix"};

// C++ keywords that are words of the language's kind, and what lowered code
// uses itself.
constexpr std::string_view kReserved[] = {"alignas",       "alignof",
                                          "and",           "and_eq",
                                          "asm",           "auto",
                                          "bitand",        "bitor",
                                          "blockDim",      "blockIdx",
                                          "bool",          "break",
                                          "case",          "catch",
                                          "char",          "char16_t",
                                          "char32_t",      "char8_t",
                                          "class",         "co_await",
                                          "co_return",     "co_yield",
                                          "compl",         "concept",
                                          "const",         "const_cast",
                                          "consteval",     "constexpr",
                                          "constinit",     "continue",
                                          "cudaError_t",   "cudaStream_t",
                                          "cudaSuccess",   "CUtensorMap",
                                          "cycle_counter", "decltype",
                                          "default",       "delete",
                                          "dim3",          "do",
                                          "double",        "dynamic_cast",
                                          "else",          "enum",
                                          "explicit",      "export",
                                          "extern",        "false",
                                          "float",         "for",
                                          "friend",        "goto",
                                          "gridDim",       "if",
                                          "inline",        "int",
                                          "int16_t",       "int32_t",
                                          "int64_t",       "int8_t",
                                          "long",          "main",
                                          "maps",          "max",
                                          "min",           "mutable",
                                          "namespace",     "new",
                                          "noexcept",      "not",
                                          "not_eq",        "nullptr",
                                          "operator",      "or",
                                          "or_eq",         "private",
                                          "protected",     "public",
                                          "register",      "reinterpret_cast",
                                          "requires",      "return",
                                          "shared_memory", "short",
                                          "signed",        "size_t",
                                          "sizeof",        "smem",
                                          "static",        "static_assert",
                                          "static_cast",   "stream",
                                          "struct",        "switch",
                                          "template",      "this",
                                          "thread_local",  "threadIdx",
                                          "throw",         "tile_span",
                                          "tile_spans",    "trace",
                                          "true",          "try",
                                          "typedef",       "typeid",
                                          "typename",      "uint16_t",
                                          "uint32_t",      "uint64_t",
                                          "uint8_t",       "union",
                                          "unsigned",      "using",
                                          "virtual",       "void",
                                          "volatile",      "warp",
                                          "warpSize",      "wchar_t",
                                          "while",         "xor",
                                          "xor_eq"};

// Whether something that the host's code mentions beside the kernel has the
// name.
bool IsBeside(const ir::Kernel& kernel, std::string_view name) {
  auto has = [name](const auto& all) {
    return std::any_of(all.begin(), all.end(), [name](const auto& one) {
      return CppName(one.name) == name;
    });
  };
  return has(kernel.params) || has(kernel.constants) || has(kernel.decls);
}

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
  auto is_in = [=](const auto& all) {
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
  };
  bool taken = is_in(kReserved) || is_in(kMacros);
  // A name of the text that ends in _ moves on, so that it stays distinct.
  return taken || name.ends_with('_') ? ir::Cat(name, "_") : std::string(name);
}

std::vector<std::string> KernelNames(
    const std::vector<const ir::Kernel*>& kernels) {
  std::set<std::string, std::less<>> taken;
  for (const ir::Kernel* k : kernels) taken.insert(CppName(k->name));
  std::vector<std::string> out;
  for (const ir::Kernel* k : kernels) {
    std::string name = CppName(k->name);
    if (IsBeside(*k, name) || IsCFunction(name)) {
      do {
        name += "_kernel";
      } while (IsBeside(*k, name) || !taken.insert(name).second);
    }
    out.push_back(std::move(name));
  }
  return out;
}

NameTable::NameTable(const ir::Kernel& kernel, std::string_view function) {
  for (const std::string& name : kernel.slot_names)
    objects_.insert(CppName(name));
  for (const ir::Decl& decl : kernel.decls) objects_.insert(CppName(decl.name));
  used_ = objects_;
  used_.emplace(function);
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
