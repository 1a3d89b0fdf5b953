// The log of smartd about disks that lose sectors or fail their own test.
//
//   line = "Device: " DEVICE " [" TYPE "], " text
//
// Source: smartd of smartmontools 6 to 7.
#include "desk/machine/machine.h"
#include "desk/read/event_form.h"

namespace lento::desk {
namespace {

constexpr const char* kReplaceByHealth = "look at smartctl -a of that disk; replace it";
const EventForm kSmartdForms[] = {
    {{"Device: {device:word} [{_:name}], {n:int} Currently unreadable (pending) sectors",
      {"Device: /dev/sdc [SAT], 8 Currently unreadable (pending) sectors"}},
     "disk/unreadable",
     Origin::Hardware,
     Severity::Fault,
     "a disk has unreadable sectors",
     kReplaceByHealth},
    {{"Device: {device:word} [{_:name}], {n:int} Offline uncorrectable sectors",
      {"Device: /dev/sdc [SAT], 8 Offline uncorrectable sectors"}},
     "disk/uncorrectable",
     Origin::Hardware,
     Severity::Fault,
     "a disk has uncorrectable sectors",
     kReplaceByHealth},
    {{"Device: {device:word} {_}FAILED SMART self-check",
      {"Device: /dev/sdc [SAT], FAILED SMART self-check. BACK UP DATA NOW!"}},
     "disk/failing",
     Origin::Hardware,
     Severity::Fault,
     "a disk failed its own check",
     kReplaceByHealth},
};
const std::vector<LineForm> kSmartdLines = forms_of(kSmartdForms);

}  // namespace

const Format kSmartd{
    "smartd log",
    "machine",
    kSmartdLines,
    Shape::Lines,
    make<EventLines<kSmartdForms>>,
    nullptr,
    "smartd",
    "disks that smartd reports"};

}  // namespace lento::desk
