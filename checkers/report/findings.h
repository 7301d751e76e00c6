// What checkers found, each thing told once: the first occurrence is
// described, the others are counted.
#ifndef TILESIM_CHECKERS_REPORT_FINDINGS_H_
#define TILESIM_CHECKERS_REPORT_FINDINGS_H_

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "checkers/run/move.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::report {

// A finding as a replay must report it again.
struct Signature {
  std::string code;
  int32_t line = 0;
  int32_t column = 0;

  friend bool operator==(const Signature&, const Signature&) = default;
};

inline Signature SignatureOf(const ir::Diagnostic& d) {
  return {d.code, d.span.line, d.span.column};
}

struct Found {
  std::string key;  // equal: the same thing
  ir::Diagnostic diagnostic;
  int64_t times = 1;
  // Every schedule has it; where that is not known, false. A checker says it of
  // its run, JudgeCluster of all.
  bool in_run = true;
  // A failed condition of the certificate: that another schedule would do
  // something else is concluded, not seen.
  bool concluded = false;
  run::Path witness;
  // What comes of it in the witness; no code: nothing else is known.
  Signature consequence;
};

class Findings {
 public:
  Findings() = default;
  Findings(Findings&&) = default;
  Findings& operator=(Findings&&) = default;

  // A new finding to be described, or nullptr: `same` was told before.
  Found* Add(std::string_view code, const std::string& same) {
    std::string key = std::string(code) + "\n" + same;
    auto [at, fresh] = known_.try_emplace(key);
    if (!fresh) {
      ++at->second->times;
      return nullptr;
    }
    Found& f = all_.emplace_back();
    f.diagnostic.code = std::string(code);
    f.key = std::move(key);
    at->second = &f;
    return &f;
  }
  // Those of another list for which keep(found), as far as they are new.
  template <typename Keep>
  void Merge(const Findings& other, Keep keep) {
    for (const Found& f : other.all_) {
      if (!keep(f)) continue;
      auto [at, fresh] = known_.try_emplace(f.key);
      if (!fresh) {
        at->second->times += f.times;
        continue;
      }
      all_.push_back(f);
      at->second = &all_.back();
    }
  }
  void Merge(const Findings& other) {
    Merge(other, [](const Found&) { return true; });
  }
  // The same thing in this list, or nullptr.
  const Found* Find(const Found& f) const {
    auto at = known_.find(f.key);
    return at == known_.end() ? nullptr : at->second;
  }
  bool Has(const Found& f) const { return Find(f) != nullptr; }
  const std::deque<Found>& all() const { return all_; }
  std::deque<Found>& all() { return all_; }

 private:
  std::deque<Found> all_;  // addresses stay
  std::map<std::string, Found*> known_;
};

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_FINDINGS_H_
