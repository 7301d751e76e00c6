#include "ptx/machine/where.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ir/cat.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/spread.h"

namespace tilesim::ptx {
namespace {

bool HasWord(const Node& n, std::string_view word) {
  return n.spelling().find(word) != std::string_view::npos;
}

std::string_view WordTypeOf(const Node& n) {
  std::string_view type = n.spelling();
  type.remove_prefix(type.rfind('.') + 1);
  return type;
}

bool IsInteger(const Node& n) {
  const std::string_view type = WordTypeOf(n);
  return type == "u32" || type == "s32" || type == "b32" || type == "u64" ||
         type == "s64" || type == "b64" || type == "u8" || type == "u16";
}

// All that its type lets it be.
Growth RangeOf(const Node& n) {
  const std::string_view type = WordTypeOf(n);
  return type == "u8" ? UINT8_MAX : type == "u16" ? UINT16_MAX : kAny;
}

}  // namespace

namespace {

using Predicate = std::function<bool(const Program&, const Node&)>;

bool AllTouch(size_t buffer, const Launched& launches, const Predicate& is) {
  return std::all_of(launches.begin(), launches.end(), [&](const PtxGuide* g) {
    const auto& nodes = g->program().graph.nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (g->BuffersOf(static_cast<int32_t>(i)).contains(buffer) &&
          !is(g->program(), nodes[i]))
        return false;
    }
    return true;
  });
}

// Nobody is in anybody's way there.
bool IsShared(size_t buffer, const Launched& launches) {
  return IsOnlyRead(buffer, launches) ||
         AllTouch(buffer, launches, IsReduction);
}

// Adds what comes of one register of a load. Two of them do not say together
// where something is; elements of which one is not known to be of its own
// access say nothing of how far these are apart.
bool Add(const Program& program, const Spreading& one, int32_t load,
         SayWhere& out) {
  for (const auto& [at, further] : one.wide) {
    if (!out.wide.emplace(at, further).second) return false;
  }
  for (int32_t at : one.accesses) {
    const auto apart = one.apart.find(at);
    const bool first = out.accesses.insert(at).second;
    out.apart[at] = first && apart != one.apart.end() ? apart->second : 0;
    out.said_by[at] = load;
    if (IsWeakStore(program.graph.nodes[static_cast<size_t>(at)]))
      out.stores.insert(at);
  }
  return true;
}

// What is copied to shared memory by cp.async says where by those who load it
// there. A thread whose src-size is 0 has 0 for an element.
bool AddCopied(size_t b, int32_t node, const PtxGuide& guide,
               const Followed& followed, SayWhere& out) {
  const Program& program = guide.program();
  const Buffer& buffer = program.memory.file().buffers[b];
  const std::string_view spelling =
      program.graph.nodes[static_cast<size_t>(node)].spelling();
  const auto bytes = static_cast<int64_t>(
      buffer.dtype.empty() ? 0 : ScalarBytes(buffer.dtype));
  if (spelling.starts_with("cp.async.bulk") || bytes == 0 || !buffer.domain ||
      guide.copied_on() || guide.BuffersOf(node).size() != 1)
    return false;
  const auto range =
      static_cast<uint64_t>(buffer.domain->second - buffer.domain->first);
  if (range == 0 || range >= uint64_t{1} << 31) return false;
  const Elements elements{range, buffer.domain->first, true, false};
  for (int32_t load : guide.LoadsOfCopied(node)) {
    const Node& n = program.graph.nodes[static_cast<size_t>(load)];
    if (!n.spelling().starts_with("ld.shared") || !IsInteger(n) ||
        static_cast<int64_t>(ScalarBytes(WordTypeOf(n))) != bytes)
      return false;
    for (int32_t reg : n.defines) {
      const std::optional<Spreading> one =
          SpreadOf(program, followed, load, reg, elements,
                   [](int32_t) { return false; });
      if (!one || !one->wide.empty() || !Add(program, *one, node, out))
        return false;
    }
  }
  out.loads.emplace(node, b);
  out.copies.emplace(node, bytes);
  return true;
}

// Of one buffer; nullopt: its elements decide more, or nothing is asked of
// them.
std::optional<SayWhere> ElementsOf(size_t b, const PtxGuide& guide,
                                   const Followed& followed,
                                   const Launched& launches) {
  const Program& program = guide.program();
  const Buffer& buffer = program.memory.file().buffers[b];
  SayWhere out;
  bool wanted = false;  // by addresses, at least
  for (size_t i = 0; i < program.graph.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (!guide.BuffersOf(node).contains(b)) continue;
    const Node& n = program.graph.nodes[i];
    if (IsCopyIn(n)) {
      if (!AddCopied(b, node, guide, followed, out)) return std::nullopt;
      wanted |= followed.loads.contains(node) || followed.taken.contains(node);
      continue;
    }
    if (!IsWeakLoad(n) || !IsInteger(n) || guide.BuffersOf(node).size() != 1 ||
        guide.MayBeLocal(node))
      return std::nullopt;
    // A domain is one of elements of their own type.
    if (buffer.domain && !buffer.dtype.empty() &&
        ScalarBytes(buffer.dtype) != ScalarBytes(WordTypeOf(n)))
      return std::nullopt;
    const Growth range = buffer.domain
                             ? static_cast<uint64_t>(buffer.domain->second -
                                                     buffer.domain->first)
                             : RangeOf(n);
    if (range == 0 || (buffer.domain && range >= uint64_t{1} << 31))
      return std::nullopt;
    const Elements elements{range, buffer.domain ? buffer.domain->first : 0,
                            buffer.domain.has_value(), buffer.distinct};
    const auto widens = [&](int32_t at) {
      const std::set<size_t> touched = guide.BuffersOf(at);
      return followed.wide.contains(at) ||
             (!buffer.distinct &&
              std::any_of(touched.begin(), touched.end(), [&](size_t one) {
                return !IsShared(one, launches);
              }));
    };
    for (int32_t reg : n.defines) {
      std::optional<Spreading> one =
          SpreadOf(program, followed, node, reg, elements, widens);
      if (!one || !Add(program, *one, node, out)) return std::nullopt;
    }
    if (buffer.distinct) out.rising.insert(node);
    out.loads.emplace(node, b);
    out.least.insert(node);
    wanted |= followed.loads.contains(node) || followed.taken.contains(node);
  }
  if (out.wide.empty()) out.least.clear();
  const bool mixed =
      !out.wide.empty() && out.wide.size() != out.accesses.size();
  if (!wanted || out.accesses.empty() || mixed ||
      (!buffer.domain && out.wide.empty()))
    return std::nullopt;
  return out;
}

}  // namespace

SayWhere ElementsThatSayWhere(const PtxGuide& guide, const Followed& followed,
                              const Launched& launches) {
  SayWhere out;
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].start.kind == Start::Kind::kZero ||
        buffers[b].start.kind == Start::Kind::kExternal ||
        !buffers[b].start.bytes.empty())
      continue;
    std::optional<SayWhere> one = ElementsOf(b, guide, followed, launches);
    if (!one) continue;
    // Two of them do not say together where something is.
    for (const auto& [at, further] : one->wide) {
      if (out.accesses.contains(at)) return {};
    }
    for (const auto& [at, further] : out.wide) {
      if (one->accesses.contains(at)) return {};
    }
    for (int32_t at : one->accesses) {
      if (out.accesses.contains(at)) out.apart[at] = one->apart[at] = 0;
    }
    out.loads.merge(one->loads);
    out.copies.merge(one->copies);
    out.rising.merge(one->rising);
    out.apart.merge(one->apart);
    out.said_by.merge(one->said_by);
    out.stores.merge(one->stores);
    out.accesses.merge(one->accesses);
    out.wide.merge(one->wide);
    out.least.merge(one->least);
  }
  return out;
}

bool IsOnlyRead(size_t buffer, const Launched& launches) {
  return AllTouch(buffer, launches, [](const Program&, const Node& n) {
    return IsWeakLoad(n) || IsTensorLoad(n) || IsCopyIn(n);
  });
}

namespace {

// Whatever touches the buffer does so by elements of one buffer that are
// distinct, and as far apart as those of `node` (docs/ptx.md 7.4).
bool IsOfDistinct(int32_t node, size_t buffer, const SayWhere& where,
                  const PtxGuide& guide, const Launched& launches) {
  const uint64_t apart = where.apart.at(node);
  const size_t of = where.loads.at(where.said_by.at(node));
  for (const PtxGuide* g : launches) {
    for (size_t i = 0; i < g->program().graph.nodes.size(); ++i) {
      const auto other = static_cast<int32_t>(i);
      if (!g->BuffersOf(other).contains(buffer)) continue;
      const auto found = where.apart.find(other);
      if (g != &guide || found == where.apart.end() || found->second != apart ||
          where.loads.at(where.said_by.at(other)) != of)
        return false;
    }
  }
  return apart > 0;
}

}  // namespace

bool NobodyMeets(const SayWhere& where, const PtxGuide& guide,
                 const Launched& launches) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 31;
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  for (const auto& [node, buffer] : where.loads) {
    if (!IsOnlyRead(buffer, launches)) return false;
  }
  for (int32_t node : where.accesses) {
    if (where.wide.contains(node)) continue;  // it is judged as it is
    // None: shared memory, of which nothing is shown here; or no run has come
    // to it, whatever the elements are.
    const std::set<size_t> touched = guide.BuffersOf(node);
    const Node& n = guide.program().graph.nodes[static_cast<size_t>(node)];
    if (touched.empty() && HasWord(n, ".global") && !IsTensorLoad(n)) continue;
    if (touched.size() != 1 || guide.MayBeLocal(node)) return false;
    const size_t buffer = *touched.begin();
    const Buffer& b = buffers[buffer];
    const bool right = b.bytes < kMostBytes &&
                       b.start.kind != Start::Kind::kUndefined && !b.piece;
    if (!right || (!IsShared(buffer, launches) &&
                   !IsOfDistinct(node, buffer, where, guide, launches)))
      return false;
  }
  return true;
}

std::vector<std::string> NotApart(const SayWhere& where, const PtxGuide& guide,
                                  const Launched& launches) {
  std::map<size_t, std::pair<uint64_t, uint64_t>> windows;  // by buffer
  std::map<size_t, int32_t> nodes;
  for (const TouchedBytes& t : guide.TouchedBuffers()) {
    if (!where.apart.contains(t.node) || IsShared(t.buffer, launches)) continue;
    auto [at, fresh] = windows.try_emplace(t.buffer, t.begin, t.end);
    at->second.first = std::min(at->second.first, t.begin);
    at->second.second = std::max(at->second.second, t.end);
    nodes[t.buffer] = t.node;
  }
  std::vector<std::string> out;
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  for (const auto& [buffer, window] : windows) {
    const uint64_t bytes = window.second - window.first;
    const uint64_t apart = where.apart.at(nodes.at(buffer));
    if (bytes <= apart) continue;
    const size_t of = where.loads.at(where.said_by.at(nodes.at(buffer)));
    out.push_back(ir::Cat("of `", buffers[buffer].name, "` ", bytes,
                          " bytes are touched by one element of `",
                          buffers[of].name, "`, and those of the next begin ",
                          apart,
                          " further: whether distinct elements touch "
                          "the same bytes was not shown"));
  }
  return out;
}

}  // namespace tilesim::ptx
