#include "cli/color.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace tilesim::cli {
namespace {

std::string& Mode() {
  static auto* const kMode = new std::string("auto");
  return *kMode;
}

bool IsSet(const char* variable, std::string_view to) {
  const char* value = std::getenv(variable);
  return value != nullptr && value == to;
}

bool ForTerminal(FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && !IsSet("TERM", "dumb") && isatty(fileno(stream)) != 0;
}

}  // namespace

void AddColor(Command app) {
  app.AddOption("--color", Mode(), "auto, always or never")
      .OneOf({"auto", "always", "never"});
}

ir::Paint PaintOn(FILE* stream) {
  return {Mode() == "always" || (Mode() == "auto" && ForTerminal(stream))};
}

}  // namespace tilesim::cli
