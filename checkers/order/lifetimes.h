// Shared memory of another CTA of the cluster lives from that CTA's start to
// the end of its last thread: whoever touches it must know of the first and be
// known before the second (hardware.md A.9). Tensor memory of a pair of CTAs is
// allocated and freed by both (A.8), and so when both are there.
#ifndef TILESIM_CHECKERS_ORDER_LIFETIMES_H_
#define TILESIM_CHECKERS_ORDER_LIFETIMES_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "checkers/order/entries.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

class Lifetimes {
 public:
  // `order` is the enforced one.
  Lifetimes(const Order& order, report::Findings& findings)
      : order_(order), findings_(findings) {}

  // After the order has finished the event.
  void After(int32_t event);
  void End();

 private:
  struct Access {
    int32_t event;
    int32_t target;  // CTA
    int32_t operation;
    Mark mark;
  };

  // An op that both CTAs of a pair do, each with a warp of its own.
  struct Participation {
    int32_t event = -1;  // the last
    int32_t times = 0;
  };

  void Pairs(int32_t event);
  void OneSided(const Participation& part, int32_t peer);
  void MissingParticipation();
  void Add(int32_t event, int32_t target, int32_t operation);
  bool Started(const Clock& clock, int32_t target) const;
  bool Outlives(const Access& access) const;
  void Report(const Access& access, std::string_view what);

  const Order& order_;
  report::Findings& findings_;
  std::vector<Access> accesses_;
  // By kind of effect, declaration and CTA; nobody took part: absent.
  std::map<std::tuple<ir::EffectKind, int32_t, int32_t>, Participation>
      participations_;
  std::vector<Clock> finals_;  // by agent
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_LIFETIMES_H_
