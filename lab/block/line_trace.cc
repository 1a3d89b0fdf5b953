// Reads traces in the LFT1 format, and makes one by running a RISC-V program.
#include "lab/block/line_trace.h"

#include <unordered_map>

#include "base/bytes.h"
#include "base/file.h"
#include "riscv/machine.h"

namespace lento::tile {

LineTrace parse_line_trace(std::string_view bytes, const std::string& file) {
  base::ByteReader in(bytes, file);
  if (in.take(4, "magic") != "LFT1")
    in.fail("not a line-visit trace", "the file starts with LFT1 once decompressed");
  LineTrace trace;
  trace.instructions = in.read<uint64_t>("instruction count");
  const uint64_t lines = in.read<uint64_t>("line count"), visits = in.read<uint64_t>("visit count");
  if (lines > in.left() / 8 || visits > (in.left() - 8 * lines) / 5)
    in.fail("truncated: fewer lines or visits than promised");
  trace.lines.reserve(lines);
  for (uint64_t i = 0; i < lines; ++i)
    trace.lines.push_back(in.read<uint64_t>("line"));
  trace.visits.reserve(visits);
  for (uint64_t i = 0; i < visits; ++i) {
    const uint32_t index = in.read<uint32_t>("visit");
    if (index >= lines)
      in.fail(
          "visit " + std::to_string(i) + " names line " + std::to_string(index) + " of " +
          std::to_string(lines));
    trace.visits.push_back(index);
  }
  uint64_t sum = 0;
  for (const char c : in.take(visits, "instruction counts")) {
    trace.counts.push_back(uint8_t(c));
    sum += trace.counts.back();
  }
  if (in.left() != 0)
    in.fail("bytes follow the last visit");
  if (sum != trace.instructions)
    in.fail(
        "the visits hold " + std::to_string(sum) + " instructions, the header says " +
        std::to_string(trace.instructions));
  return trace;
}

LineTrace read_line_trace(const std::string& path) {
  return parse_line_trace(base::read_file(path), path);
}

std::string write_line_trace(const LineTrace& trace) {
  std::string out = "LFT1";
  base::append_little(out, trace.instructions);
  base::append_little(out, uint64_t{trace.lines.size()});
  base::append_little(out, uint64_t{trace.visits.size()});
  for (const uint64_t line : trace.lines)
    base::append_little(out, line);
  for (const uint32_t visit : trace.visits)
    base::append_little(out, visit);
  for (const uint8_t count : trace.counts)
    out += char(count);
  return out;
}

LineTrace trace_lines(const riscv::ElfImage& program, uint64_t max_instructions) {
  riscv::Machine machine;
  machine.load(program);
  LineTrace out;
  std::unordered_map<uint64_t, uint32_t> index;
  uint64_t running = ~uint64_t{0};
  for (bool ended = false; !ended && out.instructions < max_instructions; ++out.instructions) {
    const uint64_t line = machine.hart().pc >> 6;
    if (line != running || out.counts.back() == 255) {
      const auto [at, is_new] = index.try_emplace(line, uint32_t(out.lines.size()));
      if (is_new)
        out.lines.push_back(line);
      out.visits.push_back(at->second);
      out.counts.push_back(0);
      running = line;
    }
    ++out.counts.back();
    ended = machine.run(1);
  }
  return out;
}

}  // namespace lento::tile
