#include "hwtests/emit/wgmma_text.h"

#include "hwtests/emit/names.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
using values::NameOf;

bool Is8BitInt(DType t) { return t == DType::kS8 || t == DType::kU8; }

// Everything after the accumulate predicate.
std::string Immediates(const WgmmaForm& f) {
  if (Is8BitInt(f.a)) return "";
  std::string text = ", 1, 1";
  if (values::BitsOf(f.a) != 16) return text;
  if (!f.a_registers) ir::Append(&text, f.a_mn_major ? ", 1" : ", 0");
  return Cat(text, f.b_mn_major ? ", 1" : ", 0");
}

}  // namespace

std::string PlaceholderList(int64_t first, int64_t count) {
  constexpr int64_t kPerLine = 12;
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    if (i > 0 && i % kPerLine == 0) text += "\"\n      \"";
    ir::Append(&text, "%", first + i);
  }
  return text;
}

std::string OperandList(std::string_view constraint, std::string_view array,
                        int64_t count) {
  constexpr int64_t kPerLine = 4;
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += i % kPerLine == 0 ? ",\n        " : ", ";
    ir::Append(&text, "\"", constraint, "\"(", array, "[", i, "])");
  }
  return text;
}

std::string WgmmaName(const WgmmaForm& f) {
  return Cat("wgmma_m64n", f.n, "k", f.k(), "_", NameOf(f.d), "_", NameOf(f.a),
             "_", NameOf(f.b), f.a_registers ? "_ra" : "",
             f.a_mn_major ? "_ta" : "", f.b_mn_major ? "_tb" : "");
}

std::string WgmmaText(const WgmmaForm& f) {
  int64_t words = f.d_words();
  bool real = f.d == DType::kF32;
  int64_t a_words = f.a_registers ? 4 : 0;
  int64_t next = words + (f.a_registers ? a_words : 1);
  std::string a = f.a_registers ? Cat("{", PlaceholderList(words, 4), "}")
                                : Cat("%", words);
  std::string inputs =
      Cat(f.a_registers ? OperandList("r", "a", 4) : "\"l\"(a)",
          ", \"l\"(b), \"r\"(accumulate)");
  return Cat(
      "// D = A * B, or D += with `accumulate`, by a warpgroup; B",
      f.a_registers ? " is a descriptor.\n" : " and A are\n// descriptors.\n",
      "TILE_DEVICE void ", WgmmaName(f), "(\n    ", WordType(f.d), "* d, ",
      f.a_registers ? "const uint32_t* a" : "uint64_t a",
      ", uint64_t b, int accumulate) {\n"
      "  asm volatile(\n"
      "      \"{\\n .reg .pred p;\\n setp.ne.b32 p, %",
      next + 1,
      ", 0;\\n\"\n"
      "      \" wgmma.mma_async.sync.aligned.m64n",
      f.n, "k", f.k(), ".", NameOf(f.d), ".", NameOf(f.a), ".", NameOf(f.b),
      "\"\n      \" {", PlaceholderList(0, words), "},\"\n      \" ", a, ", %",
      next, ", p", Immediates(f),
      ";\\n}\"\n      : ", OperandList(real ? "+f" : "+r", "d", words),
      "\n      : ", inputs, "\n      : \"memory\");\n}\n");
}

}  // namespace tilesim::hwtests
