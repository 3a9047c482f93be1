// SPDX-License-Identifier: Apache-2.0
// The options of `dorm recommend train`, for all types of models.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dorm/recommend/factorize.h"
#include "dorm/recommend/implicit.h"
#include "input/ratings_input.h"

namespace dorm::cli {

struct RecommendTrainArguments {
  std::string type = "factors";
  std::string ratings, model, valid, test, item_features, item_columns, user_features, user_columns, warm;
  std::string layout = "auto";
  std::string measures = "ndcg@10,ndcg";
  double valid_share = 0;
  bool uncentred = false, fixed = false;
  SplitArguments split;
  FactorizeOptions options;                                       // of factors; of joint kernels where given
  std::string method = "dorm", kernel = "auto", solver = "bcda";  // of joint kernels, as are
  double C = 100, epsilon = 0;                                    // these
  bool paper_C = false;
  std::size_t planes = 0;  // 0: the default
  EventArguments events;
  ImplicitOptions implicit;  // of events
  std::string item_names;    // titles, of events
  std::vector<std::string> reports;
};

void add_recommend_options(CLI::App& app, RecommendTrainArguments& arguments);

/// Throws Error(unknown_name) for an unknown type of model, and Error(bad_option) for an option of another type.
void check_model_type(const CLI::App& app, const std::string& type);

}  // namespace dorm::cli
