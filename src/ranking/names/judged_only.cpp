// SPDX-License-Identifier: Apache-2.0
#include "ranking/names/judged_only.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kJudgedOnly = "judged_only";

class JudgedOnly final : public Measure {
 public:
  explicit JudgedOnly(std::unique_ptr<const Measure> measure) : measure_(std::move(measure)) {}

  std::string name() const override {
    const std::string name = measure_->name();
    return fmt::format("{}{}{}=yes", name, name.find(':') == std::string::npos ? ':' : ',', kJudgedOnly);
  }
  bool normalised() const override { return measure_->normalised(); }
  bool of_pairs() const override { return measure_->of_pairs(); }
  bool of_judgments() const override { return true; }
  bool needs_order() const override { return measure_->needs_order(); }
  bool geometric() const override { return measure_->geometric(); }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    std::vector<std::uint32_t> documents, block_end;
    std::size_t next = 0;
    for (std::size_t j = 0; j < ranking.documents.size(); ++j) {
      if (labels[ranking.documents[j]] >= 0) documents.push_back(ranking.documents[j]);
      if (next < ranking.block_end.size() && ranking.block_end[next] == j + 1) {
        if (block_end.empty() ? !documents.empty() : block_end.back() < documents.size())
          block_end.push_back(static_cast<std::uint32_t>(documents.size()));
        ++next;
      }
    }
    // What was not in the pool has no label that a measure of labels could take.
    std::vector<float> judged(labels.begin(), labels.end());
    if (!measure_->of_judgments())
      for (float& label : judged) label = std::max(label, 0.0f);
    return measure_->expected(judged, {documents, block_end, ranking.reachable});
  }

 private:
  std::unique_ptr<const Measure> measure_;
};

}  // namespace

bool take_judged_only(MeasureSpec& spec) {
  const auto found = std::find_if(spec.parameters.begin(), spec.parameters.end(),
                                  [](const auto& parameter) { return parameter.first == kJudgedOnly; });
  if (found == spec.parameters.end()) return false;
  const std::string value = found->second;
  if (value != "yes" && value != "no")
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": {} \"{}\"; expected yes or no", spec.spelling(), kJudgedOnly, value));
  spec.parameters.erase(found);
  return value == "yes";
}

std::unique_ptr<const Measure> over_judged_only(std::unique_ptr<const Measure> measure) {
  return std::make_unique<JudgedOnly>(std::move(measure));
}

}  // namespace dorm
