// SPDX-License-Identifier: Apache-2.0
#include "model/features/device_rows.h"

#include "base/parallel.h"
#include "base/signals_wait.h"
#include "base/vector/ordered_sum.h"
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

/// By what the device has found out while rows came, or by visiting them again here.
void add_survey(RowDevice& device, std::size_t threads, Survey& survey) {
  RowSurveyor surveyor;
  surveyor.hashes = [&](std::size_t first, std::size_t last, const std::uint64_t* hashes) {
    survey.add_hashes(first, last, hashes);
  };
  surveyor.statistics = [&](std::size_t part, std::span<const double> low, std::span<const double> high,
                            std::span<const double> mean) { survey.add_statistics(part, low, high, mean); };
  bool known = false;
  require_no_trouble(device.survey(surveyor, known));
  if (!known) survey.add_all(threads);
}

}  // namespace

std::unique_ptr<RowDevice> rows_on_device(const LinearFeatures& features, const ComputeOptions& place, Survey* survey) {
  if (!features.data().dense())
    throw Error(ErrorCode::unsupported,
                "a device holds dense rows, but these features are compressed (mostly zero); expected the device cpu");
  DeviceDocuments documents = describe_documents(features);
  if (survey) documents.hash = {survey->row_hash().added(), survey->row_hash().crossed()};
  const std::size_t stride = documents.stride(), threads = thread_count(place.threads);
  RowSource source;
  source.fill = [&features, stride](std::size_t first, std::size_t last, bool scaled, float* rows) {
    try {
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
  auto device = make_row_device(place.device, std::move(documents), std::move(source), {place.memory});
  if (survey) add_survey(*device, threads, *survey);
  return device;
}

std::shared_future<std::unique_ptr<RowDevice>> send_rows(const LinearFeatures& features, const ComputeOptions& place,
                                                         Survey* survey) {
  const SignalsWait wait(SignalsWait::Which::to_stop);  // in the other thread
  return std::async(std::launch::async, [&features, place, survey] { return rows_on_device(features, place, survey); })
      .share();
}

}  // namespace dorm
