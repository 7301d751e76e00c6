// What runs of a kernel's CTAs show of the order that words of global memory
// put their accesses in (grid/words.h): what holds in every run.
//
//   WordOrder order;
//   order.Add(runs, fragments);   // of each CTA that is judged
//   order.words();
#ifndef TILESIM_CHECKERS_PIPELINE_WORD_ORDER_H_
#define TILESIM_CHECKERS_PIPELINE_WORD_ORDER_H_

#include "checkers/footprint/fragments.h"
#include "checkers/grid/words.h"
#include "checkers/order/order.h"
#include "checkers/program/check.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::pipeline {

class WordOrder {
 public:
  // Runs of a CTA by itself, or of a cluster, that stand for its schedules.
  void Add(const std::vector<program::JudgedRun>& runs,
           footprint::Fragments& fragments);

  const grid::Words& words() const { return words_; }

 private:
  void Add(const run::Log& log, order::Order::Kind kind,
           footprint::Fragments& fragments);
  void AddExecuted(const run::Log& log);
  void AddLast(const run::Log& log);
  void AddCount(const run::Log& log);
  void AddFlags(const run::Log& log);
  void AddEvent(const run::Event& e, const grid::Handed& now);

  grid::Words words_;
  bool some_last_ = false;  // there was a run of who drew the last number
  bool some_do_not_count_ = false;  // there was a run that draws none
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WORD_ORDER_H_
