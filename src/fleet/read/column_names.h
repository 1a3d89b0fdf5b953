// Recognises the usual column names of exported metrics, in any case, to guess the layout of a table or to
// question a given one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet {

bool names_machine(std::string_view column);  // node, Hostname, instance, ...
bool names_device(std::string_view column);   // gpu, device_id, ...
bool names_time(std::string_view column);     // time_ms, Timestamp, Date, ...

// Returns the words of a name in lower case: host, ip for "Host IP" and "host_ip".
std::vector<std::string> words_of(std::string_view column);
bool is_time_word(std::string_view word);

// Returns whether a column counts the steps of a program (step, global_step, iteration). It is the time axis
// of a table without times.
bool names_step(std::string_view column);

// Returns whether a column of this name may hold times, or the device of a row. Its cells must confirm it.
bool may_name_time(std::string_view column);
bool may_name_device(std::string_view column);

// Returns whether a name combines a word for a machine with a word for a name: "server_id", "Host IP".
bool names_part_of_machine(std::string_view column);

// Returns whether a column or metric of this name annotates rows (label, step, rank, ...) and is no
// measurement.
bool names_annotation(std::string_view name);

// Returns whether the column separates groups of peers (stage, pp_rank, hardware), and so is a label of the
// machine.
bool names_peer_group(std::string_view column);

// Returns whether these columns can be the machines of one table (--wide): four or more names that differ
// only in their numbers, as in node-1, node-2 or {instance="gpu07:9400"}.
bool are_machines(const std::vector<std::string>& columns);

// Returns the columns whose first word names a machine ("node07") and that differ only in their numbers, or
// nothing when they are fewer than four.
std::vector<std::string> machines_among(const std::vector<std::string>& columns);

}  // namespace lento::fleet
