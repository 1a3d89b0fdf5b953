// Interprets the reasons for which Slurm, a health check or an operator took a node out of service.
//
//   reason = "gres/gpu count reported lower than configured (7 < 8)" | "Kill task failed" | "NHC: " CHECK |
//   ...
//
// sinfo cuts a reason off after 20 characters unless its format is wider, so the beginning of a known reason
// is enough.
//
// Sources: reasons that slurmctld 20.11 to 25.05 sets (node_mgr.c, job_mgr.c, node registration); checks of
// LBNL's NHC 1.4 and of its extensions for GPUs.
#include <algorithm>

#include "base/number.h"
#include "base/units.h"
#include "desk/cluster/cluster.h"
#include "desk/kernel/kernel.h"

namespace lento::desk {
namespace {

constexpr const char* kLook = "look at its kernel log (dmesg -T), its power and its network";
constexpr const char* kCheck = "run that check on the node by hand, look at nvidia-smi -q and dmesg -T there";
constexpr const char* kFewerGpus =
    "look at nvidia-smi -L, lspci and the kernel log (dmesg -T | grep -i xid) there for the GPU that is gone";
constexpr const char* kHungTask =
    "look at processes in state D (ps -eo pid,stat,wchan,cmd) and at storage mounts and the GPU driver in "
    "dmesg "
    "there";

struct Known {
  std::string_view words;
  Severity severity;
  Origin origin;
  const char* meaning;  // "": the reason itself is shown
  const char* action;
};

// The first matching entry counts. Words of health checks are searched anywhere in a reason, Slurm's reasons
// at its beginning.
constexpr Known kSlurm[] = {
    {"gres/gpu count reported lower than configured",
     Severity::Fault,
     Origin::Hardware,
     "it has fewer GPUs than it should",
     kFewerGpus},
    {"Kill task failed",
     Severity::Warning,
     Origin::Program,
     "a process could not be killed: storage or a driver hangs, which shows no faulty hardware",
     kHungTask},
    {"Not responding", Severity::Fault, Origin::Unclear, "it does not answer", kLook},
    {"Node unexpectedly rebooted", Severity::Fault, Origin::Unclear, "it rebooted by itself", kLook},
    {"Low RealMemory", Severity::Fault, Origin::Hardware, "it has less memory than it should", kLook},
    {"Low socket*core", Severity::Fault, Origin::Hardware, "it has fewer cores than it should", kLook},
    {"Low CPUs", Severity::Fault, Origin::Hardware, "it has fewer cores than it should", kLook},
    {"Prolog error", Severity::Warning, Origin::Program, "the script before its jobs fails", kCheck},
    {"Epilog error", Severity::Warning, Origin::Program, "the script behind its jobs fails", kCheck},
    {"batch job complete failure",
     Severity::Warning,
     Origin::Program,
     "a job could not be ended there",
     kHungTask},
};
constexpr Known kChecks[] = {
    {"ecc", Severity::Fault, Origin::Hardware, "a health check found memory errors (ECC)", kCheck},
    {"xid", Severity::Fault, Origin::Hardware, "a health check found GPU errors (Xid)", kCheck},
    {"nvlink", Severity::Fault, Origin::Hardware, "a health check found a faulty NVLink", kCheck},
    {"remap", Severity::Fault, Origin::Hardware, "a health check found remapped GPU memory", kCheck},
    {"gpu", Severity::Fault, Origin::Hardware, "a check of its GPUs failed", kCheck},
    {"nvsmi", Severity::Fault, Origin::Hardware, "a check of its GPUs failed", kCheck},
    {"dcgm", Severity::Fault, Origin::Hardware, "a check of its GPUs failed", kCheck},
    {"check_hw_ib",
     Severity::Fault,
     Origin::Link,
     "a health check found a network port that is down",
     kCheck},
    {"infiniband", Severity::Fault, Origin::Link, "a check of its network failed", kCheck},
    {"check_hw", Severity::Fault, Origin::Hardware, "a check of its hardware failed", kCheck},
    {"check_fs", Severity::Warning, Origin::Operator, "a check of its file systems failed", kCheck},
    {"maint", Severity::Note, Origin::Operator, "it was taken out for maintenance", ""},
    {"upgrade", Severity::Note, Origin::Operator, "it was taken out for an upgrade", ""},
    {"firmware", Severity::Note, Origin::Operator, "it was taken out for new firmware", ""},
    {"reboot requested", Severity::Note, Origin::Operator, "a reboot was asked for", ""},
    {"reboot asap", Severity::Note, Origin::Operator, "a reboot was asked for", ""},
    {"nhc:", Severity::Warning, Origin::Unclear, "a health check failed", kCheck},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

// Returns whether `reason` begins with `words`. A reason that was cut off must share at least kCut
// characters.
bool begins(std::string_view reason, std::string_view words) {
  constexpr size_t kCut = 20;
  return reason.starts_with(words) || (reason.size() >= kCut - 1 && words.starts_with(reason));
}

// Returns how many GPUs are missing: "(7 < 8)" is 1 of 8.
std::string lost_of(std::string_view reason) {
  const size_t open = reason.rfind('(');
  const size_t less = reason.find(" < ", open == reason.npos ? 0 : open);
  if (open == reason.npos || less == reason.npos)
    return "";
  const auto has = base::try_uint(reason.substr(open + 1, less - open - 1));
  const auto should = base::try_uint(reason.substr(less + 3, reason.find(')', less) - less - 3));
  if (!has || !should || *has >= *should)
    return "";
  const uint64_t lost = *should - *has;
  return std::to_string(lost) + " of its " + std::to_string(*should) +
         (lost == 1 ? " GPUs is gone" : " GPUs are gone");
}

}  // namespace

void explain_xid(Event& event, std::string_view message) {
  static const Pattern code("Xid {code:int}");
  static const Pattern long_code("XID {code:int}");
  static const Pattern part("GPU {gpu:int}");
  Match match;
  if (!code.match(message, match) && !long_code.match(message, match))
    return;
  const Xid* known = xid(match.integer("code").value_or(0));
  if (!known)
    return;
  event.kind = "xid/" + match.text("code");
  event.severity = std::max(event.severity, known->severity);
  event.origin = known->origin;
  event.meaning += ": " + std::string(known->meaning) + " (Xid " + match.text("code") + ")";
  event.action = known->action;
  if (event.subject.device.empty() && part.match(message, match))
    event.subject.device = "gpu" + match.text("gpu");
}

Event node_event(const char* kind, Severity severity, std::string host, std::string meaning) {
  Event event;
  event.kind = kind;
  event.severity = severity;
  event.origin = severity == Severity::Note ? Origin::Operator : Origin::Unclear;
  event.subject.host = std::move(host);
  event.meaning = std::move(meaning);
  event.action = kLook;
  return event;
}

// Returns whether a reason states that something failed. "gpu driver update" and "check gpu after the crash"
// state what somebody means to do.
bool states_failure(std::string_view small) {
  constexpr std::string_view kFailures[] = {"fail",      "error",   "xid",       "ecc",    "lost",
                                            "missing",   "fell",    "dead",      "broken", "degraded",
                                            "uncorrect", "timeout", "not found", "down",   "no ib",
                                            "remap",     "bad ",    "unhealthy", "nhc:",   "check_"};
  return std::ranges::any_of(kFailures, [&](std::string_view word) {
    return small.find(word) != small.npos;
  });
}

void explain(Event& event, std::string_view reason) {
  const Known* known = nullptr;
  for (const Known& one : kSlurm)
    if (!known && begins(reason, one.words))
      known = &one;
  const std::string small = lower(reason);
  for (const Known& one : kChecks)
    if (!known && small.find(one.words) != small.npos &&
        (one.severity == Severity::Note || states_failure(small)))
      known = &one;
  event.fields.emplace_back("reason", std::string(reason));
  if (!known)
    return;
  const std::string lost = known->action == kFewerGpus ? lost_of(reason) : "";
  const bool is_planned = known->severity == Severity::Note;
  event.severity = is_planned ? Severity::Note : std::max(event.severity, known->severity);
  event.origin = known->origin;
  event.meaning = (lost.empty() ? known->meaning : lost) + " (" + std::string(reason) + ")";
  event.action = known->action;
}

}  // namespace lento::desk
