// SPDX-License-Identifier: Apache-2.0
// Models and data that the tests of export targets share: features with negative values, a constant one, one without
// weight; and what a target says of them, held against the model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/export.h"

namespace dorm::test {

/// The values of a document by the names of features.
using ExportRow = std::map<std::string, float>;

struct ExportCase {
  Dataset data;
  Model model;

  explicit ExportCase(ScalingKind kind, const std::vector<std::string>& names, std::uint64_t seed = 1) {
    Rng rng(seed);
    DatasetBuilder builder;
    builder.set_feature_names(names);
    for (std::size_t q = 0; q < 3; ++q)
      for (std::size_t i = 0; i < 6; ++i) {
        std::vector<float> row(names.size());
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = j == 1 ? 2.5F : value(rng, j);
        builder.add({static_cast<float>(i % 3), std::to_string(q)}, row);
      }
    data = builder.finish();
    model.features = names;
    for (std::size_t j = 0; j < names.size(); ++j)
      model.weights.push_back(j == 2 ? 0 : rng.normal() * std::pow(10, 4 * rng.uniform() - 2));
    model.scaling = fit_scaling(kind, data);
    model.measure = "ndcg@10";
  }

  /// The model knows the ranges of its features.
  void learn_ranges() {
    FeatureStatistics& known = model.data.statistics;
    for (std::size_t j = 0; j < model.features.size(); ++j) {
      const std::vector<double> column = scores([&](const ExportRow& row) { return row.at(model.features[j]); });
      known.minimum.push_back(*std::min_element(column.begin(), column.end()));
      known.maximum.push_back(*std::max_element(column.begin(), column.end()));
      known.mean.push_back((known.minimum[j] + known.maximum[j]) / 2);
    }
  }

  /// The document of the lowest score within the ranges.
  ExportRow lowest() const {
    ExportRow row;
    for (std::size_t j = 0; j < model.features.size(); ++j) {
      const FeatureStatistics& known = model.data.statistics;
      row[model.features[j]] = static_cast<float>(model.weights[j] > 0 ? known.minimum[j] : known.maximum[j]);
    }
    return row;
  }

  /// As expect_served; no document within the ranges has a negative score, and no ranking changes.
  void expect_non_negative(const Exported& exported, const std::function<double(const ExportRow&)>& reader,
                           double unit) const {
    expect_served(exported, reader, unit);
    EXPECT_GE(reader(lowest()), 0) << name_of(model.scaling.kind);
    const std::vector<double> read = scores(reader);
    for (const double found : read) EXPECT_GE(found, 0) << name_of(model.scaling.kind);
    EXPECT_EQ(served_difference(data, score(model, data), read, exported.served.pruned, 10).changed_queries, 0u);
  }

  /// The scores of all documents by a function of one.
  std::vector<double> scores(const std::function<double(const ExportRow&)>& score_of) const {
    std::vector<double> all;
    std::vector<float> row(data.num_features());
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      for (std::size_t i = 0; i < data.query(q).size(); ++i) {
        data.query(q).rows.load(i, row);
        ExportRow values;
        for (std::size_t j = 0; j < row.size(); ++j) {
          const std::string name = data.feature_name(j);
          values[name] = row[j];
          if (name.find_first_not_of("0123456789") == std::string::npos) values.emplace("f" + name, row[j]);
        }
        all.push_back(score_of(values));
      }
    return all;
  }

  /// The reader's scores are to the bit those that the export tells in numbers (but for the last digits of ln(1 + x)),
  /// and up to what is left out those of the model, within the rounding errors of numbers with this unit.
  void expect_served(const Exported& exported, const std::function<double(const ExportRow&)>& reader,
                     double unit) const {
    const std::vector<double> read = scores(reader), told = served_scores(exported.served, model, data);
    const std::vector<double> ours = score(model, data);
    std::vector<double> sizes;
    const std::vector<double> truth = scores([&](const ExportRow& row) { return defined(row, sizes); });
    for (std::size_t d = 0; d < read.size(); ++d) {
      const double allowed = static_cast<double>(model.features.size() + 16) * unit * sizes[d];
      if (exported.served.logarithms && exported.served.terms[0].part == ServedModel::Part::whole)
        EXPECT_NEAR(read[d], told[d], 4 * unit * sizes[d]);
      else
        EXPECT_EQ(read[d], told[d]) << name_of(model.scaling.kind);
      EXPECT_NEAR(read[d] + exported.served.pruned, truth[d], allowed) << name_of(model.scaling.kind);
      EXPECT_NEAR(read[d] + exported.served.pruned, ours[d], allowed) << name_of(model.scaling.kind);
    }
  }

 private:
  /// By the definition, in doubles; the sizes of its terms are added up as well.
  double defined(const ExportRow& row, std::vector<double>& sizes) const {
    double sum = 0, size = 0;
    for (std::size_t j = 0; j < model.features.size(); ++j) {
      const double x = row.at(model.features[j]);
      const bool logarithm = model.scaling.kind == ScalingKind::log_zscore;
      const double value = logarithm ? std::copysign(std::log1p(std::fabs(x)), x) : x;
      const double shift = model.scaling.shift.empty() ? 0 : model.scaling.shift[j];
      const double weight = model.weights[j] * (model.scaling.factor.empty() ? 1 : model.scaling.factor[j]);
      sum += weight * (value - shift);
      size += std::fabs(weight) * (std::fabs(value) + std::fabs(shift) + (logarithm ? 1 : 0));
      if (const FeatureStatistics& known = model.data.statistics; known.known())
        size += std::fabs(weight) * (std::fabs(known.minimum[j]) + std::fabs(known.maximum[j]));
    }
    sizes.push_back(size);
    return sum;
  }

  static float value(Rng& rng, std::size_t j) {
    const double x = rng.normal();
    return static_cast<float>(j % 3 == 0 ? std::exp(2 * x) : j % 3 == 1 ? 10 * x : x + 1000);
  }
};

/// Of what languages quote, bracket and separate by, or not text at all.
inline std::string odd_name(Rng& rng) {
  static const std::vector<std::string> kPieces{
      "a",    "b",     "x1",       "7",          "_",    ".",  " ",  "\"", "'", "\\", "(", ")",  "[", "]",
      "{",    "}",     "$",        "#",          "${b}", "\n", "\t", ",",  ":", "+",  "-", "/*", "ü", "\xe2\x82\xac",
      "\xff", "doc['", "'].value", "bm25(title)"};
  std::string name;
  for (std::size_t left = 1 + rng.next() % 4; left > 0; --left) name += kPieces[rng.next() % kPieces.size()];
  return name;
}

/// Exports of models with odd names and with numbers of any size: `read(exported)` gives the scores as the target reads
/// them, which are those that the export tells; or the export is refused. Answers how many were read.
inline std::size_t expect_read_or_refused(std::string_view target, std::initializer_list<ScalingKind> kinds,
                                          const std::function<double(const Exported&, const ExportRow&)>& read) {
  Rng rng(11);
  std::size_t exported = 0;
  for (const ScalingKind kind : kinds)
    for (int trial = 0; trial < 400; ++trial) {
      ExportCase one(kind, {odd_name(rng), "other", "unused"}, 1 + rng.next());
      if (one.model.features[0] == "other") continue;
      if (trial % 4 == 0)
        for (double& weight : one.model.weights)
          weight = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.next() % 2098) - 1074);
      Exported written;
      const ErrorCode code = [&] {
        try {
          written = export_model(one.model, find_export_target(target));
        } catch (const Error& error) {
          return error.code();
        }
        return ErrorCode{};
      }();
      if (written.files.empty()) {
        EXPECT_EQ(code, ErrorCode::unsupported) << one.model.features[0];
        continue;
      }
      ++exported;
      const std::vector<double> told = served_scores(written.served, one.model, one.data);
      const std::vector<double> found = one.scores([&](const ExportRow& row) { return read(written, row); });
      for (std::size_t d = 0; d < found.size(); ++d)
        EXPECT_TRUE(std::fabs(found[d] - told[d]) <= 1e-6 * std::fabs(told[d]) || std::isnan(told[d]) ||
                    found[d] == told[d])
            << one.model.features[0] << ": " << found[d] << " " << told[d];
    }
  return exported;
}

inline constexpr double kDoubleUnit = 0x1p-53, kSingleUnit = 0x1p-24;
inline constexpr ScalingKind kServableKinds[] = {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax,
                                                 ScalingKind::log_zscore};

}  // namespace dorm::test
