// Reads a file in one pass. Most lines of a log match no format and cost one table look-up for each byte.
#include "desk/read/log_file.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "desk/read/host_parts.h"
#include "desk/read/json_rows.h"
#include "desk/read/peel.h"
#include "desk/read/rest_lines.h"

namespace lento::desk {
namespace {

constexpr double kProgressBytes = double(uint64_t{64} << 20);

std::vector<std::string_view> literals(const auto& forms) {
  std::vector<std::string_view> words;
  for (const auto& form : forms)
    words.push_back(form.pattern.literal());
  return words;
}

auto compiled(const Formats& formats, auto form) {
  std::vector<decltype(form)> forms;
  for (size_t f = 0; f < formats.size(); ++f)
    for (size_t i = 0; i < formats[f]->forms.size(); ++i)
      forms.push_back({f, i, Pattern(formats[f]->forms[i].pattern)});
  return forms;
}

// Calls `use` for each line of the text.
template <class Use>
void each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == text.npos)
      return;
    text.remove_prefix(end + 1);
  }
}

bool is_binary(std::string_view head) {
  return head.find('\0') != head.npos;
}

// Records a format for a file. The file shows that the faults in Format::covers are absent only when a reader
// took a line of it.
void add_format(const Format& format, SourceFile& source) {
  source.formats.emplace_back(format.name);
  if (!format.covers.empty() && source.known_lines > 0 &&
      std::ranges::find(source.covers, format.covers) == source.covers.end())
    source.covers.emplace_back(format.covers);
}

// Removes the prefixes of launchers and terminals, so that the header of a table is the same however the
// file was made.
std::string peeled_lines(std::string_view head) {
  std::string out;
  std::string buffer;
  each_line(head, [&](std::string_view line) {
    out += peel(line, Depth::Table, buffer).text;
    out += '\n';
  });
  if (!out.empty() && !head.ends_with('\n'))
    out.pop_back();
  return out;
}

// Returns whether a file is a log whose unknown lines can be ignored. In a short text of a training job or a
// benchmark of which fewer than half of the lines match, the other lines may hold the numbers that matter.
bool is_log_of(const LogReader::Recognition& found, std::string_view head) {
  constexpr double kMost = 0.5;
  if (!found.format || found.is_mixed)
    return false;
  const bool is_of_job = found.format->family == "training" || found.format->family == "bench";
  return !is_of_job || head.size() == kHead || found.score >= kMost;
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  return text;
}

// Removes the last, incomplete line of the beginning of a longer file.
std::string_view whole_lines(std::string_view head) {
  const size_t end = head.rfind('\n');
  return head.size() < kHead || end == head.npos ? head : head.substr(0, end + 1);
}

}  // namespace

bool is_json_document(std::string_view head) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos || (head[begin] != '{' && head[begin] != '['))
    return false;
  const size_t behind = head.find_first_not_of(" \t\r\n", begin + 1);
  const bool is_value =
      behind != head.npos && std::string_view("\"{[}]").find(head[behind]) != std::string_view::npos;
  const std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
  const size_t next = head.find_first_not_of(" \t\r\n", begin + line.size());
  const bool is_lines = line.ends_with("}") && next != head.npos && head[next] == '{';
  return is_value && !is_lines;
}

LogReader::LogReader(Formats formats)
    : formats_(std::move(formats)),
      forms_(compiled(formats_, Form{0, 0, Pattern("^x")})),
      prefilter_(literals(forms_)) {
}

// Calls `use` for each format with a form that matches the line. Returns whether one does.
template <class Use>
bool LogReader::each_match(std::string_view line, const Use& use, Fallbacks fallbacks) const {
  thread_local std::vector<uint32_t> found;
  prefilter_.find(line, found);
  std::erase_if(found, [&](uint32_t i) {
    const Format& format = *formats_[forms_[i].format];
    const bool is_left_out =
        fallbacks == Fallbacks::None || (fallbacks == Fallbacks::Lines && format.shape == Shape::Rest);
    return format.is_fallback && is_left_out;
  });
  if (found.empty())
    return false;
  std::string buffer;
  const Peeled peeled = peel(line, Depth::Log, buffer);
  bool any = false;
  bool is_kept = false;
  Match match;
  for (const uint32_t i : found) {
    const Format& format = *formats_[forms_[i].format];
    if (!format.is_fallback && forms_[i].pattern.match(peeled.text, match)) {
      use(forms_[i], match, peeled);
      any = true;
      is_kept = is_kept || !format.is_shared;
    }
  }
  for (const uint32_t i : found) {
    const Format& format = *formats_[forms_[i].format];
    if (!is_kept && format.is_fallback &&
        forms_[i].pattern.match(format.is_of_whole_line ? line : peeled.text, match))
      use(forms_[i], match, format.is_of_whole_line ? Peeled{line, {}, peeled.subject, peeled.time} : peeled);
  }
  return any;
}

// Returns the formats whose program wrote some of the first lines, and the number of these lines. Empty
// unless a system's logger wrote most of the lines.
std::map<size_t, size_t> LogReader::sent(std::string_view head) const {
  std::map<size_t, size_t> lines_of;
  size_t lines = 0;
  size_t sent = 0;  // by any program
  each_line(head, [&](std::string_view line) {
    ++lines;
    std::string buffer;
    const Peeled peeled = peel(line.substr(0, LineSource::kLongestLine), Depth::Log, buffer);
    sent += !peeled.sender.empty();
    for (size_t i = 0; i < formats_.size() && !peeled.sender.empty(); ++i)
      lines_of[i] += formats_[i]->sender == peeled.sender;
  });
  std::erase_if(lines_of, [&](const auto& format) {
    return format.second == 0 || sent * 2 <= lines;
  });
  return lines_of;
}

// Finds the format of a log by the share of matching lines in `head`, its first kHead bytes.
LogReader::Recognition LogReader::recognise_lines(std::string_view head) const {
  std::map<size_t, size_t> hits;
  size_t lines = 0;
  size_t known = 0;
  each_line(head, [&](std::string_view line) {
    ++lines;
    known += each_match(
        line,
        [&](const Form& form, const Match&, const Peeled&) {
          ++hits[form.format];
        },
        Fallbacks::None);
  });
  if (hits.empty()) {
    const std::map<size_t, size_t> senders = sent(head);
    if (senders.empty())
      return {};
    const Format* format = formats_[senders.begin()->first];
    const bool is_mixed = senders.begin()->second * 2 <= size_t(std::ranges::count(head, '\n'));
    return {
        format,
        0.5,
        (is_mixed ? "a system log with lines of the " : "most lines are of the ") +
            std::string(format->sender),
        is_mixed};
  }
  const auto most = std::ranges::max_element(hits, {}, [](const auto& hit) {
    return hit.second;
  });
  const Format* format = formats_[most->first];
  return {
      format,
      double(known) / double(lines),
      std::to_string(most->second) + " of the first " + std::to_string(lines) + " lines are of the form '" +
          std::string(format->name) + "'"};
}

LogReader::Recognition LogReader::recognise(std::string_view head) const {
  if (is_binary(head))
    return {};
  head = without_mark(head);
  const auto parts = host_parts(whole_lines(head));
  if (!parts.empty())
    head = parts[0].second;
  const std::string plain = peeled_lines(head);
  Recognition best;
  for (const Format* format : formats_) {
    if (!format->score)
      continue;
    std::string reason;
    const double score = format->score(plain, reason);
    if (score > best.score)
      best = {format, score, std::string(format->name) + ": " + reason};
  }
  return best.format ? best : recognise_lines(head);
}

// Reads a table line by line with the reader of one format.
void LogReader::read_table(LineSource& in, const Format& format, int32_t file, Records& records) const {
  const std::unique_ptr<Reader> reader = format.make();
  Sink sink(records, file);
  SourceFile& source = records.files[file];
  source.bytes = source.lines = source.known_lines = 0;
  std::string_view line;
  std::string buffer;
  while (in.line(line)) {
    if (in.line_number() == 1)
      line = without_mark(line);
    source.bytes += line.size() + 1;
    const Peeled peeled = peel(line, Depth::Table, buffer);
    sink.at(line, in.line_number(), peeled.subject, peeled.time);
    ++source.lines;
    source.is_last_known = reader->row(peeled.text, sink);
    source.is_torn_in_number = in.is_torn() && !line.empty() && line.back() >= '0' && line.back() <= '9';
    source.known_lines += source.is_last_known;
  }
  reader->end(sink);
  source.torn_line = in.is_torn() ? in.line_number() : 0;
  source.secrets = sink.secrets();
  if (!format.is_fallback || sink.taken() > 0)
    add_format(format, source);
}

void LogReader::read_lines(
    LineSource& in,
    int32_t file,
    bool is_known,
    Records& records,
    const base::Progress& progress) const {
  std::vector<std::unique_ptr<Reader>> readers(formats_.size());
  std::vector<RestReader*> rest;
  for (size_t i = 0; i < formats_.size() && !is_known; ++i)
    if (formats_[i]->shape == Shape::Rest) {
      readers[i] = formats_[i]->make();
      rest.push_back(dynamic_cast<RestReader*>(readers[i].get()));
      LENTO_CHECK(rest.back() != nullptr, "a format of the rest without a reader of the rest");
    }
  const std::map<size_t, size_t> senders = sent(in.peek(kHead));
  RestLines rest_lines(std::move(rest));
  Sink sink(records, file);
  SourceFile& source = records.files[file];
  source.is_log = true;
  source.is_first_partial = begins_within_line(in.peek(kHead));
  double shown = 0;
  Reader* follower = nullptr;
  std::string_view line;
  std::string buffer;
  while (in.line(line)) {
    source.bytes += line.size() + 1;
    ++source.lines;
    bool is_taken = false;
    if (follower) {
      const Peeled peeled = peel(line, Depth::Log, buffer);
      sink.at(peeled.text, in.line_number(), peeled.subject, peeled.time);
      const int left = sink.following() - 1;
      sink.follow(left);
      follower->behind(peeled.text, sink);
      is_taken = sink.following() > left;
      follower = sink.following() > 0 ? follower : nullptr;
    }
    const auto take = [&](const Form& form, const Match& match, const Peeled& peeled) {
      auto& reader = readers[form.format];
      if (!reader)
        reader = formats_[form.format]->make();
      sink.at(peeled.text, in.line_number(), peeled.subject, peeled.time);
      reader->take(form.index, match, sink);
      if (!follower && sink.following() > 0)
        follower = reader.get();
    };
    // In a file without a known format, the readers of Shape::Rest get below each line that no other format
    // took, even one without their fixed words. So their forms are not matched here (Fallbacks::Lines).
    const Fallbacks fallbacks = is_taken ? Fallbacks::None : is_known ? Fallbacks::All : Fallbacks::Lines;
    source.is_last_known = each_match(line, take, fallbacks) || is_taken;
    if (!source.is_last_known)
      source.is_last_known = rest_lines.read(line, in.line_number(), sink);
    source.known_lines += source.is_last_known;
    if (double(source.bytes) - shown > kProgressBytes) {
      shown = double(source.bytes);
      progress.throw_if_stopped();
      progress("bytes of " + source.path, shown, 0);
    }
  }
  source.torn_line = in.is_torn() ? in.line_number() : 0;
  source.is_last_partial = in.is_partial();
  for (const auto& [format, count] : senders)
    source.known_lines = std::max<uint64_t>(source.known_lines, count);
  for (size_t i = 0; i < readers.size(); ++i) {
    const uint64_t before = sink.taken();
    if (readers[i])
      readers[i]->end(sink);
    const bool is_read = readers[i] && (!formats_[i]->is_fallback || sink.taken() > before);
    if (is_read || senders.contains(i))
      add_format(*formats_[i], source);
  }
  source.secrets = sink.secrets();
}

void LogReader::read(
    LineSource& in,
    const std::string& name,
    Records& records,
    const base::Progress& progress) const {
  const std::string_view head = in.peek(kHead);
  if (is_binary(head) || host_parts(whole_lines(without_mark(head))).empty()) {
    read_one(in, name, records, progress);
    return;
  }
  const std::string text = in.rest(kMostDocument, name);
  const auto parts = host_parts(without_mark(text));
  for (const auto& [host, lines] : parts) {
    const size_t first = records.files.size();
    LineSource part = LineSource::of_text(lines);
    read_one(part, name + "/" + host, records, progress);
    for (size_t i = first; i < records.files.size(); ++i)
      records.files[i].host = host;
  }
  if (parts.empty()) {
    LineSource whole = LineSource::of_text(text);
    read_one(whole, name, records, progress);
  }
}

// Reads a file as a whole with the reader of one format.
void LogReader::read_document(const std::string& raw, const Format& format, int32_t file, Records& records)
    const {
  SourceFile& source = records.files[file];
  source.bytes = raw.size();
  const std::string text = peeled_lines(raw);
  const std::unique_ptr<Reader> reader = format.make();
  Sink sink(records, file);
  reader->document(without_mark(text), source.path, sink);
  reader->end(sink);
  source.known_lines = sink.taken();
  if (!format.is_fallback || sink.taken() > 0)
    add_format(format, source);
  source.secrets = sink.secrets();
}

void LogReader::read_one(
    LineSource& in,
    const std::string& name,
    Records& records,
    const base::Progress& progress) const {
  const Recognition found = recognise(in.peek(kHead));
  const int32_t file = int32_t(records.files.size());
  SourceFile& source = records.files.emplace_back();
  source.path = name;
  source.reason = found.reason;
  const std::string_view head = in.peek(kHead);
  if (is_binary(head)) {
    source.reason = "binary";
    return;
  }
  if (head.empty()) {
    source.reason = "empty";
    return;
  }
  if (found.format && found.format->shape == Shape::Document) {
    read_document(in.rest(kMostDocument, name), *found.format, file, records);
    return;
  }
  const Format* rest = nullptr;  // the last one, which reads reports
  for (const Format* format : formats_)
    if (format->shape == Shape::Rest)
      rest = format;
  if (is_json_document(head) && (found.format ? found.format->shape == Shape::Lines : rest != nullptr)) {
    const std::string raw = in.rest(kMostDocument, name);
    const std::string rows = rows_of_document(raw);
    LineSource lines = LineSource::of_text(rows.empty() ? raw : rows);
    if (found.format || !rows.empty())
      read_lines(lines, file, false, records, progress);
    if (found.format || records.files[file].recognised())
      return;
    try {
      read_document(raw, *rest, file, records);
    } catch (const base::Error&) {
      LineSource text = LineSource::of_text(raw);
      read_lines(text, file, false, records, progress);
    }
  } else if (found.format && found.format->shape == Shape::Table) {
    read_table(in, *found.format, file, records);
  } else {
    const std::string copy(in.peek(LineSource::kBuffer));
    read_lines(in, file, is_log_of(found, head), records, progress);
    // When lines looked like a known format and none of them became a row, they may be those of another tool.
    const bool is_empty = records.files[file].last_row == 0 && records.files[file].covers.empty();
    if (found.format && is_empty && rest && copy.size() < LineSource::kBuffer) {
      LineSource again = LineSource::of_text(copy);
      read_table(again, *rest, file, records);
    }
  }
  if (records.files[file].formats.empty())
    records.files[file].reason = tried(*this);
}

void LogReader::read_text(std::string_view text, const std::string& name, Records& records) const {
  LineSource in = LineSource::of_text(text);
  read(in, name, records);
}

std::string tried(const LogReader& reader) {
  size_t lines = 0;
  size_t whole = 0;
  std::string families;
  for (const Format* format : reader.formats()) {
    lines += format->forms.size();
    whole += format->score != nullptr;
    if (families.find(format->family) == families.npos)
      families += (families.empty() ? "" : ", ") + std::string(format->family);
  }
  return "not known: no line fits one of " + std::to_string(lines) +
         " line forms, nor the beginning one of " + std::to_string(whole) + " tables and documents (" +
         families + ")";
}

}  // namespace lento::desk
