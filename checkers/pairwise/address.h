// The word of shared memory that holds the address of an allocation of tensor
// memory. Whoever uses the columns reads it there, each time:
//
//   dataflow/clobbered  something else was written over it, all in order
//   race/*              something else may be written over it meanwhile
#ifndef TILESIM_CHECKERS_PAIRWISE_ADDRESS_H_
#define TILESIM_CHECKERS_PAIRWISE_ADDRESS_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

// A read that may come before the tcgen05.alloc has stored the address: a load,
// or a use of the columns.
inline bool ReadsUnpublished(const Conflict& c) {
  return !c.ordered && c.place.space == ir::Space::kShared &&
         c.earlier.address_of >= 0 && c.earlier.write && !c.later.write &&
         (c.later.address_of < 0 || c.later.address_of == c.earlier.address_of);
}

class Address : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnAccesses(const Context& context,
                  const order::Accesses& accesses) override;
  void OnConflict(const Context& context, const Conflict& conflict) override;

 private:
  void Read(const Context& context, const footprint::Place& place,
            const order::Access& read) const;
  void Write(const footprint::Place& place, const order::Access& write);

  order::Accesses writes_;  // to shared memory: what is still there
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_ADDRESS_H_
