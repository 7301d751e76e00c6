#include "ptx/launch/pieces.h"

#include <algorithm>

namespace tilesim::ptx {
namespace {

// Of a buffer in which words and payload alternate more often, nothing is cut.
constexpr size_t kMostPlaces = 8;

}  // namespace

// A tensor map reaches into all of its buffer. One that holds tensor maps is
// written by nobody (ptx/machine/host_maps.h).
Pieces::Pieces(const LaunchFile& whole) : whole_(whole), cut_(whole) {
  for (const TensorMap& map : whole.tensormaps) uncut_.insert(map.buffer);
  for (size_t i = 0; i < whole.buffers.size(); ++i) {
    if (!whole.buffers[i].maps.empty()) uncut_.insert(i);
  }
}

void Pieces::Learn(size_t launch, const std::vector<TouchedBytes>& touched) {
  for (const TouchedBytes& t : touched) {
    const Buffer& b = cut_.buffers[t.buffer];
    const size_t of = b.piece ? b.piece->of : t.buffer;
    const uint64_t from = b.piece ? b.piece->begin : 0;
    if (t.across) uncut_.insert(of);
    const Bytes bytes{from + t.begin, from + t.end};
    auto [at, fresh] =
        touches_[of].try_emplace({launch, t.node}, Touch{bytes, t.decides});
    Touch& known = at->second;
    known.bytes = {std::min(known.bytes.first, bytes.first),
                   std::max(known.bytes.second, bytes.second)};
    known.decides |= t.decides;
    known.lock |= t.lock;
  }
}

bool Pieces::CutAnew() {
  std::map<size_t, std::vector<Bytes>> words;
  for (const auto& [buffer, all] : touches_) {
    std::vector<Bytes> places = WordsOf(buffer);
    if (!places.empty()) words.emplace(buffer, std::move(places));
  }
  if (words == words_) return false;
  words_ = std::move(words);
  Cut();
  return true;
}

void Pieces::GiveUp() {
  for (size_t i = 0; i < whole_.buffers.size(); ++i) uncut_.insert(i);
  words_.clear();
  Cut();
}

// Where what decides lies, with all that the instructions touch that touch some
// of it. Empty: nowhere, or nothing else is touched.
std::vector<Pieces::Bytes> Pieces::WordsOf(size_t buffer) const {
  if (uncut_.contains(buffer)) return {};
  std::vector<Bytes> words, others, locks;
  for (const auto& [who, touch] : touches_.at(buffer)) {
    (touch.decides ? words : others).push_back(touch.bytes);
    if (touch.lock) locks.push_back(touch.bytes);
  }
  auto meet = [](const Bytes& a, const Bytes& b) {
    return a.first < b.second && b.first < a.second;
  };
  for (bool grown = true; grown;) {
    std::sort(words.begin(), words.end());
    grown = std::erase_if(others, [&](const Bytes& other) {
              const bool meets = std::any_of(
                  words.begin(), words.end(),
                  [&](const Bytes& word) { return meet(word, other); });
              if (meets) words.push_back(other);
              return meets;
            }) > 0;
  }
  if (words.empty()) return {};
  // What a lock guards lies in a place of its own.
  auto has_lock = [&](const Bytes& place) {
    return std::any_of(locks.begin(), locks.end(),
                       [&](const Bytes& lock) { return meet(place, lock); });
  };
  std::vector<Bytes> places;
  for (const Bytes& word : words) {
    const bool apart =
        places.empty() || has_lock(places.back()) || has_lock(word) ||
        std::any_of(others.begin(), others.end(), [&](const Bytes& other) {
          return meet({places.back().second, word.first}, other);
        });
    if (apart && (places.empty() || word.first >= places.back().second))
      places.push_back(word);
    else
      places.back().second = std::max(places.back().second, word.second);
  }
  if (places.size() > kMostPlaces) return {};
  if (others.empty() && places.size() < 2) return {};
  return places;
}

void Pieces::Cut() {
  cut_ = whole_;
  cut_.buffers.clear();
  std::vector<size_t> first;  // by buffer of whole_
  for (size_t i = 0; i < whole_.buffers.size(); ++i) {
    const Buffer& b = whole_.buffers[i];
    first.push_back(cut_.buffers.size());
    auto found = words_.find(i);
    if (found == words_.end()) {
      cut_.buffers.push_back(b);
      continue;
    }
    std::set<uint64_t> ends{b.bytes};
    for (const Bytes& word : found->second) {
      ends.insert(std::min(word.first, b.bytes));
      ends.insert(std::min(word.second, b.bytes));
    }
    ends.erase(0);
    uint64_t begin = 0;
    for (uint64_t end : ends) {
      Buffer& piece = cut_.buffers.emplace_back(b);
      piece.piece = {{i, begin, b.bytes}};
      piece.bytes = end - begin;
      piece.shape.clear();
      if (begin > 0) piece.name += " +" + std::to_string(begin);
      if (b.address) piece.address = *b.address + begin;
      if (b.start.bytes.size() == b.bytes)
        piece.start.bytes.assign(
            b.start.bytes.begin() + static_cast<int64_t>(begin),
            b.start.bytes.begin() + static_cast<int64_t>(end));
      begin = end;
    }
  }
  auto rename = [&](Reference& r) {
    if (!r.is_tensormap) r.index = first[r.index];
  };
  for (TensorMap& map : cut_.tensormaps) map.buffer = first[map.buffer];
  for (Launch& launch : cut_.launches) {
    for (Param& p : launch.params) {
      if (p.kind == Param::Kind::kReference) rename(p.reference);
      for (auto& [offset, reference] : p.places) rename(reference);
    }
  }
}

}  // namespace tilesim::ptx
