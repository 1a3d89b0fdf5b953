// Composer's straggler detector logs, each batch, the smallest and largest value of a quantity over all ranks
// with the rank that had it.
//
//   batch = "[batch=" N "/" N "]:"
//   value = ("Min" | "Max") QUANTITY "/Rank: " X [UNIT] "/" RANK      "Train MinThroughput/Rank: 129.44TF/0"
//
// The worst value of each quantity is a sample of the rank that had it, with the best value as its
// expectation. Both are known when the next batch begins.
//
// Source: mosaicml/composer, pull request 3342 (callbacks/global_straggler_detector.py), whose names of
// quantities these are.
#include <map>

#include "base/number.h"
#include "desk/training/extremes.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

enum ComposerForm {
  Batch,
  Value,
};

const LineForm kComposerForms[] = {
    {"[batch={step:int}/{_:int}]:", {"[batch=200/5000]:"}},
    {"/Rank:~{value:num}{unit}/{rank:int}$",
     {"\t Train MinThroughput/Rank: 129.44TF/0",
      "MaxRoundTripTime/Rank: 4.95s/2",
      "Train MinClock/Rank: 1980.00MHz/16",
      "Train MinClock/Rank: 1980/16"}},
};

// Returns the seconds in a unit. Batches are loaded in microseconds and other times are in seconds.
double scale_of(std::string_view unit) {
  return unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
}

class Composer : public Reader {
  struct Ends {
    double bad = kUnknown;
    double good = kUnknown;
    std::string rank;  // rank that had the worst value
    std::string line;
    int64_t number = 0;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == Batch) {
      write(sink);
      step_ = match.number("step").value_or(kUnknown);
      return;
    }
    std::string_view name = sink.line();
    name = name.substr(0, name.find("/Rank:"));
    name.remove_prefix(name.find_last_of(" \t") + 1);  // npos + 1 is 0
    const bool is_smallest = name.starts_with("Min");
    if (!is_smallest && !name.starts_with("Max"))
      return;
    name.remove_prefix(3);
    const std::string rank = match.text("rank");
    const double value = match.number("value").value_or(kUnknown) * scale_of(match["unit"]);
    for (size_t i = 0; i < extremes().size(); ++i) {
      if (extremes()[i].composer != name || !(value > 0) || rank.size() > 8 || !base::try_uint(rank))
        continue;
      Ends& ends = ends_[i];
      if (is_smallest != extremes()[i].bad_is_smallest())
        ends.good = value;
      else
        ends = {value, ends.good, rank, std::string(sink.line()), sink.number()};
    }
  }

  void end(Sink& sink) override {
    write(sink);
  }

  // Reports the metrics of one batch.
  void write(Sink& sink) {
    const std::string_view line = sink.line();
    const int64_t number = sink.number();
    const Subject subject = sink.subject();
    const Moment time = sink.time();
    for (const auto& [i, ends] : ends_) {
      if (std::isnan(ends.bad))
        continue;
      sink.at(ends.line, ends.number, {}, time);
      sink.sample(extremes()[i].quantity, ends.bad, {{"", "", ends.rank}, step_, ends.good});
    }
    sink.at(line, number, subject, time);
    ends_.clear();
  }

  double step_ = kUnknown;
  std::map<size_t, Ends> ends_;  // by index in extremes()
};

}  // namespace

const Format kComposer{
    "Composer's straggler detector",
    "training",
    kComposerForms,
    Shape::Lines,
    make<Composer>};

}  // namespace lento::desk
