#include "ir/code.h"

#include <ostream>
#include <vector>

namespace tilesim::ir {
namespace {

enum class Occurs : uint8_t { kError, kWarning, kEither };

struct Row {
  Occurs occurs;
  std::string_view strict;
  std::string_view summary;
};

// Beside kCodeNames.
constexpr Row kRows[] = {
    {Occurs::kError, "", ""},
#define CODE(name, severity, strict, summary) \
  {Occurs::severity, strict, summary},
#include "ir/codes.def"
#undef CODE
};

}  // namespace

std::string_view Code::summary() const { return kRows[row_].summary; }

Severity Code::severity() const {
  return may_err() ? Severity::kError : Severity::kWarning;
}

bool Code::may_warn() const { return kRows[row_].occurs != Occurs::kError; }

bool Code::may_err() const { return kRows[row_].occurs != Occurs::kWarning; }

std::string_view Code::strict() const { return kRows[row_].strict; }

void PrintTo(Code code, std::ostream* out) { *out << code.name(); }

std::optional<Code> FindCode(std::string_view name) {
  Code code;
  code.row_ = Code::RowOf(name);
  if (code.empty()) return std::nullopt;
  return code;
}

std::span<const Code> AllCodes() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<Code>(kCodes);
    for (size_t i = 0; i < all->size(); ++i)
      (*all)[i].row_ = static_cast<uint16_t>(i + 1);
    return all;
  }();
  return *kAll;
}

std::span<const std::string_view> StrictSwitches() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<std::string_view>;
    for (const Row& row : kRows) {
      if (!row.strict.empty()) all->push_back(row.strict);
    }
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
    return all;
  }();
  return *kAll;
}

}  // namespace tilesim::ir
