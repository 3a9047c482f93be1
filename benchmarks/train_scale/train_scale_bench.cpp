// SPDX-License-Identifier: Apache-2.0
// A whole training on generated data. One CSV line: seconds,passes,gap,peak_bytes,feature_bytes. Arguments: queries,
// documents per query, features, tolerance, threads.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>

#include "dorm/synth.h"
#include "dorm/train.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: train_scale_bench QUERIES DOCUMENTS FEATURES TOLERANCE THREADS\n");
    return 2;
  }
  dorm::SynthOptions synth;
  synth.queries = std::strtoull(argv[1], nullptr, 10);
  synth.documents_median = std::atof(argv[2]);
  synth.documents_spread = 0;
  synth.features = std::strtoull(argv[3], nullptr, 10);
  synth.seed = 1;
  dorm::TrainOptions options;
  options.bound = dorm::Bound::best;
  options.scale = "none";
  options.C = 100;
  options.solve.tolerance = std::atof(argv[4]);
  options.compute.threads = std::strtoull(argv[5], nullptr, 10);
  const dorm::Dataset data = dorm::synthesize(synth);
  const dorm::TrainResult result = dorm::train(data, options);
  const dorm::Certificate& certificate = result.model.certificate;
  if (certificate.status != "converged" || certificate.dual > certificate.primal) {
    fmt::print(stderr, "not converged ({}, gap {}): no timing\n", certificate.status, certificate.gap);
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{},{},{},{},{}\n", result.report.seconds, result.report.solve.passes, certificate.gap,
             static_cast<double>(usage.ru_maxrss) * 1024,
             4.0 * static_cast<double>(data.num_documents() * data.num_features()));
}
