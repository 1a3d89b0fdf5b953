// Describes lines that report an event as data: a line form, and the event that each matching line becomes.
//
//   const EventForm kForms[] = {
//       {{"srun: error: Node failure on {host:name}", {"a sample line"}},
//        "slurm/node failed", Origin::Hardware, Severity::Fault, "the node failed", "drain it"}};
//   const std::vector<LineForm> kLineForms = forms_of(kForms);
//   const Format kFormat{"...", "...", kLineForms, Shape::Lines, make<EventLines<kForms>>};
//
// Captures "host" and "rank" name the subject, "device" and "pci" its device; "why" is added to the meaning
// and kept as a field, "what" is only kept.
#pragma once

#include <span>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

struct EventForm {
  LineForm form;
  const char* kind;
  Origin origin;
  Severity severity;
  const char* meaning;
  const char* action;
};

Event event_of(const EventForm& form, const Match& match);

// Returns the line forms of a table, in the same order.
std::vector<LineForm> forms_of(std::span<const EventForm> forms);

// A reader for formats of which a table of EventForm describes every line.
template <const auto& kTable>
class EventLines : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    sink.event(event_of(kTable[form], match));
  }
};

}  // namespace lento::desk
