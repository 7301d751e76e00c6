// `-o FILE` of commands that print: what they print is in the file, and not on
// stdout. As of every file that a command writes: whole, or as it was before.
//
//   AddPrinted(run, o.output);
//   ...
//   if (!PrintTo(o.output, inputs)) return kBadInput;  // before anything is
//   said
//   ...
//   EndPrinted(code)                                   // main, last
#ifndef TILESIM_CLI_PRINTED_H_
#define TILESIM_CLI_PRINTED_H_

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/output.h"

namespace tilesim::cli {

void AddPrinted(Command to, std::string& path);

// From here on what goes to stdout is kept. `named` are the other files of the
// command line, which it must not be. An empty path, or `-`, is stdout itself.
// False: said on stderr.
bool PrintTo(const std::string& path, const std::vector<NamedFile>& named);

// What was kept, as that file, where `exit` says that the command has an
// answer; otherwise on stdout, and the file stays. The exit code, another one
// if it could not be written.
int EndPrinted(int exit);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_PRINTED_H_
