# The pages as one C++ array: cmake -DOUT=... -DFILES=a;b -P embed.cmake
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  get_filename_component(code ${file} NAME)
  string(REGEX REPLACE "^([^.]*)\\.(.*)\\.md$" "\\1/\\2" code ${code})
  string(APPEND text "    {\"${code}\", R\"page(${part})page\"},\n")
endforeach()
file(WRITE ${OUT} "// Generated from checkers/explain/*.md.
#include \"checkers/explain/pages.h\"

#include <iterator>

namespace tilesim::checkers::explain {
namespace {

// Of a file FAMILY.KIND.md.
constexpr PageText kTexts[] = {
${text}};

static_assert(std::size(kTexts) == ir::kCodes,
              \"each code of ir/codes.def has a page in checkers/explain\");

}  // namespace

std::span<const PageText> PageTexts() { return kTexts; }

}  // namespace tilesim::checkers::explain
")
