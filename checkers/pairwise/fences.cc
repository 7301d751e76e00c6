#include "checkers/pairwise/fences.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using order::Agents;
using report::MnemonicOf;
using report::RoleOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

// How near a fence comes to what is wanted; the nearest is told.
enum class Lack : uint8_t { kTime, kForm, kThread, kThreadAndTime, kNone };

class Search {
 public:
  Search(const Context& context, const FenceWanted& wanted)
      : log_(context.log),
        agents_(context.order.agents()),
        wanted_(wanted),
        by_(agents_.Of(
            log_.events[wanted.of_later ? wanted.later : wanted.earlier])) {}

  void Run() {
    ForFences([&](int32_t event, const ir::Effect&) {
      const Agents::List& who = agents_.Of(log_.events[event]);
      by_op_[log_.events[event].op].insert(who.begin(), who.end());
    });
    ForFences([&](int32_t event, const ir::Effect& f) { Consider(event, f); });
  }

  void Tell(ir::Diagnostic& d) const {
    const Event& e = log_.events[best_];
    d.labels.push_back({SpanOf(e), ir::Cat(WhoOf(log_, e), ": ", Why())});
    d.notes.push_back(ir::Cat("the ", MnemonicOf(e), " on line ",
                              SpanOf(e).text_line(),
                              " is not enough: ", Why()));
  }
  bool found() const { return best_ >= 0; }
  bool Stands() {
    Run();
    return lack_ == Lack::kTime && Between(best_);
  }

 private:
  // Those that could be meant. What comes later is another turn's, or stands
  // further on where these threads are.
  template <typename F>
  void ForFences(F f) const {
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const Event& e = log_.events[i];
      auto event = static_cast<int32_t>(i);
      if (e.kind != Event::Kind::kOp ||
          !e.instance->Has(ir::EffectKind::kFence) ||
          (event > wanted_.later &&
           (wanted_.of_later || RoleOf(log_, e) != RoleOf(log_, from()))) ||
          OfTheOther(e))
        continue;
      for (const ir::Effect& fence : e.effects()) {
        if (fence.kind == ir::EffectKind::kFence && wanted_.kind(e, fence))
          f(event, fence);
      }
    }
  }

  const Event& from() const { return log_.events[wanted_.earlier]; }
  const Event& to() const { return log_.events[wanted_.later]; }
  // One that the role at the other end has for itself.
  bool OfTheOther(const Event& e) const {
    const int32_t own = RoleOf(log_, wanted_.of_later ? to() : from());
    const int32_t other = RoleOf(log_, wanted_.of_later ? from() : to());
    return own != other && RoleOf(log_, e) == other;
  }
  bool Between(int32_t event) const {
    return event > wanted_.earlier && event < wanted_.later;
  }
  int32_t Distance(int32_t event) const {
    return std::abs(event -
                    (wanted_.of_later ? wanted_.later : wanted_.earlier));
  }

  // One op may have been executed by its threads one after the other.
  void Consider(int32_t event, const ir::Effect& fence) {
    const Event& e = log_.events[event];
    const auto& who = by_op_[e.op];
    bool all = std::all_of(by_.begin(), by_.end(), [&](int32_t agent) {
      return who.count(agent) != 0;
    });
    std::string fault = wanted_.fault ? wanted_.fault(e, fence) : "";
    Lack lack = !all ? (Between(event) ? Lack::kThread : Lack::kThreadAndTime)
                : fault.empty() ? Lack::kTime
                                : Lack::kForm;
    bool nearer =
        lack < lack_ || (lack == lack_ && Distance(event) < Distance(best_));
    if (!nearer) return;
    lack_ = lack;
    best_ = event;
    fault_ = std::move(fault);
  }

  std::string Why() const {
    const Event& by = wanted_.of_later ? to() : from();
    switch (lack_) {
      case Lack::kForm:
        return fault_;
      case Lack::kThread:
      case Lack::kThreadAndTime:
        return ir::Cat("executed by ", WhoOf(log_, log_.events[best_]),
                       ", not by every thread of the ", MnemonicOf(by));
      default:
        break;
    }
    if (best_ < wanted_.earlier)
      return ir::Cat("it stands before the ",
                     wanted_.of_later ? "synchronisation" : MnemonicOf(from()));
    if (best_ > wanted_.later)
      return ir::Cat("it stands after the ", MnemonicOf(to()));
    if (wanted_.of_later) return "it stands before the synchronisation";
    return ir::Cat("it stands after the synchronisation that leads to the ",
                   MnemonicOf(to()));
  }

  const Log& log_;
  const Agents& agents_;
  const FenceWanted& wanted_;
  const Agents::List& by_;
  std::map<int32_t, absl::flat_hash_set<int32_t>> by_op_;
  Lack lack_ = Lack::kNone;
  int32_t best_ = -1;
  std::string fault_;
};

}  // namespace

bool FenceKnown(const Context& context, const FenceWanted& wanted,
                const order::Clock& knows) {
  const Agents& agents = context.order.agents();
  const Agents::List& by = agents.Of(context.log.events[wanted.earlier]);
  absl::flat_hash_map<int32_t, uint32_t> seqs;
  absl::flat_hash_set<int32_t> fenced;
  for (int32_t i = 0; i < wanted.later; ++i) {
    const Event& e = context.log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    bool fence =
        i > wanted.earlier &&
        std::any_of(
            e.effects().begin(), e.effects().end(), [&](const ir::Effect& f) {
              return f.kind == ir::EffectKind::kFence && wanted.kind(e, f);
            });
    for (int32_t agent : agents.Of(e)) {
      uint32_t seq = ++seqs[agent];
      if (fence && knows.Knows({agent, seq})) fenced.insert(agent);
    }
  }
  return std::all_of(by.begin(), by.end(),
                     [&](int32_t agent) { return fenced.count(agent) != 0; });
}

bool FenceBetween(const Context& context, const FenceWanted& wanted) {
  return Search(context, wanted).Stands();
}

bool NoteFence(const Context& context, const FenceWanted& wanted,
               ir::Diagnostic& d) {
  Search search(context, wanted);
  search.Run();
  if (!search.found()) return false;
  search.Tell(d);
  return true;
}

}  // namespace tilesim::checkers::pairwise
