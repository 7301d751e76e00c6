#include "checkers/witness/replay.h"

#include "checkers/order/certificate.h"
#include "checkers/order/repeats.h"
#include "checkers/order/unawaited.h"
#include "checkers/pairwise/check_run.h"
#include "checkers/report/follow_up.h"
#include "checkers/run/runner.h"
#include "ir/cat.h"

namespace tilesim::checkers::witness {
using footprint::Fragments;
using order::Certify;
using pairwise::CheckRun;
using report::Finding;
using report::Findings;
using report::Signature;
using report::SignatureOf;
using report::WordsOf;
using run::Path;
using run::RunCluster;
using run::RunOptions;

Replay ReplayPath(const machine::Code& code, int64_t cluster, const Path& path,
                  Fragments& fragments) {
  RunOptions options;
  options.cluster = cluster;
  options.path = &path;
  Replay out;
  out.log = RunCluster(code, options);
  CheckRun(out.log, fragments, out.findings);
  Certify(out.log, out.findings);
  for (const ir::Diagnostic& d : out.log.findings) out.findings.Add(d);
  for (const order::Repeat& r : order::RepeatsOf(out.log))
    order::Tell(out.log, r, out.findings);
  if (!out.findings.has_errors()) return out;
  for (const order::Unawaited& barriers : order::UnawaitedIn(code))
    order::Tell(code, barriers, out.findings);
  return out;
}

Alike MostLike(const Findings& findings, const Signature& signature,
               std::string_view message) {
  const std::string words = WordsOf(message);
  Alike best;
  for (const Finding& f : findings.all()) {
    if (SignatureOf(f.diagnostic) != signature) continue;
    bool same = WordsOf(f.diagnostic.message) == words;
    Alike alike{&f, same ? Likeness::kWords : Likeness::kPlace};
    if (alike.likeness > best.likeness) best = alike;
  }
  return best;
}

bool Shows(const Replay& replay, const Signature& signature) {
  return MostLike(replay.findings, signature, "").found != nullptr;
}

}  // namespace tilesim::checkers::witness
