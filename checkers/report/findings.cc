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
      if (Outdoes(f.diagnostic.severity, known.diagnostic)) known = f;
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

bool Findings::has_errors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Finding& f) {
    return f.diagnostic.severity == ir::Severity::kError;
  });
}

}  // namespace tilesim::checkers::report
