#include "cli/lsp/channel.h"

#include <poll.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

namespace tilesim::cli::lsp {
namespace {

constexpr size_t kMostBytes = size_t{1} << 28;
constexpr std::string_view kBlank = "\r\n\r\n";
constexpr int kParseError = -32700;
constexpr std::string_view kLength = "content-length:";

// Of a header's field, whose name may be in any case.
std::optional<size_t> LengthIn(std::string_view head) {
  std::string lower(head);
  for (char& c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  size_t at = lower.find(kLength);
  if (at == std::string::npos) return std::nullopt;
  size_t first = lower.find_first_not_of(' ', at + kLength.size());
  if (first == std::string::npos) return std::nullopt;
  size_t out = 0;
  auto [end, error] =
      std::from_chars(lower.data() + first, lower.data() + lower.size(), out);
  if (error != std::errc() || out > kMostBytes) return std::nullopt;
  return out;
}

}  // namespace

bool Channel::Fill() {
  char bytes[1 << 16];
  ssize_t got = 0;
  do {
    got = read(in_, bytes, sizeof bytes);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<size_t>(got));
  return true;
}

std::optional<size_t> Channel::Header() {
  while (true) {
    size_t end = buffer_.find(kBlank);
    if (end == std::string::npos) {
      if (buffer_.size() > kMostBytes || !Fill()) return std::nullopt;
      continue;
    }
    std::optional<size_t> length =
        LengthIn(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + kBlank.size());
    if (length) return length;
  }
}

std::optional<Json> Channel::Read() {
  while (std::optional<size_t> length = Header()) {
    while (buffer_.size() < *length) {
      if (!Fill()) return std::nullopt;
    }
    Json message = Json::parse(buffer_.substr(0, *length), nullptr, false);
    buffer_.erase(0, *length);
    if (message.is_object()) return message;
    Write({{"jsonrpc", "2.0"},
           {"id", nullptr},
           {"error", {{"code", kParseError}, {"message", "no JSON object"}}}});
  }
  return std::nullopt;
}

bool Channel::Waiting() const {
  pollfd fd{in_, POLLIN, 0};
  return !buffer_.empty() ||
         (poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN) != 0);
}

void Channel::Write(const Json& message) {
  std::string body =
      message.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string all =
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::lock_guard lock(writing_);
  for (std::string_view rest = all; !rest.empty();) {
    ssize_t wrote = write(out_, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the reader is gone: Read says so next
    rest.remove_prefix(static_cast<size_t>(wrote));
  }
}

}  // namespace tilesim::cli::lsp
