// bounds/*: boxes that reach outside what they name. Of tensor memory also
// lanes that a warp does not reach.
#ifndef TILESIM_CHECKERS_CHECKS_BOUNDS_H_
#define TILESIM_CHECKERS_CHECKS_BOUNDS_H_

#include "checkers/checks/checker.h"

namespace tilesim::checkers {

class Bounds : public Checker {
 public:
  const Descriptor& descriptor() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  ActSet seen_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_BOUNDS_H_
