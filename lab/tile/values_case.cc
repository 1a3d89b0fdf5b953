// Real networks process pages of text, and every activation tensor passes a tile. Tables and pictures show
// how similar the value distributions are.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "lab/neural/executor.h"
#include "lab/neural/page.h"
#include "lab/tile/cases.h"
#include "tile/unit/build.h"

namespace lento::tile {
namespace {

using base::Error;
using base::format_number;
using base::percent;
using finding::Figure;
using spec::TensorValue;

// Smaller tensors are left out. The second constant limits the tensors of a network in a picture.
constexpr size_t kLeastValues = 512;
constexpr size_t kShown = 20;
// Height in pixels of a line of a page. Networks with higher inputs receive a whole page.
constexpr int kPageCell = 16;
constexpr int kLargestLine = 64;
constexpr int64_t kLargestSide = 4096;
// Input range of detectors trained on photographs. Readers of single lines use -1 to 1.
constexpr float kPageMean[3] = {0.485f, 0.456f, 0.406f};
constexpr float kPageDeviation[3] = {0.229f, 0.224f, 0.225f};

using Shares = std::array<float, kBuckets>;  // of the values in each bucket, of length one

struct Seen {
  std::string name;
  std::string type;
  Shares direction;
};

struct Application {
  std::string name;
  spec::TrainedNetwork network;
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  std::vector<Seen> tensors;
  std::array<double, kBuckets> shares = {};  // summed over tensors
  double bucket_error = 0;
  double weighted_error = 0;
  uint64_t values = 0;
  uint64_t different = 0;
};

struct Totals {
  uint64_t tensors = 0;
  uint64_t values = 0;
  uint64_t offered = 0;
  uint64_t taken = 0;
  uint64_t windows = 0;
  uint64_t bytes = 0;
};

Application read_application(const std::string& path, const ValuesOptions& options) {
  Application out;
  out.name = std::filesystem::path(path).stem().string();
  out.network = spec::read_trained_onnx(path);
  if (out.network.inputs.size() != 1 || out.network.input_shapes.front().size() != 4)
    throw Error({path}, "the network must take one input of N x C x H x W");
  const spec::Shape& shape = out.network.input_shapes.front();
  const auto size = std::ranges::find_if(options.sizes, [&](const auto& s) {
    return out.name.find(s.part) != std::string::npos;
  });
  out.channels = 3;
  if (size != options.sizes.end()) {
    out.height = size->height;
    out.width = size->width;
  }
  if (shape[1] > 0)
    out.channels = shape[1];
  if (shape[2] > 0)
    out.height = shape[2];
  if (shape[3] > 0)
    out.width = shape[3];
  if (out.height < 1 || out.width < 1)
    throw Error({path}, "the model leaves the size of its input open", "give it: --size NAME=HxW");
  const bool large = out.height > kLargestSide || out.width > kLargestSide;
  if (large || out.channels > 4 || out.height < 10) {
    const std::string extents = spec::to_string({out.channels, out.height, out.width});
    throw Error({path}, "an input of " + extents + " is no picture of 10 to 4,096 pixels");
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& path) {
  constexpr uint64_t kMaxPage = 1 << 24;
  const std::string text = base::read_file(path, kMaxPage);
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else if (c != '\r')
      lines.back() += c;
  }
  std::erase_if(lines, [](const std::string& line) {
    return line.find_first_not_of(" \t") == std::string::npos;
  });
  if (lines.empty())
    throw Error({path}, "a page without text");
  return lines;
}

// Returns the whole page wrapped to the width, or its first line that fills the picture.
Picture picture_of(const std::vector<std::string>& lines, const Application& app) {
  const int height = int(app.height);
  const int width = int(app.width);
  const int cell = height > kLargestLine ? kPageCell : height;
  const auto columns = size_t(std::max(1, characters_in(width, cell)));
  if (height <= kLargestLine) {
    const auto full = std::ranges::find_if(lines, [&](const std::string& line) {
      return line.size() >= columns;
    });
    std::string line = lines.front();
    if (full != lines.end())
      line = *full;
    return draw_text({line}, height, width, cell);
  }
  std::vector<std::string> wrapped;
  for (const std::string& line : lines) {
    for (size_t at = 0; at < line.size(); at += columns) {
      if (wrapped.size() * kPageCell < size_t(height))
        wrapped.push_back(line.substr(at, columns));
    }
  }
  return draw_text(wrapped, height, width, cell);
}

TensorValue input_of(const Picture& picture, const Application& app) {
  TensorValue out;
  out.shape = {1, app.channels, app.height, app.width};
  const bool page = app.height > kLargestLine;
  for (size_t c = 0; c < size_t(app.channels); ++c) {
    const float mean = kPageMean[c % 3];
    const float deviation = kPageDeviation[c % 3];
    for (const float ink : picture.ink) {
      if (page)
        out.floats.push_back((1 - ink - mean) / deviation);
      else
        out.floats.push_back(1 - 2 * ink);
    }
  }
  return out;
}

void take(
    const ValueHistogram& h,
    const spec::Operation& op,
    const std::string& name,
    Application& app,
    Totals& totals) {
  Seen seen{name, op.type, {}};
  double square = 0;
  for (const uint64_t count : h.tile)
    square += double(count) * double(count);
  const double length = std::sqrt(std::max(square, 1.0));
  const double taken = double(std::max<uint64_t>(h.taken, 1));
  for (size_t i = 0; i < kBuckets; ++i) {
    const double count = double(h.tile[i]);
    seen.direction[i] = float(count / length);
    app.shares[i] += count / taken;
  }
  app.tensors.push_back(std::move(seen));
  app.bucket_error += h.bucket_error();
  app.weighted_error += h.weighted_error();
  app.values += h.values;
  app.different += !h.as_taken;
  ++totals.tensors;
  totals.values += h.values;
  totals.offered += h.offered;
  totals.taken += h.taken;
  totals.windows += h.windows;
  totals.bytes += h.output_bytes;
}

std::string
csv_line(const std::string& page, const std::string& app, const Seen& seen, const ValueHistogram& h) {
  std::string out = page;
  out += "," + app;
  out += "," + seen.name;
  out += "," + seen.type;
  out += "," + std::to_string(h.values);
  out += "," + std::to_string(h.taken);
  for (const uint64_t count : h.tile)
    out += "," + std::to_string(count);
  return out + "\n";
}

double cosine(const Shares& a, const Shares& b) {
  float sum = 0;
  for (size_t i = 0; i < kBuckets; ++i)
    sum += a[i] * b[i];
  return double(sum);
}

// Returns the cosine of every tensor of `a` with every one of `b`. Within one network each pair counts once,
// and no tensor is paired with itself.
std::vector<double> cosines(const Application& a, const Application& b) {
  std::vector<double> out;
  const bool same = &a == &b;
  const size_t pairs = a.tensors.size() * b.tensors.size();
  out.reserve(same ? pairs / 2 : pairs);
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Shares& direction = a.tensors[i].direction;
    for (size_t j = same ? i + 1 : 0; j < b.tensors.size(); ++j)
      out.push_back(cosine(direction, b.tensors[j].direction));
  }
  return out;
}

double average_cosine(const Application& a, const Application& b) {
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    const double of_a = a.shares[i];
    const double of_b = b.shares[i];
    product += of_a * of_b;
    square_a += of_a * of_a;
    square_b += of_b * of_b;
  }
  if (square_a > 0 && square_b > 0)
    return product / std::sqrt(square_a * square_b);
  return 0;
}

Figure networks_table(const std::vector<Application>& apps) {
  finding::TableFigure table;
  table.columns = {
      "network",
      "input",
      "tensors",
      "values",
      "mean cosine",
      "10th percentile",
      "error, by bucket",
      "error, by mass",
      "differ from taken"};
  for (const Application& app : apps) {
    std::vector<double> within = cosines(app, app);
    const double n = std::max(1.0, double(app.tensors.size()));
    std::string percentile = "-";
    if (!within.empty())
      percentile = format_number(evidence::nth_smallest_reordering(std::span(within), within.size() / 10), 3);
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(app.name);
    row.push_back(spec::to_string({app.channels, app.height, app.width}));
    row.push_back(std::to_string(app.tensors.size()));
    row.push_back(std::to_string(app.values));
    row.push_back(format_number(evidence::mean(within), 3));
    row.push_back(percentile);
    row.push_back(percent(app.bucket_error / n));
    row.push_back(percent(app.weighted_error / n));
    row.push_back(std::to_string(app.different));
  }
  return {
      "Networks",
      "Cosine between the histograms of the tensors of one network; error of the quarter sample against "
      "all values, a mean over tensors: of the buckets that hold anything, and weighted by what they hold.",
      table};
}

Figure between_table(const std::vector<Application>& apps) {
  finding::TableFigure table;
  table.columns = {"network", "network", "cosine of averages", "mean cosine of tensors"};
  for (size_t i = 0; i < apps.size(); ++i) {
    for (size_t j = i + 1; j < apps.size(); ++j) {
      const Application& a = apps[i];
      const Application& b = apps[j];
      const double of_averages = average_cosine(a, b);
      const double of_tensors = evidence::mean(cosines(a, b));
      table.rows.push_back({a.name, b.name, format_number(of_averages, 3), format_number(of_tensors, 3)});
    }
  }
  return {"Between networks", "Averages: the mean of the normalised histograms of all tensors.", table};
}

// Compares tensors of the first page, evenly selected from each network.
Figure similarity_figure(const std::vector<Application>& apps, const std::vector<size_t>& first_page) {
  finding::HeatMapFigure out;
  out.x_name = "tensor, in the same order";
  out.value_name = "cosine";
  std::vector<const Seen*> picked;
  for (size_t a = 0; a < apps.size(); ++a) {
    const size_t n = first_page[a];
    const size_t shown = std::min(n, kShown);
    for (size_t i = 0; i < shown; ++i) {
      const size_t at = i * n / shown;
      const Seen& seen = apps[a].tensors[at];
      picked.push_back(&seen);
      out.rows.push_back(apps[a].name + " " + std::to_string(at) + " " + seen.type);
      out.columns.push_back(double(out.columns.size()));
    }
  }
  for (const Seen* row : picked) {
    for (const Seen* column : picked)
      out.values.push_back(cosine(row->direction, column->direction));
  }
  return {
      "Likeness of tensors",
      "Tensors of the first page from input to output, network after network.",
      out};
}

Figure averages_figure(const std::vector<Application>& apps) {
  constexpr int kLowest = -31;  // bucket 0: magnitudes below 2^-30, zero with them
  finding::SeriesFigure out;
  out.x_name = "power of two of the magnitude, with the sign of the value as its own line";
  out.y_name = "share of values, %";
  for (const Application& app : apps) {
    const double tensors = std::max(1.0, double(app.tensors.size()));
    for (const bool negative : {false, true}) {
      finding::SeriesFigure::Line line;
      line.name = app.name + (negative ? ", negative" : ", positive");
      line.dashed = negative;
      const size_t first = negative ? kBuckets / 2 : 0;
      for (size_t i = 0; i < kBuckets / 2; ++i) {
        const double share = 100 * app.shares[first + i] / tensors;
        line.x.push_back(double(i) + kLowest);
        line.y.push_back(share);
      }
      out.lines.push_back(std::move(line));
    }
  }
  return {"Values of each network", "The lowest bucket holds zero, which rectifiers make.", out};
}

void add_facts(const std::vector<Application>& apps, const Totals& t, int lines, finding::Diagnosis& d) {
  double by_bucket = 0;
  double by_mass = 0;
  double lowest = 1;
  double highest = 0;
  uint64_t different = 0;
  for (size_t i = 0; i < apps.size(); ++i) {
    by_bucket += apps[i].bucket_error;
    by_mass += apps[i].weighted_error;
    different += apps[i].different;
    for (size_t j = i + 1; j < apps.size(); ++j) {
      const double between = average_cosine(apps[i], apps[j]);
      lowest = std::min(lowest, between);
      highest = std::max(highest, between);
    }
  }
  const double n = std::max(1.0, double(t.tensors));
  d.facts = {
      {"tensors", std::to_string(t.tensors)},
      {"values", std::to_string(t.values)},
      {"values that the tile took", std::to_string(t.taken)},
      {"values lost while the tile started or sent",
       percent(double(t.offered - t.taken) / double(std::max<uint64_t>(t.offered, 1)))},
      {"tensors whose histogram differs from the values taken", std::to_string(different)},
      {"sampling error, mean over buckets", percent(by_bucket / n)},
      {"sampling error, weighted by mass", percent(by_mass / n)},
      {"bits into the tile", std::to_string(16 * kTileValues)},
      {"bytes a histogram", std::to_string(t.windows ? t.bytes / t.windows : 0)},
      {"histograms sent", std::to_string(t.windows)},
      {"lines of the program", std::to_string(lines)}};
  d.verdict = "A quarter of the values gives histograms " + percent(by_mass / n) + " off by mass.";
  if (apps.size() < 2)
    return;
  const std::string range = format_number(lowest, 3) + " to " + format_number(highest, 3);
  d.facts.emplace_back("cosine between network averages", range);
  d.verdict += " The networks' average histograms have cosines of " + range + ".";
}

}  // namespace

finding::Diagnosis values_case(const ValuesOptions& options, const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "tile";
  d.title = "Value histograms of real activations";
  std::vector<Application> apps;
  for (const std::string& path : options.models)
    apps.push_back(read_application(path, options));
  const Built built = build_program(shipped_source("values.c"), "values.c");
  ValueTile tile(built.image);
  std::vector<size_t> first_page(apps.size(), 0);
  std::string csv;
  Totals totals;
  double done = 0;
  for (const std::string& page : options.pages) {
    const std::vector<std::string> lines = lines_of(page);
    for (size_t i = 0; i < apps.size() && !progress.stopped(); ++i) {
      Application& app = apps[i];
      run_network(
          app.network,
          {input_of(picture_of(lines, app), app)},
          [&](const spec::Operation& op, const std::string& name, const TensorValue& value) {
            if (value.integer || value.size() < kLeastValues || progress.stopped() ||
                totals.tensors >= options.max_tensors)
              return;
            const ValueHistogram h = tile.watch(value.floats);
            take(h, op, name, app, totals);
            if (!options.histograms.empty())
              csv += csv_line(page, app.name, app.tensors.back(), h);
          });
      if (first_page[i] == 0)
        first_page[i] = app.tensors.size();
      progress("runs of a network", ++done, double(apps.size() * options.pages.size()));
    }
  }
  add_facts(apps, totals, built.main_lines, d);
  d.figures.push_back(networks_table(apps));
  if (apps.size() > 1)
    d.figures.push_back(between_table(apps));
  d.figures.push_back(averages_figure(apps));
  if (totals.tensors > 0)
    d.figures.push_back(similarity_figure(apps, first_page));
  d.notes = {
      "Tensors below " + std::to_string(kLeastValues) + " values are left out.",
      "Values as bfloat16; buckets are sign and exponent, 2^-31 to 2^32. At most " +
          std::to_string(options.max_tensors) + " tensors are taken."};
  if (!options.histograms.empty()) {
    std::string head = "page,network,tensor,operator,values,taken";
    for (size_t i = 0; i < kBuckets; ++i)
      head += ",bucket" + std::to_string(i);
    base::write_file(options.histograms, head + "\n" + csv);
  }
  return d;
}

}  // namespace lento::tile
