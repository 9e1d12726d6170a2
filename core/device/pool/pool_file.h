#pragma once

// The file of a pool: a device id a line; empty lines and what follows a # do not count.

#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

struct PoolMembers {
    std::vector<std::string> ids{}; // in order
    std::vector<std::string>
        wrong{}; // lines that name no device, for people: "lab.pool:2: pool:other is not one device"
};

// The ids, in order. Errors: InvalidInput, naming file and line, if the file cannot be read, names nothing, or a line
// names another pool.
[[nodiscard]] Result<std::vector<std::string>> readPoolFile(const std::string &path);

// The same, as far as it is right: of a file that is read again while its members measure.
[[nodiscard]] PoolMembers membersNow(const std::string &path);

// "lab.pool:3"; the path alone if no line names the device.
[[nodiscard]] std::string lineOfMember(const std::string &path, const std::string &id);

} // namespace stagecraft
