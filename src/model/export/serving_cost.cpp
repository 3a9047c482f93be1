// SPDX-License-Identifier: Apache-2.0
// What it costs to serve a model: the time of a score, its size, and the tools that can take it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/stopwatch.h"
#include "dorm/export.h"

namespace dorm {
namespace {

constexpr std::size_t kDocuments = 100;
constexpr int kTurns = 5;

/// The first queries with at least so many documents, or all.
Dataset first_documents(const Dataset& data) {
  std::size_t queries = 0;
  while (queries < data.num_queries() && data.first_document(queries) < kDocuments) ++queries;
  std::vector<std::size_t> first(queries);
  std::iota(first.begin(), first.end(), std::size_t{0});
  return data.select(first);
}

std::string size_text(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size < 1e6 ? fmt::format("{:.1f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6);
}

}  // namespace

bool takes(const ExportTarget& target, const Model& model) {
  switch (model.kind()) {
    case Model::Kind::linear:
      return target.serving.linear && can_serve(target.serving, model.scaling.kind);
    case Model::Kind::kernel:
      return target.serving.kernels;
    case Model::Kind::trees:
      return target.serving.trees;
    case Model::Kind::curves:
      return target.folder ||
             ((model.curves->shape == CurveShape::steps ? target.serving.trees : target.serving.curves) &&
              !model.scaling.per_query());
    case Model::Kind::sum:
      return target.folder ||
             ((target.serving.sums || std::all_of(model.parts.begin(), model.parts.end(),
                                                  [](const ModelPart& part) { return part.ranker->trees; })) &&
              std::all_of(model.parts.begin(), model.parts.end(),
                          [&](const ModelPart& part) { return !part.ranker->kernel && takes(target, *part.ranker); }));
  }
  return target.folder;
}

ServingCost serving_cost(const Model& model, const Dataset& data) {
  ServingCost cost;
  const Dataset some = first_documents(data);
  double best = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Stopwatch watch;
    score(model, some, 1);
    best = turn == 0 ? watch.seconds() : std::min(best, watch.seconds());
  }
  const auto documents = static_cast<double>(std::max<std::size_t>(1, some.num_documents()));
  cost.milliseconds = best * 1e3 * static_cast<double>(kDocuments) / documents;
  cost.bytes = to_json(model).size();
  for (const ExportTarget& target : export_targets())
    if (takes(target, model)) cost.targets.emplace_back(target.entry.name);
  return cost;
}

std::string serving_text(const ServingCost& cost) {
  return fmt::format("{:.2g} ms per {} documents, {}, exports to {}", cost.milliseconds, kDocuments,
                     size_text(cost.bytes), fmt::join(cost.targets, ", "));
}

}  // namespace dorm
