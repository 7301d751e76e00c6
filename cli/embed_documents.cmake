# docs/*.md and the licences as one C++ array:
# cmake -DOUT=... -DFILES=a;b -DLICENSES=... -P embed_documents.cmake
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND text "    {\"${name}\", R\"page(${part})page\"},\n")
endforeach()
file(READ ${LICENSES} licenses)
file(WRITE ${OUT} "// Generated from docs/*.md and licenses.txt.
#include \"cli/documents.h\"

namespace tilesim::cli {
namespace {

constexpr Document kDocuments[] = {
${text}};
constexpr std::string_view kLicenses = R\"page(${licenses})page\";

}  // namespace

std::span<const Document> Documents() { return kDocuments; }
std::string_view Licenses() { return kLicenses; }

}  // namespace tilesim::cli
")
