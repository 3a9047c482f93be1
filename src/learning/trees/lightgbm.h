// SPDX-License-Identifier: Apache-2.0
// LightGBM's C interface, resolved in a shared library that is loaded on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dorm/dataset.h"
#include "dorm/learning/grow.h"

namespace dorm {

class LightGbm {
 public:
  explicit LightGbm(const std::string& path);

  const std::string& file() const { return file_; }

  using Free = int (*)(void*);
  using Handle = std::unique_ptr<void, Free>;

  /// The data in LightGBM's bins; those of `like`, if any.
  Handle dataset(const Dataset& data, const std::string& parameters, void* like) const;
  Handle booster(void* train, void* validation, const std::string& parameters) const;
  /// One more tree; false: there is nothing to split.
  bool update(void* booster) const;
  bool update(void* booster, const float* gradient, const float* curvature) const;
  /// Scores of the training (0) or validation (1) documents.
  void scores(void* booster, int which, std::vector<double>& out) const;
  /// The model of the first trees, as text.
  std::string text(void* booster, std::size_t rounds) const;

 private:
  void check(int code) const;
  Handle dense(const Dataset& data, const std::string& parameters, void* like) const;
  Handle compressed(const Dataset& data, const std::string& parameters, void* like) const;

  std::string file_;
  const char* (*last_error_)() = nullptr;
  int (*from_mat_)(const void*, int, std::int32_t, std::int32_t, int, const char*, void*, void**) = nullptr;
  int (*from_csr_)(const void*, int, const std::int32_t*, const void*, int, std::int64_t, std::int64_t, std::int64_t,
                   const char*, void*, void**) = nullptr;
  int (*set_field_)(void*, const char*, const void*, int, int) = nullptr;
  Free dataset_free_ = nullptr, booster_free_ = nullptr;
  int (*create_)(void*, const char*, void**) = nullptr;
  int (*add_valid_)(void*, void*) = nullptr;
  int (*update_)(void*, int*) = nullptr;
  int (*update_custom_)(void*, const float*, const float*, int*) = nullptr;
  int (*num_predict_)(void*, int, std::int64_t*) = nullptr;
  int (*predict_)(void*, int, std::int64_t*, double*) = nullptr;
  int (*to_text_)(void*, int, int, int, std::int64_t, std::int64_t*, char*) = nullptr;
};

}  // namespace dorm
