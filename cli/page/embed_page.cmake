# page.html, page.css and the scripts, one after another, as C++ texts:
# cmake -DOUT=... -DDIR=... -P embed_page.cmake
file(READ ${DIR}/page.html html)
file(READ ${DIR}/page.css css)
set(script "")
foreach(name timeline charts gpu page)
  file(READ ${DIR}/${name}.js part)
  string(APPEND script "${part}")
endforeach()
file(WRITE ${OUT} "// Generated from cli/page.
#include \"cli/page/page_files.h\"

namespace tilesim::cli {

constexpr std::string_view kPageHtml = R\"page(${html})page\";
constexpr std::string_view kPageCss = R\"page(${css})page\";
constexpr std::string_view kPageScript = R\"page(${script})page\";

}  // namespace tilesim::cli
")
