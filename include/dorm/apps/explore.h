// SPDX-License-Identifier: Apache-2.0
// Models and data behind a page: what `dorm explore` serves. docs/explore.md is the guide, web/API.md the endpoints.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/apps/serve.h"
#include "dorm/data/texts.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"

namespace dorm::explore {

/// A model and the data as it expects them: those of all models hold the same documents in the same order.
struct Candidate {
  std::string name;
  Model model;
  Dataset data;
  std::string fingerprint;          // of its file, 16 hexadecimal digits
  std::string kind = "model";       // or what else gave the scores: run, scores, feature, order
  std::vector<double> scores = {};  // in document order, of a ranker without a model; else empty
};

struct Options {
  std::vector<Candidate> models;  // one or two
  std::string data_name;
  std::string measure;          // empty: that of the first model, or ndcg@10 where that says none
  EvaluateOptions evaluation;   // how all figures are made; `threads` is of everything
  std::string texts;            // JSON lines {"id", "title", "text", "url"}; empty: none
  ReadableTexts readable = {};  // of the data; those of `texts` take their place
  std::vector<std::pair<std::string, std::string>> queue = {};  // ids of queries and documents, in the order of judging
  std::string judgments;                            // an SQLite file, created if it does not exist; empty: no judging
  std::size_t exact_values = std::size_t{1} << 23;  // data of more numbers are scored by changes when weights move
  std::function<void(double share, std::string_view what)> progress;  // while it is made; may be empty
};

constexpr std::size_t kBodyBytes = std::size_t{16} << 10;  // the most that a request of the page may bring

/// Whether this build can keep judgments: it needs SQLite.
bool can_judge();

/// Everything the page may ask about. Immutable but for judgments; answers come from any thread.
class Explorer {
 public:
  /// Scores all documents and evaluates all queries. Throws Error: bad_option for a number of models or options that
  /// cannot be, bad_input for data, texts or judgments, unsupported for judgments without SQLite.
  explicit Explorer(Options options);
  ~Explorer();
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  /// The page and all of /api/. This must outlive the router.
  void add_routes(serve::Router& router) const;

  struct State;  // src/serve/explore/state.h

 private:
  std::unique_ptr<const State> state_;
};

}  // namespace dorm::explore
