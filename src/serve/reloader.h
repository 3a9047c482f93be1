// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "serve/model_store.h"

namespace dorm::serve {

/// Reads models again, beside the threads that answer.
class Reloader {
 public:
  Reloader(ModelStore& store, double watch_seconds)
      : store_(store), watch_seconds_(watch_seconds), thread_([this] { work(); }) {}
  ~Reloader() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  void ask() {
    {
      const std::lock_guard lock(mutex_);
      asked_ = true;
    }
    wake_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
      const auto called = [this] { return ending_ || asked_; };
      if (watch_seconds_ > 0)
        wake_.wait_for(lock, std::chrono::duration<double>(watch_seconds_), called);
      else
        wake_.wait(lock, called);
      if (ending_) return;
      const bool all = std::exchange(asked_, false);
      lock.unlock();
      store_.reload(all);
      lock.lock();
    }
  }

  ModelStore& store_;
  double watch_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace dorm::serve
