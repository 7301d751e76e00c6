// What an answer of cluster launch control holds.
#include "ptx/machine/answers.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

// Its first 8 bytes have all (machine/answers.h).
Action IsCanceled(ActionMaking& m) {
  std::optional<In> answer = m.One(1);
  if (!answer) return m.Refuse("");
  const Out out = m.Outs(0)[0];
  return [answer = *answer, out](Threads& t) {
    t.Each([&](size_t i) {
      t.Set(out, i, Answer::Of(t.Get(answer, i)).canceled);
    });
  };
}

// A dimension, or all in a vector; of a refusal there is none.
Action FirstCta(ActionMaking& m) {
  std::optional<In> answer = m.One(1);
  if (!answer) return m.Refuse("");
  const auto says = [&](std::string_view word) {
    return m.spelling().find(word) != std::string_view::npos;
  };
  const size_t first = says("::z") ? 2 : says("::y") ? 1 : 0;
  std::vector<Out> outs = m.Outs(0);
  return [=, answer = *answer](Threads& t) {
    t.Each([&](size_t i) {
      const Answer a = Answer::Of(t.Get(answer, i));
      for (size_t k = 0; k < outs.size(); ++k) {
        const size_t d = first + k;
        t.Set(
            outs[k], i,
            d < a.first_cta.size() ? static_cast<uint32_t>(a.first_cta[d]) : 0);
      }
    });
  };
}

}  // namespace

const std::vector<ActionRow>& GridActions() {
  static const std::vector<ActionRow> kRows = {
      {"clusterlaunchcontrol.query_cancel.is_canceled", IsCanceled},
      {"clusterlaunchcontrol.query_cancel.get_first_ctaid", FirstCta}};
  return kRows;
}

}  // namespace tilesim::ptx
