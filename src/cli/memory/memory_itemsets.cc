// lento memory itemsets FILE: frequent, closed or maximal itemsets of transactions in FIMI form.
#include <charconv>

#include "cli/commands/commands.h"
#include "memory/itemsets.h"

namespace lento::cli {
namespace {

struct ItemsetsOptions {
  std::string path;
  std::string support;
  bool closed = false;
  bool maximal = false;
  bool frequent = false;
  bool count = false;
  unsigned jobs = 1;
};

// Writes lines such as "3 17 42 (120)", in large pieces.
class FimiWriter {
 public:
  struct Closed {};  // thrown when nobody takes what is written

  explicit FimiWriter(std::ostream& out)
      : out_(out) {
    text_.reserve(kPiece + 4096);
  }
  ~FimiWriter() {
    flush();
  }

  void write(std::span<const uint32_t> items, uint64_t support) {
    for (const uint32_t item : items) {
      number(item);
      text_ += ' ';
    }
    text_ += '(';
    number(support);
    text_ += ")\n";
    if (text_.size() < kPiece)
      return;
    flush();
    if (!out_)
      throw Closed{};
  }

 private:
  static constexpr size_t kPiece = 1 << 16;

  void number(uint64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, size_t(end - digits));
  }
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
};

void run_itemsets(Context& context, const ItemsetsOptions& options) {
  memory::MemoryItemsetsOptions job;
  job.path = options.path;
  job.support = options.support;
  job.strict = context.strict;
  job.mine.kind = options.frequent  ? memory::SetKind::Frequent
                  : options.maximal ? memory::SetKind::Maximal
                                    : memory::SetKind::Closed;
  job.mine.threads = options.jobs;
  job.mine.progress = context.progress();
  memory::MemoryItemsets mined;
  try {
    FimiWriter writer(context.streams.out);
    if (!options.count) {
      job.mine.sink = [&writer](std::span<const uint32_t> items, uint64_t support) {
        writer.write(items, support);
      };
    }
    mined = memory::mine_memory_itemsets(job);
  } catch (const FimiWriter::Closed&) {
    return;  // the state of the stream reports it
  }
  for (const auto& [reason, count] : mined.report.reasons)
    context.warn(std::to_string(count) + " lines skipped: " + reason);
  if (options.count)
    context.streams.out << memory::to_string(mined.result.count) << "\n";
}

}  // namespace

void add_memory_itemsets(Command& group, Context& context) {
  Command* command = group.add_subcommand("itemsets", "Itemsets of transactions in FIMI form, exact");
  auto options = std::make_shared<ItemsetsOptions>();
  command
      ->add_option(
          "FILE",
          options->path,
          "One transaction a line, item numbers; also .gz .xz .zst; - is stdin")
      ->required();
  command->add_option("--support", options->support, "Least support: a count, or a share such as 65%")
      ->required();
  auto* closed =
      command->add_flag("--closed", options->closed, "Sets without a superset of equal support (default)");
  auto* maximal =
      command->add_flag("--maximal", options->maximal, "Frequent sets without a frequent superset");
  auto* frequent = command->add_flag("--frequent", options->frequent, "All frequent sets");
  closed->excludes(maximal)->excludes(frequent);
  maximal->excludes(frequent);
  command->add_flag("--count", options->count, "Print only the number of non-empty sets");
  command->add_flag("--strict", context.strict, "Stop at the first damaged line instead of skipping it");
  command->add_option("-j,--jobs", options->jobs, "Threads; 0 uses all cores. Results do not depend on it")
      ->capture_default_str();
  example(*command, "lento memory itemsets baskets.dat --support 5% --closed");
  command->callback([&context, options] {
    run_itemsets(context, *options);
  });
}

}  // namespace lento::cli
