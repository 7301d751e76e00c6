#include "hwtests/emit/constants.h"

#include <algorithm>
#include <vector>

#include "hwtests/emit/writer.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

std::string ShapeText(const ir::Decl& decl) {
  std::string text;
  for (const ir::Expr& e : decl.shape)
    ir::Append(&text, text.empty() ? "" : ", ", ir::ToString(e));
  return text;
}

std::string ArrayText(const ir::Decl& decl) {
  std::string text;
  for (const ir::Expr& e : decl.array)
    ir::Append(&text, text.empty() ? "" : ", ", ir::ToString(e));
  return text.empty() ? "" : Cat("[", text, "]");
}

}  // namespace

std::string Constants::Line(const ir::Constant& c) {
  const ir::Value& value = *context_.bound.slots[c.slot];
  if (value.is_float) {
    ir::Expr number;
    number.kind = ir::ExprKind::kFloat;
    number.number = value.real;
    return Cat("constexpr float ", CppName(c.name), " = ",
               print_.FloatText(number), ";");
  }
  // As written, unless -D said otherwise.
  bool as_written = context_.facts.Constant(c.value) == value.number;
  return Cat("constexpr ", print_.ScalarType(c.slot), " ", CppName(c.name),
             " = ", as_written ? print_.Text(c.value) : Cat(value.number), ";");
}

// What a shared declaration or a barrier is, for a comment.
std::string Constants::DeclText(int32_t id) const {
  const ir::Decl& decl = context_.decl(id);
  const ir::BoundDecl& bound = context_.bound.decls[id];
  std::string array = ArrayText(decl);
  if (bound.space == ir::Space::kMbarrier) return Cat("mbarrier", array);
  std::string swizzle = bound.layout.swizzle == ir::Swizzle::kNone
                            ? ""
                            : Cat(", swizzle ", ir::Name(bound.layout.swizzle));
  return Cat(array, array.empty() ? "" : " ", values::NameOf(bound.dtype), "[",
             ShapeText(decl), "]", swizzle);
}

std::string Constants::Offsets(const Words& words) {
  Writer out;
  for (int32_t id : print_.offsets()) {
    const ir::BoundDecl& bound = context_.bound.decls[id];
    bool barrier = bound.space == ir::Space::kMbarrier;
    std::string name = CppName(context_.decl(id).name);
    if (words.contains(name) && defined_.insert(name).second) {
      out.Statement(Cat("constexpr uint32_t ", name, " = ",
                        barrier ? bound.address : bound.place, ";  // ",
                        DeclText(id)));
    }
    std::string bytes = Cat(name, "_bytes");
    if (words.contains(bytes) && defined_.insert(bytes).second) {
      out.Statement(
          Cat("constexpr uint32_t ", bytes, " = ", bound.object_bytes, ";"));
    }
  }
  if (out.empty()) return "";
  return Cat("\n// Bytes from the start of the CTA's shared memory.\n",
             out.text());
}

std::string Constants::DefinedFor(std::string_view code) {
  Words words = WordsOf(code);
  std::vector<const ir::Constant*> used;
  const auto& constants = context_.kernel().constants;
  for (size_t i = constants.size(); i-- > 0;) {
    if (!print_.constants().contains(constants[i].slot) ||
        !words.contains(CppName(constants[i].name)))
      continue;
    used.push_back(&constants[i]);
    words.merge(WordsOf(Line(constants[i])));
  }
  Writer early, late;
  Words sizes;
  for (int32_t id : print_.offsets())
    sizes.insert(Cat(CppName(context_.decl(id).name), "_bytes"));
  for (size_t i = used.size(); i-- > 0;) {
    if (!defined_.insert(CppName(used[i]->name)).second) continue;
    std::string line = Line(*used[i]);
    Words mentioned = WordsOf(line);
    bool after = std::any_of(
        mentioned.begin(), mentioned.end(),
        [&](const std::string& word) { return sizes.contains(word); });
    (after ? late : early).Statement(line);
    if (after) sizes.insert(CppName(used[i]->name));
  }
  return Cat(early.text(), Offsets(words), late.text());
}

}  // namespace tilesim::hwtests
