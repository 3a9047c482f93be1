// SPDX-License-Identifier: Apache-2.0
#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dorm::serve {
namespace {

/// A value of a label: three characters are escaped, and bytes are text or '?'.
std::string label_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return out;
}

void heading(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <class Number>
void single(std::string& out, std::string_view name, std::string_view type, std::string_view help, Number value) {
  heading(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

}  // namespace

void Histogram::add(double seconds) {
  ++counts_[static_cast<std::size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin())];
  sum_ += seconds;
}

void Histogram::write(std::string& out, std::string_view name) const {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < kBounds.size(); ++k) {
    count += counts_[k];
    fmt::format_to(std::back_inserter(out), "{}_bucket{{le=\"{}\"}} {}\n", name, kBounds[k], count);
  }
  count += counts_.back();
  fmt::format_to(std::back_inserter(out), "{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name, count, name,
                 sum_, name, count);
}

void Metrics::answered(const Answer& answer, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{answer.model, answer.status}];
  request_seconds_.add(seconds);
  if (answer.documents == 0) return;
  documents_[answer.model] += answer.documents;
  score_seconds_.add(answer.score_seconds);
}

void Metrics::out_of_range(const LoadedModel& model, const OutOfRange& features) {
  if (features.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [feature, count] : features)
    out_of_range_[{model.name(), model.ranker()->features[feature]}] += count;
}

void Metrics::connected(int change) {
  const std::lock_guard lock(mutex_);
  connections_ += change;
}

void Metrics::turned_away() {
  const std::lock_guard lock(mutex_);
  ++turned_away_;
}

std::string Metrics::text(const ModelStore& store, const Elsewhere& elsewhere) const {
  const auto models = store.models();
  const std::lock_guard lock(mutex_);
  std::string out;
  const auto line = std::back_inserter(out);
  heading(out, "dorm_requests_total", "counter", "Requests by model and status; no model: of the server itself.");
  for (const auto& [key, count] : requests_)
    fmt::format_to(line, "dorm_requests_total{{model=\"{}\",code=\"{}\"}} {}\n", key.first, key.second, count);
  heading(out, "dorm_request_seconds", "histogram", "From the last byte of a request to its answer.");
  request_seconds_.write(out, "dorm_request_seconds");
  heading(out, "dorm_documents_total", "counter", "Documents that were scored.");
  for (const auto& [model, count] : documents_)
    fmt::format_to(line, "dorm_documents_total{{model=\"{}\"}} {}\n", model, count);
  heading(out, "dorm_score_seconds", "histogram", "Scoring alone, of requests with documents.");
  score_seconds_.write(out, "dorm_score_seconds");
  heading(out, "dorm_model_info", "gauge", "The models that are served.");
  for (const auto& model : *models)
    fmt::format_to(line, "dorm_model_info{{model=\"{}\",kind=\"{}\",measure=\"{}\",fingerprint=\"{}\"}} 1\n",
                   model->name(), model->kind(),
                   label_text(model->ranker() ? model->ranker()->measure : model->recommender()->measure()),
                   model->version());
  heading(out, "dorm_feature_out_of_range_total", "counter",
          "Values below the least or above the largest of the training data.");
  for (const auto& [key, count] : out_of_range_)
    fmt::format_to(line, "dorm_feature_out_of_range_total{{model=\"{}\",feature=\"{}\"}} {}\n", key.first,
                   label_text(key.second), count);
  single(out, "dorm_reloads_total", "counter", "Models that took the place of older ones.", store.reloads());
  single(out, "dorm_reload_failures_total", "counter", "Files that could not be loaded; the older model stayed.",
         store.failures());
  single(out, "dorm_connections", "gauge", "Open connections.", connections_);
  single(out, "dorm_connections_refused_total", "counter", "Connections beyond the limit.", turned_away_);
  single(out, "dorm_failures_total", "counter", "Failures of the server itself, such as no memory or no thread.",
         failures_.load());
  single(out, "dorm_log_dropped_total", "counter", "Lines of the log that could not be written.",
         elsewhere.log_dropped);
  single(out, "dorm_body_bytes", "gauge", "Memory of the bodies of requests and responses in flight.",
         elsewhere.body_bytes);
  return out;
}

}  // namespace dorm::serve
