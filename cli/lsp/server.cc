#include "cli/lsp/server.h"

#include <utility>

#include "cli/lsp/analysis.h"
#include "cli/lsp/completion.h"
#include "cli/lsp/hover.h"
#include "cli/uri.h"
#include "cli/version.h"
#include "frontend/parse.h"
#include "frontend/partial.h"
#include "ir/printer.h"

namespace tilesim::cli::lsp {
namespace {

constexpr int kMethodNotFound = -32601;
constexpr int kFullSync = 1;     // every change sends the whole text
constexpr int kInformation = 3;  // a MessageType

std::string UriIn(const Json& params) {
  if (!params.contains("textDocument")) return "";
  return params["textDocument"].value("uri", "");
}

bool Contains(const Json& range, Position at) {
  const Json &start = range["start"], &end = range["end"];
  return start["line"] == at.line && start["character"] <= at.character &&
         (end["line"] > at.line || end["character"] >= at.character);
}

Json Markdown(const std::string& text) {
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}};
}

}  // namespace

const Server::Method Server::kMethods[] = {
    {"initialize", &Server::Initialize, true},
    {"initialized", &Server::Ignore, false},
    {"shutdown", &Server::Shutdown, true},
    {"textDocument/didOpen", &Server::DidOpen, false},
    {"textDocument/didChange", &Server::DidChange, false},
    {"textDocument/didSave", &Server::DidSave, false},
    {"textDocument/didClose", &Server::DidClose, false},
    {"textDocument/hover", &Server::Hover, true},
    {"textDocument/definition", &Server::Definition, true},
    {"textDocument/completion", &Server::Completion, true},
    {"textDocument/formatting", &Server::Formatting, true},
};

Server::~Server() {
  if (checker_.joinable()) checker_.join();
}

bool Server::checking() {
  std::lock_guard lock(mutex_);
  return checking_;
}

int Server::Run() {
  while (std::optional<Json> message = channel_.Read()) {
    if (message->value("method", "") == "exit") break;
    Handle(*message);
    if (!channel_.Waiting()) Settle();
  }
  return shut_down_ ? 0 : 1;
}

void Server::Handle(const Json& message) {
  std::string name = message.value("method", "");
  Json params = message.value("params", Json::object());
  if (!params.is_object()) params = Json::object();
  for (const Method& method : kMethods) {
    if (name != method.name) continue;
    // What is asked is asked of the newest text.
    if (method.answers) Settle();
    Json result = (this->*method.handler)(params);
    if (method.answers && message.contains("id"))
      channel_.Write({{"jsonrpc", "2.0"},
                      {"id", message["id"]},
                      {"result", std::move(result)}});
    return;
  }
  // Of what is unknown only requests are answered.
  if (!message.contains("id") || name.empty()) return;
  channel_.Write({{"jsonrpc", "2.0"},
                  {"id", message["id"]},
                  {"error",
                   {{"code", kMethodNotFound},
                    {"message", "tilesim does not know " + name}}}});
}

void Server::Settle() {
  std::lock_guard lock(mutex_);
  for (auto& [uri, open] : open_) {
    if (!open.changed) continue;
    open.changed = false;
    TextAnalysis analysis = AnalyseText(open.document);
    open.of_text.clear();
    for (const ir::Diagnostic& d : analysis.diagnostics.all())
      open.of_text.push_back(ToLsp(d, analysis.source));
    open.symbols =
        Symbols(frontend::ParsePartly(analysis.source), open.document);
    Publish(open);
  }
}

void Server::Publish(const Open& open) {
  Json all = Json::array();
  for (const auto* list : {&open.of_text, &open.of_check})
    for (const Json& d : *list) all.push_back(d);
  channel_.Write({{"jsonrpc", "2.0"},
                  {"method", "textDocument/publishDiagnostics"},
                  {"params",
                   {{"uri", open.document.uri},
                    {"version", open.document.version},
                    {"diagnostics", std::move(all)}}}});
}

Server::Open* Server::OpenOf(const Json& params) {
  auto found = open_.find(UriIn(params));
  return found == open_.end() ? nullptr : &found->second;
}

// --- life --------------------------------------------------------------------

Json Server::Initialize(const Json& params) {
  Json options = params.value("initializationOptions", Json::object());
  if (options.is_object()) check_on_save_ = options.value("checkOnSave", true);
  return {{"serverInfo", {{"name", "tilesim"}, {"version", Version()}}},
          {"capabilities",
           {{"textDocumentSync",
             {{"openClose", true}, {"change", kFullSync}, {"save", true}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"documentFormattingProvider", true},
            {"completionProvider", {{"triggerCharacters", {"."}}}}}}};
}

Json Server::Ignore(const Json&) { return nullptr; }

Json Server::Shutdown(const Json&) {
  shut_down_ = true;
  return nullptr;
}

// --- texts -------------------------------------------------------------------

Json Server::DidOpen(const Json& params) {
  std::lock_guard lock(mutex_);
  std::string uri = UriIn(params);
  const Json item = params.value("textDocument", Json::object());
  Open& open = open_[uri];
  open = Open();
  open.document = {uri, PathOfUri(uri), item.value("text", ""),
                   item.value("version", int64_t{0})};
  return nullptr;
}

Json Server::DidChange(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  const Json changes = params.value("contentChanges", Json::array());
  if (open == nullptr || changes.empty()) return nullptr;
  open->document.text = changes.back().value("text", "");
  open->document.version =
      params["textDocument"].value("version", open->document.version + 1);
  open->changed = true;
  open->of_check.clear();
  return nullptr;
}

Json Server::DidSave(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  if (open == nullptr || !check_on_save_) return nullptr;
  open->changed = true;  // an included file may be another one
  to_check_[open->document.uri] = open->document;
  StartChecks();
  return nullptr;
}

Json Server::DidClose(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  if (open == nullptr) return nullptr;
  open->of_text.clear();
  open->of_check.clear();
  Publish(*open);
  open_.erase(UriIn(params));
  return nullptr;
}

// --- questions ---------------------------------------------------------------

Json Server::Hover(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  std::optional<Position> at = PositionOf(params);
  if (open == nullptr || !at) return nullptr;
  Word word = WordAt(open->document.text, *at);
  std::string text = HoverText(word, open->symbols.Find(word.text, at->line));
  for (const auto* list : {&open->of_text, &open->of_check}) {
    for (const Json& d : *list) {
      if (!Contains(d["range"], *at)) continue;
      if (!text.empty()) text += "\n\n---\n\n";
      text += CodeText(d["code"]);
    }
  }
  return text.empty() ? Json(nullptr) : Markdown(text);
}

Json Server::Definition(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  std::optional<Position> at = PositionOf(params);
  if (open == nullptr || !at) return nullptr;
  Word word = WordAt(open->document.text, *at);
  const Symbol* symbol = open->symbols.Find(word.text, at->line);
  if (symbol == nullptr) return nullptr;
  bool here = symbol->path == open->document.path;
  return {{"uri", here ? open->document.uri : UriOf(symbol->path)},
          {"range", RangeOf(symbol->span)}};
}

Json Server::Completion(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  std::optional<Position> at = PositionOf(params);
  if (open == nullptr || !at) return Json::array();
  return Completions(open->document, open->symbols, *at);
}

Json Server::Formatting(const Json& params) {
  std::lock_guard lock(mutex_);
  Open* open = OpenOf(params);
  if (open == nullptr) return nullptr;
  ir::Source source{open->document.path, open->document.text};
  ir::Diagnostics told_elsewhere;
  auto program = frontend::ParseSyntax(source, told_elsewhere);
  if (!program) return nullptr;  // its errors are shown already
  std::string text = ir::Print(*program);
  if (text == source.text) return Json::array();
  return Json::array(
      {{{"range", WholeRange(source.text)}, {"newText", std::move(text)}}});
}

// --- checks ------------------------------------------------------------------

void Server::StartChecks() {
  if (checking_) return;
  if (checker_.joinable()) checker_.join();
  checking_ = true;
  checker_ = std::thread([this] { CheckSaved(); });
}

void Server::CheckSaved() {
  std::unique_lock lock(mutex_);
  while (!to_check_.empty()) {
    Document document =
        std::move(to_check_.extract(to_check_.begin()).mapped());
    lock.unlock();
    CheckAnalysis analysis = AnalyseByCheck(document);
    lock.lock();
    auto open = open_.find(document.uri);
    if (open == open_.end() || open->second.document.text != document.text)
      continue;
    open->second.of_check.clear();
    for (const ir::Diagnostic& d : analysis.findings)
      open->second.of_check.push_back(ToLsp(d, analysis.source));
    Publish(open->second);
    if (!analysis.verdict.empty())
      channel_.Write(
          {{"jsonrpc", "2.0"},
           {"method", "window/logMessage"},
           {"params",
            {{"type", kInformation},
             {"message", document.path + ": " + analysis.verdict}}}});
  }
  checking_ = false;
}

}  // namespace tilesim::cli::lsp
