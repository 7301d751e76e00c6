#include "cli/language_words.h"

#include <algorithm>

#include "ir/cat.h"
#include "ir/expr.h"
#include "ir/op.h"
#include "ir/program.h"
#include "ir/reference_functions.h"
#include "ir/types.h"

namespace tilesim::cli {
namespace {

constexpr std::string_view kFile = "A file", kSizes = "Sizes",
                           kMemory = "Memory", kResult = "The reference result",
                           kLaunch = "Launch", kWho = "Who executes",
                           kControl = "Control", kExpressions = "Expressions",
                           kFunctions = "Functions", kOps = "Ops";

struct Row {
  std::string_view name;
  WordKind kind;
  std::string_view doc;
  std::string_view section;
};
using K = WordKind;
constexpr Row kRows[] = {
    {"kernel", K::kDeclaration, "one GPU kernel, with its target", kFile},
    {"target", K::kAttribute, "the GPU a kernel is written for", kFile},
    {"programmatic", K::kAttribute,
     "the kernel may start before the one above it has ended", kFile},
    {"include", K::kDeclaration, "takes the functions of another file",
     kFunctions},
    {"param", K::kDeclaration,
     "a size the kernel is asked for: permitted values and a default; check "
     "covers all of them, run takes -D",
     kSizes},
    {"step", K::kAttribute,
     "of a param: the distance of permitted values; of a for: of turns",
     kSizes},
    {"const", K::kDeclaration, "a compile-time choice; -D replaces it", kSizes},
    {"let", K::kDeclaration,
     "a name for a value that does not change, to the end of its block",
     kControl},
    {"var", K::kDeclaration, "a scalar that may be assigned", kControl},
    {"requires", K::kDeclaration, "what must hold between sizes", kSizes},
    {"global", K::kDeclaration, "a tensor in global memory", kMemory},
    {"shared", K::kDeclaration,
     "a tile, or an array of tiles, in shared memory", kMemory},
    {"mbarrier", K::kDeclaration,
     "a barrier of 8 bytes in shared memory: phases that arrivals and bytes "
     "complete",
     kMemory},
    {"tmem", K::kDeclaration,
     "an allocation of columns of tensor memory, or a tile that lies in one",
     kMemory},
    {"reg", K::kDeclaration,
     "a tile in registers, held by threads in a named fragment layout",
     kMemory},
    {"stride", K::kAttribute, "of a global: strides in elements", kMemory},
    {"in", K::kAttribute,
     "of a global of integers: the values it may have; of a for: its range",
     kMemory},
    {"zero", K::kAttribute, "of a global: it starts as zeros", kMemory},
    {"undefined", K::kAttribute,
     "of a global: it holds nothing until it is written", kMemory},
    {"swizzle", K::kAttribute,
     "of a shared tile: how the 16-byte chunks of its rows are permuted; "
     "`tilesim explain swizzle/128B` draws it",
     kMemory},
    {"align", K::kAttribute, "of a shared tile: bytes", kMemory},
    {"at", K::kAttribute, "lays a tile or a barrier over another one", kMemory},
    {"columns", K::kAttribute, "of tmem: the columns of an allocation",
     kMemory},
    {"slot", K::kAttribute,
     "of tmem: the shared word that gets the address of the allocation",
     kMemory},
    {"fragment", K::kAttribute,
     "of a register tile: which thread holds which element; `tilesim explain "
     "fragment/wgmma` draws it",
     kMemory},
    {"computes", K::kDeclaration,
     "the result that a run is compared with, in f64", kResult},
    {"within", K::kAttribute, "of computes: a relative tolerance", kResult},
    {"when", K::kAttribute, "of computes: only where this is not 0", kResult},
    {"grid", K::kDeclaration, "CTAs along x, y, z", kLaunch},
    {"cluster", K::kDeclaration, "CTAs of a cluster along x, y, z", kLaunch},
    {"block", K::kDeclaration, "threads of a CTA", kLaunch},
    {"regs", K::kAttribute, "of block: registers a thread has at launch",
     kLaunch},
    {"role", K::kScope, "a scope with a name, for reports", kWho},
    {"warp", K::kScope,
     "a warp of the CTA, by number; in an expression the executing one", kWho},
    {"warps", K::kScope, "warps a..b, without b", kWho},
    {"warpgroup", K::kScope,
     "four warps, by number; in an expression the executing one", kWho},
    {"warpgroups", K::kScope, "warpgroups a..b, without b", kWho},
    {"thread", K::kScope, "a thread of the CTA, by number", kWho},
    {"threads", K::kScope, "threads a..b of the CTA, without b", kWho},
    {"lane", K::kScope, "a lane of each warp that is there", kWho},
    {"lanes", K::kScope, "lanes a..b of each warp that is there", kWho},
    {"elect", K::kScope,
     "one lane of each warp that is there, the same each time; it need not be "
     "lane 0",
     kWho},
    {"one", K::kScope, "elect one: one thread of all that are there", kWho},
    {"for", K::kControl, "a loop over a..b, without b", kControl},
    {"while", K::kControl, "a loop as long as a condition is not 0", kControl},
    {"if", K::kControl, "executed where a condition is not 0", kControl},
    {"else", K::kControl, "executed where it is 0", kControl},
    {"break", K::kControl, "leaves the loop", kControl},
    {"continue", K::kControl, "goes on with the next iteration", kControl},
    {"fn", K::kDeclaration,
     "a function: a call stands for its statements, written out", kFunctions},
    {"return", K::kControl, "the numbers that a function gives", kFunctions},
    {"cta", K::kAttribute, "@ cta r: the copy of cluster rank r", kOps},
    {"min", K::kFunction, "the smaller of two integers", kExpressions},
    {"max", K::kFunction, "the larger of two integers", kExpressions},
    {"cdiv", K::kFunction, "the quotient, rounded up", kExpressions},
    {"bytes", K::kFunction, "bytes of one object of a declaration",
     kExpressions},
};

std::vector<LanguageWord> MakeWords() {
  std::vector<LanguageWord> out;
  auto add = [&](std::string_view name, WordKind kind, std::string_view doc,
                 std::string_view section) {
    out.push_back({std::string(name), kind, std::string(doc), section});
  };
  for (const Row& row : kRows) add(row.name, row.kind, row.doc, row.section);
  for (const ir::ReferenceFunction& f : ir::kReferenceFunctions)
    add(f.name, K::kFunction, f.doc, kResult);
  for (const ir::BuiltinInfo& b : ir::kBuiltins) {
    bool scope_too = std::any_of(out.begin(), out.end(), [&](const auto& w) {
      return w.name == b.name;
    });
    if (!scope_too) add(b.name, K::kBuiltin, b.doc, kExpressions);
  }
  for (const values::DTypeInfo& t : values::kDTypes)
    add(t.name, K::kType,
        ir::Cat(t.description, ", ", t.bits, " bits in memory"), kMemory);
  for (const ir::FragmentInfo& f : ir::kFragments)
    add(f.name, K::kFragment,
        ir::Cat(f.doc, "; `tilesim explain fragment/", f.name, "` draws it"),
        kMemory);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.kind < b.kind;
  });
  return out;
}

}  // namespace

std::string_view Name(WordKind kind) {
  constexpr std::string_view kNames[] = {"declaration", "control",  "scope",
                                         "attribute",   "function", "builtin",
                                         "type",        "fragment"};
  return kNames[static_cast<size_t>(kind)];
}

const std::vector<LanguageWord>& LanguageWords() {
  static const auto* const kWords = new std::vector<LanguageWord>(MakeWords());
  return *kWords;
}

const LanguageWord* FindWord(std::string_view name) {
  const auto& all = LanguageWords();
  auto found = std::find_if(all.begin(), all.end(), [&](const LanguageWord& w) {
    return w.name == name;
  });
  return found == all.end() ? nullptr : &*found;
}

std::string_view LanguageSection(std::string_view heading) {
  std::string_view page = LanguagePage();
  std::string head = ir::Cat("## ", heading, "\n");
  size_t begin = page.find(head);
  if (begin == std::string_view::npos) return {};
  size_t end = page.find("\n## ", begin);
  return page.substr(begin,
                     end == std::string_view::npos ? end : end + 1 - begin);
}

std::string OperandPage(std::string_view name) {
  std::vector<std::pair<std::string_view, std::string>> all;  // doc, ops
  for (const ir::OpInfo* op : ir::AllOps()) {
    for (const ir::OperandSpec& o : op->operands) {
      if (o.name != name) continue;
      auto same = std::find_if(all.begin(), all.end(),
                               [&](const auto& a) { return a.first == o.doc; });
      if (same == all.end()) same = all.insert(all.end(), {o.doc, ""});
      ir::Append(&same->second, same->second.empty() ? "" : ", ", op->mnemonic);
    }
  }
  std::string out;
  for (const auto& [doc, ops] : all)
    ir::Append(&out, out.empty() ? "" : "\n", "`", name, "` of ", ops, ": ",
               doc, "\n");
  return out;
}

}  // namespace tilesim::cli
