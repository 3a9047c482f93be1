// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/number.h"
#include "base/rng.h"
#include "data/io/files/file.h"
#include "data/io/files/line_reader.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

constexpr std::size_t kDocuments = 100, kValidQueries = 50, kTestQueries = 100;

struct DataSet {
  std::string_view name, folder, files, published;  // files separated by spaces
  std::size_t train_queries = 0;                    // of the sets whose queries are drawn
};

constexpr std::array kSets{
    DataSet{"mq2008", "mq2008", "S1.txt S2.txt S3.txt S4.txt S5.txt",
            "LETOR 4.0, "
            "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/"},
    DataSet{"mq2007-sample", "mq2007-sample", "S1.txt S2.txt S3.txt S4.txt S5.txt",
            "LETOR 4.0, "
            "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/"},
    DataSet{"page-blocks", "uci", "page-blocks.data",
            "https://archive.ics.uci.edu/dataset/78/page+blocks+classification", 50},
    DataSet{"pendigits", "uci", "pendigits.tra pendigits.tes",
            "https://archive.ics.uci.edu/dataset/81/pen+based+recognition+of+handwritten+digits", 50},
    DataSet{"optdigits", "uci", "optdigits.tra optdigits.tes",
            "https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits", 50},
    DataSet{"covertype", "uci", "covtype-subset.csv", "https://archive.ics.uci.edu/dataset/31/covertype", 500},
    DataSet{"movielens-100k", "movielens-100k", "u.data u.item u.user",
            "https://grouplens.org/datasets/movielens/100k/"},
    DataSet{
        "cmu-house", "cmu-house", "shape-context.csv adjacency.csv pairs.csv",
        "the CMU house sequence, https://www.cs.cmu.edu/~cil/v-images.html, with landmarks, shape contexts and split "
        "of Caetano, McAuley, Cheng, Le and Smola"},
};

const DataSet& find_set(std::string_view name) {
  const auto found = std::find_if(kSets.begin(), kSets.end(), [&](const DataSet& set) { return set.name == name; });
  if (found == kSets.end()) throw Error(ErrorCode::internal, fmt::format("unknown data set \"{}\"", name));
  return *found;
}

std::vector<std::string> paths_of(const std::string& directory, const DataSet& set) {
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin < set.files.size();) {
    const std::size_t end = std::min(set.files.find(' ', begin), set.files.size());
    paths.push_back(fmt::format("{}/{}/{}", directory, set.folder, set.files.substr(begin, end - begin)));
    begin = end + 1;
  }
  return paths;
}

struct Address {
  std::string_view file, url, sha256;
};

// Of the files as published; what was seen when the figures of the documentation were made.
constexpr std::array kAddresses{
    Address{"pendigits.tra", "https://archive.ics.uci.edu/ml/machine-learning-databases/pendigits/pendigits.tra",
            "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3"},
    Address{"pendigits.tes", "https://archive.ics.uci.edu/ml/machine-learning-databases/pendigits/pendigits.tes",
            "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015"},
    Address{"optdigits.tra", "https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/optdigits.tra",
            "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd"},
    Address{"optdigits.tes", "https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/optdigits.tes",
            "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"},
};

std::optional<std::string> existing(const std::string& path) {
  for (const char* ending : {"", ".gz", ".zst"})
    if (file_exists(path + ending)) return path + ending;
  return std::nullopt;
}

using Row = std::vector<float>;  // features, then the class

std::vector<Row> read_rows(const std::string& path) {
  const auto source = open_text(*existing(path));
  LineReader reader(*source, path);
  std::vector<Row> rows;
  std::string_view line;
  while (reader.next(line)) {
    Row row;
    for (std::size_t at = line.find_first_not_of(" ,\t"); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(" ,\t", at), line.size());
      double value = 0;
      if (parse_number(line.substr(at, end - at), value) != NumberKind::finite) {
        if (reader.line_number() == 1) break;  // names of the columns
        throw reader.error(at + 1, fmt::format("found \"{}\"; expected a number", line.substr(at, end - at)));
      }
      row.push_back(static_cast<float>(value));
      at = line.find_first_not_of(" ,\t", end);
    }
    if (row.empty()) continue;
    if (!rows.empty() && row.size() != rows[0].size())
      throw reader.error(1, fmt::format("{} numbers; expected {}", row.size(), rows[0].size()));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What training, validation and test documents are drawn from: two thirds and one third of what is there to learn
/// from, and the test file, or half of the rows where there is no such file.
struct Pools {
  std::vector<Row> train, valid, test;
};

Pools pools_of(const std::string& directory, const DataSet& set, Rng& rng) {
  const std::vector<std::string> paths = paths_of(directory, set);
  Pools pools;
  std::vector<Row> learn = read_rows(paths[0]);
  rng.shuffle(std::span(learn));
  if (paths.size() > 1) {
    pools.test = read_rows(paths[1]);
  } else {
    const auto half = learn.begin() + static_cast<std::ptrdiff_t>(learn.size() / 2);
    pools.test.assign(half, learn.end());
    learn.erase(half, learn.end());
  }
  const auto cut = learn.begin() + static_cast<std::ptrdiff_t>(learn.size() * 2 / 3);
  pools.train.assign(learn.begin(), cut);
  pools.valid.assign(cut, learn.end());
  return pools;
}

Dataset draw(const std::vector<Row>& pool, std::size_t queries, const Row& largest, float lowest, Rng& rng) {
  DatasetBuilder builder;
  std::vector<std::size_t> order(pool.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = std::to_string(q + 1);
    for (std::size_t i = 0; i < std::min(kDocuments, pool.size()); ++i) {
      std::swap(order[i], order[i + rng.below(order.size() - i)]);
      const Row& row = pool[order[i]];
      Row features(row.begin(), row.end() - 1);
      for (std::size_t j = 0; j < features.size(); ++j) features[j] /= largest[j];
      builder.add({row.back() - lowest, id}, features);
    }
  }
  return builder.finish();
}

}  // namespace

bool has_data_set(const std::string& directory, std::string_view name) {
  const std::vector<std::string> paths = paths_of(directory, find_set(name));
  return std::all_of(paths.begin(), paths.end(), [](const std::string& path) { return existing(path).has_value(); });
}

std::vector<DataFile> missing_files(const std::string& directory, std::string_view name) {
  const DataSet& set = find_set(name);
  std::vector<DataFile> missing;
  for (const std::string& path : paths_of(directory, set)) {
    if (existing(path)) continue;
    DataFile file{std::string(set.name), path, std::string(set.published), {}, {}};
    for (const Address& address : kAddresses)
      if (path.ends_with(fmt::format("/{}", address.file))) {
        file.url = address.url;
        file.sha256 = address.sha256;
      }
    missing.push_back(std::move(file));
  }
  return missing;
}

void require_data_set(const std::string& directory, std::string_view name) {
  const DataSet& set = find_set(name);
  for (const std::string& path : paths_of(directory, set))
    if (!existing(path))
      throw Error(ErrorCode::io, {path},
                  fmt::format("the data set {} is not there (nor as .gz or .zst). It is published at {} ; place "
                              "{} in {}/{}, and name the folder above by --data-dir or DORM_DATA",
                              set.name, set.published, set.files, directory, set.folder));
}

std::string data_path(const std::string& directory, std::string_view name, std::string_view file) {
  require_data_set(directory, name);
  return *existing(fmt::format("{}/{}/{}", directory, find_set(name).folder, file));
}

std::vector<DataSplit> web_splits(const std::string& directory, std::string_view name) {
  require_data_set(directory, name);
  std::vector<Dataset> files;
  for (const std::string& path : paths_of(directory, find_set(name))) files.push_back(read_letor(*existing(path)));
  const Concatenation whole = concatenate(files);
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t k = 0; k < files.size(); ++k) {
    parts.emplace_back(files[k].num_queries());
    std::iota(parts.back().begin(), parts.back().end(), whole.part_begin[k]);
  }
  return rotate(whole.data, parts);
}

RatingsData movielens(const std::string& directory) {
  require_data_set(directory, "movielens-100k");
  const std::vector<std::string> paths = paths_of(directory, find_set("movielens-100k"));
  return {read_ratings(*existing(paths[0])), read_side_features(*existing(paths[1]))};
}

DataSplit uci_split(const std::string& directory, std::string_view name, std::uint64_t seed) {
  require_data_set(directory, name);
  const DataSet& set = find_set(name);
  Rng rng(seed);
  const Pools pools = pools_of(directory, set, rng);
  Row largest(pools.train[0].size() - 1, 0.0f);
  float lowest = pools.train[0].back();
  for (const Row& row : pools.train) {
    lowest = std::min(lowest, row.back());
    for (std::size_t j = 0; j < largest.size(); ++j) largest[j] = std::max(largest[j], std::abs(row[j]));
  }
  for (float& x : largest) x = x > 0 ? x : 1.0f;
  return {draw(pools.train, set.train_queries, largest, lowest, rng),
          draw(pools.valid, kValidQueries, largest, lowest, rng), draw(pools.test, kTestQueries, largest, lowest, rng)};
}

}  // namespace dorm
