// SPDX-License-Identifier: Apache-2.0
// A model of SVM-light 6.20 with a linear kernel and one support vector, the weights: svm_rank_classify prints sum of
// w_j x_j - b for every document.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "model/export/formats.h"

namespace dorm {
namespace {

std::uint64_t feature_number(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0)
    refuse_name("svmlight", name, "svmlight numbers features from 1");
  return number;
}

}  // namespace

Exported export_svmlight(const Model& model, const ExportOptions& options) {
  ServedModel served = folded(model, options);
  std::map<std::uint64_t, double> weights;  // the format wants rising numbers
  std::uint64_t highest = 1;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    highest = std::max(highest, feature_number(spelling(model, options, j)));
  for (const ServedModel::Term& term : served.terms)
    weights[feature_number(spelling(model, options, term.feature))] = term.weight;
  std::string text = fmt::format(
      "SVM-light Version V6.20\n"
      "0 # kernel type\n"
      "3 # kernel parameter -d \n"
      "1 # kernel parameter -g \n"
      "1 # kernel parameter -s \n"
      "1 # kernel parameter -r \n"
      "empty# kernel parameter -u \n"
      "{} # highest feature index \n"
      "{} # number of training documents \n"
      "2 # number of support vectors plus 1 \n"
      "{} # threshold b, each following line is a SV (starting with alpha*y)\n"
      "1",
      highest, model.data.documents, -served.constant);
  for (const auto& [number, weight] : weights) text += fmt::format(" {}:{}", number, weight);
  return one_file(text + " #\n", std::move(served));
}

}  // namespace dorm
