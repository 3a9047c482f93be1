// SPDX-License-Identifier: Apache-2.0
// A model of SVM-light 6.20 with a linear kernel and one support vector, the weights: svm_rank_classify prints sum of
// w_j x_j - b for every document, summed in double by rising numbers. Its reader keeps b in double and weights in
// float32, so that they are rounded here.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/quote.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::uint64_t kHighestNumber = 99999999;  // MAXFEATNUM of its source

/// Without leading zeros, so that two names never are one number.
std::uint64_t feature_number(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name[0] == '0' || number > kHighestNumber)
    refuse_name("svmlight", name, fmt::format("svmlight numbers features from 1 to {}", kHighestNumber));
  return number;
}

/// As the reader keeps a weight.
double in_single(const Model& model, const ServedModel::Term& term) {
  const double size = std::fabs(term.weight);
  if (size > std::numeric_limits<float>::max() || size < std::numeric_limits<float>::min())
    throw Error(ErrorCode::unsupported, fmt::format("the weight {} of feature {} is beyond the numbers of svmlight",
                                                    term.weight, in_quotes(model.features[term.feature])));
  return static_cast<double>(static_cast<float>(term.weight));
}

}  // namespace

Exported export_svmlight(const Model& model, const ExportOptions& options) {
  ServedModel served = folded(model, options);
  std::vector<std::uint64_t> numbers;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    numbers.push_back(feature_number(spelling(model, options, j)));
  std::sort(served.terms.begin(), served.terms.end(), [&](const ServedModel::Term& a, const ServedModel::Term& b) {
    return numbers[a.feature] < numbers[b.feature];
  });
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
      numbers.empty() ? 1 : *std::max_element(numbers.begin(), numbers.end()), model.data.documents, -served.constant);
  for (ServedModel::Term& term : served.terms) {
    term.weight = in_single(model, term);
    text += fmt::format(" {}:{:.9g}", numbers[term.feature], term.weight);  // 9 digits read back as the same float32
  }
  Exported exported = one_file(text + " #\n", std::move(served));
  note_missing(exported, model, "svmlight");
  return exported;
}

}  // namespace dorm
