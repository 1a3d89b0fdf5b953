// Compares the names of files of one kind, because what differs between them is the part that a file is from.
#include "desk/file_names.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "desk/read/ends.h"
#include "desk/read/host_parts.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

bool is_joint(char c) {
  return c == '-' || c == '_' || c == '.';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Returns how many characters at the end of a name are a time: Unix seconds or milliseconds of 2014 to 2033,
// or a date, which a time of day may follow ("20261129", "2026-11-29T08-10", "20261129_081000Z").
size_t time_at_end(const std::string& name) {
  static const std::regex time(
      R"(1[4-9]\d{8}|1[4-9]\d{11}|20\d\d-?[01]\d-?[0-3]\d([-_T]?[0-2]\d[-_:]?[0-5]\d([-_:]?[0-5]\d)?Z?)?)");
  constexpr size_t kLongest = std::string_view("2026-11-29T08-10-00Z").size();
  for (size_t begin = name.size() - std::min(kLongest, name.size()); begin < name.size(); ++begin) {
    const bool begins =
        (begin == 0 || is_joint(name[begin - 1])) && (name[begin] == '1' || name[begin] == '2');
    if (begins && std::regex_match(name.begin() + std::ptrdiff_t(begin), name.end(), time))
      return name.size() - begin;
  }
  return 0;
}

// Removes endings added by compression and log rotation, and the time at which a file was written:
// "train.log.2.gz" and "train.log-20261120" are parts of "train.log", "n3-1795860420.prom" one of "n3.prom".
// A name that is a time only becomes empty, so that the folder names the part.
fs::path without_rotation(const std::string& path) {
  fs::path name(path);
  for (const char* ending : {".gz", ".xz", ".zst", ".bz2"})
    if (name.extension() == ending)
      name.replace_extension();
  const std::string last = name.extension().string();
  if (name.stem() == "rank")
    return name;
  if (last == ".old" || (last.size() > 1 && last.size() <= 4 && is_digits(last.substr(1))))
    name.replace_extension();
  for (const bool is_behind : {true, false}) {  // "train.log-20261120", "n3-1795860420.prom"
    const std::string stem = (is_behind ? name.filename() : name.stem()).string();
    if (const size_t size = time_at_end(stem); size > 0) {
      const std::string kept = stem.substr(0, stem.size() - std::min(stem.size(), size + 1));
      name.replace_filename(kept + (is_behind ? "" : name.extension().string()));
      break;
    }
  }
  return name;
}

// Interprets a file name: "rank3", "rank_3" and "3" are ranks, and any other name with a letter may be a
// host.
Subject named_by(const std::string& name) {
  const RankWord rank = rank_in(name);
  const bool is_rank = !rank.number.empty() && rank.begin == 0 && rank.end == name.size();
  return is_rank ? Subject{"", "", rank.number} : Subject{name, "", ""};
}

// Returns whether the number in a name is that of a job: "slurm-4711", "slurm-4711_3", "job_12", as
// schedulers name a job's output.
bool names_a_job(const std::string& name) {
  for (const std::string_view word : {"slurm", "job", "run", "train", "training", "output", "log"})
    if (name.starts_with(word) && name.find_first_not_of("0123456789-_", word.size()) == name.npos)
      return true;
  return false;
}

// Returns whether a name looks like a host: letters followed by a number. A single file is named after a
// machine only then.
bool looks_like_host(const std::string& name) {
  return name.size() > 1 && !names_a_job(name) && name.back() >= '0' && name.back() <= '9' &&
         std::ranges::none_of(name, [](char c) {
           return c == ' ';
         });
}

// Removes the name of the tool in front of that of the host: "dgx-a07" of "lspci_dgx-a07" and of
// "lspci.dgx-a07".
std::string without_tool(const std::string& stem) {
  const size_t joint = stem.find_first_of("_.");
  const std::string host = joint == stem.npos ? "" : stem.substr(joint + 1);
  const bool has_letter = host.find_first_not_of("0123456789-_.") != host.npos;
  return has_letter && looks_like_host(host) ? host : stem;
}

// Shortens "gpu17.cluster.example" and "gpu17.smi" to "gpu17".
std::string short_name(const std::string& stem) {
  const std::string first = stem.substr(0, stem.find('.'));
  return looks_like_host(first) ? first : stem;
}

// Returns the name of a file without its ending. A host in place of an ending stays: "dmesg.node12".
std::string stem_of(const fs::path& file) {
  const std::string ending = file.extension().string();
  const std::string word = ending.empty() ? "" : ending.substr(1);
  constexpr std::string_view kEndings[] = {"h5", "hdf5", "md5", "mp4", "sha1", "sha256", "sha512", "bz2"};
  const bool has_letter = word.find_first_not_of("0123456789-_") != word.npos;
  const bool is_host =
      has_letter && looks_like_host(word) && std::ranges::find(kEndings, word) == std::end(kEndings);
  return is_host ? file.filename().string() : file.stem().string();
}

// Returns the part of a name that differs between files, without the text that is common to all: "n17" for
// "dmesg-n17" next to "dmesg-n18".
std::string without_common(const std::string& stem, const std::string& other) {
  size_t begin = 0;
  size_t before = 0;  // the joint in front of that of `begin`: "worker-" of "slurmd-worker-019"
  // Behind or in front of "_" or ".", which separate words, names of hosts have "-" only.
  size_t differs = 0;
  while (differs < stem.size() && differs < other.size() && stem[differs] == other[differs])
    ++differs;
  const size_t dot = stem.find_first_of("._", differs);
  bool is_host = dot != stem.npos && std::ranges::any_of(stem.substr(dot), is_letter) &&
                 stem.find_first_of("_.") >= differs;
  for (size_t i = 0; i < stem.size() && i < other.size() && stem[i] == other[i]; ++i) {
    const bool separates = stem[i] == '_' || stem[i] == '.';
    if (is_joint(stem[i]) && (separates || !is_host))
      before = std::exchange(begin, i + 1);
    is_host = is_host || separates;
  }
  size_t end = stem.size();
  for (size_t i = 1;
       i <= stem.size() - begin && i <= other.size() && stem[stem.size() - i] == other[other.size() - i];
       ++i)
    if (is_joint(stem[stem.size() - i]) && !(is_host && stem[stem.size() - i] == '-'))
      end = stem.size() - i;
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789-_.") == text.npos;
  };
  std::string inner = begin < end ? stem.substr(begin, end - begin) : stem;
  if (is_number(inner) && begin < end)
    inner = stem.substr(before, end - before);
  const bool has_letter = !is_number(inner);
  return has_letter && looks_like_host(inner) ? inner : stem;
}

// Returns the longest part of a file name between joints that is the name of a host that the rows state.
std::string known_host_in(const std::string& stem, const std::set<std::string>& hosts) {
  std::vector<size_t> begins{0};
  for (size_t i = 0; i < stem.size(); ++i)
    if (std::string_view("-_.").find(stem[i]) != std::string_view::npos)
      begins.push_back(i + 1);
  begins.push_back(stem.size() + 1);
  std::string longest;
  for (size_t from = 0; from < begins.size(); ++from)
    for (size_t to = from + 1; to < begins.size(); ++to)
      if (const std::string part = stem.substr(begins[from], begins[to] - 1 - begins[from]);
          part.size() > longest.size() && hosts.contains(part))
        longest = part;
  return longest;
}

// Returns the names of hosts with a letter and a digit that the rows state, without their domains.
std::set<std::string> hosts_of(const Records& records) {
  std::set<std::string> hosts;
  const auto add = [&](const std::string& name) {
    const std::string host = name.substr(0, name.find('.'));
    if (host.find_first_of("0123456789") != host.npos && !is_digits(host) && !names_a_job(host))
      hosts.insert(host);
  };
  for (const Subject& subject : records.subjects())
    add(subject.host);
  for (const Event& event : records.events())
    add(event.subject.host);
  return hosts;
}

// Assigns files to kinds. Files with the same formats are one kind.
std::vector<size_t> kinds_of(const Records& records) {
  std::map<std::string, size_t> kind_of_format;
  std::vector<size_t> kinds(records.files.size());
  for (size_t i = 0; i < records.files.size(); ++i) {
    size_t kind = i;
    for (const std::string& format : records.files[i].formats)
      kind = std::min(kind, kind_of_format.try_emplace(format, i).first->second);
    for (const std::string& format : records.files[i].formats)
      kind_of_format[format] = kind;
    kinds[i] = kind;
  }
  return kinds;
}

// Returns the host or rank of one file among the other files of its kind. When the file names are equal,
// their folders name them: node1/dmesg.txt next to node2/dmesg.txt.
Subject name_among(
    const fs::path& file,
    const std::set<fs::path>& others,
    const std::set<std::string>& hosts,
    bool folder_is_host,
    bool folders_are_ranks) {
  const std::string stem = stem_of(file);
  const std::string folder = file.parent_path().filename().string();
  // "node3_rank13"
  const size_t word = stem.rfind("rank");
  if (word != stem.npos && word > 1 &&
      std::string_view("-_.").find(stem[word - 1]) != std::string_view::npos) {
    const std::string host = stem.substr(0, word - 1);
    const Subject rank = named_by(stem.substr(word));
    if (!rank.rank.empty() && !host.ends_with("local"))
      return {looks_like_host(host) ? host : "", "", rank.rank};
  }
  if (std::string host = known_host_in(stem, hosts); !host.empty())
    return {std::move(host), "", ""};
  size_t same = 0;
  std::string other;
  for (const fs::path& one : others) {
    if (one == file)
      continue;
    same += stem_of(one) == stem;
    if (stem_of(one) != stem)
      other = stem_of(one);
  }
  Subject name;
  if (others.size() > 1 && same == 0)
    name = named_by(short_name(without_common(stem, other)));
  else if (looks_like_host(short_name(stem)))
    name = named_by(without_tool(short_name(stem)));
  if (folders_are_ranks && is_digits(folder))
    return {"", "", folder};
  // "node1/nvme0.log" and "node2/nvme0.log": a name that comes again in other folders is that of a device.
  const bool is_of_device = same > 0 && !is_host_word(name.host) && is_host_word(folder);
  if ((name.host.empty() || is_of_device) && folder_is_host)
    name.host = short_name(folder);
  return name;
}

// How the stems of files that are named after two hosts are built: `before` characters, a host, one of "-",
// "_" and ".", the other host, `behind` characters.
struct PairForm {
  size_t before = 0;
  size_t behind = 0;
};

using Ends = std::pair<std::string, std::string>;

// Returns all ways to read a stem as two names.
std::vector<Ends> splits_of(const std::string& stem, const PairForm& form) {
  std::vector<Ends> splits;
  const size_t end = stem.size() - form.behind;
  for (size_t i = form.before + 1; i + 1 < end; ++i)
    if (is_joint(stem[i])) {
      const size_t right =
          stem.substr(i).starts_with("_to_") || stem.substr(i).starts_with("-to-") ? i + 4 : i + 1;
      if (right < end)
        splits.emplace_back(stem.substr(form.before, i - form.before), stem.substr(right, end - right));
    }
  return splits;
}

// Replaces each digit: names of hosts that are alike but for their numbers have one shape.
std::string shape_of(std::string name) {
  std::ranges::replace_if(
      name,
      [](char c) {
        return c >= '0' && c <= '9';
      },
      '0');
  return name;
}

// Returns the ends of each stem when all are named after two hosts in this form. Both have one shape, or each
// name is in at least two stems, none is in all, and one is first in a stem and second in another.
std::vector<Ends> ends_in(const std::vector<std::string>& stems, const PairForm& form) {
  std::map<std::string, size_t> first;
  std::map<std::string, size_t> second;
  for (const std::string& stem : stems)
    for (const auto& [left, right] : splits_of(stem, form)) {
      ++first[left];
      ++second[right];
    }
  const auto count = [&](const std::string& name) {
    return (first.contains(name) ? first.at(name) : 0) + (second.contains(name) ? second.at(name) : 0);
  };
  std::vector<Ends> ends;
  bool is_crossed = false;
  bool is_alike = true;
  for (const std::string& stem : stems) {
    const std::vector<Ends> splits = splits_of(stem, form);
    const auto is_named = [&](const Ends& split) {
      return split.first != split.second && !names_a_job(split.first) &&
             std::ranges::any_of(split.first, is_letter) && std::ranges::any_of(split.second, is_letter);
    };
    const auto are_alike = [&](const Ends& split) {
      return is_named(split) && looks_like_host(split.first) &&
             shape_of(split.first) == shape_of(split.second);
    };
    const auto are_shared = [&](const Ends& split) {
      return is_named(split) && std::min(count(split.first), count(split.second)) > 1 &&
             std::max(count(split.first), count(split.second)) < stems.size();
    };
    auto at = std::ranges::find_if(splits, are_alike);
    if (at == splits.end()) {
      is_alike = false;
      at = std::ranges::find_if(splits, are_shared);
    }
    if (at == splits.end())
      return {};
    is_crossed = is_crossed || second.contains(at->first) || first.contains(at->second);
    ends.push_back(*at);
  }
  return is_alike || is_crossed ? ends : std::vector<Ends>{};
}

// Returns both hosts of each file, "n1 and n2" (ends.h), when the files of one kind are named after pairs.
std::map<fs::path, std::string> pairs_among(const std::set<fs::path>& files) {
  constexpr size_t kMostFiles = 4096;
  if (files.size() < 3 || files.size() > kMostFiles)
    return {};
  std::vector<std::string> stems;
  for (const fs::path& file : files)
    stems.push_back(stem_of(file));
  const std::string& one = stems[0];
  size_t same = one.size();
  size_t same_end = one.size();
  for (const std::string& stem : stems) {
    same = std::min<size_t>(same, std::ranges::mismatch(one, stem).in1 - one.begin());
    same_end = std::min<size_t>(
        same_end,
        std::mismatch(one.rbegin(), one.rend(), stem.rbegin(), stem.rend()).first - one.rbegin());
  }
  for (size_t before = 0; before <= same; ++before)
    for (size_t behind = 0; behind <= same_end && before + behind < one.size(); ++behind) {
      const bool begins = before == 0 || is_joint(one[before - 1]);
      const bool ends = behind == 0 || is_joint(one[one.size() - behind]);
      if (!begins || !ends)
        continue;
      const std::vector<Ends> found = ends_in(stems, {before, behind});
      std::map<fs::path, std::string> pairs;
      for (auto at = files.begin(); !found.empty() && at != files.end(); ++at) {
        const auto& [left, right] = found[size_t(std::distance(files.begin(), at))];
        pairs[*at] = left + kEndsJoint + right;
      }
      if (!pairs.empty())
        return pairs;
    }
  return {};
}

}  // namespace

std::map<int32_t, Subject> names_of(const Records& records) {
  const std::vector<size_t> kinds = kinds_of(records);
  std::map<size_t, std::set<fs::path>> files;
  std::set<std::string> folders;
  std::map<std::string, std::set<std::string>> same;  // the folders in which a name of a file comes again
  std::set<std::string> numbers;  // folders named 0, 1, 2 ..., as torchrun --log-dir makes them
  for (size_t i = 0; i < records.files.size(); ++i) {
    const fs::path path = without_rotation(records.files[i].path);
    const std::string folder = path.parent_path().filename().string();
    if (is_digits(folder))
      numbers.insert(folder);
    if (!records.files[i].recognised())
      continue;
    files[kinds[i]].insert(path);
    if (looks_like_host(short_name(folder)))
      folders.insert(folder);
    else if (std::ranges::any_of(folder, is_letter) && !names_a_job(folder))
      same[path.filename().string()].insert(folder);
  }
  // Folders with equal names of files are hosts, whatever they are called.
  constexpr size_t kFewestAlike = 3;
  for (const auto& [name, own] : same)
    if (own.size() >= kFewestAlike)
      folders.insert(own.begin(), own.end());
  const bool are_ranks =
      numbers.size() > 1 && numbers.contains("0") && numbers.contains(std::to_string(numbers.size() - 1));
  const std::set<std::string> hosts = hosts_of(records);
  std::map<size_t, std::map<fs::path, std::string>> pairs;
  for (const auto& [kind, paths] : files) {
    std::map<std::string, std::set<fs::path>> alike;  // but for numbers
    for (const fs::path& path : paths)
      alike[shape_of(path.string())].insert(path);
    for (const auto& [shape, own] : alike)
      pairs[kind].merge(pairs_among(own));
    if (pairs[kind].empty())
      pairs[kind] = pairs_among(paths);
  }
  const auto is_host = [&](const fs::path& path) {
    return folders.size() > 1 && folders.contains(path.parent_path().filename().string());
  };
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < records.files.size(); ++i) {
    const fs::path path = without_rotation(records.files[i].path);
    if (!records.files[i].recognised())
      continue;
    if (const std::string& host = records.files[i].host; !host.empty()) {
      names[int32_t(i)] = named_by(host);
      continue;
    }
    const auto pair = pairs[kinds[i]].find(path);
    names[int32_t(i)] = pair != pairs[kinds[i]].end()
                            ? Subject{pair->second, "", ""}
                            : name_among(path, files[kinds[i]], hosts, is_host(path), are_ranks);
  }
  return names;
}

}  // namespace lento::desk
