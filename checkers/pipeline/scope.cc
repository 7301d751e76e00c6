#include "checkers/pipeline/scope.h"

#include <algorithm>

namespace tilesim::checkers::pipeline {

void CheckScope::Add(const CheckScope& part) {
  all_interleavings &= part.all_interleavings;
  all_sizes &= part.all_sizes;
  all_of.insert(part.all_of.begin(), part.all_of.end());
  given.insert(part.given.begin(), part.given.end());
  trips = std::max(trips, part.trips);
  for (const auto& [name, values] : part.params)
    params[name].insert(values.begin(), values.end());
  sms.insert(part.sms.begin(), part.sms.end());
  clusters += part.clusters;
  clusters_checked += part.clusters_checked;
  whole.insert(part.whole.begin(), part.whole.end());
  not_launched.insert(part.not_launched.begin(), part.not_launched.end());
  between = std::max(between, part.between);
  residents = std::max(residents, part.residents);
  assumed.Add(part.assumed);
  states += part.states;
}

}  // namespace tilesim::checkers::pipeline
