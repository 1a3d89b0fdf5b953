// Looks up the words that training loops and their tables use for waiting and for collectives.
#include "desk/read/waiting.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 16> kWaiting{
    "wait",
    "waiting",
    "idle",
    "stall",
    "sync",
    "barrier",
    "comm",
    "communication",
    "allreduce",
    "nccl",
    "gloo",
    "bubble",
    "exposed",
    "recv",
    "collective",
    "blocked"};
}  // namespace

bool is_waiting(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return std::ranges::find(kWaiting, word) != kWaiting.end();
  });
}

}  // namespace lento::desk
