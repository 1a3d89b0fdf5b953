// Fills an event from its table entry and from the named parts of the line.
#include "desk/read/event_form.h"

#include "desk/read/pci.h"

namespace lento::desk {

// Returns the event of a matched line. Captured words fill its subject and fields.
Event event_of(const EventForm& form, const Match& match) {
  Event event;
  event.kind = form.kind;
  event.origin = form.origin;
  event.severity = form.severity;
  event.meaning = form.meaning;
  event.action = form.action;
  event.subject.host = match.text("host");
  event.subject.rank = match.text("rank");
  std::string device = match.text(match.has("pci") ? "pci" : "device");
  while (device.ends_with(":"))
    device.pop_back();
  if (!device.empty())
    event.subject.device = pci_device(device);
  for (const char* part : {"what", "why", "server"})
    if (match.has(part))
      event.fields.emplace_back(part, match.text(part));
  if (match.has("why"))
    event.meaning += ": " + match.text("why").substr(0, 160);
  return event;
}

std::vector<LineForm> forms_of(std::span<const EventForm> forms) {
  std::vector<LineForm> out;
  for (const EventForm& form : forms)
    out.push_back(form.form);
  return out;
}

}  // namespace lento::desk
