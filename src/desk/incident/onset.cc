// Finds when a run became slower: the step or time from which its step times or throughput are worse than
// before. Changes are found by rank statistics (series.h), and both sides of a change are searched again. The
// levels of the pieces are compared by their medians. A slow first phase (compilation, warm-up) is no fault.
// Neither is a periodic slow step (checkpoint, evaluation), which ranks and medians ignore.
//
//   log value = level of the piece + noise;  a finding: a later piece is worse than an earlier one
//
// Where the program itself changed its work at that place (another batch size) the change is noted and is no
// finding. A series that has peers is compared with them (samples.cc). A quantity of the whole job
// (Scope::Job) is judged here as one series.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/pieces.h"
#include "evidence/compare.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestOnsetPeers = 4;  // the same limit as in samples.cc

// Returns the factor by which a quantity changes when the work changes by `work`, from samples of a piece in
// which the work varies: least squares of the logarithms. No value when it does not vary there.
std::optional<double> follows(const Track& track, const Piece& piece, const Track& other, double work) {
  std::vector<double> x;
  std::vector<double> y;
  size_t at = 0;
  for (size_t i = piece.begin; i < piece.end; ++i) {
    while (at < other.position.size() && other.position[at] < track.position[i])
      ++at;
    if (at == other.position.size() || other.position[at] != track.position[i] || !(other.value[at] > 0) ||
        !(track.value[i] > 0))
      continue;
    x.push_back(std::log(other.value[at]));
    y.push_back(std::log(track.value[i]));
  }
  if (x.size() < kFewestSamples)
    return std::nullopt;
  const double mean_x = evidence::mean(x);
  const double mean_y = evidence::mean(y);
  double both = 0;
  double own = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    own += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return own > 0 ? std::optional(std::pow(work, both / own)) : std::nullopt;
}

// Returns the name of the annotation (batch size, sequence length) whose change from one piece to the next
// explains that of the quantity by the factor `times`, or "". Its own change must be a factor of more than
// the square root of `times`.
std::string changed_work(
    const Records& records,
    const std::vector<Tracks>& all,
    const Quantity& judged,
    const Track& track,
    std::span<const Piece, 2> pieces,
    double times,
    const JudgeOptions& options) {
  const auto values_in = [&](const Track& other, const Piece& piece) {
    std::vector<double> values;
    for (size_t i = 0; i < other.value.size(); ++i)
      if (other.position[i] >= track.position[piece.begin] &&
          other.position[i] <= track.position[piece.end - 1])
        values.push_back(other.value[i]);
    return values;
  };
  for (const Tracks& tracks : all) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    if (quantity.kind != Kind::Annotation)
      continue;
    for (const Track& other : tracks.tracks) {
      const bool is_other_run = !track.subject.empty() && other.subject != track.subject;
      if (is_other_run || other.clock != track.clock)
        continue;
      const std::vector<double> before = values_in(other, pieces[0]);
      const std::vector<double> behind = values_in(other, pieces[1]);
      if (before.empty() || behind.empty())
        continue;
      const double old = evidence::median(before);
      const double now = evidence::median(behind);
      // Work with a known side explains a change to that side only: fewer prompts do not slow a server down.
      const bool has_side = quantity.better != Better::Neither;
      const bool is_harder = (now > old) == (quantity.better == Better::Lower);
      if (has_side && is_harder != (times > 1))
        continue;
      // Where the work varied before, its samples show what such a change does.
      if (old > 0 && now > 0 && old != now) {
        const auto factor = follows(track, pieces[0], other, now / old);
        const double left = factor ? std::log(times / times_worse(judged, *factor, 1)) : 0;
        if (factor && (times < 1 ? -left : left) < std::log1p(options.least_effect))
          return quantity.name;
      }
      // A number that varies all the time (the smallest of several batches) must change by more than it
      // varies.
      const double spread = std::max(
          evidence::quantile(before, 0.9) - evidence::quantile(before, 0.1),
          evidence::quantile(behind, 0.9) - evidence::quantile(behind, 0.1));
      if (std::abs(now - old) <= spread)
        continue;
      const bool is_ratio = old > 0 && now > 0;
      if (is_ratio ? std::abs(std::log(now / old)) > std::abs(std::log(times)) / 2 : old != now)
        return quantity.name;
    }
  }
  return "";
}

// Returns the finding for a change of a quantity at some moment.
finding::Finding finding_of(
    const Records& records,
    const Quantity& quantity,
    const Track& track,
    const Onset& onset,
    bool is_alone) {
  const size_t first = onset.from->begin;
  const bool stays = onset.from->end == track.value.size();
  finding::Finding finding;
  // All ranks of a job take the same steps, so the rank that wrote the log is not the slower one. Only a
  // device, or a server among others, has a series of its own.
  const bool is_part = is_alone || !track.subject.device.empty();
  finding.subject = is_part ? subject_text(track.subject) : kTheJob;
  finding.category = kBecameSlower;
  finding.summary =
      (is_alone ? finding.subject + ": " : "") + "from " + position_text(track, track.position[first]) +
      " on " + quantity.name + " is " + value_with_unit(onset.from->median, quantity) + " instead of " +
      value_with_unit(onset.before->median, quantity) + " (x" + base::format_number(onset.times, 3) + ")" +
      (stays ? "" : ", until " + position_text(track, track.position[onset.from->end - 1]));
  finding.score = 0.7;
  finding.factor = onset.times;
  if (is_part)
    finding.where = place_of(track.subject);
  if (track.time[first].clock == Clock::Unix && track.time.back().clock == Clock::Unix)
    finding.when =
        finding::TimeWindow{track.time[first].seconds, track.time[onset.from->end - 1].seconds, "s"};
  finding.evidence.push_back(
      {"median " + quantity.name + " of " + std::to_string(onset.from->end - first) +
           " samples from there on, " + base::format_number(onset.before->median) + " before",
       onset.from->median,
       quantity.unit,
       place_text(records, track.where[first])});
  finding.evidence.push_back(
      {"a run without a change looks like that " + false_alarm_text(onset.from->chance),
       std::nullopt,
       "",
       "rank test"});
  finding.next_step = is_alone ? "look at the clocks, temperatures and kernel log of that server at that time"
                               : "find which machine: what happened there at that time";
  return finding;
}

// Adds the figure of a quantity with the moment of its change.
void draw(const Quantity& quantity, const Track& track, const Onset& onset, Judgement& out) {
  finding::SeriesFigure figure;
  figure.x_name = track.clock == Clock::None ? "step" : "time (s)";
  figure.y_name = quantity.name + (quantity.unit.empty() ? "" : " (" + quantity.unit + ")");
  figure.lines.push_back({quantity.name, track.position, track.value, true, false});
  figure.marks = {track.position[onset.from->begin]};
  out.figures.push_back(
      {quantity.name + " of " + subject_text(track.subject), "Marked where it became slower.", figure});
}

// Judges whether one quantity of one part changed for the worse. `is_alone`: the others of its kind did not.
void judge_track(
    const Records& records,
    const std::vector<Tracks>& all,
    const Quantity& quantity,
    const Track& track,
    bool is_alone,
    const JudgeOptions& options,
    Judgement& out) {
  if (!is_alone)  // the course of all of them is on the list
    out.covered.push_back(
        quantity.name + " of " + subject_text(track.subject) + ", " + std::to_string(track.value.size()) +
        " samples");
  const std::vector<Piece> pieces = pieces_of(track, options.false_alarms);
  // Only pieces of the same work are compared: each change of it begins a new era.
  Onset onset;
  size_t era = 0;
  for (size_t i = 1; i <= pieces.size(); ++i) {
    std::string work;
    if (i < pieces.size()) {
      const double times = times_worse(quantity, pieces[i].median, pieces[i - 1].median);
      work = changed_work(
          records,
          all,
          quantity,
          track,
          std::span<const Piece, 2>(&pieces[i - 1], 2),
          times,
          options);
      if (work.empty())
        continue;
      if (times >= 1 + options.least_effect)
        out.notes.push_back(
            quantity.name + " changes at " + position_text(track, track.position[pieces[i].begin]) +
            ", where " + work + " changes too: no fault by itself");
    }
    const Onset own = onset_of(quantity, std::span(pieces).subspan(era, i - era));
    if (own.times > onset.times)
      onset = own;
    era = i;
  }
  if (!onset.from || onset.times < 1 + options.least_effect)
    return;
  out.findings.push_back(finding_of(records, quantity, track, onset, is_alone));
  draw(quantity, track, onset, out);
}

// Returns the course of a job: the median over the ranks at each step, because ranks take their steps
// together. Parts of a rotated log are joined. Ranks that count in another unit than the first (steps or
// times) are left out.
Track course_of(const std::vector<Track>& tracks) {
  std::map<double, std::vector<std::pair<const Track*, size_t>>> steps;
  for (const Track& track : tracks)
    for (size_t i = 0; track.clock == tracks[0].clock && i < track.value.size(); ++i)
      steps[track.position[i]].emplace_back(&track, i);
  Track course;
  course.clock = tracks.empty() ? Clock::None : tracks[0].clock;
  for (const auto& [position, samples] : steps) {
    std::vector<double> values;
    for (const auto& [track, i] : samples)
      values.push_back(track->value[i]);
    const auto& [track, i] = samples[0];
    course.position.push_back(position);
    course.value.push_back(evidence::median(values));
    course.time.push_back(track->time[i]);
    course.where.push_back(track->where[i]);
  }
  return course;
}

// Raises a question where one of two or three hosts is worse than the others at the same work: so few peers
// do not show which level is the right one. The ranks of one job take their steps together and do not differ.
void question_odd_host(
    const Quantity& quantity,
    const std::vector<Track>& tracks,
    const JudgeOptions& options,
    Judgement& out) {
  const double apart = 1 - options.false_alarms;  // of all pairs of samples
  if (tracks.size() < 2 || tracks.size() >= kFewestOnsetPeers)
    return;
  for (const Track& track : tracks) {
    std::vector<double> others;
    for (const Track& other : tracks)
      if (&other != &track)
        others.insert(others.end(), other.value.begin(), other.value.end());
    if (track.subject.host.empty() || track.value.size() < kFewestSamples || others.size() < kFewestSamples)
      continue;
    const evidence::RankSum ranks = evidence::rank_sum(track.value, others);
    const bool is_higher = quantity.better == Better::Lower;
    const double own = evidence::median(track.value);
    const double theirs = evidence::median(others);
    if ((is_higher ? ranks.superiority : 1 - ranks.superiority) < apart ||
        (is_higher ? ranks.greater : ranks.less) > options.false_alarms ||
        times_worse(quantity, own, theirs) < 1 + options.least_effect)
      continue;
    out.open.push_back(
        {subject_text(track.subject) + " has " + quantity.name + " " + value_with_unit(own, quantity) +
             " where the " + (tracks.size() == 2 ? "other has " : "others have ") +
             value_with_unit(theirs, quantity) + ", and so few do not show which is right",
         "the same of two more hosts, and clocks and temperatures of the GPUs of these"});
    return;
  }
}

// Returns whether the tracks are of servers that answer requests each on its own: their logs have no steps.
bool are_servers(const std::vector<Track>& tracks) {
  return std::ranges::all_of(tracks, [](const Track& track) {
    return track.clock != Clock::None && !track.subject.host.empty();
  });
}

bool are_ranks_by_step(const std::vector<Track>& tracks) {
  return std::ranges::all_of(tracks, [](const Track& track) {
    return track.clock == Clock::None && track.subject.device.empty();
  });
}

}  // namespace

// Judges all quantities that are better when higher or lower.
void judge_onset(const Records& records, const JudgeOptions& options, Judgement& out) {
  const std::vector<Tracks> all = tracks_of(records, Scope::Own);
  struct Judged {
    const Quantity* quantity;
    Track track;
    bool is_alone = false;
  };
  std::vector<Judged> judged;
  for (const Tracks& tracks : all) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    const bool has_side = quantity.better == Better::Higher || quantity.better == Better::Lower;
    if (!has_side || quantity.kind != Kind::Level)
      continue;
    std::vector<Track> own = tracks.tracks;
    if (quantity.scope == Scope::Job) {
      question_odd_host(quantity, own, options, out);
      if (own.size() > 1 && are_servers(own))
        for (const Track& track : own)
          judged.push_back({&quantity, track, true});
      own = {course_of(own)};
    } else if (own.size() >= kFewestOnsetPeers)
      own = {are_ranks_by_step(own) ? course_of(own) : Track{}};
    for (Track& track : own)
      judged.push_back({&quantity, std::move(track)});
  }
  std::erase_if(judged, [](const Judged& one) {
    return one.track.value.size() < kFewestSamples;
  });
  JudgeOptions each = options;
  each.false_alarms /= double(std::max<size_t>(judged.size(), 1));
  for (const Judged& one : judged)
    judge_track(records, all, *one.quantity, one.track, one.is_alone, each, out);
  // Where all of them changed, it is no matter of one.
  const auto is_slower = [](const finding::Finding& found, const std::string& subject) {
    return found.category == kBecameSlower && found.subject == subject;
  };
  if (std::ranges::any_of(out.findings, [&](const finding::Finding& found) {
        return is_slower(found, kTheJob);
      }))
    std::erase_if(out.findings, [&](const finding::Finding& found) {
      return std::ranges::any_of(judged, [&](const Judged& one) {
        return one.is_alone && is_slower(found, subject_text(one.track.subject));
      });
    });
}

}  // namespace lento::desk
