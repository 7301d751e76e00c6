// What the tool has to say about a program, as diagnostics: for pages that
// show it.
#ifndef TILESIM_CLI_FINDINGS_TEXT_H_
#define TILESIM_CLI_FINDINGS_TEXT_H_

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "sim/machine/data/computes.h"
#include "sim/machine/data/coverage.h"
#include "traces/report.h"

namespace tilesim::cli {

// By the parser, then by the verifier, each with its witness.
std::string FindingsOfCheck(const ir::Source& source);
// By the parser, then by a run that computes every value.
std::string FindingsOfRun(const ir::Source& source);

// A finding with its source lines, in colour where that stream has it.
std::string TextOf(const ir::Diagnostic& d, const ir::Source& source,
                   FILE* stream);
// The same for a report on stdout.
traces::FindingLine LineOf(const ir::Diagnostic& d, const ir::Source& source);

// Why a result was not compared with what it `computes`, with its name; empty
// if it was.
std::string WhyNotCompared(const machine::ComputesResult& result);

// "[2176, 3840]": the place of an element of a tensor, by its number.
std::string PlaceOfElement(int64_t number, const std::vector<int64_t>& shape);
// A result that is not what `computes` says, or what else it should be.
ir::Diagnostic MismatchOf(const machine::ComputesResult& result,
                          std::string_view wanted = "what it computes");

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_FINDINGS_TEXT_H_
