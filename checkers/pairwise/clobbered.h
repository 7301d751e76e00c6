// dataflow/clobbered: a product multiplies, or adds to, what another product
// has written as numbers of another size. All may be in order: but it was meant
// for what stood there before, and nobody means the bits of sums as factors.
#ifndef TILESIM_CHECKERS_PAIRWISE_CLOBBERED_H_
#define TILESIM_CHECKERS_PAIRWISE_CLOBBERED_H_

#include <utility>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Clobbered : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnAccesses(const Context& context,
                  const order::Accesses& accesses) override;

 private:
  void Read(const Context& context, const footprint::Place& place,
            const order::Access& read);
  void Write(const Context& context, const footprint::Place& place,
             const order::Access& write);

  order::Accesses sums_;  // of products: what nobody has written over since
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_CLOBBERED_H_
