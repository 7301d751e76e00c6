#include "hwtests/emit/element_text.h"

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;

std::string Plus(std::string_view index, int64_t by) {
  return by == 0 ? std::string(index) : Cat(index, " + ", by);
}

bool IsNarrowFloat(DType type) {
  return type == DType::kF16 || type == DType::kBF16 || type == DType::kE4M3 ||
         type == DType::kE5M2;
}

}  // namespace

std::string ReadElement(DType type, std::string_view regs,
                        std::string_view index) {
  if (values::BitsOf(type) == 32) return Cat(regs, "[", index, "]");
  if (!IsNarrowFloat(type)) return "";
  int64_t per_word = ElementsAWord(type);
  std::string at = index.find(' ') == std::string_view::npos
                       ? std::string(index)
                       : Cat("(", index, ")");
  return Cat("tile::from_", values::NameOf(type), "(", regs, "[", at, " / ",
             per_word, "], ", at, " % ", per_word, ")");
}

int64_t ElementsAWord(DType type) {
  return std::max(1, 32 / values::BitsOf(type));
}

std::string WriteWord(DType type, std::string_view regs, std::string_view index,
                      std::string_view rounding,
                      const std::function<std::string(std::string)>& value) {
  int64_t per_word = ElementsAWord(type);
  if (per_word == 1)
    return Cat(regs, "[", index, "] = ", value(std::string(index)), ";");
  if (!IsNarrowFloat(type)) return "";
  std::string arguments;
  for (int64_t j = 0; j < per_word; ++j)
    ir::Append(&arguments, j == 0 ? "" : ", ", value(Plus(index, j)));
  bool fp8 = per_word == 4;  // always saturates
  std::string suffix = rounding.empty() || (fp8 && rounding == "satfinite")
                           ? ""
                           : Cat("_", rounding);
  return Cat(regs, "[", index, " / ", per_word, "] = tile::pack_",
             values::NameOf(type), suffix, "(", arguments, ");");
}

}  // namespace tilesim::hwtests
