// The access trace as text, lossless (docs/formats/access.md): the six columns of the paper, then Lento's.
//
//   # lento.access/1
//   cpu cycle pc type address latency size flags culprit culprit_pc blamed cause
//   1 212305 0x10009d60 fetch 0x10009d60 28 4 k 3 0x10016b50 17 interconnect
//
// A '-' means "unknown" or "none". The flags are l local, k service known, s sampled, f failed, u an atomic
// update, c a compare-and-swap, d an update that subtracts, g guarded by a lock that several threads take.
// `lento.access/2` has four more columns: thread process node service. Facts of the trace as a whole are
// lines between the first one and the columns: "# line 64", "# period 1000", "# time ns", "# node CPU NODE".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/read_report.h"
#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

enum class TextForm {
  Full,
  Context,
  Paper
};

std::string access_text_header(TextForm form = TextForm::Full);
void append_access_text(const AccessRecord& record, std::string& out);  // one line with its end

// Appends one line that also holds thread, process, node and service.
void append_context_text(const AccessRecord& record, std::string& out);

// Parses one line of the full or the context form. Returns false, and leaves `record` unspecified, when it is
// neither.
bool parse_access_text(std::string_view line, AccessRecord& record);

// Appends a line in the paper's form: cpu, cycle, pc, type, address, latency. That form has no header.
void append_paper_text(const AccessRecord& record, std::string& out);

// Writes a trace as text, in trace order. Records may come per CPU as AccessFileWriter takes them.
class AccessTextWriter : public AccessSink {
 public:
  AccessTextWriter(const std::string& path, TextForm form);
  void record(const AccessRecord& record) override;
  void advance(uint64_t cycle) override;
  void finish();

 private:
  void write_before(uint64_t cycle);

  base::OutputFile file_;
  TextForm form_;
  std::vector<AccessRecord> pending_;
};

// Reads the text form. Lines that are no record are skipped and counted. Throws base::Error at a wrong
// header.
class AccessTextSource : public AccessSource {
 public:
  AccessTextSource(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
  std::span<const AccessRecord> next() override;

 private:
  base::InputStream in_;
  base::ReadReport& report_;
  std::vector<AccessRecord> records_;
};

}  // namespace lento::memory
