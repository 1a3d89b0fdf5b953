// Vocabularies of states. A word is only looked up where its column or key states that it is a state.
//
// Sources: npu-smi 24, hl-smi 1.16, ipmitool 1.8 (sdr), smartctl 7, PBS Pro and TORQUE (pbsnodes),
// xpu-smi 1.2, Kubernetes 1.31.
#include "desk/general/states.h"

#include <algorithm>
#include <array>
#include <string>

#include "desk/general/labels.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 32> kGoodWords{
    "alive",     "onln",    "optl",      "ugood", "ok",       "okay",          "healthy",
    "passed",    "pass",    "active",    "up",    "online",   "ready",         "running",
    "normal",    "good",    "optimal",   "idle",  "free",     "allocated",     "mixed",
    "valid",     "nominal", "linkup",    "busy",  "job-busy", "job-exclusive", "job-sharing",
    "available", "clean",   "connected", "fine"};
constexpr std::array<std::string_view, 34> kBadWords{
    "failed",   "failure",        "fail",    "down",     "offline",   "critical",
    "cr",       "alarm",          "fatal",   "degraded", "error",     "unhealthy",
    "dead",     "lost",           "faulty",  "broken",   "nr",        "unreachable",
    "notready", "state-unknown",  "invalid", "bad",      "emergency", "abnormal",
    "err",      "disconnected",   "faulted", "crit",     "failing",   "crashed",
    "stale",    "not responding", "unavail", "unreach"};
constexpr std::array<std::string_view, 11> kNeutralWords{
    "ns",
    "na",
    "n/a",
    "-",
    "none",
    "unknown",
    "disabled",
    "absent",
    "not available",
    "nc",
    "off"};
constexpr std::array<std::string_view, 7>
    kConditionNames{"status", "state", "health", "result", "healthy", "condition", "stat"};
constexpr std::array<std::string_view, 16> kDeviceNames{
    "gpu",
    "npu",
    "aip",
    "device",
    "dev",
    "card",
    "dcu",
    "mlu",
    "interface",
    "iface",
    "nic",
    "hca",
    "disk",
    "xpu",
    "vpu",
    "chip"};
constexpr std::array<std::string_view, 6>
    kHostNames{"host", "hostname", "node", "nodename", "machine", "server"};

template <size_t N>
bool is_listed(const std::array<std::string_view, N>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

Condition condition_of_word(const std::string& word) {
  if (is_listed(kBadWords, word))
    return Condition::Bad;
  if (is_listed(kGoodWords, word))
    return Condition::Good;
  return is_listed(kNeutralWords, word) ? Condition::Neutral : Condition::Unknown;
}

}  // namespace

Condition condition_of(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.empty() || text.size() > kLongest)
    return Condition::Unknown;
  Condition worst = Condition::Unknown;
  bool is_known = true;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c != ',') {
      const bool is_mark = c == '!' || c == '*' || c == '"' || (c == ' ' && word.empty());
      if (!is_mark)
        word += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
      continue;
    }
    const Condition condition = condition_of_word(word);
    is_known = is_known && condition != Condition::Unknown;
    if (worst != Condition::Bad && condition != Condition::Unknown)
      worst = condition;
    word.clear();
  }
  return is_known || worst == Condition::Bad ? worst : Condition::Unknown;
}

bool is_consequence(std::string_view condition) {
  const std::vector<std::string> words = label_words(condition);
  return std::ranges::find(words, "degraded") != words.end();
}

bool names_condition(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return std::ranges::any_of(words, [](const std::string& word) {
    return is_listed(kConditionNames, word);
  });
}

bool names_device(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  const bool has_number =
      words.size() == 2 && (words[1] == "id" || words[1] == "index" || words[1] == "number");
  return (words.size() == 1 || has_number) && is_listed(kDeviceNames, words[0]);
}

bool names_something(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return !words.empty() && words.back() == "name";
}

bool names_host(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return words.size() == 1 && is_listed(kHostNames, words[0]);
}

}  // namespace lento::desk
