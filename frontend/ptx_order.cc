#include "frontend/ptx_order.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/cat.h"
#include "ir/op.h"

namespace tilesim::frontend {
namespace {

using Words = std::vector<std::string_view>;

constexpr size_t kMostWords = 16;  // no instruction has more

Words WordsOf(std::string_view name) {
  Words out;
  while (out.size() <= kMostWords) {
    size_t dot = name.find('.');
    out.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
  }
  return out;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

// What the operands say here: where something lies, its type and shape, and
// that threads execute it together.
bool SaidByOperands(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "global",  "shared", "shared::cta", "shared::cluster",
      "aligned", "sync",   "async",       "parity",
      "generic", "weak",   "bf16",        "tf32",
      "e4m3",    "e5m2",   "pred"};
  if (std::find(std::begin(kWords), std::end(kWords), word) !=
      std::end(kWords)) {
    return true;
  }
  if (word.size() < 2) return false;
  // u32, b64, x4; m64n256k16
  constexpr std::string_view kTypes = "usbfxv";
  if (kTypes.find(word[0]) != std::string_view::npos &&
      IsNumber(word.substr(1))) {
    return true;
  }
  size_t n = word.find('n');
  return word[0] == 'm' && n != std::string_view::npos &&
         IsNumber(word.substr(1, n - 1));
}

bool IsModifier(const ir::OpInfo& op, std::string_view word) {
  return std::any_of(op.mods.begin(), op.mods.end(), [&](const auto& mod) {
    return std::find(mod.choices.begin(), mod.choices.end(), word) !=
           mod.choices.end();
  });
}

// `words` as this op with modifiers, if each word has its place.
std::optional<std::string> AsOp(const ir::OpInfo& op, Words words) {
  if (op.mnemonic.find("::") != std::string_view::npos) return std::nullopt;
  for (std::string_view word : WordsOf(op.mnemonic)) {
    auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) return std::nullopt;
    words.erase(at);
  }
  std::string out(op.mnemonic);
  for (std::string_view word : words) {
    if (IsModifier(op, word)) {
      ir::Append(&out, ".", word);
    } else if (!SaidByOperands(word)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::string OpOfPtx(std::string_view name) {
  const Words words = WordsOf(name);
  if (words.size() > kMostWords) return "";
  std::string best;
  size_t most = 0;
  for (const ir::OpInfo* op : ir::AllOps()) {
    if (WordsOf(op->mnemonic).front() != words.front()) continue;
    std::optional<std::string> text = AsOp(*op, words);
    // The op that says the most of it in its own name.
    size_t own = WordsOf(op->mnemonic).size();
    if (!text || own <= most) continue;
    most = own;
    best = *text;
  }
  return best;
}

}  // namespace tilesim::frontend
