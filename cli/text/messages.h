// SPDX-License-Identifier: Apache-2.0
// Messages of the command. An output that cannot be written (full, closed, without a reader) never ends the work: on
// standard error messages are lost, on standard output the exit status reports the failure at the end.
#pragma once

#include <string>
#include <string_view>

namespace dorm::cli {

/// Printable text, with the colours of style.h if enabled.
void print(const std::string& text);  // to standard output
void say(const std::string& text);    // to standard error

/// Suppresses all output of this process from now on: another process prints.
void silence_output();
/// Ends the silence after a few seconds, in which the other process would have printed and ended both.
void restore_output();

/// One line that replaces the one before it, on a terminal; an empty one clears it.
void say_in_place(const std::string& line);

/// Call first. Keeps the descriptors of closed standard streams from the next opened file, and turns a broken pipe into
/// an error instead of the end of the process.
void open_standard_streams();

/// While it lives, a broken pipe ends the process quietly, as in `dorm rank ... | head`.
class QuietPipe {
 public:
  QuietPipe();
  ~QuietPipe();
  QuietPipe(const QuietPipe&) = delete;
  QuietPipe& operator=(const QuietPipe&) = delete;
};

/// The exit status, `status` unless print() could not write: then 1 with a message, or the end that a broken pipe is.
int status_of_output(int status);

}  // namespace dorm::cli
