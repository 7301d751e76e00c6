// Stores of one instruction by which threads write the same bytes: whether
// these hold the same numbers.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ptx/machine/filling.h"

namespace tilesim::ptx {
namespace {

using Meeting = machine::Guide::Meeting;

uint64_t Cut(uint64_t number, int64_t bytes) {
  return bytes >= 8 ? number : number & ((uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

// Nothing of what a store of these patterns does depends on where it begins.
void Filling::NoteMeeting(const Step& step, int64_t bytes) {
  const Value address = Of(step.sources[0]);
  const ir::ThreadSet& t = who_.strand.threads;
  std::vector<int64_t> key = {step.node,    address.pattern, t.lanes,
                              t.first_warp, t.warps,         bytes};
  std::vector<Value> data;
  for (const Source& source : step.data) {
    data.push_back(Of(source));
    key.push_back(data.back().pattern);
  }
  if (!guide_.IsNewMeeting(std::move(key))) return;
  const bool known =
      !data.empty() &&
      static_cast<int64_t>(data.size()) * step.word_bytes == bytes &&
      std::none_of(data.begin(), data.end(),
                   [](const Value& v) { return v.unknown(); });
  const Lanes& lanes = guide_.lanes();
  absl::flat_hash_map<uint64_t, std::vector<uint64_t>> stored;
  std::optional<Meeting> meeting;
  for (size_t i = 0; i < who_.threads(); ++i) {
    if ((t.lanes >> (i % ir::kWarpThreads) & 1) == 0) continue;
    std::vector<uint64_t> words;
    for (const Value& v : data)
      words.push_back(known ? Cut(lanes.At(v, i), step.word_bytes) : 0);
    auto [at, fresh] = stored.try_emplace(lanes.At(address, i), words);
    if (fresh) continue;
    const Meeting now = !known                ? Meeting::kNotKnown
                        : at->second == words ? Meeting::kSame
                                              : Meeting::kDiffers;
    meeting = std::max(meeting.value_or(now), now);
  }
  if (meeting) guide_.NoteMeeting(step.node, *meeting);
}

void PtxGuide::NoteMeeting(int32_t node, Meeting meeting) const {
  auto [at, fresh] = meetings_.try_emplace(node, meeting);
  if (!fresh) at->second = std::max(at->second, meeting);
  // Followed, they may be.
  if (meeting == Meeting::kNotKnown) wanted_stores_.insert(node);
}

std::set<int32_t> PtxGuide::MeetingsNotKnown() const {
  std::set<int32_t> out;
  for (const auto& [node, meeting] : meetings_) {
    if (meeting == Meeting::kNotKnown)
      out.insert(program_.graph.nodes[node].statement->span.line);
  }
  return out;
}

PtxGuide::Meeting PtxGuide::StoredWhereThreadsMeet(
    const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  auto found = s == nullptr ? meetings_.end() : meetings_.find(s->node);
  return found == meetings_.end() ? Meeting::kNotKnown : found->second;
}

}  // namespace tilesim::ptx
