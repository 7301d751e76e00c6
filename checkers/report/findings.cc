#include "checkers/report/findings.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"

namespace tilesim::checkers::report {
namespace {

std::string KeyOf(std::string_view code, std::string_view same) {
  std::string key(code);
  key += '\n';
  key += same;
  return key;
}

std::string PlaceOf(const ir::Diagnostic& d) {
  return ir::Cat(d.span.line, " ", d.span.column);
}

std::string PlaceOf(std::initializer_list<ir::Span> spans) {
  std::string out;
  for (const ir::Span& span : spans)
    ir::Append(&out, span.line, ":", span.column, " ");
  return out;
}

std::string PlaceOf(const Finding& f) {
  if (!f.place.empty()) return f.place;
  const ir::Diagnostic& d = f.diagnostic;
  std::string out = PlaceOf({d.span});
  for (const ir::Label& label : d.labels) out += PlaceOf({label.span});
  return out;
}

// The one that is told of that place, or nullptr.
const Finding* At(const Finding& f, const std::string& place) {
  if (PlaceOf(f) == place) return &f;
  auto at = std::find_if(f.elsewhere.begin(), f.elsewhere.end(),
                         [&](const Finding& e) { return PlaceOf(e) == place; });
  return at == f.elsewhere.end() ? nullptr : &*at;
}

void AddPlace(const Finding& f, Finding& known) {
  if (At(known, PlaceOf(f)) != nullptr) return;
  Finding& added = known.elsewhere.emplace_back(f);
  added.elsewhere.clear();
}

bool Outdoes(ir::Severity severity, const ir::Diagnostic& known) {
  return severity == ir::Severity::kError &&
         known.severity == ir::Severity::kWarning;
}

}  // namespace

Finding* Findings::Add(ir::Code code, const std::string& same, int64_t times) {
  auto known = known_.find(KeyOf(code.name(), same));
  if (known == known_.end()) {
    Finding* fresh = Add(code, same, code.severity());
    fresh->diagnostic.times += times - 1;
    return fresh;
  }
  known->second->diagnostic.times += times;
  return nullptr;
}

Finding* Findings::Add(ir::Code code, const std::string& same,
                       ir::Severity severity) {
  std::string key = KeyOf(code.name(), same);
  auto [at, fresh] = known_.try_emplace(key);
  if (!fresh) {
    ir::Diagnostic& known = at->second->diagnostic;
    ++known.times;
    if (!Outdoes(severity, known)) return nullptr;
    const int64_t times = known.times;
    known = ir::Diagnostic();
    known.code = code;
    known.severity = severity;
    known.times = times;
    return at->second;
  }
  Finding& f = all_.emplace_back();
  f.diagnostic.code = code;
  f.diagnostic.severity = severity;
  f.key = std::move(key);
  at->second = &f;
  return &f;
}

Finding* Findings::AddAt(ir::Code code, const std::string& same,
                         std::initializer_list<ir::Span> at,
                         std::optional<ir::Severity> severity, int64_t times) {
  const ir::Severity as = severity.value_or(code.severity());
  std::string place = PlaceOf(at);
  Finding* known = WithKey(KeyOf(code.name(), same));
  if (known == nullptr) {
    Finding* fresh = Add(code, same, as);
    fresh->diagnostic.times += times - 1;
    fresh->place = std::move(place);
    return fresh;
  }
  const int64_t all = known->diagnostic.times + times;
  const bool here = known->place == place;
  if (!here && Outdoes(as, known->diagnostic)) {
    // The error stands for the warning, which stays at its place.
    Finding warning = *known;
    std::list<Finding> others = std::move(known->elsewhere);
    *known = Finding();
    known->key = warning.key;
    std::erase_if(others, [&](const Finding& e) { return e.place == place; });
    known->elsewhere = std::move(others);
    known->place = place;
    AddPlace(warning, *known);
  } else if (here && Outdoes(as, known->diagnostic)) {
    known->diagnostic = ir::Diagnostic();
  } else {
    known->diagnostic.times = all;
    const auto there =
        std::find_if(known->elsewhere.begin(), known->elsewhere.end(),
                     [&](const Finding& e) { return e.place == place; });
    const bool again = there != known->elsewhere.end();
    if (here || (again && !Outdoes(as, there->diagnostic))) return nullptr;
    Finding& other = again ? *there : known->elsewhere.emplace_back();
    other.diagnostic = ir::Diagnostic();
    other.diagnostic.code = code;
    other.diagnostic.severity = as;
    other.key = known->key;
    other.place = std::move(place);
    return &other;
  }
  known->diagnostic.code = code;
  known->diagnostic.severity = as;
  known->diagnostic.times = all;
  return known;
}

Finding* Findings::Add(const ir::Diagnostic& d) {
  Finding* f = Add(d.code, PlaceOf(d), d.severity);
  if (f == nullptr) return nullptr;
  const auto times = std::max<int64_t>(f->diagnostic.times, 1);
  f->diagnostic = d;
  f->diagnostic.times = times;
  return f;
}

void Findings::Merge(const Findings& other,
                     const std::function<bool(const Finding&)>& keep) {
  for (const Finding& f : other.all_) {
    if (!keep(f)) continue;
    auto [at, fresh] = known_.try_emplace(f.key);
    if (!fresh) {
      Finding& known = *at->second;
      const int64_t times = known.diagnostic.times + f.diagnostic.times;
      if (Outdoes(f.diagnostic.severity, known.diagnostic)) {
        const Finding warning = std::exchange(known, f);
        AddPlaces(warning, known);
      } else {
        AddPlaces(f, known);
      }
      known.diagnostic.times = times;
      // Here it stands for itself: without what it followed from elsewhere.
      if (f.because.empty() && !other.HasKey(known.because))
        known.because.clear();
      continue;
    }
    all_.push_back(f);
    at->second = &all_.back();
  }
}

void Findings::AddCopy(const Finding& f) {
  auto [at, fresh] = known_.try_emplace(f.key);
  if (!fresh) return;
  all_.push_back(f);
  at->second = &all_.back();
}

Finding* Findings::WithKey(const std::string& key) {
  auto at = known_.find(key);
  return at == known_.end() ? nullptr : at->second;
}

void Findings::Merge(const Findings& other) {
  Merge(other, [](const Finding&) { return true; });
}

const Finding* Findings::Find(const ir::Diagnostic& d) const {
  return WithKey(KeyOf(d.code.name(), PlaceOf(d)));
}

const Finding* Findings::WithKey(const std::string& key) const {
  auto at = known_.find(key);
  return at == known_.end() ? nullptr : at->second;
}

bool Findings::HasPlacesOf(const Finding& f) const {
  const Finding* known = WithKey(f.key);
  return known != nullptr && At(*known, PlaceOf(f)) != nullptr &&
         std::all_of(f.elsewhere.begin(), f.elsewhere.end(),
                     [&](const Finding& e) {
                       return At(*known, PlaceOf(e)) != nullptr;
                     });
}

bool Findings::has_errors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Finding& f) {
    return f.diagnostic.severity == ir::Severity::kError;
  });
}

void AddPlaces(const Finding& f, Finding& known) {
  AddPlace(f, known);
  for (const Finding& e : f.elsewhere) AddPlace(e, known);
}

}  // namespace tilesim::checkers::report
