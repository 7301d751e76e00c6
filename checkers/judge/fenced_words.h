// Whether fence.sc keeps what a run does to words by which threads talk
// sequentially consistent: of two accesses of a thread to different words one
// stands between. Then so does every execution of the documented memory model
// behave, and a search that takes all accesses in some order misses none.
#ifndef TILESIM_CHECKERS_JUDGE_FENCED_WORDS_H_
#define TILESIM_CHECKERS_JUDGE_FENCED_WORDS_H_

#include "checkers/run/log.h"

namespace tilesim::checkers::judge {

// Of strong accesses, whatever they are to. False too where several threads of
// a CTA make them, as these may be in order without any fence; where sizes
// differ; or where a scope is less than the GPU.
bool FencesKeepWordsInOrder(const run::Log& log);

}  // namespace tilesim::checkers::judge

#endif  // TILESIM_CHECKERS_JUDGE_FENCED_WORDS_H_
