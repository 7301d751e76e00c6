# docs/*.md and the licences as one C++ array:
# cmake -DOUT=... -DFILES=a;b -DLICENSES=... -DLANGUAGE=... -P embed_documents.cmake
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND text "    {\"${name}\", R\"page(${part})page\"},\n")
endforeach()
file(READ ${LICENSES} licenses)
file(READ ${LANGUAGE} language)
file(WRITE ${OUT} "// Generated from docs/*.md, licenses.txt and frontend/language.md.
#include \"cli/documents.h\"
#include \"cli/language_words.h\"

namespace tilesim::cli {
namespace {

constexpr Document kDocuments[] = {
${text}};
constexpr std::string_view kLicenses = R\"page(${licenses})page\";
constexpr std::string_view kLanguage = R\"page(${language})page\";

}  // namespace

std::span<const Document> Documents() { return kDocuments; }
std::string_view Licenses() { return kLicenses; }
std::string_view LanguagePage() { return kLanguage; }

}  // namespace tilesim::cli
")
