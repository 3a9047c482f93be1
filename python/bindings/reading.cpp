// SPDX-License-Identifier: Apache-2.0
// Files: judged documents with the roles of their columns, TREC qrels, runs and judgments of subtopics.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <utility>

#include "arrays.h"
#include "base/json.h"
#include "bindings.h"
#include "data/encode/column_encoder.h"
#include "data/encode/proposal.h"
#include "data/io/binary/input_json.h"
#include "dorm/data/prepare.h"
#include "dorm/data/split.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "input.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

constexpr std::array<std::pair<const char*, DataFormat>, 5> kFormats = {{{"auto", DataFormat::detect},
                                                                         {"letor", DataFormat::letor},
                                                                         {"csv", DataFormat::csv},
                                                                         {"tsv", DataFormat::tsv},
                                                                         {"binary", DataFormat::binary}}};

template <class Table>
auto parse_name(const Table& table, const char* what, const std::string& name) {
  std::string expected;
  for (const auto& [known, value] : table) {
    if (name == known) return value;
    expected += (expected.empty() ? "\"" : ", \"") + std::string(known) + "\"";
  }
  throw Error(ErrorCode::bad_option, std::string(what) + " is \"" + name + "\"; expected one of " + expected);
}

template <class T>
void take(const nb::dict& fields, const char* key, T& out) {
  if (fields.contains(key)) out = nb::cast<T>(fields[key]);
}

void take_roles(const nb::dict& fields, ColumnRoles& roles) {
  take(fields, "label_column", roles.label);
  take(fields, "query_column", roles.query);
  take(fields, "document_column", roles.document);
  take(fields, "group_column", roles.group);
  take(fields, "weight_column", roles.weight);
  take(fields, "ignore_columns", roles.ignored);
}

MissingRules missing_from(const nb::dict& fields) {
  std::string rules = "error";
  take(fields, "missing", rules);
  return parse_missing(rules);
}

/// Of a text as to_dict() writes it.
std::vector<ColumnEncoding> encodings_from(const std::string& text) {
  if (text.empty()) return {};
  const Json json = parse_json(text, "encodings", "fitted encodings");
  const Json named = {{"encodings", json}};
  return encodings_from_json(JsonFields(named, "encodings", "fitted encodings"));
}

std::string encodings_to(const std::vector<ColumnEncoding>& encodings) {
  return encodings.empty() ? "" : json_text(encodings_json(encodings));
}

/// A column of texts, each row by its place among them, -1: a gap; as numbers of float32, row by row.
nb::tuple encode_column(const std::string& name, const std::string& rules, const std::string& fitted,
                        const std::vector<std::string>& texts, const Vector<std::int64_t>& codes) {
  std::vector<ColumnEncoding> encodings = fitted.empty() ? parse_encodings(rules) : encodings_from(fitted);
  for (ColumnEncoding& each : encodings) each.column = name;
  ColumnEncoder encoder(std::move(encodings));
  const auto refuse = [&](const std::string& text) {
    throw Error(ErrorCode::bad_input, "column \"" + name + "\" holds \"" + text + "\"; expected " + encoder.expected());
  };
  std::vector<float> stand_ins;
  for (const std::int64_t code : span_of(codes)) {
    const bool gap = code < 0;
    const std::string_view text = gap ? std::string_view() : std::string_view(texts.at(static_cast<std::size_t>(code)));
    if (encoder.note(text, gap, stand_ins.emplace_back()) == ColumnEncoder::Found::unreadable)
      refuse(std::string(text));
  }
  encoder.fit();
  std::vector<float> values(stand_ins.size() * encoder.width());
  std::vector<std::uint32_t> ids;
  std::vector<float> row;
  for (std::size_t i = 0; i < stand_ins.size(); ++i) {
    ids.clear();
    row.clear();
    encoder.encode(stand_ins[i], 0, ids, row);
    for (std::size_t k = 0; k < ids.size(); ++k) values[i * encoder.width() + ids[k]] = row[k];
  }
  nb::list names;
  for (const ColumnEncoding& rule : encoder.rules())
    for (const std::string& feature : encoded_names(rule)) names.append(text_from(feature));
  return nb::make_tuple(names, to_numpy(std::move(values)), encodings_to(encoder.rules()));
}

nb::tuple missing_rules(const std::string& text) {
  const MissingRules rules = parse_missing(text);
  nb::dict by_column;
  for (const auto& [name, rule] : rules.by_column) by_column[text_from(name)] = name_of(rule);
  return nb::make_tuple(name_of(rules.missing), by_column);
}

ReadOptions read_options(const nb::dict& fields) {
  ReadOptions options;
  std::string format = "auto";
  take(fields, "format", format);
  options.format = parse_name(kFormats, "format", format);
  const MissingRules rules = missing_from(fields);
  options.missing = rules.missing;
  options.missing_by_column = rules.by_column;
  std::string encode, fitted;
  take(fields, "encode", encode);
  take(fields, "encodings", fitted);
  options.encodings = encode.empty() ? encodings_from(fitted) : parse_encodings(encode);
  take_roles(fields, options.columns);
  take(fields, "means", options.means);
  take(fields, "features", options.features);
  take(fields, "judgments", options.judgments);
  take(fields, "query_ids", options.query_ids);
  take(fields, "need_labels", options.need_labels);
  take(fields, "need_groups", options.need_groups);
  take(fields, "threads", options.threads);
  options.mapped = false;  // arrays are handed out, and nobody could tell numpy that their file has become shorter
  return options;
}

nb::tuple read_documents(const std::string& path, const nb::dict& fields, const std::string& unjudged) {
  const ReadOptions options = read_options(fields);
  const Unjudged rule = parse_unjudged(unjudged);
  ReadReport report;
  Dataset data;
  {
    const nb::gil_scoped_release unlocked;
    data = with_unjudged(read_dataset(path, options, &report), rule);
  }
  return nb::make_tuple(std::move(data), report.warnings);
}

/// Columns of text, each distinct value made once: runs repeat their query thousands of times.
template <class Entry>
nb::list column(const std::vector<Entry>& entries, std::string Entry::*member) {
  nb::list out;
  nb::object last;
  const std::string* before = nullptr;
  for (const Entry& entry : entries) {
    if (!before || *before != entry.*member) last = text_from(entry.*member);
    before = &(entry.*member);
    out.append(last);
  }
  return out;
}

template <class Entry>
nb::object numbers(const std::vector<Entry>& entries, auto Entry::*member) {
  std::vector<double> out;
  for (const Entry& entry : entries) out.push_back(static_cast<double>(entry.*member));
  return to_numpy(std::move(out));
}

nb::tuple qrels_columns(const std::string& path) {
  const std::vector<Judgment> entries = read_qrels(path);
  return nb::make_tuple(column(entries, &Judgment::query), column(entries, &Judgment::document),
                        numbers(entries, &Judgment::label));
}

nb::tuple run_columns(const std::string& path) {
  std::string tag;
  const std::vector<RunEntry> entries = read_run(path, &tag);
  return nb::make_tuple(column(entries, &RunEntry::query), column(entries, &RunEntry::document),
                        numbers(entries, &RunEntry::score), text_from(tag));
}

nb::tuple subtopic_columns(const std::string& path) {
  const std::vector<SubtopicJudgment> entries = read_subtopics(path);
  return nb::make_tuple(column(entries, &SubtopicJudgment::query), column(entries, &SubtopicJudgment::document),
                        numbers(entries, &SubtopicJudgment::label), column(entries, &SubtopicJudgment::subtopic));
}

}  // namespace

nb::object text_from(std::string_view bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

nb::dict to_dict(const InputDescription& input) {
  nb::dict out, means;
  out["label_column"] = input.columns.label;
  out["query_column"] = input.columns.query;
  out["document_column"] = input.columns.document;
  out["group_column"] = input.columns.group;
  out["weight_column"] = input.columns.weight;
  out["ignore_columns"] = input.columns.ignored;
  out["missing"] = missing_text(input.missing, input.missing_by_column);
  out["encodings"] = encodings_to(input.encodings);
  for (const auto& [name, mean] : input.means) means[text_from(name)] = mean;
  out["means"] = means;
  return out;
}

InputDescription input_from(const nb::dict& fields) {
  InputDescription input;
  take_roles(fields, input.columns);
  const MissingRules rules = missing_from(fields);
  input.missing = rules.missing;
  input.missing_by_column = rules.by_column;
  std::string fitted;
  take(fields, "encodings", fitted);
  input.encodings = encodings_from(fitted);
  take(fields, "means", input.means);
  return input;
}

void bind_reading(nb::module_& module) {
  module.def(
      "split_queries",
      [](const std::vector<std::string>& ids, const std::vector<std::uint64_t>& relevant, double test, double valid,
         std::uint64_t seed) {
        const QuerySplit split = split_queries(ids, relevant, {.test = test, .valid = valid, .seed = seed});
        return nb::make_tuple(split.train, split.valid, split.test);
      },
      "ids"_a, "relevant"_a, "test"_a, "valid"_a, "seed"_a, "Indices of the queries of each part.");
  module.def("encode_column", &encode_column, "column"_a, "rules"_a, "fitted"_a, "texts"_a, "codes"_a,
             "Names of the features, their values row by row, and the fitted rules.");
  module.def(
      "propose_encoding",
      [](const std::vector<std::string>& texts) {
        ColumnSample sample;
        for (const std::string& text : texts) sample.add(text, {});
        return sample.proposal();
      },
      "texts"_a, "A rule that would read cells that are no numbers; empty: none.");
  module.def("parse_missing", &missing_rules, "text"_a, "The rule of all columns, and those of others by name.");
  module.def(
      "encoded_names",
      [](const std::string& fitted) {
        nb::list names;
        for (const ColumnEncoding& each : encodings_from(fitted))
          for (const std::string& name : encoded_names(each)) names.append(text_from(name));
        return names;
      },
      "fitted"_a, "The features that they make.");
  module.def(
      "encodings_text", [](const std::string& fitted) { return encodings_text(encodings_from(fitted)); }, "fitted"_a,
      "The rules as the command takes them.");
  module.def("read_dataset", &read_documents, "path"_a, "options"_a, "unjudged"_a, "Judged documents and warnings.");
  module.def(
      "write_dataset",
      [](const Dataset& data, const std::string& path) {
        const nb::gil_scoped_release unlocked;
        write_dataset(data, path);
      },
      "data"_a, "path"_a, "In the format of the extension.");
  module.def("read_qrels", &qrels_columns, "path"_a, "Queries, documents and labels.");
  module.def("read_run", &run_columns, "path"_a, "Queries, documents, scores and the tag.");
  module.def("read_subtopics", &subtopic_columns, "path"_a, "Queries, documents, labels and subtopics.");
}

}  // namespace dorm::python
