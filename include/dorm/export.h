// SPDX-License-Identifier: Apache-2.0
// Models for other tools: search engines, model formats, source code. A target says what it can evaluate, writes the
// model, and returns it as numbers, so that its arithmetic can be tested on data before an engine uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/data/input.h"
#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "dorm/model.h"

namespace dorm {

/// What a target can evaluate beside weighted sums of features.
struct Serving {
  bool logarithms = false;  // sign(x) ln(1 + |x|) of a feature
  bool lists = false;       // sees all documents of a query at once
  bool kernels = false;
  bool trees = false;
  bool linear = true;
  bool curves = false;          // of lines; those of steps are trees
  bool gaps = false;            // tells a missing value from a number
  bool sums = false;            // of parts that it can evaluate
  std::uint32_t encodings = 0;  // the rules that it applies to columns, as bits by their place in Encode
  bool encodes_trees = false;   // also where the model is no weighted sum
};

/// Whether documents can be scored under this scaling.
bool can_serve(const Serving& serving, ScalingKind kind);
/// The scalings under which they can, as a list in words.
std::string servable_scalings(const Serving& serving);

struct ExportOptions {
  std::string name = "dorm";  // of the model, where the target gives it one
  FeatureNames names = {};    // feature: how the target spells it; others as they are
  bool fold = false;          // where the target has normalisers of its own: the scaling in the weights all the same
  bool non_negative = false;  // no score is negative while features stay within their range in training
};

/// What was written, as numbers: a score is constant + the sum over the terms, in their order, of weight (f(x) -
/// shift) / divisor, where f(x) is held between low and high.
struct ServedModel {
  /// Where a target has no negative logarithms, f(x) = ln(1 + max(x, 0)) - ln(1 + max(-x, 0)) becomes two terms. What
  /// is under these logarithms is in the precision of the target. A gap is 1 where the feature is missing, else 0.
  enum class Part { whole, positive, negative, gap };

  struct Term {
    std::size_t feature;  // of the model
    double weight, shift = 0, divisor = 1;
    Part part = Part::whole;
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    double missing = std::numeric_limits<double>::quiet_NaN();  // what stands for a missing x
    /// It is a piece of a curve: f(x) counts between two numbers alone.
    bool held() const { return low > -std::numeric_limits<double>::infinity(); }
  };
  std::vector<Term> terms;
  double constant = 0;
  std::size_t group = 0;    // terms in a group; groups are summed by themselves first; 0: no groups
  double pruned = 0;        // what the model's score has beside it, of all documents alike
  bool logarithms = false;  // f(x) = sign(x) ln(1 + |x|), else x
  ScalingKind within_query = ScalingKind::none;  // else shift and divisor are those of the documents at hand
  bool single = false;                           // in float32: features, weights, every operation
  /// Instead of all that, for what is no sum of terms: the scores of documents in order.
  std::function<std::vector<double>(const Dataset& data)> scores;
};

/// The scores of the documents as the target computes them.
std::vector<double> served_scores(const ServedModel& served, const Model& model, const Dataset& data);

/// How the target's scores differ from the model's.
struct ServedDifference {
  double largest = 0;               // difference of a score
  double scale = 0;                 // the largest |score|
  std::size_t document = 0;         // that has it
  std::size_t queries = 0;          // of the data
  std::size_t changed_queries = 0;  // those whose first `top` documents are others, or in another order
};
ServedDifference served_difference(const Dataset& data, std::span<const double> model_scores,
                                   std::span<const double> target_scores, double pruned, std::size_t top);

struct ExportedFile {
  std::string path, bytes;
};

struct Exported {
  std::vector<ExportedFile> files;  // the first is the model; just that, with an empty path, unless it is a folder
  std::string features;             // what the engine has to know of the features before it takes the model
  ServedModel served;
  std::vector<std::string> notes;  // what else is to be known: sentences
};

struct ExportTarget {
  CatalogEntry entry;
  Serving serving;
  bool folder = false;
  Exported (*write)(const Model& model, const ExportOptions& options);
  bool binary = false;  // its file is no text
};

std::span<const ExportTarget> export_targets();
/// Whether the target can evaluate a model of this kind and scaling; names and encodings are checked in export_model().
bool takes(const ExportTarget& target, const Model& model);
const ExportTarget& find_export_target(std::string_view name);  // throws Error(unknown_name)

/// Throws Error(unsupported) for models that the target cannot evaluate, and for names that it cannot spell.
Exported export_model(const Model& model, const ExportTarget& target, const ExportOptions& options = {});

/// What it costs to serve a model.
struct ServingCost {
  double milliseconds = 0;                // of the scores of 100 documents, on one thread
  std::size_t bytes = 0;                  // of its file
  std::vector<std::string> targets = {};  // that take it
};
/// Scores documents of `data` for some milliseconds.
ServingCost serving_cost(const Model& model, const Dataset& data);
/// "0.036 ms per 100 documents, 615.1 kB, exports to c, onnx".
std::string serving_text(const ServingCost& cost);

}  // namespace dorm
