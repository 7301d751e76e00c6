#include <filesystem>
#include <map>
#include <set>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/output.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "ptx/flow/graph.h"
#include "ptx/flow/slice.h"
#include "ptx/flow/waits.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower_steps.h"
#include "ptx/text/parser.h"
#include "ptx/text/printer.h"

namespace tilesim::cli {
namespace {

using nlohmann::json;
using ordered = nlohmann::ordered_json;

struct PtxOptions {
  std::string file, out, launch, format = "text";
  bool print = false;
  bool skeleton = false;
  bool rename = false;
  bool keep_lines = false;
};

std::string TypeOf(const ptx::Variable& v) {
  std::string text = v.type.substr(1);
  for (const auto& dim : v.names[0].dims)
    text += fmt::format("[{}]", dim.value_or(0));
  if (v.is_pointer)
    text +=
        " pointer to " +
        (v.pointer_space.empty() ? "any memory" : v.pointer_space.substr(1));
  return text;
}

json Directives(const ptx::Function& f) {
  json out = json::object();
  for (const ptx::Directive& d : f.signature.directives) {
    json numbers = json::array();
    for (const ptx::Number& n : d.numbers) numbers.push_back(n.value());
    out[d.name.substr(1)] = numbers;
  }
  return out;
}

// How many instructions each plane has, and which are not known.
void CountPlanes(const ptx::Graph& graph, ordered& kernel) {
  std::map<ptx::Plane, size_t> counts;
  std::set<std::string> unknown;
  std::vector<ptx::Plane> planes = ptx::PlanesOf(graph);
  for (size_t i = 0; i < planes.size(); ++i) {
    ++counts[planes[i]];
    if (planes[i] == ptx::Plane::kUnknown)
      unknown.insert(graph.nodes[i].instruction().opcode);
  }
  kernel["instructions"] = planes.size();
  kernel["operations"] = counts[ptx::Plane::kOp];
  kernel["memory"] = counts[ptx::Plane::kAccess];
  kernel["control"] = counts[ptx::Plane::kControl];
  kernel["payload"] = counts[ptx::Plane::kPayload];
  kernel["not_known"] = unknown;
}

// By opcode: how often it stands there as an operation or access, as a value
// that decides, as payload; and whether `check` executes it.
void CountOpcodes(const ptx::Graph& graph, ordered& kernel) {
  using Plane = ptx::Plane;
  std::map<std::string, std::map<std::string, int64_t>> all;
  std::map<std::string, std::set<std::string>> refused;
  std::vector<Plane> planes = ptx::PlanesOf(graph);
  for (size_t i = 0; i < planes.size(); ++i) {
    const ptx::Node& n = graph.nodes[i];
    if (n.op == nullptr) continue;
    const std::string opcode(n.op->opcode);
    const char* plane = planes[i] == Plane::kControl   ? "control"
                        : planes[i] == Plane::kPayload ? "payload"
                                                       : "operation";
    ++all[opcode][plane];
    const std::string& spelling = n.instruction().opcode;
    if (!ptx::IsExecuted(n, planes[i])) refused[opcode].insert(spelling);
  }
  kernel["opcodes"] = all;
  kernel["refused"] = refused;
}

ordered Describe(const ptx::Function& f, ir::Diagnostics& diagnostics) {
  ordered kernel = {{"kernel", f.name}, {"directives", Directives(f)}};
  kernel["parameters"] = json::array();
  for (const ptx::Variable& v : f.signature.params)
    kernel["parameters"].push_back(
        ordered{{"name", v.names[0].name}, {"type", TypeOf(v)}});
  ptx::Graph graph = ptx::BuildGraph(f, diagnostics);
  CountPlanes(graph, kernel);
  CountOpcodes(graph, kernel);
  auto line = [&](int32_t node) {
    return graph.nodes[node].statement->span.line;
  };
  std::set<int32_t> heads;
  for (const ptx::Loop& loop : graph.loops)
    heads.insert(line(graph.blocks[loop.head].first));
  kernel["loops"] = heads;
  kernel["waits"] = kernel["tests"] = json::array();
  for (const ptx::Wait& wait : ptx::FindWaits(graph))
    kernel[wait.loops ? "waits" : "tests"].push_back(line(wait.node));
  kernel["loads_that_decide"] = json::array();
  for (int32_t node : ptx::ControlLoads(graph))
    kernel["loads_that_decide"].push_back(line(node));
  return kernel;
}

std::string Joined(const ordered& values, std::string_view none = "none") {
  std::string text;
  for (const ordered& v : values)
    text += (text.empty() ? "" : ", ") +
            (v.is_string() ? v.get<std::string>() : v.dump());
  return text.empty() ? std::string(none) : text;
}

void PrintKernel(const ordered& k) {
  auto number = [&](const char* key) { return k[key].get<int64_t>(); };
  fmt::print("kernel {}\n", k["kernel"].get<std::string>());
  for (const auto& [name, numbers] : k["directives"].items())
    fmt::print("  .{:<19}{}\n", name, Joined(numbers, ""));
  for (const ordered& p : k["parameters"])
    fmt::print("  parameter           {}  {}\n", p["name"].get<std::string>(),
               p["type"].get<std::string>());
  fmt::print(
      "  instructions        {}: {} operations and branches, {} loads and "
      "stores,\n                      {} whose values decide control or "
      "addresses, {} of data\n",
      number("instructions"), number("operations"), number("memory"),
      number("control"), number("payload"));
  fmt::print("  loops at lines      {}\n", Joined(k["loops"]));
  fmt::print("  waits at lines      {}\n", Joined(k["waits"]));
  fmt::print("  tests at lines      {}\n", Joined(k["tests"]));
  fmt::print("  loads that decide   {}\n", Joined(k["loads_that_decide"]));
  if (!k["not_known"].empty())
    fmt::print("  not known           {}\n", Joined(k["not_known"]));
}

int Summary(const PtxOptions& o, const ir::Source& source,
            const ptx::Module& module) {
  ir::Diagnostics diagnostics;
  ordered kernels = ordered::array();
  for (const ptx::Function& f : module.functions) {
    if (f.has_body) kernels.push_back(Describe(f, diagnostics));
  }
  PrintDiagnostics(diagnostics, source);
  if (diagnostics.has_errors()) return kBadInput;
  if (o.format == "json") {
    ordered all = {{"schema", 1},
                   {"version", module.version},
                   {"targets", module.targets},
                   {"kernels", kernels}};
    PrintAnswer(all);
    return kClean;
  }
  for (const ordered& kernel : kernels) PrintKernel(kernel);
  return kClean;
}

std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void PrintErrors(const std::string& path,
                 const std::vector<ptx::LaunchError>& errors) {
  for (const ptx::LaunchError& e : errors)
    fmt::print(stderr, "{}: error: {}{}{}\n", path, e.where,
               e.where.empty() ? "" : ": ", e.message);
}

// Does the description fit the module? Launches of other PTX files are named
// and not judged.
int CheckLaunch(const PtxOptions& o, const ptx::Module& module) {
  std::optional<ir::Source> source = ReadSource(o.launch);
  if (!source) return kBadInput;
  std::vector<ptx::LaunchError> errors;
  std::optional<ptx::LaunchFile> file = ptx::ReadLaunch(source->text, errors);
  PrintErrors(o.launch, errors);
  if (!file) return kBadInput;
  errors = ReadContents(o.launch, ~uint64_t{0}, *file);
  PrintErrors(o.launch, errors);
  if (!errors.empty()) return kBadInput;
  size_t judged = 0;
  for (size_t i = 0; i < file->launches.size(); ++i) {
    const ptx::Launch& launch = file->launches[i];
    if (!launch.ptx.empty() && FileName(launch.ptx) != FileName(o.file)) {
      fmt::print("launches[{}] is of {}: not judged\n", i, launch.ptx);
      continue;
    }
    ++judged;
    errors = ptx::Fits(module, *file, i);
    PrintErrors(o.launch, errors);
    if (!errors.empty()) return kBadInput;
    fmt::print(
        "launches[{}] fits kernel {}; whether its tensor maps can be encoded "
        "was not checked\n",
        i, launch.kernel);
  }
  if (judged > 0) return kClean;
  PrintErrors(o.launch, {{"launches", "none is of " + FileName(o.file)}});
  return kBadInput;
}

int WriteOut(const PtxOptions& o, const std::string& text) {
  if (!o.out.empty() && o.out != "-")
    return WriteFile(o.out, text) ? kClean : kBadInput;
  fmt::print("{}", text);
  return kClean;
}

int Ptx(const PtxOptions& o) {
  if (!SparesInputs({{"-o", o.out}}, {{"FILE", o.file}})) return kBadInput;
  if (!o.out.empty() && !o.print && !o.skeleton) {
    Complain("-o goes with --print or --skeleton");
    return kBadInput;
  }
  std::optional<ir::Source> source = ReadSource(o.file);
  if (!source) return kBadInput;
  ir::Diagnostics diagnostics;
  std::optional<ptx::Module> module = ptx::Parse(*source, diagnostics);
  PrintDiagnostics(diagnostics, *source);
  if (!module) return kBadInput;
  if (!o.launch.empty()) return CheckLaunch(o, *module);
  if (o.skeleton)
    return WriteOut(o, ptx::LaunchSkeleton(*module, FileName(o.file)));
  if (!o.print) return Summary(o, *source, *module);
  return WriteOut(o, ptx::Print(*module, {.rename_registers = o.rename,
                                          .keep_lines = o.keep_lines}));
}

}  // namespace

void AddPtx(Command app, int& exit) {
  auto o = std::make_shared<PtxOptions>();
  Command ptx = app.AddCommand(
      "ptx",
      "Says what is in PTX: kernels, loops, waits, what decides control.");
  ptx.AddOption("FILE", o->file, "a .ptx file; - for stdin").Required();
  ptx.AddOption("--format", o->format, "text or json").OneOf({"text", "json"});
  Option print =
      ptx.AddFlag("--print", o->print,
                  "print the module: one statement a line, no comments");
  ptx.AddFlag("--rename", o->rename,
              "print registers by type and order of declaration")
      .Needs(print);
  ptx.AddFlag("--keep-lines", o->keep_lines, "print each statement on its line")
      .Needs(print);
  Option skeleton =
      ptx.AddFlag("--skeleton", o->skeleton,
                  "print a launch description with gaps (null) to fill in")
          .Excludes(print);
  ptx.AddOption("--launch", o->launch,
                "a launch description: does it fit the kernels?")
      .Excludes(print)
      .Excludes(skeleton);
  ptx.AddOption("-o", o->out, "the file to print to; stdout when absent");
  ptx.Footer(
      "examples:\n"
      "  tilesim ptx kernel.ptx\n"
      "  tilesim ptx kernel.ptx --print --rename -o plain.ptx\n"
      "  tilesim ptx kernel.ptx --skeleton -o launch.json\n"
      "  tilesim ptx kernel.ptx --launch launch.json\n");
  ptx.OnCall([o, &exit] { exit = Ptx(*o); });
}

}  // namespace tilesim::cli
