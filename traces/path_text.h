// Parts of the text of a RunReport: where the time went, by line, and what
// would change it.
#ifndef TILESIM_TRACES_PATH_TEXT_H_
#define TILESIM_TRACES_PATH_TEXT_H_

#include <string>

#include "traces/report.h"

namespace tilesim::traces {

// Each is empty if the report has nothing of it.
std::string CriticalPathText(const RunReport& report);
std::string LinesText(const RunReport& report);
std::string HintsText(const RunReport& report);
std::string BaselineText(const RunReport& report);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_PATH_TEXT_H_
