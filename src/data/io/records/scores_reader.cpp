// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/line_reader.h"
#include "dorm/read.h"

namespace dorm {
namespace {

std::vector<double> scores_from(TextSource& source, const std::string& name) {
  std::vector<double> scores;
  LineReader reader(source, name);
  std::string_view line;
  while (reader.next(line)) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const std::string_view word = line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
    double score = 0;
    if (parse_number(word, score) != NumberKind::finite)
      throw reader.error(begin + 1, fmt::format("found {}; expected one finite number as score", in_quotes(word)));
    scores.push_back(score);
  }
  return scores;
}

}  // namespace

std::vector<double> read_scores(const std::string& path) { return scores_from(*open_text(path), path); }
std::vector<double> parse_scores(std::string_view text, const std::string& name) {
  return scores_from(*text_in_memory(text), name);
}

}  // namespace dorm
