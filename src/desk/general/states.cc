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

constexpr std::array<std::string_view, 33> kGoodWords{
    "alive",     "onln",    "optl",      "ugood", "ok",       "okay",          "healthy",
    "passed",    "pass",    "active",    "up",    "online",   "ready",         "running",
    "normal",    "good",    "optimal",   "idle",  "free",     "allocated",     "mixed",
    "valid",     "nominal", "linkup",    "busy",  "job-busy", "job-exclusive", "job-sharing",
    "available", "clean",   "connected", "fine",  "success"};
constexpr std::array<std::string_view, 46> kBadWords{"failed",      "failure",
                                                     "fail",        "down",
                                                     "offline",     "critical",
                                                     "cr",          "alarm",
                                                     "fatal",       "degraded",
                                                     "error",       "unhealthy",
                                                     "dead",        "lost",
                                                     "faulty",      "broken",
                                                     "nr",          "unreachable",
                                                     "notready",    "state-unknown",
                                                     "invalid",     "bad",
                                                     "emergency",   "abnormal",
                                                     "err",         "disconnected",
                                                     "faulted",     "crit",
                                                     "failing",     "crashed",
                                                     "stale",       "not responding",
                                                     "unavail",     "unreach",
                                                     "errdisabled", "err-disabled",
                                                     "restarting",  "crashloopbackoff",
                                                     "impaired",    "terminated",
                                                     "died",        "killed",
                                                     "inactive",    "unreservable",
                                                     "unavailable", "backoff"};
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
constexpr std::array<std::string_view, 8>
    kConditionNames{"status", "state", "health", "result", "healthy", "condition", "stat", "severity"};
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

namespace {

// Returns the words that are not numbers, up to a parenthesis: "PORT_DOWN (1)" has two.
std::vector<std::string> letter_words(std::string_view text) {
  std::vector<std::string> words = label_words(text.substr(0, text.find('(')));
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_not_of("0123456789") == word.npos;
  });
  return words;
}

// Returns the condition that a few words state: "PORT_DOWN (1)", "Not synchronised", "No issue was observed".
Condition condition_of_words(std::string_view text) {
  constexpr std::array<std::string_view, 11> kTroubles{
      "error",
      "errors",
      "issue",
      "issues",
      "fault",
      "faults",
      "failure",
      "failures",
      "problem",
      "problems",
      "bad"};
  constexpr std::array<std::string_view, 5> kDenied{
      "synchronised",
      "synchronized",
      "responding",
      "reachable",
      "operational"};
  constexpr size_t kMostWords = 3;
  // The state that containers give in parentheses precedes the rest: "Up 3 days (unhealthy)", "Exited (137) 2
  // hours ago".
  if (const size_t open = text.find('('); open != text.npos) {
    const std::string_view inside = text.substr(open + 1, text.find(')') - open - 1);
    if (const Condition condition = is_state_word(inside) ? condition_of(inside) : Condition::Unknown;
        condition != Condition::Unknown)
      return condition;
    if (text.starts_with("Exited ("))
      return inside == "0" ? Condition::Neutral : Condition::Bad;
  }
  const std::vector<std::string> words = letter_words(text);
  if (words.empty())
    return Condition::Unknown;
  const auto has = [&](const auto& list) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return is_listed(list, word);
    });
  };
  if ((words[0] == "no" || words[0] == "without") && has(kTroubles))
    return Condition::Good;
  for (size_t i = 0; i + 1 < words.size(); ++i)  // "Multiple errors detected since last read"
    if (is_listed(kTroubles, words[i]) && (words[i + 1] == "detected" || words[i + 1] == "found"))
      return Condition::Bad;
  for (size_t i = 0; i + 1 < words.size(); ++i)  // "Transport endpoint is not connected"
    if (words[i] == "not" && (is_listed(kDenied, words[i + 1]) || is_listed(kGoodWords, words[i + 1])))
      return Condition::Bad;
  if (words.size() > kMostWords || words[0] == "not")
    return Condition::Unknown;
  const bool is_bad = has(kBadWords);
  const bool is_good = has(kGoodWords) || has(kDenied);
  // "up 2 hours" states more than a condition.
  const bool is_more = text.substr(0, text.find('(')).find_first_of("0123456789") != text.npos;
  if (is_bad == is_good || (is_good && is_more))
    return Condition::Unknown;
  return is_bad ? Condition::Bad : Condition::Good;
}

}  // namespace

bool is_state_word(std::string_view text) {
  std::string word(text.substr(0, 20));
  for (char& c : word)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return is_listed(kGoodWords, word) || is_listed(kBadWords, word);
}

Condition condition_of(std::string_view text) {
  constexpr size_t kLongest = 40;
  // "FAIL - test discovered HW problems"
  if (const size_t dash = text.find(" - "); dash != text.npos && is_state_word(text.substr(0, dash)))
    text = text.substr(0, dash);
  // "OK (17 backend containers UP, 102 drives UP)", "ERROR: The maximum link width is 16x": the word in front
  // states the condition.
  if (text.size() > kLongest) {
    const size_t colon = text.find(": ");
    const bool is_capital = colon != text.npos && std::ranges::none_of(text.substr(0, colon), [](char c) {
                              return c >= 'a' && c <= 'z';
                            });
    const size_t end = std::min(text.find(" ("), is_capital ? colon : text.npos);
    text = end != text.npos && is_state_word(text.substr(0, end)) ? text.substr(0, end) : std::string_view{};
  }
  if (text.empty())
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
    const bool is_sentence =
        word.find(' ') != word.npos && text.find(',') != text.npos;  // "worker, raylet died"
    const Condition condition = is_sentence ? condition_of_words(word) : condition_of_word(word);
    is_known = is_known && condition != Condition::Unknown;
    if (worst != Condition::Bad && condition != Condition::Unknown)
      worst = condition;
    word.clear();
  }
  return is_known || worst == Condition::Bad ? worst : condition_of_words(text);
}

Polarity polarity_of(std::string_view label) {
  constexpr std::array<std::string_view, 29> kBadFlags{
      "error",    "errors",    "fault",       "failure",  "failed",     "failing", "throttled",  "throttling",
      "throttle", "slowdown",  "degraded",    "pressure", "deadlock",   "lost",    "violation",  "alarm",
      "critical", "overheat",  "overheated",  "hang",     "hung",       "corrupt", "corruption", "readonly",
      "brake",    "unhealthy", "unavailable", "exceeded", "unreachable"};
  constexpr std::array<std::string_view, 12> kGoodFlags{
      "detected",
      "present",
      "ready",
      "healthy",
      "operational",
      "synchronised",
      "synchronized",
      "reachable",
      "connected",
      "mounted",
      "online",
      "alive"};
  constexpr std::array<std::string_view, 15> kSettings{
      "implemented",
      "supported",
      "support",
      "enable",
      "enabled",
      "threshold",
      "detection",
      "reporting",
      "report",
      "capable",
      "capability",
      "mask",
      "notification",
      "injection",
      "recovery"};
  const std::vector<std::string> words = label_words(label);
  const auto has = [&](const auto& list) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return is_listed(list, word);
    });
  };
  if (has(kSettings))
    return Polarity::None;
  if (has(kBadFlags))
    return Polarity::Bad;
  return has(kGoodFlags) ? Polarity::Good : Polarity::None;
}

bool names_single_flag(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return !words.empty() && (words.back() == "alarm" || words.back() == "fault" || words.back() == "failure");
}

std::optional<bool> truth_of(std::string_view text) {
  constexpr std::array<std::string_view, 7> kYes{"y", "yes", "true", "on", "active", "asserted", "set"};
  constexpr std::array<std::string_view, 9>
      kNo{"n", "no", "false", "off", "not active", "inactive", "deasserted", "not set", "none"};
  constexpr size_t kLongest = 16;
  std::string word(text.substr(0, kLongest));
  for (char& c : word)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  if (is_listed(kYes, word))
    return true;
  return is_listed(kNo, word) ? std::optional(false) : std::nullopt;
}

bool is_out_of_order(std::string_view text) {
  constexpr std::array<std::string_view, 7>
      kWords{"offline", "dead", "failed", "unreachable", "faulty", "faulted", "crashed"};
  const std::vector<std::string> words = label_words(text);
  return words.size() == 1 && is_listed(kWords, words[0]);
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

bool names_member(std::string_view label) {
  constexpr std::array<std::string_view, 14> kMembers{
      "osd",
      "ost",
      "mdt",
      "port",
      "link",
      "lane",
      "drive",
      "tpu",
      "hpu",
      "dpu",
      "asic",
      "dimm",
      "bdf",
      "accelerator"};
  const std::vector<std::string> words = label_words(label);
  const bool has_number = words.size() == 2 && (words[1] == "id" || words[1] == "index");
  return names_device(label) || ((words.size() == 1 || has_number) && is_listed(kMembers, words[0]));
}

bool names_something(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return !words.empty() && words.back() == "name";
}

bool names_host(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  const bool is_name = words.size() == 2 && (words[1] == "name" || words[1] == "id");
  return (words.size() == 1 || is_name) && is_listed(kHostNames, words[0]);
}

}  // namespace lento::desk
