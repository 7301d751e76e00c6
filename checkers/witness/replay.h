// One schedule again, and everything that is wrong in it.
//
//   Replay r = ReplayPath(code, cluster, path, fragments);
//   if (r.log.made.size() != path.size()) ...   // it is no schedule of these
//   Alike a = MostLike(r.findings, SignatureOf(diagnostic), message);
#ifndef TILESIM_CHECKERS_WITNESS_REPLAY_H_
#define TILESIM_CHECKERS_WITNESS_REPLAY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"
#include "checkers/run/move.h"

namespace tilesim::checkers::witness {

struct Replay {
  run::Log log;
  report::Findings findings;
};

// `code` must outlive the answer. `fragments`: what other runs have found too.
Replay ReplayPath(const machine::Code& code, int64_t cluster,
                  const run::Path& path, footprint::Fragments& fragments);

// How much a finding is what another run reported: the code and the place, or
// the words as well, but for numbers (which stage, which phase).
enum class Likeness : uint8_t { kNone, kPlace, kWords };
struct Alike {
  const report::Finding* found = nullptr;
  Likeness likeness = Likeness::kNone;
};

// The one most like it.
Alike MostLike(const report::Findings& findings,
               const report::Signature& signature, std::string_view message);
bool Shows(const Replay& replay, const report::Signature& signature);

}  // namespace tilesim::checkers::witness

#endif  // TILESIM_CHECKERS_WITNESS_REPLAY_H_
