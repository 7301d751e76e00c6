// What `tilesim explain` knows, for other parts of the command.
#ifndef TILESIM_CLI_TOPIC_H_
#define TILESIM_CLI_TOPIC_H_

#include <optional>
#include <string>
#include <vector>

namespace tilesim::cli {

// The page of a topic, "" the list of all; nothing: there is no such topic.
// The page of a code checks its program, which takes a moment.
std::optional<std::string> TopicText(const std::string& topic);
// All of them.
std::vector<std::string> ExplainTopics();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_TOPIC_H_
