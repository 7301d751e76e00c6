// `tilesim reduce`: the smallest program that still has a finding, or a
// verdict, for a report.
#include "cli/command.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/complain.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/launch_input.h"
#include "cli/output.h"
#include "cli/reduce/edits.h"
#include "cli/reduce/expectations.h"
#include "cli/reduce/reduce.h"
#include "fmt/format.h"
#include "frontend/include.h"
#include "frontend/parse.h"
#include "ir/printer.h"

namespace tilesim::cli {
namespace {

// States that a search may visit: much fewer than `check` does, many
// times.
constexpr int64_t kMaxStates = 2'000;

struct Options {
  std::string file;
  std::vector<std::string> defines;
  std::string code;
  std::string verdict;
  std::string keep;
  std::string out;
  std::string format = "text";
  int64_t max_checks = 2'000;
  int64_t max_states = kMaxStates;
};

std::optional<reduce::Wanted> WantedOf(const Options& o) {
  reduce::Wanted wanted;
  wanted.keep = o.keep;
  if (o.code.empty() == o.verdict.empty()) {
    Complain("say one of --code and --verdict");
    return std::nullopt;
  }
  if (o.verdict == "clean" && o.keep.empty()) {
    Complain(
        "--verdict clean: the smallest clean program is an empty one; say with "
        "--keep what shows that it is wrong");
    return std::nullopt;
  }
  if (!o.code.empty()) {
    wanted.code = ir::FindCode(o.code);
    if (!wanted.code)
      Complain("no code `{}`; see tilesim explain code", o.code);
    return wanted.code ? std::optional(wanted) : std::nullopt;
  }
  wanted.verdict = o.verdict == "clean" ? checkers::Verdict::kClean
                                        : checkers::Verdict::kIncomplete;
  return wanted;
}

// The program with what it includes, and what -D says as its text says it. What
// is no program says so when it is reduced.
ir::Source WithDefines(const ir::Source& source, const ir::Overrides& defines) {
  ir::Diagnostics ignored;
  std::optional<ir::Program> program = frontend::ParseSyntax(source, ignored);
  ir::Source with{source.path, source.text};
  bool read = program && frontend::Include(*program, with, ignored);
  if (!read || defines.empty()) return source;
  reduce::Lines lines = reduce::LinesOf(ir::Print(*program, 1'000'000));
  for (const auto& [name, value] : defines) reduce::Define(lines, name, value);
  return {source.path, reduce::TextOf(lines)};
}

std::string_view LooksFor(const Options& o) {
  return o.code.empty() ? std::string_view(o.verdict) : o.code;
}

Json SizeJson(const reduce::Size& size) {
  return {{"lines", std::get<0>(size)}, {"tokens", std::get<1>(size)}};
}

Json AnswerOf(const Options& o, const reduce::Reduction& r,
              const std::string& text) {
  Json file = {{"file", o.file},
               {"looks_for", LooksFor(o)},
               {"from", SizeJson(r.from)},
               {"to", SizeJson(r.to)},
               {"checks", r.checks},
               {"smallest", r.all},
               {"output", o.out.empty() ? Json() : Json(o.out)},
               {"program", text}};
  return {{"schema", 1}, {"files", Json::array({std::move(file)})}};
}

ExitCode Reduce(const Options& o) {
  std::optional<reduce::Wanted> wanted = WantedOf(o);
  std::optional<ir::Overrides> defines = ParseOverrides(o.defines);
  if (!wanted || !defines) return kBadInput;
  if (!IsNoPtx(o.file)) return kBadInput;
  std::optional<ir::Source> read = ReadSource(o.file);
  if (!read || !SparesInputs({{"-o", o.out}}, {{"FILE", o.file}}))
    return kBadInput;
  const ir::Source source = WithDefines(*read, *defines);
  checkers::CheckOptions check;
  check.max_states = o.max_states;
  reduce::Oracle oracle(std::move(*wanted), check);
  const std::atomic<bool>& stop = CatchInterrupt();
  auto step = [&](int64_t checks, const reduce::Size& size) {
    fmt::print(stderr, "tilesim: {} lines, {} tokens after {} checks\n",
               std::get<0>(size), std::get<1>(size), checks);
  };
  std::optional<reduce::Reduction> r =
      reduce::Reduce(source, oracle, {o.max_checks}, stop, step);
  if (!r) {
    Complain("{} does not have `{}`{}", o.file, LooksFor(o),
             o.keep.empty() ? "" : ", or the command of --keep fails");
    return kBadInput;
  }
  std::string text = reduce::WithExpectations(r->text, r->seen);
  if (!r->all)
    fmt::print(stderr, "tilesim: {}; a smaller one may be there\n",
               stop ? "interrupted" : "as many were checked as --tries says");
  if (!o.out.empty() && !WriteFile(o.out, text)) return kBadInput;
  if (o.format == "json") {
    PrintAnswer(AnswerOf(o, *r, text));
  } else if (o.out.empty()) {
    fmt::print("{}", text);
  }
  return stop ? kInterrupted : kClean;
}

}  // namespace

void AddReduce(Command app, int& exit) {
  auto o = std::make_shared<Options>();
  Command reduce = app.AddCommand(
      "reduce",
      "The smallest program that still has a finding or a verdict: a test, "
      "for a report.");
  reduce.AddOption("FILE", o->file, "a .tile file").Required();
  reduce.AddOption("--code", o->code, "the finding, e.g. race/war");
  reduce.AddOption("--verdict", o->verdict, "the verdict that is wrong")
      .OneOf({"incomplete", "clean"});
  reduce.AddOption("--keep", o->keep,
                   "a shell command that gets the program's file as its "
                   "argument and must succeed, too");
  reduce
      .AddOption("-D", o->defines,
                 "NAME=VALUE: a param or const, from then on a constant")
      .OneValueEach();
  reduce.AddOption("-o", o->out, "the file to write; else stdout");
  reduce.AddOption("--format", o->format, "text or json, on stdout")
      .OneOf({"text", "json"});
  reduce.AddOption("--tries", o->max_checks, "programs to check at most")
      .ShowDefault()
      .Check(WholeNumber(1));
  reduce
      .AddOption("--max-states", o->max_states,
                 "states a search of schedules may visit")
      .ShowDefault()
      .Check(WholeNumber(1));
  reduce.Footer(
      "examples:\n"
      "  tilesim reduce gemm.tile --code race/war -o race.tile\n"
      "  tilesim reduce gemm.tile --verdict incomplete -D K=640\n"
      "what is kept is a finding of that code, and no other code comes; where "
      "another bug has\nthe same code, --keep says what else must hold\n");
  reduce.OnCall([o, &exit] { exit = Reduce(*o); });
}

}  // namespace tilesim::cli
