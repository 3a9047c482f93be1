// SPDX-License-Identifier: Apache-2.0
// Reads models again, in a thread beside those that answer. A file system that never answers holds up this thread and
// nothing else: at the end it is left behind.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "serve/model_store.h"

namespace dorm::serve {

class Reloader {
 public:
  /// Without a thread nothing is reloaded.
  Reloader(std::shared_ptr<ModelStore> store, double watch_seconds) : state_(std::make_shared<State>()) {
    state_->store = std::move(store);
    state_->watch_seconds = watch_seconds;
    try {
      std::thread([state = state_] { state->work(); }).detach();
    } catch (const std::system_error& error) {
      state_->ended = true;
      state_->store->note_failure(error.what());
    }
  }
  ~Reloader() {
    std::unique_lock lock(state_->mutex);
    state_->ending = true;
    state_->wake.notify_all();
    state_->wake.wait_for(lock, std::chrono::milliseconds(500), [this] { return state_->ended; });
    if (!state_->ended) state_->store->fall_silent();
  }
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  void ask() {
    {
      const std::lock_guard lock(state_->mutex);
      state_->asked = true;
    }
    state_->wake.notify_all();
  }

 private:
  struct State {
    void work() {
      std::unique_lock lock(mutex);
      const auto called = [this] { return ending || asked; };
      while (!ending) {
        if (watch_seconds > 0)
          wake.wait_for(lock, std::chrono::duration<double>(watch_seconds), called);
        else
          wake.wait(lock, called);
        if (ending) break;
        const bool all = std::exchange(asked, false);
        lock.unlock();
        store->reload(all);
        lock.lock();
      }
      ended = true;
      wake.notify_all();
    }

    std::shared_ptr<ModelStore> store;
    double watch_seconds = 0;
    std::mutex mutex;
    std::condition_variable wake;
    bool asked = false, ending = false, ended = false;
  };

  std::shared_ptr<State> state_;
};

}  // namespace dorm::serve
