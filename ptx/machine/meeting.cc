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

// What was stored where by one execution, and what is known of places that
// several stored to.
class Meetings {
 public:
  explicit Meetings(bool known) : known_(known) {}

  void Add(uint64_t place, std::vector<uint64_t> words) {
    auto [at, fresh] = stored_.try_emplace(place, words);
    if (fresh) return;
    const Meeting now = !known_               ? Meeting::kNotKnown
                        : at->second == words ? Meeting::kSame
                                              : Meeting::kDiffers;
    meeting_ = std::max(meeting_.value_or(now), now);
  }
  std::optional<Meeting> meeting() const { return meeting_; }

 private:
  bool known_;
  absl::flat_hash_map<uint64_t, std::vector<uint64_t>> stored_;
  std::optional<Meeting> meeting_;
};

}  // namespace

// Nothing of what a store of these patterns does depends on where it begins.
bool Filling::IsNewMeeting(const Step& step, int64_t bytes) const {
  const ir::ThreadSet& t = who_.strand.threads;
  std::vector<int64_t> key = {step.node, Of(step.sources[0]).pattern,
                              t.lanes,   t.first_warp,
                              t.warps,   bytes};
  for (const Source& source : step.data) key.push_back(Of(source).pattern);
  return guide_.IsNewMeeting(std::move(key));
}

std::vector<Value> Filling::DataOf(const Step& step, size_t count) const {
  std::vector<Value> data;
  for (const Source& source : step.data) data.push_back(Of(source));
  const bool known = data.size() == count &&
                     std::none_of(data.begin(), data.end(),
                                  [](const Value& v) { return v.unknown(); });
  return known ? data : std::vector<Value>();
}

void Filling::NoteMeeting(const Step& step, int64_t bytes) {
  if (!IsNewMeeting(step, bytes)) return;
  const Value address = Of(step.sources[0]);
  const ir::ThreadSet& t = who_.strand.threads;
  std::vector<Value> data;
  if (step.word_bytes > 0 && bytes % step.word_bytes == 0)
    data = DataOf(step, static_cast<size_t>(bytes / step.word_bytes));
  const Lanes& lanes = guide_.lanes();
  Meetings meetings(!data.empty());
  for (size_t i = 0; i < who_.threads(); ++i) {
    if ((t.lanes >> (i % ir::kWarpThreads) & 1) == 0) continue;
    std::vector<uint64_t> words;
    words.reserve(data.size());
    for (const Value& v : data)
      words.push_back(Cut(lanes.At(v, i), step.word_bytes));
    meetings.Add(lanes.At(address, i), std::move(words));
  }
  if (meetings.meeting()) guide_.NoteMeeting(step.node, *meetings.meeting());
}

// Of row r of a warp, four lanes have two elements each, in the register of its
// matrix (PTX stmatrix, figure of the fragment).
void Filling::NoteRows(const Step& step, int64_t rows) {
  constexpr size_t kRowLanes = 4, kMatrixRows = 8;
  if (!IsNewMeeting(step, rows)) return;
  const Value address = Of(step.sources[0]);
  const auto count = static_cast<size_t>(rows);
  const std::vector<Value> data = DataOf(step, count / kMatrixRows);
  const Lanes& lanes = guide_.lanes();
  Meetings meetings(!data.empty());
  for (size_t warp = 0; warp < who_.threads(); warp += ir::kWarpThreads) {
    for (size_t r = 0; r < count; ++r) {
      std::vector<uint64_t> words;
      for (size_t i = 0; i < kRowLanes && !data.empty(); ++i) {
        const size_t lane = r % kMatrixRows * kRowLanes + i;
        words.push_back(Cut(lanes.At(data[r / kMatrixRows], warp + lane), 4));
      }
      meetings.Add(lanes.At(address, warp + r), std::move(words));
    }
  }
  if (meetings.meeting()) guide_.NoteMeeting(step.node, *meetings.meeting());
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
