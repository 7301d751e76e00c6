// Compiled code that takes its work from cluster launch control, in a grid from
// which one cluster may be handed many others: a few runs stand for all
// (docs/all_sizes.md 3.19).
//
// Runs of the first cluster are judged that is handed 0, 1, .. others, as many
// as it takes until what decides how a run goes on recurs from request to
// request. Each is watched: what it does is the same whichever clusters these
// are, but for where in global memory; and where that is, no two clusters meet.
//
//   HandedClusters handed(code, fragments, inputs, max_events);
//   if (handed.Show(judge)) ...     // every cluster is judged with that
#ifndef TILESIM_CHECKERS_PIPELINE_HANDED_H_
#define TILESIM_CHECKERS_PIPELINE_HANDED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/pipeline/alike.h"
#include "checkers/run/environment.h"
#include "checkers/run/log.h"
#include "sim/machine/watched_run.h"

namespace tilesim::checkers::pipeline {

// The clusters whose work one does: its own, and what it is handed.
std::vector<int64_t> WorkOf(int64_t cluster,
                            const run::Environment& environment);

class HandedClusters {
 public:
  HandedClusters(const machine::Code& code, footprint::Fragments& fragments,
                 const run::Environment& with, int64_t max_events);

  // Whether it is about the code: it asks for clusters, of which there are more
  // than are tried one by one.
  static bool Are(const machine::Code& code);

  // `judge` judges a cluster that is handed what the environment says, and
  // tells Judged. False: it was not shown.
  using Judge = std::function<void(int64_t, const run::Environment&)>;
  bool Show(const Judge& judge);

  // `holds`: the run stands for all schedules.
  void Judged(const run::Log& log, bool holds);

 private:
  struct Watched {
    run::Log log;
    std::unique_ptr<machine::WatchedRun> run;
    std::vector<machine::WatchedRun::StateKey> states;  // by request
  };
  // An access of a buffer that is written.
  struct Touch {
    int32_t decl = 0;
    GridBytes::Use use = GridBytes::Use::kRead;
    int64_t nth = 0;  // the op was executed as that number
    int operand = 0;
    int64_t first = 0;
    int32_t shape = 0;  // of shapes_
  };

  bool Shows(const Judge& judge);
  std::optional<Watched> Watch(int64_t handed);
  // How many others it must be handed so that these runs stand for more.
  std::optional<int64_t> Most();
  std::optional<int64_t> Recurs(const Watched& w) const;
  static std::vector<size_t> RequestsOf(const run::Log& log);
  bool Whichever(int64_t handed, const Watched& w, const Watched& longest);
  std::vector<Touch> TouchesOf(const Watched& w, int64_t from);
  bool Sweep(const Watched& w, std::vector<Touch> touches, int64_t handed);
  bool AddAt(int32_t variable, int64_t cluster, const std::vector<Touch>& all,
             const std::vector<machine::WatchedRun::Start>& starts);
  void JudgeMeetings(const Judge& judge) const;
  int64_t clusters() const {
    return code_.bound.ctas() / code_.bound.cluster_size();
  }

  const machine::Code& code_;
  footprint::Fragments& fragments_;
  const run::Environment& with_;
  const int64_t max_events_;
  bool possible_ = true;
  int64_t events_ = 0;            // of runs that are watched
  std::optional<int64_t> wrong_;  // one of these has an error: handed so many
  std::vector<bool> written_;
  std::vector<std::vector<int64_t>> judged_;  // what happened, by run
  struct Less {
    bool operator()(const std::vector<footprint::Interval>& a,
                    const std::vector<footprint::Interval>& b) const;
  };
  std::map<std::vector<footprint::Interval>, int32_t, Less> shapes_;
  std::vector<const std::vector<footprint::Interval>*> intervals_;
  // Where the work of a cluster lies from that which was run, by variable and
  // declaration.
  std::map<std::tuple<int32_t, int64_t, int32_t>, int64_t> shifts_;
  std::set<std::tuple<int32_t, int64_t, int32_t, int32_t, int64_t>> known_;
  GridBytes bytes_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_HANDED_H_
