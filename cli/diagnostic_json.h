// A diagnostic, as every answer in JSON has it.
#ifndef TILESIM_CLI_DIAGNOSTIC_JSON_H_
#define TILESIM_CLI_DIAGNOSTIC_JSON_H_

#include "cli/json.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

// {"code", "severity", "message", "location", "labels", "notes", "help"};
// lines and columns count from 1.
Json DiagnosticJson(const ir::Source& source, const ir::Diagnostic& diagnostic);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_DIAGNOSTIC_JSON_H_
