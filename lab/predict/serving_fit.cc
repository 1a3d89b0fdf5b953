// Fits step time and factors of serving frameworks to public deployments by pattern search, with one quarter
// left out.
#include "lab/predict/serving_fit.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/number.h"
#include "base/rng.h"
#include "base/scan/csv.h"
#include "evidence/sample.h"

namespace lento::predict {
namespace {

constexpr const char* kTable = "serve_inferencex_dsr1.csv.gz";
constexpr int kParts = 4;
constexpr double kLongestFirst = 30;  // s: beyond, the load was not sustained
constexpr int64_t kAskedFor = 10;     // requests for each in flight, as the public runs do
constexpr int64_t kFittedTo = 3;      // the same in fits: two of three come one by one
constexpr size_t kMostFitted = 40;    // points of a group, evenly taken
constexpr double kPull = 0.01;        // of a point's error, for a scalar that doubles

double number_in(const base::CsvReader& row, const char* column) {
  const int at = row.find(column);
  return at < 0 ? 0 : base::try_double(row.text(at)).value_or(0);
}

std::string text_in(const base::CsvReader& row, const char* column) {
  const int at = row.find(column);
  return at < 0 ? std::string() : row.text(at);
}

std::string deployment_of(const base::CsvReader& row) {
  std::string out;
  for (const char* column :
       {"chip",
        "framework",
        "precision",
        "spec_decode",
        "disaggregated",
        "prefill_tp",
        "prefill_ep",
        "prefill_dp_attn",
        "prefill_workers",
        "decode_tp",
        "decode_ep",
        "decode_dp_attn",
        "decode_workers",
        "isl",
        "osl"})
    out += text_in(row, column) + " ";
  return out;
}

double median_of(std::vector<double>& values) {
  std::erase_if(values, [](double v) {
    return v <= 0;
  });
  return values.empty() ? 0 : evidence::median(values);
}

struct Dates {
  ServedPoint point;
  std::vector<double> first;
  std::vector<double> per_token;
  std::vector<double> output;
};

// The first requests arrive together and wait for one another. Later requests follow one by one, do not
// wait, and are the majority.
ServingTime served(const ServedPoint& point, const ServingConstants& constants, int64_t times) {
  ServingRun run = std::get<ServingRun>(point.question.what);
  run.traffic.requests = times * run.traffic.together;
  return predict_serving(*point.engines, run, constants);
}

double off(double predicted, double measured) {
  return measured > 0 && predicted > 0 ? std::min(1.5, std::abs(std::log(predicted / measured))) : 0;
}

// Returns the error of a point. The first token has a smaller weight, because it is measured less precisely.
double loss_of(const ServedPoint& point, const ServingConstants& constants) {
  const ServingTime t = served(point, constants, kFittedTo);
  if (!t.fits)
    return 3;
  return off(t.per_token_s.p50, point.per_token_s) + off(t.output_tokens_per_s, point.output_per_s) +
         0.6 * off(t.first_token_s.p50, point.first_s);
}

struct Scalar {
  double ServingConstants::*at;
  // beyond, another term is meant
  double low;
  double high;
};
constexpr Scalar kScalars[] = {
    {&ServingConstants::step_s, 1e-4, 2e-2},
    {&ServingConstants::layer_s, 1e-6, 2e-4},
    {&ServingConstants::kernels, 0.7, 3},
    {&ServingConstants::prefill, 0.5, 4},
    {&ServingConstants::first_s, 5e-3, 1},
    {&ServingConstants::look, 1, 64},
    {&ServingConstants::balance, 1, 100},
    {&ServingConstants::pool_prefill, 0.5, 4},
    {&ServingConstants::pool_first_s, 5e-3, 1}};

using Points = std::vector<const ServedPoint*>;

double total(const Points& points, const ServingConstants& x, const ServingConstants& coarse) {
  double sum = 0;
  for (const ServedPoint* p : points)
    sum += loss_of(*p, x);
  for (const Scalar& scalar : kScalars) {
    const double steps = std::log2(x.*scalar.at / coarse.*scalar.at);
    sum += kPull * steps * steps;
  }
  return sum;
}

ServingConstants fitted(const Points& all, const ServingConstants& coarse) {
  Points points;
  const size_t every = std::max<size_t>(1, (all.size() + kMostFitted - 1) / kMostFitted);
  for (size_t i = 0; i < all.size(); i += every)
    points.push_back(all[i]);
  ServingConstants x = coarse;
  double best = total(points, x, coarse);
  for (const double step : {1.5, 0.5, 0.25, 0.12, 0.06}) {
    for (int round = 0; round < 3; ++round) {
      bool moved = false;
      for (const Scalar& scalar : kScalars) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          ServingConstants tried = x;
          tried.*scalar.at = std::clamp(x.*scalar.at * factor, scalar.low, scalar.high);
          const double one = total(points, tried, coarse);
          if (one < best) {
            best = one;
            x = tried;
            moved = true;
            break;
          }
        }
      }
      if (!moved)
        break;
    }
  }
  return x;
}

int part_of(const ServedPoint& p) {
  return int(base::hash_text(p.deployment) % kParts);
}

const ServingConstants& nearest(const ServingTable& table, const ServedPoint& p) {
  for (const auto& key :
       {std::pair<std::string, std::string>{p.chip, p.question.framework},
        std::pair<std::string, std::string>{"", p.question.framework},
        std::pair<std::string, std::string>{p.chip, ""}}) {
    const auto at = table.find(key);
    if (at != table.end())
      return at->second;
  }
  return table.at({"", ""});
}

std::string bin_of(int64_t together) {
  if (together <= 8)
    return "to 8 in flight";
  if (together <= 64)
    return "9 to 64";
  return together <= 256 ? "65 to 256" : "from 257";
}

struct Errors {
  std::vector<double> values;
  double limit = 0;
};

double relative(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

// Counts pairs of deployments for the same prompt, output and load that differ by a fifth in output tokens
// per second and device.
ServingBar ranking(const std::vector<JudgedPoint>& judged) {
  size_t pairs = 0;
  size_t wrong = 0;
  const auto rate = [](const JudgedPoint& j) {
    const ServingRun& r = std::get<ServingRun>(j.point->question.what);
    return std::pair{j.point->output_per_s / r.devices(), j.time.output_tokens_per_s / r.devices()};
  };
  for (size_t a = 0; a < judged.size(); ++a) {
    for (size_t b = a + 1; b < judged.size(); ++b) {
      const Traffic& x = std::get<ServingRun>(judged[a].point->question.what).traffic;
      const Traffic& y = std::get<ServingRun>(judged[b].point->question.what).traffic;
      const bool same = x.prompt == y.prompt && x.output == y.output && x.together == y.together;
      if (!same)
        continue;
      const auto [ma, pa] = rate(judged[a]);
      const auto [mb, pb] = rate(judged[b]);
      const double ratio = ma / mb;
      if (!(ma > 0 && mb > 0) || (ratio < 1.2 && ratio > 1 / 1.2))
        continue;
      ++pairs;
      wrong += (ma > mb) != (pa > pb);
    }
  }
  return {
      "pairs that differ by a fifth, in the wrong order",
      pairs,
      pairs ? double(wrong) / double(pairs) : 0,
      0.15};
}

}  // namespace

std::vector<ServedPoint> served_points(const std::string& folder) {
  const std::string path = folder + "/" + kTable;
  std::vector<ServedPoint> out;
  if (!std::filesystem::exists(path))
    return out;
  base::ReadReport report;
  base::CsvReader table(path, report);
  const Dialect dialect = dialect_of(table);
  std::map<std::string, Dates> by_load;
  while (table.next()) {
    const double first = number_in(table, "ttft_ms_median") * 1e-3;
    const System* system = find_shipped(text_in(table, "chip"));
    if (first > kLongestFirst || !system)
      continue;
    const std::string deployment = deployment_of(table);
    Dates& d = by_load[deployment + text_in(table, "concurrency")];
    if (d.first.empty()) {
      d.point.question = parse_question(dialect, table);
      const ServingRun& run = std::get<ServingRun>(d.point.question.what);
      d.point.engines = std::make_shared<ServingEngines>(
          prepare_serving(*system, d.point.question.framework, run, table.where(-1)));
      d.point.chip = system->name;
      d.point.deployment = deployment;
      d.point.speculates = text_in(table, "spec_decode") != "none";
    }
    const ServingRun& run = std::get<ServingRun>(d.point.question.what);
    d.first.push_back(first);
    d.per_token.push_back(number_in(table, "tpot_ms_median") * 1e-3);
    // With two pools the rate counts decoding devices only, because only then do rate, length and time of a
    // request agree.
    const int counted = run.two_pools ? run.decode.devices() * run.decode.copies : run.devices();
    d.output.push_back(number_in(table, "output_tokens_per_s_per_gpu") * counted);
  }
  for (auto& [key, d] : by_load) {
    d.point.first_s = median_of(d.first);
    d.point.per_token_s = median_of(d.per_token);
    d.point.output_per_s = median_of(d.output);
    out.push_back(std::move(d.point));
  }
  return out;
}

ServingTable fit_serving(const std::vector<ServedPoint>& points, int part, const base::Progress& progress) {
  ServingTable out;
  Points all;
  std::map<std::string, Points> frameworks;
  std::map<std::pair<std::string, std::string>, Points> chips;
  for (const ServedPoint& p : points) {
    if (part_of(p) == part)
      continue;
    all.push_back(&p);
    frameworks[p.question.framework].push_back(&p);
    chips[{p.chip, p.question.framework}].push_back(&p);
  }
  const ServingConstants any = fitted(all, {});
  out[{"", ""}] = any;
  for (const auto& [framework, group] : frameworks)
    out[{"", framework}] = fitted(group, any);
  size_t done = 0;
  for (const auto& [key, group] : chips) {
    progress("chips and frameworks", double(done++), double(chips.size()));
    out[key] = fitted(group, out.at({"", key.second}));
  }
  return out;
}

std::vector<JudgedPoint> judge_serving(
    const std::vector<ServedPoint>& points,
    const base::Progress& progress) {
  std::vector<JudgedPoint> out;
  for (int part = 0; part < kParts; ++part) {
    const ServingTable table = fit_serving(points, part, progress);
    for (const ServedPoint& p : points) {
      if (part_of(p) == part)
        out.push_back({&p, served(p, nearest(table, p), kAskedFor)});
    }
  }
  return out;
}

std::vector<ServingBar> serving_bars(const std::vector<JudgedPoint>& judged) {
  std::map<std::string, Errors> groups;
  for (const JudgedPoint& j : judged) {
    if (!j.time.fits)
      continue;
    const ServingRun& run = std::get<ServingRun>(j.point->question.what);
    const std::string kind = std::string(run.two_pools ? "two pools" : "one pool") +
                             (j.point->speculates ? ", speculating" : "") + ", " +
                             bin_of(run.traffic.together);
    const auto add = [&](const std::string& what, double predicted, double measured, double limit) {
      if (measured <= 0)
        return;
      Errors& e = groups[what + ", " + kind];
      e.limit = limit;
      e.values.push_back(relative(predicted, measured));
    };
    add("time per output token", j.time.per_token_s.p50, j.point->per_token_s, 0.15);
    add("output tokens a second", j.time.output_tokens_per_s, j.point->output_per_s, 0.15);
    add("first token", j.time.first_token_s.p50, j.point->first_s, run.two_pools ? 0.5 : 0.3);
  }
  std::vector<ServingBar> out;
  for (auto& [what, errors] : groups)
    out.push_back({what, errors.values.size(), evidence::median(errors.values), errors.limit});
  out.push_back(ranking(judged));
  return out;
}

std::vector<SeenError> seen_errors(const std::vector<JudgedPoint>& judged) {
  std::vector<SeenError> out;
  for (const JudgedPoint& j : judged) {
    const ServingRun& run = std::get<ServingRun>(j.point->question.what);
    const double measured = j.point->first_s + j.point->per_token_s * double(run.traffic.output - 1);
    const double predicted =
        j.time.first_token_s.p50 + j.time.per_token_s.p50 * double(run.traffic.output - 1);
    if (!j.time.fits || measured <= 0)
      continue;
    const std::string kind = kind_of(j.point->question);
    for (const std::string& chip : {j.point->chip, std::string(kFittedChip)})
      out.push_back({kind, chip, "", relative(predicted, measured)});
  }
  return out;
}

}  // namespace lento::predict
