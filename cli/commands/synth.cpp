// SPDX-License-Identifier: Apache-2.0
// `dorm synth`: generated data.
#include "dorm/synth.h"

#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "option_group.h"
#include "output.h"
#include "simulated_log.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kSynthDescription =
    "Generate data that looks like web search.\n"
    "\n"
    "Feature 1 is a good ranker by itself (think of BM25); others matter more or less, three in ten not at\n"
    "all; some are counts with heavy tails, some lie in [0, 1]. Labels are the grades 0 to 4 with shares of\n"
    "52, 32, 13, 2 and 1 %. The same options give the same bytes on every platform.\n"
    "\n"
    "With --clicks the output is the log of simulated users instead, on the documents that the other options\n"
    "generate or on those of --judged: session,qid,docid,position,click,ranker. Users see the first --top\n"
    "documents of a production ranker, and click by the model: pbm, position-based; cascade, from the top\n"
    "until satisfied; ubm, more where they have just clicked; trust, what stands high whatever it is.";

constexpr const char* kSynthFooter =
    "Examples:\n"
    "  dorm synth --queries 100 -o train.txt\n"
    "  dorm synth --queries 31000 --documents-median 120 --seed 7 -o web.dorm\n"
    "  dorm synth --features 100000 --density 0.001 --groups 20 -o sparse.txt.zst\n"
    "  dorm synth --queries 5 --features 3 -o - | head\n"
    "  dorm synth --clicks pbm --judged train.csv --sessions 50 --rankers 3 -o log.csv.gz\n"
    "  dorm synth --clicks ubm --judged train.csv --scores old.txt --scores new.txt --expected -o counts.csv\n";

}  // namespace

Action declare_synth(CLI::App& app, const Settings& settings) {
  struct Arguments {
    SynthOptions options;
    std::string output;
    SimulatedLogArguments clicks;
  };
  auto arguments = std::make_shared<Arguments>();
  SynthOptions& options = arguments->options;
  const OptionGroup shape(app, "Size and shape"), output(app, "Output");
  shape.number("--queries", options.queries, whole_from(1, 1e8), "N",
               fmt::format("number of queries ({})", options.queries));
  shape.number("--features", options.features, whole_from(1, 1e7), "D",
               fmt::format("number of features ({})", options.features));
  shape.number("--documents-median", options.documents_median, number_from(1, 1e6), "X",
               fmt::format("median of the documents per query, log-normal ({})", options.documents_median));
  shape.number("--documents-spread", options.documents_spread, number_from(0, 5), "X",
               fmt::format("standard deviation of their logarithm; 0: all equal ({})", options.documents_spread));
  shape.number("--documents-min", options.documents_min, whole_from(1, 1e8), "N",
               fmt::format("fewest documents of a query ({})", options.documents_min));
  shape.number("--documents-max", options.documents_max, whole_from(1, 1e8), "N",
               fmt::format("most documents of a query ({})", options.documents_max));
  shape.number("--density", options.density, number_above(0, 1), "X",
               fmt::format("share of non-zero features; below 0.25 stored compressed ({:.1f})", options.density));
  shape.number(
      "--noise", options.noise, number_from(0, 1000), "X",
      fmt::format("label noise against a signal of 1; at 1 a linear ranker\nreaches an NDCG@10 of about .7 ({:.1f})",
                  options.noise));
  shape.number("--query-effect", options.query_effect, number_from(0, 1000), "X",
               fmt::format("spread of what all documents of a query share ({})", options.query_effect));
  shape.number("--groups", options.groups, whole_from(0, 1e6), "N",
               "sites the documents belong to, Zipf-like; 0: none (0)");
  shape.number("--seed", options.seed, whole_from(0), "N", "another seed, other data (0)");
  written(output.add("-o,--output", arguments->output, "FILE",
                     "where to write; format by extension: .dorm, .csv, .tsv, else\nLETOR; .gz and .zst "
                     "compress; - is standard output"));
  add_simulation_options(app, arguments->clicks);
  add_input_options(app, arguments->clicks.input);
  app.description(kSynthDescription);
  app.footer(kSynthFooter);
  return [arguments, &settings] {
    require_option(!arguments->output.empty(), "-o FILE", "expected a file to write, or - for standard output");
    arguments->options.threads = settings.threads;
    check_simulation(arguments->clicks);
    const auto generate = [&] { return synthesize(arguments->options); };
    if (arguments->clicks.model.empty()) return write_data(generate(), arguments->output);
    write_simulated_log(arguments->clicks, generate, arguments->options.seed, arguments->output, settings);
  };
}

}  // namespace dorm::cli
