// SPDX-License-Identifier: Apache-2.0
#include "model/features/device_rows.h"

#include <algorithm>

#include "base/ordered_sum.h"
#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {
namespace {

RowScaling scaling_on_device(const Scaling& scaling) {
  using Kind = RowScaling::Kind;
  switch (scaling.kind) {
    case ScalingKind::none:
      return {};
    case ScalingKind::zscore:
    case ScalingKind::minmax:
      return {Kind::affine, scaling.shift, scaling.factor};
    case ScalingKind::log_zscore:
      return {Kind::log_affine, scaling.shift, scaling.factor};
    case ScalingKind::query_minmax:
      return {Kind::range, {}, {}};
    case ScalingKind::log_query_zscore:
      return {Kind::log_standard, {}, {}};
  }
  return {};
}

DeviceDocuments describe_documents(const LinearFeatures& features) {
  const Dataset& data = features.data();
  DeviceDocuments documents;
  documents.features = features.dimension();
  documents.query_begin.reserve(data.num_queries() + 1);
  for (std::size_t q = 0; q < data.num_queries(); ++q) documents.query_begin.push_back(data.first_document(q + 1));
  for (std::size_t part = 0; part <= Survey::kPieces; ++part)
    documents.part_begin.push_back(piece_begin(data.num_queries(), Survey::kPieces, part));
  documents.scaling = scaling_on_device(features.scaling());
  return documents;
}

/// Adds queries to a survey as they come by: those of a part in order, each once.
class PassingSurvey {
 public:
  PassingSurvey(Survey* survey, std::vector<std::size_t> part_begin)
      : survey_(survey), begin_(std::move(part_begin)), next_(begin_) {}

  void see(std::size_t first, std::size_t last) {
    if (survey_ == nullptr) return;
    const auto part =
        static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), first) - begin_.begin()) - 1;
    for (; next_[part] < std::min(last, begin_[part + 1]); ++next_[part]) survey_->add(next_[part], part);
  }

  /// Those that nobody has asked for.
  void see_rest(std::size_t threads) {
    parallel_for(begin_.size() - 1, threads, [&](std::size_t part, std::size_t) {
      if (begin_[part] < begin_[part + 1]) see(begin_[part], begin_[part + 1]);
    });
    survey_ = nullptr;
  }

 private:
  Survey* survey_;
  std::vector<std::size_t> begin_, next_;
};

}  // namespace

std::unique_ptr<RowDevice> rows_on_device(const LinearFeatures& features, const ComputePlace& place, Survey* survey) {
  if (!features.data().dense())
    throw Error(ErrorCode::unsupported,
                "a device holds dense rows, but these features are compressed (mostly zero); expected the device cpu");
  DeviceDocuments documents = describe_documents(features);
  const auto passing = std::make_shared<PassingSurvey>(survey, documents.part_begin);
  const std::size_t stride = documents.stride(), threads = thread_count(place.threads);
  RowSource source;
  source.fill = [&features, passing, stride](std::size_t first, std::size_t last, bool scaled, float* rows) {
    try {
      passing->see(first, last);
      for (std::size_t q = first; q < last; ++q) {
        features.copy_rows(q, scaled, rows, stride);
        rows += features.data().query(q).size() * stride;
      }
      return true;
    } catch (...) {
      return false;  // said by the data itself when all is done: require_intact()
    }
  };
  source.run = [threads](std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
    parallel_for(count, threads, body);
  };
  source.workers = threads;
  auto device = make_row_device(place.device, std::move(documents), std::move(source), {place.device_bytes});
  passing->see_rest(threads);
  return device;
}

}  // namespace dorm
