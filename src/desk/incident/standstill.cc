// Finds a job that has stopped: the power of nearly all GPUs drops at one moment and stays low, while their
// utilisation stays high, because a kernel of a collective spins while it waits. The GPU that is idle from
// then on does not wait: its process is not in the collective.
//
//   power     falls by half or more from one moment to the end, on all GPUs but few
//   load      stays on most of them; where it falls too the job has ended or waits outside of its kernels
//
// A pause that comes again (a checkpoint, an evaluation) is none: the power was low before for as long. Only
// the median over the GPUs is searched for a change, so that one GPU that fails is left to samples.cc.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/pieces.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestGpus = 4;

// Returns the median power (W) over the GPUs at each position.
Track power_of(const std::vector<Track>& tracks) {
  std::map<double, std::vector<double>> values;
  for (const Track& track : tracks)
    for (size_t i = 0; i < track.value.size(); ++i)
      values[track.position[i]].push_back(track.value[i]);
  Track course;
  course.clock = tracks[0].clock;
  for (const auto& [position, list] : values) {
    course.position.push_back(position);
    course.value.push_back(evidence::median(list));
    course.time.push_back(course.clock == Clock::None ? Moment{} : Moment{course.clock, position});
  }
  return course;
}

struct Fall {
  double position = kUnknown;
  double before = 0;
  double behind = 0;
};

// Returns the drop of the power (W) to a stretch that lasts to the last sample and lies below half of the
// level under load. The position is kUnknown when there is no such stretch, it has fewer than four samples,
// or an earlier pause was as long.
Fall fall_of(const Track& course) {
  const size_t n = course.value.size();
  Fall fall;
  if (n < kFewestSamples)
    return fall;
  std::vector<double> high = course.value;
  std::ranges::sort(high);
  fall.before = high[n - 1 - n / 10];  // the level under load, without the highest peaks
  size_t begin = n;
  while (begin > 0 && course.value[begin - 1] * 2 < fall.before)
    --begin;
  size_t longest = 0;
  size_t run = 0;
  for (size_t i = 0; i < begin; ++i) {
    run = course.value[i] * 2 < fall.before ? run + 1 : 0;
    // `longest` counts samples of the longest pause so far. A stretch from the first sample on is the time
    // before the job began and no pause.
    longest = run == i + 1 ? longest : std::max(longest, run);
  }
  if (begin == n || begin == 0 || n - begin <= longest || n - begin < 4)
    return fall;
  fall.position = course.position[begin];
  fall.behind = evidence::median(std::span(course.value).subspan(begin));
  return fall;
}

// Median utilisation of one GPU in percent, before and after the drop in power.
struct Load {
  const Track* track = nullptr;
  double before = kUnknown;
  double behind = kUnknown;
};

// Returns the utilisation of each GPU before and after the drop. `position` is a time in seconds or a step,
// as in Track.
std::vector<Load> loads_of(const std::vector<Track>& tracks, double position) {
  std::vector<Load> loads;
  for (const Track& track : tracks) {
    std::vector<double> before;
    std::vector<double> behind;
    for (size_t i = 0; i < track.value.size(); ++i)
      (track.position[i] < position ? before : behind).push_back(track.value[i]);
    if (!before.empty() && !behind.empty())
      loads.push_back({&track, evidence::median(before), evidence::median(behind)});
  }
  return loads;
}

// Returns the tracks of a quantity when enough GPUs report it, or null.
const Tracks* tracks_named(const Records& records, const std::vector<Tracks>& all, std::string_view name) {
  for (const Tracks& tracks : all)
    if (records.quantities()[tracks.quantity].name == name && tracks.tracks.size() >= kFewestGpus)
      return &tracks;
  return nullptr;
}

constexpr const char* kRemedy =
    "the stacks of all ranks while it stands (py-spy dump --pid PID), NCCL's RAS answer (ncclras -v), or the "
    "flight recorder of every rank (TORCH_NCCL_TRACE_BUFFER_SIZE=2000)";

std::string fall_text(const Track& course, const Fall& fall) {
  return "from " + position_text(course, fall.position) + " on the power of the GPUs is " +
         base::format_number(fall.behind) + " W instead of " + base::format_number(fall.before) + " W";
}

// Returns the finding for a GPU that is idle while the others wait busily.
finding::Finding
idle_finding(const Records& records, const Load& load, const std::string& job, size_t busy, double usual) {
  finding::Finding finding;
  finding.subject = subject_text(load.track->subject);
  finding.category = "hang: a GPU that does not wait";
  finding.summary = finding.subject + " is idle (" + base::format_number(load.behind) + " %) where " +
                    std::to_string(busy) + " GPUs spin at " + base::format_number(usual) +
                    " %: its process is not in the collective; the whole job stands: " + job;
  finding.score = 0.9;
  finding.where = place_of(load.track->subject);
  finding.evidence.push_back(
      {"median utilisation behind that moment, " + base::format_number(load.before) + " % before",
       load.behind,
       "%",
       place_text(records, load.track->where.back())});
  finding.next_step =
      "look at the process on that GPU first: does it live, where is it (py-spy dump --pid PID), "
      "what do its log and the kernel log of the host say at that time";
  return finding;
}

}  // namespace

void judge_standstill(const Records& records, const JudgeOptions&, Judgement& out) {
  const std::vector<Tracks> all = tracks_of(records, Scope::Own);
  const Tracks* power = tracks_named(records, all, "GPU power");
  const Tracks* load = tracks_named(records, all, "GPU utilisation");
  if (!power)
    return;
  const Track course = power_of(power->tracks);
  if (course.value.size() < kFewestSamples)
    return;
  out.covered.push_back(
      "standstill of the job, by the power of " + std::to_string(power->tracks.size()) + " GPUs");
  const Fall fall = fall_of(course);
  if (std::isnan(fall.position))
    return;
  const std::string job = fall_text(course, fall);
  const std::vector<Load> loads = load ? loads_of(load->tracks, fall.position) : std::vector<Load>();
  std::vector<double> behind;
  std::vector<double> before;
  for (const Load& one : loads) {
    behind.push_back(one.behind);
    before.push_back(one.before);
  }
  const double usual = loads.empty() ? kUnknown : evidence::median(behind);
  if (loads.empty()) {
    out.open.push_back(
        {job + ": whether they spin in a collective or are idle does not show",
         "their utilisation beside their power (utilization.gpu), and " + std::string(kRemedy)});
    return;
  }
  if (usual * 2 < evidence::median(before)) {
    out.notes.push_back(job + ", and they are idle: the job ended, or it waits outside of the GPUs");
    return;
  }
  std::vector<const Load*> idle;
  for (const Load& one : loads)
    if (one.behind * 2 < usual && one.before * 2 >= usual)
      idle.push_back(&one);
  if (idle.empty() || idle.size() * 4 > loads.size()) {
    out.open.push_back(
        {"the whole job stands: " + job + " at " + base::format_number(usual) +
             " % utilisation, so that they spin in a collective; which rank has not arrived does not show",
         kRemedy});
    return;
  }
  for (const Load* one : idle)
    out.findings.push_back(idle_finding(records, *one, job, loads.size() - idle.size(), usual));
}

}  // namespace lento::desk
