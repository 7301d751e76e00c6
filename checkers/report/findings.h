// What checkers found, each thing once: the first occurrence is described, the
// others are counted.
//
//   if (Finding* f = findings.Add("race/raw", key)) f->diagnostic.message = ...
#ifndef TILESIM_CHECKERS_REPORT_FINDINGS_H_
#define TILESIM_CHECKERS_REPORT_FINDINGS_H_

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "checkers/report/finding.h"

namespace tilesim::checkers::report {

class Findings {
 public:
  Findings() = default;
  Findings(Findings&&) = default;
  Findings& operator=(Findings&&) = default;

  // A new finding to be described, or nullptr: `same` was reported before.
  // `times`: how often it was seen now.
  Finding* Add(ir::Code code, const std::string& same, int64_t times = 1);
  // Of another severity than the code's. What is an error stands for what was a
  // warning before.
  Finding* Add(ir::Code code, const std::string& same, ir::Severity severity);
  // Of what may be the same at several places, which these spans are: a new
  // finding, or one that a known one stands for (Finding::elsewhere), to be
  // described as well. nullptr: it was reported there before.
  Finding* AddAt(ir::Code code, const std::string& same,
                 std::initializer_list<ir::Span> at,
                 std::optional<ir::Severity> severity = {}, int64_t times = 1);
  // A diagnostic, once for each code and place. nullptr: reported before.
  Finding* Add(const ir::Diagnostic& diagnostic);
  // One of another list.
  void AddCopy(const Finding& f);
  // Those of another list for which keep(finding), as far as they are new.
  void Merge(const Findings& other,
             const std::function<bool(const Finding&)>& keep);
  void Merge(const Findings& other);

  // With this key, or nullptr.
  Finding* WithKey(const std::string& key);
  // The same thing in this list, or nullptr.
  const Finding* Find(const Finding& f) const { return WithKey(f.key); }
  // What Add(diagnostic) added.
  const Finding* Find(const ir::Diagnostic& diagnostic) const;
  bool Has(const Finding& f) const { return Find(f) != nullptr; }
  // With each of its places.
  bool HasPlacesOf(const Finding& f) const;
  bool HasKey(const std::string& key) const { return WithKey(key) != nullptr; }
  bool has_errors() const;

  const std::deque<Finding>& all() const { return all_; }
  std::deque<Finding>& all() { return all_; }

 private:
  const Finding* WithKey(const std::string& key) const;

  std::deque<Finding> all_;  // addresses stay
  std::map<std::string, Finding*> known_;
};

// `known` stands for the places of `f` as well.
void AddPlaces(const Finding& f, Finding& known);

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_FINDINGS_H_
