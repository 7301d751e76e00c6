#include "sim/machine/data/job.h"

#include <algorithm>
#include <utility>

namespace tilesim::machine {

std::string_view Job::name(int operand) const {
  return bound().kernel->decls[tile(operand).decl].name;
}

void Job::Fault(ir::Code code, std::string message, std::string help) {
  if (std::find(said_.begin(), said_.end(), code) != said_.end()) return;
  said_.push_back(code);
  if (site_.state == nullptr) return memory_.GiveUp();
  if (memory_.faults() == nullptr) return;
  memory_.faults()->Fault(*site_.state, site_.cta, compiled_, code,
                          std::move(message), std::move(help));
}

CtaMemory* Job::Peer(int rank) {
  if (rank == kOwn) return &memory_.cta(site_.cta);
  if (rank < 0 || rank >= static_cast<int>(site_.peers.size())) return nullptr;
  return &memory_.cta(site_.peers[rank]);
}

Dense Job::ReadMemory(int operand, const Mask& mask) {
  return tile(operand).space == ir::Space::kGlobal
             ? ReadGlobal(operand)
             : ReadShared(operand, kOwn, mask);
}

void Job::WriteMemory(int operand, const Dense& box, const Mask& mask) {
  if (tile(operand).space == ir::Space::kGlobal)
    return WriteGlobal(operand, box, mask);
  WriteShared(operand, box, kOwn, mask);
}

}  // namespace tilesim::machine
