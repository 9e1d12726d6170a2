#include "support/stop_here.h"

#include <utility>

namespace stagecraft {
namespace {

thread_local std::stop_token current;

} // namespace

StopHere::StopHere(std::stop_token stop) : m_outer(std::exchange(current, std::move(stop))) {}

StopHere::~StopHere()
{
    current = std::move(m_outer);
}

std::stop_token stopHere()
{
    return current;
}

} // namespace stagecraft
