// Answers one question: reads the workload and the system, predicts with the data sheet's stack, adds the
// time that measured runs reach with such software, and compares both with a measured figure when one is
// given.
#include "predict/answer.h"

#include <bit>
#include <cctype>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "base/units.h"
#include "predict/layouts.h"
#include "predict/remarks.h"
#include "predict/system.h"
#include "predict/time/explain.h"

namespace lento::predict {

WorkloadFile read_workload_file(const std::string& path, const RunOptions& run) {
  const std::string bytes = base::read_file(path, most_workload_bytes(path));
  return {parse_workload(bytes, path, run), {"workload", path, base::digest(bytes)}};
}

namespace {

// The question with its software stack under two names. `of_sheet` holds the name in the data sheet, which
// times the stack's kernels. `of_field` holds the name in the table of measured runs (software.csv), which
// gives the time that such runs reach. A stack is accepted when at least one of the two lists it.
struct AskedStack {
  Question of_sheet;
  Question of_field;
};
// Throws base::Error when the stack is known for the other kind of work alone.
void refuse_other_work(Work work, const std::string& framework) {
  const auto known = [&framework](Work of) {
    try {
      stack_called(of, framework, {"--framework"});
      return true;
    } catch (const base::Error&) {
      return false;
    }
  };
  const bool trains = work == Work::Train;
  if (!known(work) && known(trains ? Work::Serve : Work::Train))
    throw base::Error(
        {"--framework"},
        "'" + framework +
            (trains ? "' serves models and does not train them" : "' trains models and does not serve them"),
        trains ? "fsdp, deepspeed, megatron, ..." : "vllm, sglang, tensorrt-llm, ...; or add --train");
}

// Finds both names of the question's stack. Throws base::Error when neither table lists it.
AskedStack asked_stack(const System& system, const Question& question) {
  AskedStack out{question, question};
  const std::string& framework = question.framework;
  if (framework.empty())
    return out;
  const bool listed = stack_for(system, framework).framework == framework;
  const bool trains = std::holds_alternative<TrainingRun>(question.what);
  const bool runs = trains || std::holds_alternative<InferenceRun>(question.what);
  const Work work = trains ? Work::Train : Work::Serve;
  if (runs)
    refuse_other_work(work, framework);
  if (!listed)
    out.of_sheet.framework.clear();
  if (!runs && listed)
    return out;
  try {
    out.of_field.framework = stack_called(work, framework, {"--framework"});
  } catch (const base::Error&) {
    out.of_field.framework.clear();
    if (listed)
      return out;
    std::vector<std::string> names = stack_names(work);
    for (const Stack& stack : system.frameworks)
      names.push_back(stack.framework);
    throw base::Error(
        {"--framework"},
        "the sheet '" + system.name + "' has no stack for the framework '" + framework +
            "', nor has the table of software",
        base::suggestion(framework, names));
  }
  return out;
}

}  // namespace

namespace {

// Answers for a fixed example, a Llama model on a shipped GPU, and prints the command to try next. Used when
// `lento predict` is called without arguments.
finding::Diagnosis show_example() {
  PredictOptions example;
  example.model = "llama-3.1-8b";
  example.system = "h100";
  example.run.training = true;
  example.run.batch = 64;
  example.run.micro_batch = 2;
  example.run.sequence = 4096;
  example.run.parallel = "dp=8,zero=3";
  example.run.recompute = Recompute::Full;
  example.run.framework = "fsdp";
  finding::Diagnosis d = predict(example);
  d.notes.insert(
      d.notes.begin(),
      {"Nothing was asked, so this is an example: lento predict --model llama-3.1-8b --train --system h100 "
       "--parallel dp=8,zero=3 --batch 64 --micro-batch 2 --sequence 4096 --recompute full --framework fsdp",
       "Is a run as fast as that? Add --measured '7000 tokens/s', a share of the peak, or seconds a step.",
       "Which layout is best? Write --parallel all=8 in place of the layout.",
       "Serving: lento predict --model llama-3.1-8b --system h100 --framework vllm --batch 64 --sequence 512 "
       "--generate 256. A model of your own: its config.json in place of --model."});
  return d;
}

}  // namespace

// Puts the model and the number of devices before the system, and what runs after it: "gpt3_175b, training on
// 64 devices: how fast it should be on NVIDIA A100 (a step of 64 x 2048 tokens, bf16, tensor 8 x pipeline 8 x
// data 1)".
void complete_title(finding::Diagnosis& d, const std::string& model, const Expectation& e) {
  d.title[0] = char(std::tolower(static_cast<unsigned char>(d.title[0])));
  d.title = model + (e.work == Work::Train ? ", training on " : ", serving on ") + std::to_string(e.devices) +
            (e.devices == 1 ? " device: " : " devices: ") + d.title;
  for (const auto& [name, what] : d.facts) {
    if (name == "asked")
      d.title += " (" + what + ")";
  }
}

double parse_tokens(const std::string& text) {
  constexpr std::pair<char, double> kScales[] = {{'k', 1e3}, {'m', 1e6}, {'b', 1e9}, {'t', 1e12}};
  std::string number = text;
  double scale = 1;
  for (const auto& [letter, factor] : kScales) {
    if (!number.empty() && std::tolower(static_cast<unsigned char>(number.back())) == letter) {
      scale = factor;
      number.pop_back();
      break;
    }
  }
  const auto value = base::try_double(number);
  if (!value || !(*value * scale >= 1) || *value * scale > 1e18)
    throw base::Error({"--tokens"}, "'" + text + "' is no number of tokens", "e.g. 15T, 300B or 1.5e12");
  return *value * scale;
}

namespace {

// Formats a time in days when it exceeds 48 hours, else in hours.
std::string long_time(double seconds) {
  constexpr double kHour = 3600;
  return seconds > 48 * kHour ? base::format_number(seconds / (24 * kHour), 3) + " days"
                              : base::format_number(seconds / kHour, 3) + " hours";
}

// Formats a count of tokens as people write it: "15T", "300B", "1M".
std::string token_count(double tokens) {
  for (const auto& [scale, letter] : {std::pair{1e12, "T"}, {1e9, "B"}, {1e6, "M"}}) {
    if (tokens >= scale)
      return base::format_number(tokens / scale, 4) + letter;
  }
  return base::format_number(tokens, 6);
}

// Returns a sentence on the time and cost of options.tokens, or on the cost of a million tokens when only a
// price is given. Returns an empty text without either.
std::string budget_text(const Expectation& e, const PredictOptions& options, double usd_per_hour) {
  if (!e.fits || (options.tokens <= 0 && options.usd_per_hour <= 0))
    return {};
  const double tokens = options.tokens > 0 ? options.tokens : 1e6;
  const auto seconds = [&](double of_run) {
    return tokens / e.tokens * of_run;
  };
  const auto cost = [&](double of_run) {
    return base::format_compact(usd_per_hour / 3600 * e.devices * seconds(of_run));
  };
  const bool sure = e.doubts.empty();
  std::string out;
  if (options.tokens > 0) {
    out = " " + token_count(tokens) + " tokens take " + long_time(seconds(e.seconds));
    if (sure)
      out += " (" + long_time(seconds(e.fast_s)) + " to " + long_time(seconds(e.slow_s)) + ")";
    if (usd_per_hour <= 0)
      return out + "; --price says what they cost.";
    out += " and cost ";
  } else {
    out = " A million tokens cost ";
  }
  out += cost(e.seconds) + " USD";
  if (sure)
    out += " (" + cost(e.fast_s) + " to " + cost(e.slow_s) + ")";
  return out + " at " + base::format_number(usd_per_hour, 3) + " USD a GPU and hour.";
}

// Returns the largest batch that runs at once with a token of each request within `token_s`, or 0 when one
// request alone takes longer. `end` is the end of the stated interval that must keep to it.
int64_t largest_batch(const System& system, Question asked, double token_s, double Expectation::*end) {
  constexpr int64_t kMost = int64_t{1} << 20;
  InferenceRun& run = std::get<InferenceRun>(asked.what);
  const int64_t replicas = std::max(1, run.data);
  int64_t low = 0;
  for (int64_t high = kMost; low < high;) {
    const int64_t middle = (low + high + 1) / 2;
    run.batch = middle * replicas;
    const auto e = expect_run(system, asked);
    const bool within =
        e->fits && e->together >= e->requests && e->per_token_s * ((*e).*end) / e->seconds <= token_s;
    (within ? low : high) = within ? middle : middle - 1;
  }
  return low * replicas;
}

// Sets the batch of the question to the largest one whose requests get a token within `token_s`, and returns
// a sentence that states it.
std::string take_largest_batch(const System& system, Question& question, double token_s) {
  if (!std::holds_alternative<InferenceRun>(question.what))
    throw base::Error({"--token-time"}, "tokens come one after another in serving only", "--generate 256");
  const Question asked = asked_stack(system, question).of_field;
  const int64_t most = largest_batch(system, asked, token_s, &Expectation::seconds);
  InferenceRun& run = std::get<InferenceRun>(question.what);
  run.batch = std::max<int64_t>(most, std::max(1, run.data));
  const std::string token = base::format_quantity(token_s, base::Dimension::Time) + " a token";
  if (most == 0)
    return "No batch keeps to " + token + ", this is the least. ";
  const int64_t slow = largest_batch(system, asked, token_s, &Expectation::slow_s);
  const int64_t fast = largest_batch(system, asked, token_s, &Expectation::fast_s);
  return "At " + token + " " + std::to_string(most) + " requests run at once" +
         (slow == fast
              ? ", as many as memory and software take. "
              : " (" + std::to_string(slow) + " to " + std::to_string(fast) + " in nine of ten such runs). ");
}

// Searches the layouts of the question over so many devices. Throws base::Error when none fits.
LayoutSearch
search_layouts(const System& system, const Question& question, int devices, const PredictOptions& options) {
  if (options.token_s > 0)
    throw base::Error({"--token-time"}, "a batch is sought for one layout", "name it: --parallel tp=8");
  LayoutSearch layouts = best_layouts(system, asked_stack(system, question).of_field, devices);
  if (layouts.tried == 0) {
    const unsigned below = std::bit_floor(unsigned(devices));
    throw base::Error(
        {"--parallel"},
        "no layout of " + std::to_string(devices) + " devices divides the model and its batch",
        "a batch that the replicas divide, or a power of two: all=" + std::to_string(below) +
            " or all=" + std::to_string(2 * below));
  }
  if (layouts.best.empty())
    throw base::Error(
        {"--parallel"},
        "none of " + std::to_string(layouts.tried) + " layouts of " + std::to_string(devices) +
            " devices fits the memory",
        layouts_that_fit(system, asked_stack(system, question).of_field, 2 * devices));
  return layouts;
}

}  // namespace

finding::Diagnosis predict(const PredictOptions& options) {
  if (options.workload.empty() && options.model.empty()) {
    if (options.system.empty())
      return show_example();
    if (is_design(options.system))
      return explain_design(options.system);
    throw base::Error(
        {},
        "nothing was asked",
        "try: lento predict --model llama-3.1-70b --train --system h100; a workload file; or --table FILE");
  }
  System system = system_of(options.system);
  if (options.usd_per_hour > 0)
    system.usd_per_hour = options.usd_per_hour;
  const int laid_over = devices_of_all(options.run.parallel, system);
  RunOptions how = options.run;
  if (laid_over > 0)
    how.parallel.clear();
  std::optional<WorkloadFile> file;
  if (options.model.empty())
    file = read_workload_file(options.workload, how);
  Question question = file ? file->question : named_workload(options.model, how);
  LayoutSearch layouts;
  if (laid_over > 0) {
    layouts = search_layouts(system, question, laid_over, options);
    const std::string framework = question.framework;
    question = layouts.best.front().question;
    question.framework = framework;
  }
  const std::string batch = options.token_s > 0 ? take_largest_batch(system, question, options.token_s) : "";
  const AskedStack asked = asked_stack(system, question);
  finding::Diagnosis d = explain(system, asked.of_sheet);
  const auto expected = expect_run(system, asked.of_field);
  if (expected) {
    complete_title(
        d,
        file ? std::filesystem::path(options.workload).stem().string() : options.model,
        *expected);
    state_expectation(d, system, *expected, options.measured);
    for (std::string& note : notes_on(system, asked.of_field, *expected))
      d.notes.push_back(std::move(note));
    if (!expected->fits && !options.measured && !expected->at_edge(system.chip.memory_bytes))
      d.remedy = layouts_that_fit(system, asked.of_field, expected->devices) +
                 fewer_bits_that_fit(system, asked.of_field);
    if (!question.framework.empty() && asked.of_field.framework.empty())
      d.notes.push_back(
          "No such runs with '" + question.framework + "' are known: the range is that of any software.");
    d.verdict =
        batch + d.verdict + budget_text(*expected, options, system.usd_per_hour) + positions_text(question);
  }
  if (!expected && options.measured)
    throw base::Error(
        {"--measured"},
        "a figure is judged for training and serving",
        "name a model and how it runs");
  if (laid_over > 0 && (how.micro_batch != 1 || how.recompute != Recompute::None))
    d.notes.push_back("The search chooses micro batch and recomputation itself, whatever is given.");
  if (!layouts.best.empty())
    state_layouts(d, layouts, system);
  else if (
      expected && expected->work == Work::Train && expected->devices > 1 && !options.measured &&
      expected->fits)
    d.remedy += "; find a faster layout: --parallel all=" + std::to_string(expected->devices);
  if (file)
    d.inputs.push_back(file->input);
  return d;
}

}  // namespace lento::predict
