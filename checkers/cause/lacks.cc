#include "checkers/cause/lacks.h"

#include <algorithm>
#include <vector>

namespace tilesim::checkers::cause {
using report::Finding;
using report::Findings;

namespace {

class Lacks {
 public:
  explicit Lacks(Explanation& x) : x_(x) {}

  // The lack of order of which most comes. False: of none comes anything but
  // itself.
  bool Tell() {
    std::vector<Finding*> left = x_.Left();
    if (left.size() < 2) return false;
    std::vector<Finding*> most;
    Finding* cause = nullptr;
    std::vector<run::Lack> tried;
    for (Finding* f : left) {
      bool known =
          std::find(tried.begin(), tried.end(), f->lack) != tried.end();
      if (!IsError(*f) || !f->lack.known() || known) continue;
      if (!x_.may_run()) break;
      tried.push_back(f->lack);
      std::vector<Finding*> gone = GoneWith(f, left);
      if (gone.size() <= most.size()) continue;
      most = std::move(gone);
      cause = f;
    }
    for (Finding* f : most) f->because = cause->key;
    return cause != nullptr;
  }

 private:
  // What is not there if that order is, besides `cause`; nothing, if `cause`
  // still is.
  std::vector<Finding*> GoneWith(const Finding* cause,
                                 const std::vector<Finding*>& left) {
    const Findings still = x_.JudgedWith(cause->lack);
    std::vector<Finding*> out;
    if (still.Has(*cause)) return out;
    for (Finding* f : left) {
      if (f != cause && !still.Has(*f)) out.push_back(f);
    }
    return out;
  }

  Explanation& x_;
};

}  // namespace

bool TellLacks(Explanation& x) { return Lacks(x).Tell(); }

}  // namespace tilesim::checkers::cause
