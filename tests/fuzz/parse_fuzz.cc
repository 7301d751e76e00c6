// Any bytes: the parser ends without a crash, its diagnostics can be drawn,
// and what it accepts is read back from its own print as the same program.
#include "frontend/directives.h"
#include "frontend/parse.h"
#include "tests/fuzz/entry.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  ir::Source source{"fuzz.tile",
                    std::string(reinterpret_cast<const char*>(data), size)};
  frontend::FindDirectives(source);
  fuzz::ParseAndReread(source, frontend::ParseSyntax);
  fuzz::ParseAndReread(source, frontend::Parse);
  return 0;
}
