// tilesim lsp: what editors ask, on stdin and stdout.
#include "cli/command.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "cli/lsp/channel.h"
#include "cli/lsp/server.h"

namespace tilesim::cli {

void AddLsp(Command app, int& exit) {
  Command lsp = app.AddCommand(
      "lsp",
      "Serves editors: the Language Server Protocol on stdin and stdout.");
  auto stdio = std::make_shared<bool>();
  lsp.AddFlag("--stdio", *stdio, "on stdin and stdout, the only way");
  lsp.Footer(
      "The server reports errors as you type, and what `check` finds when a "
      "file "
      "is\nsaved (initializationOptions: {\"checkOnSave\": false} "
      "for not).\n");
  lsp.OnCall([stdio, &exit] {
    std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone
    lsp::Channel channel(STDIN_FILENO, STDOUT_FILENO);
    lsp::Server server(channel);
    exit = server.Run();
    // Nobody waits for what a check under way will find.
    if (server.checking()) std::_Exit(exit);
  });
}

}  // namespace tilesim::cli
