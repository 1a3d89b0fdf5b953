// Tests on the cells of one head or one row of a table in a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

// Returns whether a column holds the size by which the rows of a table differ: "Size", "Batch size".
bool names_size(const std::string& column);

// Returns whether a cell holds a value with its label, and no name of a column: "RX errors 9023".
bool holds_number(const std::string& cell);

// Returns whether a column holds how full something is: "Use%".
bool names_fill(const std::string& column);

// Returns the first word in the name of a row that names a host, or "".
std::string host_among(std::string_view name);

// Returns a head with blanks instead of the bars between its names: "face |bytes packets errs".
std::string without_bars(std::string text);

// Returns whether the head is that of samples by time and machine, which the fleet's reader of tables reads.
bool is_head_of_samples(const std::vector<std::string>& cells);

// Returns whether the names of the columns are one word with different numbers, as of nodes above rows of
// measures: "node0  node1", "Node 0  Node 1  Total".
bool names_parts(std::vector<std::string> cells);

// Returns whether a row states that an operator took a device out of service, so that its other states are no
// faults: "Admin Status  down".
bool is_out_of_service(const std::vector<std::string>& columns, const std::vector<std::string>& cells);

// Returns whether the row counts wanted and ready members of a service ("DESIRED  READY"). Sets `meaning`
// when fewer are ready than wanted.
bool is_incomplete(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    std::string& meaning);

// Returns a row of words whose first `count` words are its name as one cell.
std::vector<std::string> name_joined(std::vector<std::string> words, size_t count);

// Returns whether a cell names a function or a kernel and no part of a machine: "aten::mm", "relu(float*)".
bool names_code(std::string_view cell);

// Returns the cells below names such as "pxname" and "svname", from the whole to its member: "llm/vllm-3".
std::string fused_name(const std::vector<std::string>& columns, const std::vector<std::string>& cells);

}  // namespace lento::desk
