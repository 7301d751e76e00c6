// What tells a finding from others of its file from one version of it to the
// next, and a program's text from others.
#ifndef TILESIM_CLI_FINGERPRINT_H_
#define TILESIM_CLI_FINGERPRINT_H_

#include <string>

#include "ir/diagnostic.h"

namespace tilesim::cli {

// What was found, on lines that read so: it stays the same when lines move.
std::string Fingerprint(const ir::Source& source,
                        const ir::Diagnostic& diagnostic);
// Of the text of a program and of what it includes.
std::string TextFingerprint(const ir::Source& source);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_FINGERPRINT_H_
