// The language server: requests in, answers and diagnostics out.
#ifndef TILESIM_CLI_LSP_SERVER_H_
#define TILESIM_CLI_LSP_SERVER_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/lsp/channel.h"
#include "cli/lsp/document.h"
#include "cli/lsp/symbols.h"

namespace tilesim::cli::lsp {

class Server {
 public:
  explicit Server(Channel& channel) : channel_(channel) {}
  ~Server();

  // Until `exit`, or the end of the input. What the process exits with: 0 after
  // `shutdown`, 1 without, as the protocol asks.
  int Run();
  // A check is under way, and nobody waits for it.
  bool checking();

 private:
  // A text that is open, and what is known of it.
  struct Open {
    Document document;
    Symbols symbols;
    bool changed = true;
    std::vector<Json> of_text, of_check;  // diagnostics
  };
  using Handler = Json (Server::*)(const Json& params);
  struct Method {
    const char* name;
    Handler handler;
    bool answers;  // a request; else a notification
  };
  static const Method kMethods[];

  void Handle(const Json& message);
  // Analyses what has changed, once nothing more is waiting.
  void Settle();
  void Publish(const Open& open);
  Open* OpenOf(const Json& params);

  Json Initialize(const Json& params);
  Json Shutdown(const Json& params);
  Json DidOpen(const Json& params);
  Json DidChange(const Json& params);
  Json DidSave(const Json& params);
  Json DidClose(const Json& params);
  Json Hover(const Json& params);
  Json Definition(const Json& params);
  Json Completion(const Json& params);
  Json Formatting(const Json& params);
  Json Ignore(const Json& params);

  // Checks of saved texts, on a thread of their own, one after another.
  void StartChecks();
  void CheckSaved();

  Channel& channel_;
  bool check_on_save_ = true;
  bool shut_down_ = false;
  std::mutex mutex_;  // of what follows
  std::map<std::string, Open> open_;
  std::map<std::string, Document> to_check_;  // by URI
  bool checking_ = false;
  std::thread checker_;
};

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_SERVER_H_
