// Saves and restores a scan, because a watch runs for months and is restarted now and then. The store still
// has the rows of the last hour. Only what it lacks is saved, by name: the machines of the job, the active
// episodes with the earlier past of their members, and the tail of the differences of healthy machines.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "fleet/scan/scan_impl.h"

namespace lento::fleet {
namespace {

using base::Json;

constexpr const char* kSchema = "lento.fleet-state/3";
constexpr int64_t kLatest_ms = int64_t{1} << 53;
constexpr double kMost = 1e9;  // largest plausible count or size
const base::Location kWhere{"state"};

// Rounds to four digits, because a state is written every minute and should be short.
double rounded(double x) {
  if (!(std::abs(x) > 0))
    return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 3);
  return std::round(x / unit) * unit;
}

// Returns the i-th number of an array, 0 when it is absent, no number or implausible.
double number_at(const Json::Array& numbers, size_t i) {
  if (i >= numbers.size() || !numbers[i].is_number())
    return 0;
  const double x = numbers[i].number(kWhere);
  return std::abs(x) <= kMost ? x : 0;
}

std::optional<size_t> index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(size_t(at - names.begin()));
}

Json names_of(const std::vector<std::string>& names) {
  Json out = Json::array();
  for (const std::string& name : names)
    out.push(name);
  return out;
}

// Returns the largest deviations of healthy machines as JSON.
Json tails_of(WindowTests& tests) {
  Json levels = Json::array();
  for (Level& level : tests.levels) {
    Json noises = Json::array();
    for (const Noise* noise : level.noises()) {
      const Noise::Tail tail = noise->tail();
      Json numbers = Json::array();
      numbers.push(tail.learnt);
      for (const Noise::Large& large : tail.largest) {
        numbers.push(rounded(double(large.size)));
        numbers.push(int64_t(large.machine));
      }
      noises.push(std::move(numbers));
    }
    levels.push(std::move(noises));
  }
  return levels;
}

// Adds the saved largest differences of each window length and statistic to those of the present scan.
// `member[i]` is the present index in the group of the machine that was the i-th when the state was saved,
// nullopt when it is gone.
void add_tails(WindowTests& tests, const Json& levels, const std::vector<std::optional<size_t>>& member) {
  const Json::Array& saved = levels.array(kWhere);
  for (size_t l = 0; l < std::min(saved.size(), tests.levels.size()); ++l) {
    const Json::Array& noises = saved[l].array(kWhere);
    const auto to = tests.levels[l].noises();
    for (size_t n = 0; n < std::min(noises.size(), to.size()); ++n) {
      const Json::Array& numbers = noises[n].array(kWhere);
      Noise::Tail tail;
      tail.learnt = std::max(0.0, number_at(numbers, 0));
      for (size_t i = 1; i + 1 < numbers.size(); i += 2) {
        const auto old = size_t(std::max(0.0, number_at(numbers, i + 1)));
        if (old < member.size() && member[old])
          tail.largest.push_back({float(number_at(numbers, i)), uint32_t(*member[old])});
      }
      to[n]->add_tail(tail);
    }
  }
}

int64_t time_at(const Json& saved, std::string_view key) {
  return saved.at(key, kWhere).integer(kWhere, 0, kLatest_ms);
}

}  // namespace

void Scan::heard(size_t machine, int64_t time_ms) {
  impl_->roll.heard(machine, time_ms);
}
void Scan::leave(size_t machine) {
  impl_->roll.leave(machine);
}
void Scan::join(size_t machine) {
  impl_->roll.join(machine, impl_->now_ms);
}
const RollCall& Scan::roll() const {
  return impl_->roll;
}
uint64_t Scan::tests() const {
  return impl_->tests_made;
}

// Removes episodes that ended before `before_ms` and are no longer used. The indices of the others change.
void Scan::forget_resolved(int64_t before_ms) {
  Impl& s = *impl_;
  s.codes.forget_resolved(before_ms);
  std::vector<size_t> place(s.episodes.size(), kNoEpisode);
  size_t kept = 0;
  for (size_t i = 0; i < s.episodes.size(); ++i) {
    const Episode& e = s.episodes[i];
    const bool ended = !e.active || e.what == Episode::What::Uneven;
    if (ended && e.last_ms < before_ms)
      continue;
    place[i] = kept;
    if (i != kept)
      s.episodes[kept] = std::move(s.episodes[i]);
    ++kept;
  }
  s.episodes.resize(kept);
  const auto move = [&](std::vector<Standing>& standings) {
    for (Standing& standing : standings) {
      if (standing.episode != kNoEpisode)
        standing.episode = place[standing.episode];
    }
  };
  move(s.silent);
  for (Track& track : s.tracks) {
    move(track.machines.standing);
    move(track.job.standing);
  }
}

RecentMeans Scan::recent(const Episode& e) const {
  const Impl& s = *impl_;
  std::vector<double> sums(e.members.size() + 1, 0);  // the last one is for all peers
  std::vector<size_t> counts(sums.size(), 0);
  for (const size_t m : s.groups[e.group]) {
    const auto member = std::ranges::find(e.members, m, &Member::machine);
    const auto slot = size_t(member - e.members.begin());
    for (size_t back = 0; back < s.rows.filled(); ++back) {
      const float v = s.rows.row(back)[e.metric * s.fleet.machines.size() + m];
      if (std::isnan(v))
        continue;
      sums[slot] += double(v);
      ++counts[slot];
    }
  }
  for (size_t slot = 0; slot < sums.size(); ++slot)
    sums[slot] = counts[slot] > 0 ? sums[slot] / double(counts[slot]) : NAN;
  const double peers = sums.back();
  sums.pop_back();
  return {std::move(sums), peers, double(s.rows.filled()) * double(s.fleet.step_ms) / 1000};
}

std::vector<MachineDeviation> Scan::deviations_of(size_t machine) const {
  const Impl& s = *impl_;
  std::vector<MachineDeviation> out;
  for (const Track& t : s.tracks) {
    const auto& group = s.groups[t.group];
    const auto at = std::ranges::find(group, machine);
    for (size_t level = 0; at != group.end() && level < t.machines.last.size(); ++level) {
      const LastTest& last = t.machines.last[level][size_t(at - group.begin())];
      if (!std::isnan(last.score))
        out.push_back({t.metric, double(s.window_ms(level)) / 1000, last.score, last.shown});
    }
  }
  return out;
}

Json Scan::Impl::standing_json(const Track& track, const WindowTests& tests, size_t i) const {
  const Standing& standing = tests.standing[i];
  const Episode& e = episodes[standing.episode];
  const bool job = e.what == Episode::What::Job;
  const Member of_job{0, e.score, e.onset_ms, e.raised_ms, e.last_ms, true};
  const Member& member = job ? of_job : e.members[standing.member];
  Json pasts = Json::array();
  for (const Level& level : tests.levels) {
    Json numbers = Json::array();
    for (const float x : level.past().means(i))
      numbers.push(double(x));
    pasts.push(std::move(numbers));
  }
  return Json::object()
      .set("metric", fleet.metrics[track.metric])
      .set("group", group_names[track.group])
      .set("machine", job ? Json() : Json(fleet.machines[groups[track.group][i]]))
      .set("rises", e.rises)
      .set("level", int64_t(standing.level))
      .set("score", double(member.score))
      .set("onset_ms", member.onset_ms)
      .set("raised_ms", member.raised_ms)
      .set("of_episode_ms", e.raised_ms)
      .set("pasts", std::move(pasts));
}

Json Scan::save() const {
  Impl& s = *impl_;
  Json tracks = Json::array();
  Json standing = Json::array();
  Json seen = Json::array();
  for (Track& t : s.tracks) {
    if (!t.scaled)
      continue;
    Json members = Json::array();
    for (const size_t m : s.groups[t.group])
      members.push(s.fleet.machines[m]);
    tracks.push(Json::object()
                    .set("metric", s.fleet.metrics[t.metric])
                    .set("group", s.group_names[t.group])
                    .set("machines", std::move(members))
                    .set("tails", tails_of(t.machines)));
    for (const WindowTests* tests : {&t.machines, &t.job}) {
      for (size_t i = 0; i < tests->standing.size(); ++i) {
        if (tests->standing[i].episode != kNoEpisode)
          standing.push(s.standing_json(t, *tests, i));
      }
    }
  }
  for (size_t m = 0; m < s.fleet.machines.size(); ++m)
    seen.push(s.roll.member(m) ? Json(s.roll.seen_ms(m)) : Json());
  return Json::object()
      .set("schema", kSchema)
      .set("machines", names_of(s.fleet.machines))
      .set("metrics", names_of(s.fleet.metrics))
      .set("step_ms", s.fleet.step_ms)
      .set("seen_ms", std::move(seen))
      .set("standing", std::move(standing))
      .set("tracks", std::move(tracks));
}

void Scan::join_members(const Json& state) {
  Impl& s = *impl_;
  if (state.string_or("schema", "", kWhere) != kSchema)
    throw base::Error(kWhere, "not a state of this version of 'lento fleet watch'");
  const Json::Array& names = state.at("machines", kWhere).array(kWhere);
  const Json::Array& seen = state.at("seen_ms", kWhere).array(kWhere);
  for (size_t i = 0; i < std::min(names.size(), seen.size()); ++i) {
    const auto m = index_of(s.fleet.machines, names[i].string(kWhere));
    if (m && !seen[i].is_null())
      s.roll.join(*m, seen[i].integer(kWhere, 0, kLatest_ms));
  }
}

// Restores a saved episode's member. When the pushed rows include the beginning of the episode, the scan has
// found it already. Otherwise the rows show only the time during it, so the member gets its saved past back.
void Scan::Impl::take_over(Track& track, WindowTests& tests, size_t i, const Json& saved) {
  const bool job = &tests == &track.job;
  const bool rises = saved.at("rises", kWhere).boolean(kWhere);
  const auto level = size_t(saved.at("level", kWhere).integer(kWhere, 0, int64_t(lengths.size()) - 1));
  const int64_t of_episode = time_at(saved, "of_episode_ms");
  Standing& standing = tests.standing[i];
  if (standing.episode == kNoEpisode) {
    const auto same = std::ranges::find_if(episodes, [&](const Episode& e) {
      return !job && e.metric == track.metric && e.group == track.group && e.rises == rises && e.active &&
             e.what == Episode::What::Machines && e.raised_ms == of_episode;
    });
    standing = {size_t(same - episodes.begin()), 0, level, now_ms, INT64_MIN};
    if (same == episodes.end()) {
      Episode& e = episodes.emplace_back();
      e.what = job ? Episode::What::Job : Episode::What::Machines;
      e.metric = track.metric;
      e.group = track.group;
      e.rises = rises;
      e.onset_ms = time_at(saved, "onset_ms");
      e.raised_ms = of_episode;
      e.last_ms = now_ms;
      e.window_s = double(window_ms(level)) / 1000;
    }
    tests.suspected[i] = 1;
    const Json::Array& pasts = saved.at("pasts", kWhere).array(kWhere);
    for (size_t l = 0; l < std::min(pasts.size(), tests.levels.size()); ++l) {
      const Json::Array& numbers = pasts[l].array(kWhere);
      Usual::Means past{};
      for (size_t n = 0; n < past.size(); ++n)
        past[n] = float(number_at(numbers, n));
      if (past[0] >= 0)
        tests.levels[l].past().set_means(i, past);
    }
  }
  Episode& e = episodes[standing.episode];
  const auto score = float(std::clamp(saved.number_or("score", 0, kWhere), 0.0, kMost));
  e.score = std::max(e.score, score);
  if (job || e.rises != rises)
    return;
  const Member member{
      groups[track.group][i],
      score,
      time_at(saved, "onset_ms"),
      time_at(saved, "raised_ms"),
      now_ms,
      true};
  const auto known = std::ranges::find(e.members, member.machine, &Member::machine);
  standing.member = size_t(known - e.members.begin());
  if (known == e.members.end())
    e.members.push_back(member);
  else
    *known = member;
  e.onset_ms = std::min(e.onset_ms, member.onset_ms);
}

void Scan::take_over(const Json& state) {
  Impl& s = *impl_;
  using Key = std::pair<std::string, std::string>;  // metric, group
  std::map<Key, Track*> tracks;
  for (Track& t : s.tracks) {
    if (t.scaled)
      tracks[{s.fleet.metrics[t.metric], s.group_names[t.group]}] = &t;
  }
  const auto track_of = [&](const Json& saved) {
    const auto at =
        tracks.find({saved.at("metric", kWhere).string(kWhere), saved.at("group", kWhere).string(kWhere)});
    return at == tracks.end() ? nullptr : at->second;
  };
  const auto member_of = [&](const Track& t, const Json& name) -> std::optional<size_t> {
    const auto m = index_of(s.fleet.machines, name.string(kWhere));
    const auto at = m ? std::ranges::find(s.groups[t.group], *m) : s.groups[t.group].end();
    return at == s.groups[t.group].end() ? std::nullopt
                                         : std::optional(size_t(at - s.groups[t.group].begin()));
  };
  for (const Json& saved : state.at("tracks", kWhere).array(kWhere)) {
    Track* t = track_of(saved);
    if (!t)
      continue;
    std::vector<std::optional<size_t>> member;
    for (const Json& name : saved.at("machines", kWhere).array(kWhere))
      member.push_back(member_of(*t, name));
    add_tails(t->machines, saved.at("tails", kWhere), member);
  }
  for (const Json& saved : state.at("standing", kWhere).array(kWhere)) {
    Track* t = track_of(saved);
    const Json& machine = saved.at("machine", kWhere);
    if (t && machine.is_null())
      s.take_over(*t, t->job, 0, saved);
    else if (const auto i = t ? member_of(*t, machine) : std::nullopt)
      s.take_over(*t, t->machines, *i, saved);
  }
}

}  // namespace lento::fleet
