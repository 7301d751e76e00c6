#include "cli/interrupt.h"

#include <csignal>

namespace tilesim::cli {
namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // as a handler needs

void Stop(int) { g_stop = true; }

}  // namespace

const std::atomic<bool>& CatchInterrupt() {
  struct sigaction action = {};
  action.sa_handler = Stop;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  return g_stop;
}

}  // namespace tilesim::cli
