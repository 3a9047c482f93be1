// SPDX-License-Identifier: Apache-2.0
// Features that a search engine has logged, in the answers it gave: of Elasticsearch and OpenSearch with their LTR
// plugin (hits.hits[].fields._ltrlog), of Solr (response.docs[]["[features]"]). An answer is a query with its
// documents; it has no labels, and no name for its query unless somebody has written one beside it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/json.h"
#include "base/quote.h"
#include "data/io/files/read_ahead.h"
#include "data/io/files/read_report.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/feature_text.h"
#include "data/io/tables/json_cell.h"
#include "data/io/tables/json_values.h"
#include "data/io/tables/named_rows.h"
#include "data/io/tables/table_columns.h"

namespace dorm {
namespace {

constexpr std::string_view kAnswerExpected =
    "answers of Elasticsearch, OpenSearch or Solr with logged features, as JSON";
constexpr std::string_view kExtraLogging = "extra_logging";  // what the plugin adds beside features

/// A member of an object; nullptr where there is none, or where it is no object.
const Json* member(const Json* object, const std::string& key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

bool is_object(const Json* value) { return value != nullptr && value->is_object(); }
bool is_list(const Json* value) { return value != nullptr && value->is_array(); }

std::string value_shown(const Json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_object()) return "an object";
  if (value->is_array()) return "a list";
  return in_quotes(value->is_string() ? value->get<std::string>() : printable_json(*value));
}

/// A name, or the first of a list of them: Elasticsearch returns fields so.
std::string first_name(const Json* value) {
  if (value == nullptr) return "";
  if (value->is_array()) return value->empty() ? std::string() : name_text(value->front());
  return name_text(*value);
}

class FeatureLogReader {
 public:
  FeatureLogReader(TextSource& source, const std::string& name, const ReadOptions& options)
      : source_(source),
        lines_(source, name),
        values_(lines_),
        options_(options),
        roles_(options.columns),
        wanted_(options.features.begin(), options.features.end()),
        rows_(lines_.name(), options, NamedRows::Absent::zero) {
    roles_.ignored = split_names(options.columns.ignored);
  }

  Dataset read(ReadReport* report) {
    if (options_.need_labels)
      throw Error(ErrorCode::bad_input, {lines_.name()},
                  "a log of features has no labels; expected judgments of its documents to be joined to it");
    std::string text;
    while (values_.next(text, kAnswerExpected)) {
      add_value(parse_json(text, fmt::format("{}:{}", lines_.name(), values_.line()), kAnswerExpected), "");
      if (options_.progress) options_.progress(lines_.done_bytes(), source_.total_bytes());
    }
    if (!options_.query_ids.empty() && answers_ != options_.query_ids.size())
      throw Error(
          ErrorCode::bad_input, {lines_.name()},
          fmt::format("found {} answers; expected {}, as there are query ids", answers_, options_.query_ids.size()));
    if (report != nullptr) report->bytes = source_.total_bytes() > 0 ? source_.total_bytes() : lines_.done_bytes();
    note(report);
    return rows_.finish(roles_, report);
  }

 private:
  void note(ReadReport* report) const {
    if (empty_answers_ > 0)
      warn(report, fmt::format("{}: {} of {} answers have no documents", lines_.name(), empty_answers_, answers_));
    if (repeated_ > 0)
      warn(report, fmt::format("{}: {} documents were logged again for their query (first: {}); the last time counts",
                               lines_.name(), repeated_, first_repeated_));
  }

  Error error(const std::string& path, const std::string& message, const std::vector<Remedy>& remedies = {}) const {
    return {ErrorCode::bad_input,
            {lines_.name(), values_.line(), 0},
            fmt::format("{}{}{}", path, path.empty() ? "" : ": ", message),
            remedies};
  }
  Error unexpected(const std::string& path, const Json* found, std::string_view expected) const {
    return error(path, fmt::format("found {}; expected {}", value_shown(found), expected));
  }

  void add_value(const Json& value, const std::string& path) {
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i) add_value(value[i], fmt::format("{}[{}]", path, i));
    else
      add_object(value, path, "");
  }

  static std::string joined(const std::string& path, std::string_view key) {
    return fmt::format("{}{}{}", path, path.empty() ? "" : ".", key);
  }

  /// An answer, an answer beside the id of its query, or several answers.
  void add_object(const Json& object, const std::string& path, const std::string& outer_query) {
    const Json* const response = member(&object, "response");
    const Json* const responses = member(&object, "responses");
    const std::string query = own_query(object, outer_query);
    if (is_object(member(&object, "hits"))) return add_elastic(object, path, query);
    if (member(response, "docs")) return add_solr(object, path, query);
    if (is_object(response)) return add_object(*response, joined(path, "response"), query);
    if (is_list(responses)) {
      for (std::size_t i = 0; i < responses->size(); ++i)
        add_object((*responses)[i], fmt::format("{}[{}]", joined(path, "responses"), i), "");
      return;
    }
    if (const Json* const failed = member(&object, "error")) {
      const std::string reason = first_name(member(failed, "reason")) + first_name(member(failed, "msg"));
      throw error(path, fmt::format("the engine answered with an error{}; expected documents",
                                    reason.empty() ? "" : fmt::format(", {}", in_quotes(reason))));
    }
    if (!object.is_object()) throw unexpected(path, &object, kAnswerExpected);
    throw error(path,
                "found neither hits.hits, response.docs nor responses; expected an answer of Elasticsearch, "
                "OpenSearch or Solr");
  }

  /// What stands beside the answer: under the name of the column of queries, or `qid`, or `query`.
  std::string own_query(const Json& object, const std::string& outer) const {
    for (const std::string& key : {roles_.query, std::string("qid"), std::string("query")})
      if (const Json* const value = member(&object, key); value != nullptr && !name_text(*value).empty())
        return name_text(*value);
    return outer;
  }

  /// The id of the answer at hand, `known` being what stands beside it.
  void begin_answer(const std::string& path, const std::string& known) {
    path_ = path;
    query_ = known;
    if (!options_.query_ids.empty()) {
      if (answers_ == options_.query_ids.size())
        throw error(path, fmt::format("found an answer more than the {} query ids; expected an id for each answer",
                                      options_.query_ids.size()));
      query_ = options_.query_ids[answers_];
    }
    ++answers_;
    check_name(query_);
  }

  void check_name(const std::string& name) const {
    if (name.find('\0') != std::string::npos) throw error(path_, "found a NUL byte in a name; expected text");
  }

  const Json& list_of_documents(const Json* list, std::string_view key) {
    place_ = joined(path_, key);
    if (!is_list(list)) throw unexpected(place_, list, "a list of documents");
    if (list->empty()) ++empty_answers_;
    return *list;
  }

  std::string document_path(std::string_view suffix = "") const {
    return fmt::format("{}[{}]{}", place_, document_, suffix);
  }

  void add_elastic(const Json& answer, const std::string& path, const std::string& query) {
    begin_answer(path, query);
    if (query_.empty())
      throw error(path,
                  "found no query id, and an answer of the engine has none; expected \"qid\" beside it, as in "
                  "{\"qid\": \"1\", \"response\": {...}}",
                  {{Remedy::Kind::query_ids}});
    const Json& hits = list_of_documents(member(member(&answer, "hits"), "hits"), "hits.hits");
    for (document_ = 0; document_ < hits.size(); ++document_) {
      const Json& hit = hits[document_];
      if (!hit.is_object()) throw unexpected(document_path(), &hit, "a hit");
      const auto field = [&hit](const std::string& name) {
        const std::string value = first_name(member(member(&hit, "fields"), name));
        return value.empty() ? first_name(member(member(&hit, "_source"), name)) : value;
      };
      std::string id = roles_.document == ColumnRoles().document ? "" : field(roles_.document);
      if (id.empty()) id = first_name(member(&hit, "_id"));
      if (id.empty()) throw unexpected(document_path("._id"), member(&hit, "_id"), "the id of the document");
      add_log(member(member(&hit, "fields"), "_ltrlog"));
      add_document(id, field(roles_.group));
    }
  }

  /// A list with one object, whose members are the entries asked for.
  void add_log(const Json* log) {
    if (!is_list(log) && !is_object(log))
      throw unexpected(document_path(".fields._ltrlog"), log,
                       "logged features, which a search with \"ext\": {\"ltr_log\": ...} returns");
    const std::size_t size = is_list(log) ? log->size() : 1;
    for (std::size_t i = 0; i < size; ++i) {
      const Json& entries = is_list(log) ? (*log)[i] : *log;
      const std::string path = fmt::format(".fields._ltrlog[{}]", i);
      if (!entries.is_object()) throw unexpected(document_path(path), &entries, "an object of log entries");
      for (const auto& [name, features] : entries.items())
        if (!ignored(name)) add_entry(name, features, fmt::format("{}.{}", path, name));
    }
  }

  /// A list of {"name": ..., "value": ...}, or, by old versions, an object of values.
  void add_entry(const std::string& entry, const Json& features, const std::string& path) {
    if (features.is_object()) return add_named(entry, features, path);
    if (!features.is_array()) throw unexpected(document_path(path), &features, "a list of features");
    for (std::size_t i = 0; i < features.size(); ++i) {
      const Json* const name = member(&features[i], "name");
      if (name == nullptr || !name->is_string() || name->get<std::string>().empty())
        throw unexpected(document_path(fmt::format("{}[{}].name", path, i)), name, "the name of a feature");
      add_feature(entry, name->get<std::string>(), member(&features[i], "value"), path);
    }
  }

  void add_named(const std::string& entry, const Json& features, const std::string& path) {
    for (const auto& [name, value] : features.items()) {
      if (name.empty()) throw error(document_path(path), "found a feature without a name; expected names");
      add_feature(entry, name, &value, path);
    }
  }

  void add_solr(const Json& answer, const std::string& path, const std::string& query) {
    begin_answer(path, query);
    if (query_.empty()) query_ = query_of_parameters(member(member(&answer, "responseHeader"), "params"));
    if (query_.empty())
      throw error(path,
                  "found no query id in the answer nor in responseHeader.params; expected the parameter qid or q "
                  "(other than *:*) of a request with echoParams=explicit, or \"qid\" beside the answer",
                  {{Remedy::Kind::query_ids}});
    check_name(query_);
    const Json& documents = list_of_documents(member(member(&answer, "response"), "docs"), "response.docs");
    for (document_ = 0; document_ < documents.size(); ++document_) {
      const Json& document = documents[document_];
      if (!document.is_object()) throw unexpected(document_path(), &document, "a document");
      std::string id = first_name(member(&document, roles_.document));
      if (id.empty()) id = first_name(member(&document, "id"));
      if (id.empty())
        throw unexpected(document_path(".id"), member(&document, "id"),
                         "the id of the document: ask for it in fl, and name its field where that is not id");
      add_vector(document);
      add_document(id, first_name(member(&document, roles_.group)));
    }
  }

  std::string query_of_parameters(const Json* parameters) const {
    for (const std::string& key : {roles_.query, std::string("qid"), std::string("q")}) {
      const Json* const value = member(parameters, key);
      std::string text = value == nullptr ? "" : name_text(*value);
      if (!text.empty() && text != "*:*") return text;
    }
    return "";
  }

  void add_vector(const Json& document) {
    const Json* vector = nullptr;
    std::string key;
    for (const char* const known : {"[features]", "features", "fv"})
      if (vector == nullptr && (vector = member(&document, known)) != nullptr) key = known;
    if (is_object(vector)) return add_named("", *vector, fmt::format(".{}", key));
    if (vector == nullptr || !vector->is_string())
      throw unexpected(document_path(".[features]"), vector,
                       "logged features, which a request with fl=id,[features] returns");
    const std::string text = vector->get<std::string>();
    if (!split_feature_text(text, vector_))
      throw unexpected(document_path("." + key), vector,
                       "name=number,name=number; names with = or , in them need other separators in solrconfig.xml "
                       "(csvKeyValueDelimiter, csvFeatureSeparator)");
    for (const auto& [name, value] : vector_) add_feature("", std::string(name), &(cell_ = std::string(value)), "");
  }

  bool ignored(const std::string& name) const {
    return std::find(roles_.ignored.begin(), roles_.ignored.end(), name) != roles_.ignored.end();
  }

  /// Without a value it is absent in this document, and a column all the same.
  void add_feature(const std::string& entry, const std::string& name, const Json* value, const std::string& path) {
    if (ignored(name) || (!wanted_.empty() && !wanted_.contains(name))) return;
    if (name == kExtraLogging && is_object(value)) return;
    if (value != nullptr && value->is_structured())
      throw unexpected(document_path(path), value, fmt::format("a number as value of {}", in_quotes(name)));
    check_name(name);
    const std::uint32_t column = rows_.column(name);
    if (column >= seen_.size()) seen_.resize(column + 1);
    Seen& seen = seen_[column];
    const Json found = value == nullptr ? Json() : *value;
    if (seen.document == rows_.size() + 1) {
      if (seen.value == found) return;
      refuse_second(seen.entry, entry, name, path);
    }
    seen = {rows_.size() + 1, entry, found};
    double number = 0;
    const Cell kind = parse_value(found, number);
    if (!found.is_null()) rows_.add_value(column, kind, number, values_.line(), name_text(found));
  }

  [[noreturn]] void refuse_second(const std::string& first, const std::string& second, const std::string& name,
                                  const std::string& path) const {
    if (first == second)
      throw error(document_path(path),
                  fmt::format("found the feature {} twice with different values; expected one", in_quotes(name)));
    throw error(document_path(".fields._ltrlog"),
                fmt::format("the log entries {} and {} have different values of the feature {}; expected one of them",
                            in_quotes(first), in_quotes(second), in_quotes(name)),
                {{Remedy::Kind::ignore_columns, {second}}});
  }

  void add_document(const std::string& id, const std::string& group) {
    check_name(id);
    check_name(group);
    if (options_.need_groups && group.empty())
      throw error(document_path(), fmt::format("found no group in {}; expected one", in_quotes(roles_.group)));
    const auto [place, fresh] = logged_.try_emplace(query_ + '\0' + id, rows_.size());
    if (!fresh) {
      if (repeated_++ == 0) first_repeated_ = fmt::format("query {}, document {}", in_quotes(query_), in_quotes(id));
      rows_.leave_out(place->second);
      place->second = rows_.size();
    }
    rows_.add_row({std::numeric_limits<float>::quiet_NaN(), query_, id, group, {}, values_.line()});
  }

  struct Seen {
    std::size_t document = 0;  // the last one, counted from 1, that has the feature
    std::string entry;
    Json value;
  };

  TextSource& source_;
  LineReader lines_;
  JsonValues values_;
  const ReadOptions& options_;
  ColumnRoles roles_;
  std::set<std::string> wanted_;  // empty: all
  NamedRows rows_;
  std::vector<Seen> seen_;                               // by column
  std::unordered_map<std::string, std::size_t> logged_;  // rows by query and document
  std::vector<LoggedValue> vector_;
  Json cell_;
  std::string path_, query_, place_;  // of the answer at hand, and of its documents
  std::size_t document_ = 0;
  std::size_t answers_ = 0, empty_answers_ = 0, repeated_ = 0;
  std::string first_repeated_;
};

}  // namespace

Dataset feature_log_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report) {
  ReadAhead ahead(source, options.threads);
  return FeatureLogReader(ahead, name, options).read(report);
}

Dataset parse_feature_log(std::string_view text, const std::string& name, const ReadOptions& options,
                          ReadReport* report) {
  const std::unique_ptr<TextSource> source = text_in_memory(text);
  return feature_log_from(*source, name, options, report);
}

}  // namespace dorm
