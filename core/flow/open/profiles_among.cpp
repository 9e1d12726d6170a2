#include "flow/open/profiles_among.h"

#include <map>
#include <utility>

namespace stagecraft {

Result<ProfilesAmong> profilesAmong(std::span<const std::string> paths, const std::stop_token &stop)
{
    ProfilesAmong found;
    std::map<const ProfileReader *, std::size_t> joined; // place in `profiles`
    for (const std::string &path : paths) {
        auto file = openProfileFile(path, stop);
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "cancelled");
        const ProfileReader *reader = file ? readerOf(file->bytes) : nullptr;
        if (!reader) {
            found.others.push_back(path);
            continue;
        }
        const auto [place, isNew] = joined.try_emplace(reader, found.profiles.size());
        if (!isNew && !reader->joinsFiles)
            place->second = found.profiles.size();
        if (place->second == found.profiles.size())
            found.profiles.emplace_back();
        found.profiles[place->second].push_back(std::move(*file));
    }
    return found;
}

} // namespace stagecraft
