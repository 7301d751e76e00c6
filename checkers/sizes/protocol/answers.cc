#include "checkers/sizes/protocol/answers.h"

#include <algorithm>

#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes::protocol {
using algebra::Polynomial;
using algebra::Symbol;
using run::Event;
using state::RingOf;
using state::Rotation;
using state::Turned;

namespace {

using ir::EffectKind;

// The request for one number more.
const ir::Effect* RequestIn(const Event& e) {
  auto request = std::find_if(
      e.effects().begin(), e.effects().end(),
      [](const ir::Effect& f) { return f.kind == EffectKind::kClcCancel; });
  return request == e.effects().end() ? nullptr : &*request;
}

// CTAs whose copies of its tile an effect means.
absl::InlinedVector<int32_t, 2> CopiesOf(const Event& e, const ir::Effect& f,
                                         int32_t ctas) {
  absl::InlinedVector<int32_t, 2> out;
  for (int rank : machine::RanksMeant(f, e.concrete(), ctas))
    out.push_back(e.cluster + rank);
  return out;
}

int32_t TurnedObject(const machine::Code& code, const Rotation& rotation,
                     int32_t decl, int32_t object) {
  return static_cast<int32_t>(Turned(code, rotation, decl, 0, object).slot);
}

}  // namespace

void Answers::Executed(const machine::Code& code, const Event& e) {
  const ir::Effect* request = RequestIn(e);
  // Of several lanes, each asks.
  if (request != nullptr && e.threads().threads() > 1)
    requests_ = Polynomial::Bad();
  auto ctas = static_cast<int32_t>(code.bound.cluster_size());
  for (const ir::Effect& f : e.effects()) {
    bool tile = f.operand >= 0 && e.concrete().is_tile(f.operand);
    if (f.kind != EffectKind::kWrite || !tile) continue;
    const ir::TileValue& t = e.concrete().tile(f.operand);
    bool answer = request != nullptr && f.operand == request->operand;
    for (int32_t cta : CopiesOf(e, f, ctas)) {
      if (answer) {
        numbers_[{cta, t.decl, t.index}] = requests_;
      } else {
        numbers_.erase({cta, t.decl, t.index});
      }
    }
  }
  if (request != nullptr) requests_ += Polynomial(1);
}

std::optional<Polynomial> Answers::NumberOf(const Event& e, int operand) const {
  const ir::TileValue& t = e.concrete().tile(operand);
  int32_t cta = t.cta == ir::kOwnCta ? e.cta : e.cluster + t.cta;
  auto found = numbers_.find({cta, t.decl, t.index});
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

void Answers::Replace(Symbol symbol, const Polynomial& value) {
  requests_ = requests_.Replace(symbol, value);
  for (auto& [place, number] : numbers_) number = number.Replace(symbol, value);
}

Answers Answers::Since(const Answers& earlier, const machine::Code& code,
                       const Rotation& rotation) const {
  Answers out;
  out.requests_ = requests_ - earlier.requests_;
  for (const auto& [place, number] : earlier.numbers_) {
    auto [cta, decl, object] = place;
    Place now{cta, decl, TurnedObject(code, rotation, decl, object)};
    auto found = numbers_.find(now);
    if (found != numbers_.end()) out.numbers_[now] = found->second - number;
  }
  return out;
}

Answers Answers::MovedOn(const Answers& moved, const Polynomial& times) const {
  Answers out;
  out.requests_ = requests_ + moved.requests_ * times;
  for (const auto& [place, by] : moved.numbers_) {
    auto found = numbers_.find(place);
    if (found != numbers_.end())
      out.numbers_[place] = found->second + by * times;
  }
  return out;
}

bool Answers::HasMoved(const Answers& begun, const Answers& moved,
                       const machine::Code& code,
                       const Rotation& rotation) const {
  if (!(requests_ - begun.requests_ == moved.requests_)) return false;
  return std::all_of(
      begun.numbers_.begin(), begun.numbers_.end(), [&](const auto& one) {
        auto [cta, decl, object] = one.first;
        auto now = numbers_.find(
            {cta, decl, TurnedObject(code, rotation, decl, object)});
        return now != numbers_.end() &&
               now->second - one.second == moved.numbers_.at(one.first);
      });
}

}  // namespace tilesim::checkers::sizes::protocol
