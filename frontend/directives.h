// What test files say to the test runner, found in their comments:
//
//   //! error[race/war] "text"      a directive, about its own line or, when
//                                   it stands alone, the line below
//   wgmma.mma_async ...  // #read   a marker: a name for this line
//
//   // tilesim: allow(race/war) reason      to the tool itself (allow.h), about
//                                           the same lines as a directive; at
//                                           the end of a statement of several
//                                           lines, about its first
//
// This only finds them; what a directive means is the runner's business.
#ifndef TILESIM_FRONTEND_DIRECTIVES_H_
#define TILESIM_FRONTEND_DIRECTIVES_H_

#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/span.h"

namespace tilesim::frontend {

struct Directive {
  std::string text;       // after `//!`, without spaces around it
  bool own_line = false;  // nothing else on its line
  ir::Span span;          // of the comment
  int32_t target = 0;     // the line it is about: its own, or the next one
                          // that is neither blank nor a comment alone
};

struct Marker {
  std::string name;  // without `#`
  int32_t line = 0;
};

struct Directives {
  std::vector<Directive> directives;
  std::vector<Directive> to_tool;  // the text after `tilesim:`
  std::vector<Marker> markers;
};

Directives FindDirectives(const ir::Source& source);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_DIRECTIVES_H_
