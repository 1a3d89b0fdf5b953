// Makes episodes from tests. A single machine that changed is also compared with the present scatter of its
// peers. When several change at once, either a part that they share is faulty, and the other machines did not
// change, or the job entered another phase to which its machines respond unequally, and the others changed
// as well.
#include <algorithm>
#include <cmath>

#include "evidence/sample.h"
#include "fleet/scan/scan_impl.h"

namespace lento::fleet {
namespace {

double median_size(std::vector<float>& values) {
  if (values.empty())
    return 0;
  return double(evidence::upper_median_reordering(std::span(values)));
}

// Returns whether so many machines deviate that they cause the scatter of all.
bool is_crowd(size_t deviating, size_t of) {
  return 4 * deviating >= of;
}

// Returns whether the change brought the machine nearer to its peers, as when it warms up.
bool warms_up(const Deviation& deviation) {
  return std::abs(deviation.past + deviation.change) < std::abs(deviation.past);
}

}  // namespace

// Returns the time at which the change of a machine most likely began, in milliseconds.
int64_t Scan::Impl::onset(const WindowTests& tests, size_t level, size_t machine) const {
  const Statistic statistic = tests.now[level][machine].statistic;
  size_t back =
      tests.levels[level].cells_since_change(machine, statistic) * (cell << lengths[level].doublings);
  if (statistic == kUpper ||
      statistic == kLower)  // a quantile covers `block` rows and moves only when nearly all have changed
    back += block - cell;
  return now_ms - int64_t(back) * fleet.step_ms;
}

// Returns the index of the recent active episode of this metric, group and direction, or of a new one.
size_t Scan::Impl::open_episode(const Track& track, Episode::What what, bool rises, size_t level) {
  for (size_t i = episodes.size(); i-- > 0;) {
    const Episode& e = episodes[i];
    if (e.metric == track.metric && e.group == track.group && e.what == what && e.rises == rises &&
        e.active && now_ms - e.raised_ms <= 2 * window_ms(level))
      return i;
  }
  Episode e;
  e.what = what;
  e.metric = track.metric;
  e.group = track.group;
  e.rises = rises;
  e.onset_ms = now_ms;
  e.raised_ms = e.last_ms = now_ms;
  e.window_s = double(window_ms(level)) / 1000;
  episodes.push_back(std::move(e));
  return episodes.size() - 1;
}

// Returns the machines whose score exceeds the threshold in one direction, with how far they and the others
// moved.
Scan::Impl::Suspects Scan::Impl::suspects(const Track& track, size_t level, bool rises) const {
  Suspects out;
  const std::vector<Deviation>& deviations = track.machines.now[level];
  std::vector<float> moved;
  std::vector<float> others;
  size_t present = 0;
  size_t before = 0;  // machines raised within two windows, which belong to the same change
  for (size_t i = 0; i < deviations.size(); ++i) {
    const Deviation& deviation = deviations[i];
    if (!deviation.judged)
      continue;
    ++present;
    const Standing& standing = track.machines.standing[i];
    const bool suspected = standing.episode != kNoEpisode;
    const bool deviates = std::max(std::abs(deviation.score), std::abs(deviation.beside)) >= 1 &&
                          (deviation.change > 0) == rises && !stained(standing, level);
    const size_t m = groups[track.group][i];
    if (suspected) {
      before += now_ms - episodes[standing.episode].raised_ms <= 2 * window_ms(level);
    } else if (deviates && !(late[m] && warms_up(deviation))) {
      out.members.push_back(i);
      moved.push_back(std::abs(deviation.raw));
    } else {
      others.push_back(std::abs(deviation.raw));
    }
  }
  out.alone = out.members.size() + before < 2 && !fleet.backwards;
  out.raw = median_size(moved);
  out.others = median_size(others);
  // With few suspects, each must exceed the present scatter. Many suspects cause that scatter themselves.
  const bool many = is_crowd(out.members.size() + before, present);
  std::erase_if(out.members, [&](size_t i) {
    return std::abs(many ? deviations[i].beside : deviations[i].score) < 1;
  });
  // A fault also affects the machine's neighbours. Suspects are therefore not raised while another machine
  // deviates further, whose change is still so brief that chance may explain it.
  float furthest = 0;
  for (const size_t i : out.members)
    furthest = std::max(furthest, std::abs(deviations[i].change));
  for (size_t i = 0; i < deviations.size(); ++i) {
    if (deviations[i].judged && deviations[i].shown >= 1 && (deviations[i].change > 0) == rises &&
        std::abs(deviations[i].change) > furthest && track.machines.standing[i].episode == kNoEpisode)
      out.members.clear();
  }
  return out;
}

// Adds machines to the episode of their metric.
void Scan::Impl::enter(Track& track, size_t level, bool rises, const std::vector<size_t>& members) {
  const size_t at = open_episode(track, Episode::What::Machines, rises, level);
  Episode& e = episodes[at];
  for (const size_t i : members) {
    const Deviation& deviation = track.machines.now[level][i];
    track.machines.suspected[i] = 1;
    const auto known = std::ranges::find(e.members, groups[track.group][i], &Member::machine);
    track.machines.standing[i] = {at, size_t(known - e.members.begin()), level, now_ms, INT64_MIN};
    if (known != e.members.end()) {
      known->active = true;
      continue;
    }
    Member member;
    member.machine = groups[track.group][i];
    member.score = deviation.shown;
    member.onset_ms = onset(track.machines, level, i);
    member.raised_ms = member.last_ms = now_ms;
    e.onset_ms = std::min(e.onset_ms, member.onset_ms);
    e.members.push_back(member);
  }
}

// Records that the job changed and these machines responded differently, which is no finding.
void Scan::Impl::note_uneven(
    const Track& track,
    size_t level,
    bool rises,
    const std::vector<size_t>& members) {
  Episode& e = episodes[open_episode(track, Episode::What::Uneven, rises, level)];
  e.last_ms = now_ms;
  for (const size_t i : members) {
    const size_t m = groups[track.group][i];
    if (std::ranges::count(e.members, m, &Member::machine) == 0)
      e.members.push_back({m, std::abs(track.machines.now[level][i].score), now_ms, now_ms, now_ms, true});
  }
}

// Judges the tests of one length of window, both directions.
void Scan::Impl::judge(Track& track, size_t level) {
  // In reversed time the end of a fault comes first and looks like the begin of a change for the better, so
  // both directions are tested.
  const Slow slow = fleet.backwards ? Slow::Unknown : kinds[track.metric].slow;
  bool entered = false;
  std::array<Suspects, 2> sides;
  for (const bool rises : {false, true}) {
    if ((rises && slow == Slow::Low) || (!rises && slow == Slow::High))
      continue;
    Suspects& s = sides[rises];
    s = suspects(track, level, rises);
    if (s.members.empty() || s.uneven())
      continue;
    enter(track, level, rises, s.members);
    entered = true;
  }
  for (const bool rises : {false, true}) {
    if (!entered && !sides[rises].members.empty())
      note_uneven(track, level, rises, sides[rises].members);
  }
}

// Opens and ends episodes of silence.
void Scan::Impl::judge_silence() {
  for (size_t m = 0; m < silent.size(); ++m) {
    Standing& s = silent[m];
    const bool quiet = roll.silent(m);
    const bool heard = s.episode != kNoEpisode && roll.seen_ms(m) != episodes[s.episode].onset_ms;
    if (heard)  // it has a newer sample, or it has left the job
      end(s);
    if (!quiet)
      continue;
    if (s.episode == kNoEpisode) {
      Episode e;
      e.what = Episode::What::Silent;
      e.score = 1;
      e.onset_ms = roll.seen_ms(m);
      e.raised_ms = now_ms;
      e.window_s = double(roll.limit_ms()) / 1000;
      e.members.push_back({m, 1, e.onset_ms, now_ms, now_ms, true});
      s = {episodes.size(), 0, 0, now_ms, INT64_MIN};
      episodes.push_back(std::move(e));
    }
    episodes[s.episode].last_ms = episodes[s.episode].members[0].last_ms = now_ms;
  }
}

// Opens an episode when the job as a whole changed for the worse.
void Scan::Impl::judge_job(Track& track, size_t level) {
  const Deviation& deviation = track.job.now[level].front();
  const Slow slow = kinds[track.metric].slow;
  const bool rises = deviation.change > 0;
  if (fleet.backwards)
    return;
  if (!deviation.judged || std::abs(deviation.score) < 1 || track.job.standing[0].episode != kNoEpisode ||
      stained(track.job.standing[0], level) || (rises && slow == Slow::Low) || (!rises && slow == Slow::High))
    return;
  const size_t at = open_episode(track, Episode::What::Job, rises, level);
  track.job.standing[0] = {at, 0, level, now_ms, INT64_MIN};
  track.job.suspected[0] = 1;
  Episode& e = episodes[at];
  e.onset_ms = onset(track.job, level, 0);
  e.score = std::abs(deviation.score);
}

// Returns whether the window still contains rows of an episode that has ended.
bool Scan::Impl::stained(const Standing& standing, size_t level) const {
  return standing.ended_ms != INT64_MIN && now_ms - standing.ended_ms <= window_ms(level);
}

// Ends a machine's part in its episode. The episode ends with its last active member.
void Scan::Impl::end(Standing& s) {
  Episode& e = episodes[s.episode];
  if (s.member < e.members.size())
    e.members[s.member].active = false;
  e.active = std::ranges::any_of(e.members, &Member::active);
  s = {kNoEpisode, 0, 0, 0, now_ms};
}

// Updates the members of episodes. A member stays while its score, at the window length that raised it,
// reaches half of the threshold, and ends half a window after it last did.
void Scan::Impl::follow(WindowTests& tests) {
  for (size_t i = 0; i < tests.standing.size(); ++i) {
    Standing& s = tests.standing[i];
    if (s.episode == kNoEpisode) {
      if (tests.suspected[i] && !stained(s, lengths.size() - 1))
        tests.suspected[i] = 0;
      continue;
    }
    Episode& e = episodes[s.episode];
    const LastTest& last = tests.last[s.level][i];
    if (!std::isnan(last.score) && !std::signbit(last.score) == e.rises && 2 * last.shown >= 1) {
      s.shown_ms = e.last_ms = now_ms;
      e.score = std::max(e.score, last.shown);
      if (s.member < e.members.size()) {
        e.members[s.member].last_ms = now_ms;
        e.members[s.member].score = std::max(e.members[s.member].score, last.shown);
      }
    }
    if (2 * (now_ms - s.shown_ms) > window_ms(s.level))
      end(s);
  }
  // When a quarter of the machines are suspected, they move the median of the peers, so that the others
  // appear to deviate too and nothing is learned from them.
  tests.crowd = is_crowd(size_t(std::ranges::count(tests.suspected, 1)), tests.suspected.size());
}

}  // namespace lento::fleet
