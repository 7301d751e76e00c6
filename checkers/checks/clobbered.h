// dataflow/clobbered: a product multiplies, or adds to, what another product
// has written as numbers of another size. All may be in order: but it was meant
// for what stood there before, and nobody means the bits of sums as factors.
#ifndef TILESIM_CHECKERS_CHECKS_CLOBBERED_H_
#define TILESIM_CHECKERS_CHECKS_CLOBBERED_H_

#include <utility>
#include <vector>

#include "checkers/checks/checker.h"

namespace tilesim::checkers {

class Clobbered : public Checker {
 public:
  const Descriptor& descriptor() const override;
  void OnAccesses(const Context& context, const Accesses& accesses) override;

 private:
  void Read(const Context& context, const Place& place, const Access& read);
  void Write(const Context& context, const Place& place, const Access& write);

  Accesses sums_;  // of products: what nobody has written over since
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_CLOBBERED_H_
