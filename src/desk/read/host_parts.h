// Splits the output of one command on several hosts into one text per host, so that each text is read as a
// file of that host.
//
//   prefixed = {HOST ":" [" "] line}                                    pdsh, clush, dsh
//   headed   = {heading {line}}
//   heading  = {mark} HOST {mark}                                       loops over hosts: "=== n1 ==="
//            | rule newline (HOST | GROUP) newline rule                 clush -b, dshbak
//            | "==> " [FOLDER] HOST [".log"] " <=="                     tail, head
//            | HOST " | " ("CHANGED" | "SUCCESS" | "FAILED") any        ansible
//   group    = STEM "[" N ["-" N] {"," N ["-" N]} "]"                   hosts with equal output
//   tasks    = {"TASK [" any "]" {result}}                              ansible-playbook
//   result   = STATE ": [" HOST "] => {" any NAME ": [" {string} "]"    the strings of JSON are the lines
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento::desk {

// Returns the names of hosts with their lines, in the order of first appearance. Empty when the text is not
// the output of several hosts.
std::vector<std::pair<std::string, std::string>> host_parts(std::string_view text);

// Returns whether a word may be the name of a host: letters before a number, and no device's name.
bool may_be_host(std::string_view word);

// Returns whether a word among others is the name of a host: its number is padded with zeros ("gpu034"), or
// it begins as hosts do ("node7", "dgx-3").
bool is_host_word(std::string_view word);

}  // namespace lento::desk
