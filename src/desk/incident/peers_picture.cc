// Draws the part that the first finding names beside its peers, so that a reader can check the verdict: a
// line against the median and the spread of the peers when there are samples over time, else a bar for each
// part.
#include <algorithm>
#include <cmath>
#include <map>

#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestOfACourse = 12;  // samples; fewer are levels
constexpr size_t kMostBars = 24;
constexpr const char* kBesidePeers = " beside its peers: ";

std::string title_of(const std::string& subject, const Quantity& quantity) {
  return subject + kBesidePeers + quantity.name;
}

// Returns the name of the quantity that a category compares: "unlike its peers: GPU temperature".
std::string compared_quantity(const std::string& category) {
  const size_t colon = category.find(": ");
  return colon == std::string::npos ? "" : category.substr(colon + 2);
}

std::string axis_name(const Quantity& quantity) {
  return quantity.name + (quantity.unit.empty() ? "" : ", " + quantity.unit);
}

// Returns, by index of the part's samples, the values of its peers at that position. Of a peer without a
// sample there, the next later one is taken, or its last one.
std::map<size_t, std::vector<double>> peer_values(const std::vector<Track>& tracks, const Track& part) {
  std::map<size_t, std::vector<double>> values;
  for (const Track& track : tracks) {
    if (&track == &part)
      continue;
    size_t at = 0;
    for (size_t i = 0; i < part.position.size(); ++i) {
      while (at + 1 < track.position.size() && track.position[at] < part.position[i])
        ++at;
      if (at < track.value.size() && std::isfinite(track.value[at]))
        values[i].push_back(track.value[at]);
    }
  }
  return values;
}

// Draws a part beside its peers. A finding with an onset inside the samples is marked there.
finding::SeriesFigure course(
    const Quantity& quantity,
    const std::vector<Track>& tracks,
    const Track& part,
    const finding::Finding& found) {
  finding::SeriesFigure figure;
  const bool is_time = part.clock != Clock::None;
  const double origin = is_time ? part.position.front() : 0;
  figure.x_name = is_time ? "time, s" : "step";
  figure.y_name = axis_name(quantity);
  finding::SeriesFigure::Band band{"peers, 10 to 90 %", {}, {}, {}};
  finding::SeriesFigure::Line middle{"peer median", {}, {}, false, true};
  for (auto& [i, values] : peer_values(tracks, part)) {
    const double x = part.position[i] - origin;
    std::ranges::sort(values);
    band.x.push_back(x);
    band.low.push_back(values[values.size() / 10]);
    band.high.push_back(values[values.size() - 1 - values.size() / 10]);
    middle.x.push_back(x);
    middle.y.push_back(evidence::median(values));
  }
  finding::SeriesFigure::Line own{subject_text(part.subject), {}, part.value, true, false};
  for (const double position : part.position)
    own.x.push_back(position - origin);
  const bool has_onset = is_time && found.when && found.when->begin > part.position.front() &&
                         found.when->begin <= part.position.back();
  if (has_onset)
    figure.marks = {found.when->begin - origin};
  figure.bands = {std::move(band)};
  figure.lines = {std::move(middle), std::move(own)};
  return figure;
}

// A part whose bar is to be drawn, and its value.
using Level = std::pair<std::string, double>;

// Returns one bar for each part. The named part is a separate series, so that it has another colour.
finding::BarsFigure
bars(const std::string& subject, const Quantity& quantity, const std::vector<Level>& parts) {
  finding::BarsFigure figure;
  figure.y_name = axis_name(quantity);
  figure.series = {"peers", subject};
  figure.values.resize(2);
  for (const auto& [name, value] : parts) {
    const bool is_named = name == subject;
    if (!is_named && figure.categories.size() >= kMostBars)
      continue;
    figure.categories.push_back(name);
    figure.values[0].push_back(is_named ? 0 : value);
    figure.values[1].push_back(is_named ? value : 0);
  }
  return figure;
}

finding::BarsFigure levels(const Quantity& quantity, const std::vector<Track>& tracks, const Track& part) {
  std::vector<Level> parts;
  for (const Track& track : tracks)
    parts.emplace_back(subject_text(track.subject), evidence::median(track.value));
  return bars(subject_text(part.subject), quantity, parts);
}

}  // namespace

void draw_peers(const Records& records, Judgement& judgement) {
  if (judgement.findings.empty())
    return;
  const finding::Finding& first = judgement.findings.front();
  const std::string name = compared_quantity(first.category);
  for (const Tracks& tracks : tracks_of(records, Scope::Own)) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    if (quantity.name != name || tracks.tracks.size() < 2)
      continue;
    const auto part = std::ranges::find_if(tracks.tracks, [&](const Track& track) {
      return subject_text(track.subject) == first.subject;
    });
    const auto has_value = [](const Track& track) {
      return std::ranges::any_of(track.value, [](double value) {
        return std::isfinite(value);
      });
    };
    if (part == tracks.tracks.end() || !std::ranges::all_of(tracks.tracks, has_value))
      continue;
    const bool is_course = part->value.size() >= kFewestOfACourse;
    finding::FigureBody body = levels(quantity, tracks.tracks, *part);
    if (is_course)
      body = course(quantity, tracks.tracks, *part, first);
    judgement.figures.insert(
        judgement.figures.begin(),
        {title_of(first.subject, quantity), "", std::move(body)});
    return;
  }
  // A state has no values over time, and its judge has drawn it already. The figure of the first finding is
  // moved to the front.
  const std::string title = first.subject + kBesidePeers + name;
  const auto drawn = std::ranges::find(judgement.figures, title, &finding::Figure::title);
  if (drawn != judgement.figures.end())
    std::rotate(judgement.figures.begin(), drawn, drawn + 1);
}

void draw_levels(
    const std::string& subject,
    const Quantity& quantity,
    const std::vector<std::pair<Subject, double>>& parts,
    Judgement& out) {
  std::vector<Level> named;
  for (const auto& [part, value] : parts) {
    if (!std::isfinite(value))
      return;
    named.emplace_back(subject_text(part), value);
  }
  const std::string title = title_of(subject, quantity);
  if (std::ranges::find(out.figures, title, &finding::Figure::title) == out.figures.end())
    out.figures.push_back({title, "", bars(subject, quantity, named)});
}

}  // namespace lento::desk
