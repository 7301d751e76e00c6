#include "checkers/cause/other_texts.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "checkers/cause/counters.h"
#include "checkers/cause/rewrites.h"
#include "checkers/cause/rewrites_of.h"
#include "checkers/cause/wrong_number.h"

namespace tilesim::checkers::cause {
using report::Finding;

namespace {

class OtherTexts {
 public:
  explicit OtherTexts(Explanation& x) : x_(x) {}

  // A small change of the text after which nothing is wrong: all follows from
  // what it mends.
  bool Rewritten() {
    const std::vector<Finding*> roots = x_.Roots();
    return RewrittenAs(RewritesFor(roots), roots);
  }

  // A counter that starts again with each turn of a loop, or counts uses of a
  // ring in the place of its rounds: waits that go by it
  // pass on phases that their threads have seen, which are causes by then.
  bool StartsAgain() {
    std::vector<Finding*> roots;
    for (Finding& f : x_.findings().all()) {
      if (IsError(f) && f.because.empty()) roots.push_back(&f);
    }
    if (!AreOfPhases(roots) || x_.code().guide != nullptr) return false;
    return RewrittenAs(CountersGoOn(x_.code()), roots) ||
           RewrittenAs(ParitiesOfRings(x_.code()), roots);
  }

  // A counter that is not advanced.
  bool NotAdvanced() {
    if (x_.code().guide != nullptr) return false;
    return RewrittenAs(CountersAdvance(x_.code()), x_.Roots());
  }

  // An arrival at another barrier than it is meant for. Waits for that one
  // hang, or pass for phases that nobody has made.
  bool Misdirected() {
    const std::vector<Finding*> roots = x_.Roots();
    if (!AreOfPhases(roots) || x_.code().guide != nullptr) return false;
    return RewrittenAs(OtherArrivals(x_.code()), roots);
  }

  bool RewrittenAs(const std::vector<Rewrite>& rewrites,
                   const std::vector<Finding*>& roots) {
    for (const Rewrite& r : rewrites) {
      if (!x_.may_run()) return false;
      auto text = Changed(x_.code(), r.kernel);
      if (text == nullptr) continue;
      Repaired run = x_.Run(*text->code, {});
      if (!Explanation::IsRight(run) || x_.FailsAtDefaults(r.kernel)) continue;
      const std::vector<Finding*> gone = GoneWith(r, roots);
      if (gone.empty()) continue;
      Finding* told = Explanation::Follow(
          gone,
          [&](const Finding& f) {
            if (x_.IsCause(f)) return true;
            return !x_.has_causes() &&
                   (r.at ? SamePlace(f.diagnostic.span, *r.at)
                         : f.diagnostic.code.family() == r.family);
          },
          r.help);
      if (r.label) told->diagnostic.labels.push_back(*r.label);
      if (r.of_lanes) LanesFollow(*told);
      return true;
    }
    return false;
  }

  // What may be if lanes do not wait for each other, once they are made to.
  void LanesFollow(const Finding& cause) {
    for (Finding& f : x_.findings().all()) {
      if (f.diagnostic.code == "parity/lanes" && f.because.empty())
        f.because = cause.key;
    }
  }

  // What other schedules show, and this run does not, comes of a mistake with
  // phases; not of one with groups or places.
  std::vector<Finding*> GoneWith(const Rewrite& r,
                                 const std::vector<Finding*>& roots) const {
    const bool of_phases =
        r.family != "race" && r.family != "wgmma" && r.family != "exit";
    std::vector<Finding*> out;
    for (Finding* f : roots) {
      if (of_phases || x_.seen().Has(*f)) out.push_back(f);
    }
    return out;
  }

  // Those that what is told speaks for.
  std::vector<Rewrite> RewritesFor(const std::vector<Finding*>& roots) {
    if (x_.code().guide != nullptr) return {};
    std::vector<Rewrite> out = ElectedIn(roots, PlacesOf(roots));
    std::vector<Rewrite> more = RewritesOf(x_.code(), roots);
    std::move(more.begin(), more.end(), std::back_inserter(out));
    return out;
  }

  // Of ops at those places that several threads execute, each for itself: the
  // first that should be one thread's. An arrival too many stops the run: on
  // with one in which none is.
  std::vector<Rewrite> ElectedIn(const std::vector<Finding*>& roots,
                                 const std::vector<ir::Span>& places) {
    const run::Event* found = OfSeveral(x_.log(), places);
    if (found != nullptr)
      return ByOneThread(x_.code(), *found->concrete().op, found->threads());
    for (const Finding* f : roots) {
      if (f->diagnostic.code != "arrival-count/over" || !x_.may_run()) continue;
      const auto high = CountOutOfReach(x_.code(), f->diagnostic.span);
      auto text = high ? WithNumber(x_.code(), *high) : nullptr;
      if (text == nullptr) continue;
      const Repaired all = x_.Run(*text->code, {});
      found = OfSeveral(all.log, places);
      if (found != nullptr)
        return ByOneThread(x_.code(), *found->concrete().op, found->threads());
    }
    return {};
  }

  Explanation& x_;
};

}  // namespace

bool TellRewritten(Explanation& x) { return OtherTexts(x).Rewritten(); }
bool TellStartsAgain(Explanation& x) { return OtherTexts(x).StartsAgain(); }
bool TellNotAdvanced(Explanation& x) { return OtherTexts(x).NotAdvanced(); }
bool TellMisdirected(Explanation& x) { return OtherTexts(x).Misdirected(); }

}  // namespace tilesim::checkers::cause
