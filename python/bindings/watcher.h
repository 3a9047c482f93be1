// SPDX-License-Identifier: Apache-2.0
// Looks after signals and the user's callback while the library works without the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <utility>

namespace dorm::python {

/// Called with the lock released, on the thread that called into the library.
class Watcher {
 public:
  explicit Watcher(nanobind::object callback) : callback_(std::move(callback)) {}

  /// False: stop. `state()` makes the dict for the callback, which is called where `worth_telling`.
  template <class State>
  bool go_on(bool worth_telling, State state) {
    const auto now = std::chrono::steady_clock::now();
    const bool tell = worth_telling && !callback_.is_none();
    if (!tell && now - checked_ < kBetweenChecks) return !stop_;
    const nanobind::gil_scoped_acquire lock;
    checked_ = now;
    check_signals();
    if (tell && !stop_) call(state);
    return !stop_;
  }

  bool interrupted() const { return interrupted_; }
  /// As Ctrl-C does.
  void interrupt() { stop_ = interrupted_ = true; }
  /// What a callback or a signal handler raised.
  void rethrow() {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  /// How often the interpreter is asked for signals.
  static constexpr std::chrono::milliseconds kBetweenChecks{100};

  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    stop_ = true;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_Clear();
      interrupted_ = true;
    } else {
      raised_ = std::make_exception_ptr(nanobind::python_error());
    }
  }

  template <class State>
  void call(State state) {
    try {
      stop_ = nanobind::cast<bool>(nanobind::bool_(callback_(state())));
    } catch (nanobind::python_error& error) {
      stop_ = true;
      if (error.matches(PyExc_KeyboardInterrupt)) {  // Ctrl-C while the callback ran
        interrupted_ = true;
      } else {
        raised_ = std::current_exception();
      }
    } catch (...) {
      stop_ = true;
      raised_ = std::current_exception();
    }
  }

  nanobind::object callback_;
  std::chrono::steady_clock::time_point checked_ = std::chrono::steady_clock::now();
  bool stop_ = false, interrupted_ = false;
  std::exception_ptr raised_;
};

}  // namespace dorm::python
