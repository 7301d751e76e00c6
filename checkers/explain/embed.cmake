# The pages as one C++ array: cmake -DOUT=... -DFILES=a;b -P embed.cmake
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  string(APPEND text "    R\"page(${part})page\",\n")
endforeach()
file(WRITE ${OUT} "// Generated from checkers/explain/*.md.
#include \"checkers/explain/pages.h\"

namespace tilesim::checkers::explain {
namespace {

constexpr std::string_view kTexts[] = {
${text}};

}  // namespace

absl::Span<const std::string_view> PageTexts() { return kTexts; }

}  // namespace tilesim::checkers::explain
")
