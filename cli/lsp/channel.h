// JSON-RPC messages with the headers of the Language Server Protocol.
#ifndef TILESIM_CLI_LSP_CHANNEL_H_
#define TILESIM_CLI_LSP_CHANNEL_H_

#include <mutex>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

namespace tilesim::cli::lsp {

using Json = nlohmann::json;

// Reads from one file descriptor, writes to another. Any thread may write.
class Channel {
 public:
  Channel(int in, int out) : in_(in), out_(out) {}

  // The next message; nothing at the end of the input. A message that is no
  // JSON is an error response to nobody, and the next one is read.
  std::optional<Json> Read();
  // Whether a message, or a part of one, has come already.
  bool Waiting() const;
  void Write(const Json& message);

 private:
  bool Fill();
  // The length of the body behind a whole header; nothing at the end.
  std::optional<size_t> Header();

  int in_, out_;
  std::string buffer_;
  std::mutex writing_;
};

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_CHANNEL_H_
