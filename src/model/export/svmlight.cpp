// SPDX-License-Identifier: Apache-2.0
// A model of SVM-light 6.20 with a linear kernel and one support vector, the weights: svm_rank_classify prints sum of
// w_j x_j - b for every document.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <charconv>
#include <map>

#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

std::uint64_t feature_number(const std::string& name) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0)
    throw Error(ErrorCode::unsupported,
                fmt::format("the feature \"{}\" has no number; svmlight numbers features from 1", name));
  return number;
}

}  // namespace

void export_svmlight(const Model& model, std::ostream& out) {
  const PlainWeights plain = plain_weights(model);
  std::map<std::uint64_t, double> weights;  // the format wants rising numbers
  std::uint64_t highest = 1;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::uint64_t number = feature_number(model.features[j]);
    highest = std::max(highest, number);
    if (plain.weights[j] != 0) weights[number] = plain.weights[j];
  }
  fmt::print(out,
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
             highest, model.data.documents, -plain.constant);
  for (const auto& [number, weight] : weights) fmt::print(out, " {}:{}", number, weight);
  fmt::print(out, " #\n");
}

}  // namespace dorm
