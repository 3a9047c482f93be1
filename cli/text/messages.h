// SPDX-License-Identifier: Apache-2.0
// What the command says to people. A place that cannot be written (full, closed, a reader that has gone) never ends the
// work: on standard error what is said is lost, on standard output the exit status tells of it at the end.
#pragma once

#include <string>
#include <string_view>

namespace dorm::cli {

/// Printable, with the colours of style.h where they are wanted.
void print(const std::string& text);  // to standard output
void say(const std::string& text);    // to standard error

/// From now on, nothing is said or printed: another process does.
void leave_talking_to_another();
/// What the other would have said by now cannot be said by it: this process says it, after a while in which the other
/// has said the same, and has ended both, where it could.
void talk_if_nobody_did();

/// One line that takes the place of the one before it, on a terminal; an empty one clears it.
void say_in_place(const std::string& line);

/// Prepares for the above: standard streams that are closed are not given to the next file that is opened, and a reader
/// that goes away is an error instead of the end of the process. To be called first.
void open_standard_streams();

/// A reader that goes away ends the process again, quietly, as `dorm rank ... | head` should; while it lives.
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
