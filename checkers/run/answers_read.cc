#include "checkers/run/answers_read.h"

#include <map>
#include <tuple>
#include <utility>

#include "sim/machine/targets.h"

namespace tilesim::checkers::run {
namespace {

class Reader {
 public:
  explicit Reader(const Log& log) : log_(log) {}

  std::set<int32_t> Run() {
    for (const Event& e : log_.events) {
      if (e.kind != Event::Kind::kOp) continue;
      Write(e);
      for (const ir::Effect& f : e.effects()) {
        if (f.kind == ir::EffectKind::kClcQuery) Query(e, f);
      }
    }
    for (const auto& [reader, answers] : read_) {
      if (answers != requests_) wrong_.insert(std::get<0>(reader));
    }
    return std::move(wrong_);
  }

 private:
  using Place = std::tuple<int32_t, int32_t, int32_t>;  // CTA, decl, object

  // The answer to a request is in its tile from the moment it was asked for:
  // who reads it earlier than it came, or later than the next, races.
  void Write(const Event& e) {
    const ir::Effect* request = nullptr;
    for (const ir::Effect& f : e.effects()) {
      if (f.kind == ir::EffectKind::kClcCancel) request = &f;
    }
    for (const ir::Effect& f : e.effects()) {
      const bool tile = f.operand >= 0 && e.concrete().is_tile(f.operand);
      if (f.kind != ir::EffectKind::kWrite || !tile) continue;
      const ir::TileValue& t = e.concrete().tile(f.operand);
      const auto ctas = static_cast<int32_t>(log_.code->bound.cluster_size());
      for (int rank : machine::RanksMeant(f, e.concrete(), ctas)) {
        const Place place{e.cluster + rank, t.decl, t.index};
        if (request != nullptr && f.operand == request->operand)
          answers_[place] = requests_;
        else
          answers_.erase(place);
      }
    }
    if (request != nullptr) requests_ += e.threads().threads();
  }

  void Query(const Event& e, const ir::Effect& f) {
    const ir::TileValue& t = e.concrete().tile(f.operand);
    const int32_t cta = t.cta == ir::kOwnCta ? e.cta : e.cluster + t.cta;
    const auto answer = answers_.find({cta, t.decl, t.index});
    const int first = e.threads().first_warp;
    for (int warp = first; warp < first + e.threads().warps; ++warp) {
      int64_t& next = read_[{e.op, e.cta, warp}];
      if (answer == answers_.end() || answer->second != next)
        wrong_.insert(e.op);
      ++next;
    }
  }

  const Log& log_;
  int64_t requests_ = 0;
  std::map<Place, int64_t> answers_;  // the request that each is to
  // By op, CTA and warp: how many answers were read.
  std::map<std::tuple<int32_t, int32_t, int>, int64_t> read_;
  std::set<int32_t> wrong_;
};

}  // namespace

std::set<int32_t> QueriesOutOfTurn(const Log& log) { return Reader(log).Run(); }

}  // namespace tilesim::checkers::run
