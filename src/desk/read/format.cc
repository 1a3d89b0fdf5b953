// Completes rows by the location in the file, by the line's prefixes, and by the defaults of a reader.
#include "desk/read/format.h"

#include <algorithm>

#include "base/error.h"
#include "desk/read/mask.h"

namespace lento::desk {

void Reader::take(size_t, const Match&, Sink&) {
}
void Reader::behind(std::string_view, Sink&) {
}
bool Reader::row(std::string_view, Sink&) {
  return false;
}
void Reader::document(std::string_view, const std::string&, Sink&) {
}
void Reader::end(Sink&) {
}

void Sink::at(std::string_view line, int64_t number, const Subject& subject, const Moment& time) {
  line_ = line;
  number_ = number;
  subject_ = subject;
  time_ = time;
}

// Fills in the host of the line's prefixes, and their device and rank when the row names neither. A row that
// names its host is not changed.
Subject Sink::filled(Subject subject) const {
  if (!subject.host.empty())  // the row is about that host, whichever rank wrote it
    return subject;
  subject.host = subject_.host;
  if (subject.device.empty() && subject.rank.empty()) {
    subject.device = subject_.device;
    subject.rank = subject_.rank;
  }
  return subject;
}

Observation Sink::row(const Quantity& quantity, const Place& place) {
  Observation row;
  // An extreme over all ranks without its rank has no subject. The rank that wrote the line is unrelated.
  const bool is_of_nobody = quantity.scope == Scope::Extreme && place.subject.empty();
  row.subject = records_.subject_id(is_of_nobody ? Subject{} : filled(place.subject));
  row.quantity = records_.quantity_id(quantity);
  row.expected = place.expected;
  row.note = place.note;
  row.where = {file_, number_};
  note_row();
  return row;
}

// Adds a sample of a quantity with the current time. Values that are not finite are dropped.
void Sink::sample(const Quantity& quantity, double value, const Place& place) {
  if (!std::isfinite(value))
    return;
  Observation observation = row(quantity, place);
  observation.value = value;
  observation.step = place.step;
  observation.time = time_;
  records_.add(std::move(observation));
}

void Sink::state(const Quantity& quantity, double value, const Place& place) {
  if (!std::isfinite(value))
    return;
  Observation observation = row(quantity, place);
  observation.value = value;
  records_.add(std::move(observation));
}

void Sink::state(const Quantity& quantity, std::string text, const Place& place) {
  Observation observation = row(quantity, place);
  observation.text = std::move(text);
  records_.add(std::move(observation));
}

void Sink::event(Event event) {
  event.subject = filled(event.subject);
  if (event.time.clock == Clock::None)
    event.time = time_;
  event.text = masked(line_, 320, &secrets_);
  event.meaning = masked(event.meaning, 320);
  for (auto& [name, value] : event.fields)
    value = masked(value, 320);
  event.where = {file_, number_};
  note_row();
  records_.add(std::move(event));
}

void Sink::run(Run run) {
  took();
  run.subject = filled(run.subject);
  run.text = masked(line_, 320, &secrets_);
  run.where = {file_, number_};
  note_row();
  records_.add(std::move(run));
}

void Sink::note_row() {
  int64_t& last = records_.files[file_].last_row;
  last = std::max(last, number_);
}

void Sink::covers(std::string_view what) {
  auto& list = records_.files[file_].covers;
  if (std::ranges::find(list, what) == list.end())
    list.emplace_back(what);
}

}  // namespace lento::desk
