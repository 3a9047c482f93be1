// SPDX-License-Identifier: Apache-2.0
#include "serve/model_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/recommend/ratings.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::serve {
namespace {

Model weighing(double weight) {
  Model model;
  model.features = {"x"};
  model.weights = {weight};
  model.measure = "ndcg@10";
  return model;
}

double score_of_one(const LoadedModel& model) {
  const float value = 1;
  return model.scores(*model.layout({}, 1), {&value, 1, 1, 1}).front();
}

TEST(ModelStore, ANewFileTakesThePlaceOfTheOldForNewRequests) {
  const test::TemporaryDirectory folder;
  save_model(weighing(1), folder.path("m.json"));
  std::vector<std::string> said;
  ModelStore store({{"m", folder.path("m.json")}}, [&](std::string_view line) { said.emplace_back(line); });
  const auto before = store.models();
  save_model(weighing(2), folder.path("m.json"));
  EXPECT_EQ(score_of_one(*store.models()->front()), 1) << "nothing happens by itself";
  store.reload(false);
  EXPECT_EQ(score_of_one(*store.models()->front()), 2);
  EXPECT_EQ(score_of_one(*before->front()), 1) << "who began with the old one ends with it";
  EXPECT_EQ(store.reloads(), 1u);
  EXPECT_EQ(said.size(), 1u);
  store.reload(true);
  EXPECT_EQ(store.reloads(), 1u) << "the same bytes are the same version";
}

TEST(ModelStore, ABadFileChangesNothingAndIsCounted) {
  const test::TemporaryDirectory folder;
  const std::string path = folder.path("m.json");
  save_model(weighing(1), path);
  std::vector<std::string> said;
  ModelStore store({{"m", path}}, [&](std::string_view line) { said.emplace_back(line); });
  const std::string whole = test::content_of(path);
  for (const std::string& bad : {whole.substr(0, whole.size() / 2), std::string("{}"), std::string()}) {
    folder.write("m.json", bad);
    store.reload(true);
    EXPECT_EQ(score_of_one(*store.models()->front()), 1);
  }
  std::filesystem::remove(path);
  store.reload(true);
  EXPECT_EQ(store.failures(), 4u);
  EXPECT_EQ(store.reloads(), 0u);
  store.reload(false);
  EXPECT_EQ(store.failures(), 4u) << "a file that has not changed is not tried again";
  EXPECT_NE(said.back().find("stays at version"), std::string::npos);
  save_model(weighing(3), path);
  store.reload(false);
  EXPECT_EQ(score_of_one(*store.models()->front()), 3);
}

TEST(ModelStore, NamesAreCheckedAndUnique) {
  const test::TemporaryDirectory folder;
  save_model(weighing(1), folder.path("m.json"));
  const auto why = [&](const std::vector<std::string>& names) {
    std::vector<ModelFile> files;
    for (const std::string& name : names) files.push_back({name, folder.path("m.json")});
    return test::message_of([&] { ModelStore store(files); }, ErrorCode::bad_option);
  };
  EXPECT_NE(why({"a", "a"}).find("two models are named a"), std::string::npos);
  for (const char* name : {"", "a/b", "a b", "\"", "\xc3\xa4"})
    EXPECT_NE(why({name}).find("the name of a model"), std::string::npos);
  EXPECT_FALSE(test::message_of([&] { ModelStore store({{"n", folder.path("none.json")}}); }).empty());
}

TEST(LoadedModel, AMisspeltFeatureIsGuessed) {
  const test::TemporaryDirectory folder;
  Model model = weighing(1);
  model.features = {"bm25"};
  save_model(model, folder.path("m.json"));
  const LoadedModel loaded({"m", folder.path("m.json")});
  PackedText names;
  names.push_back("bm52");
  EXPECT_EQ(test::message_of([&] { loaded.layout(names, 1); }, ErrorCode::bad_input),
            "features[0]: found 'bm52'; expected a feature of the model m: did you mean 'bm25'?");
}

TEST(LoadedModel, NewcomersGetWhatTheFoldedInModelGives) {
  const test::TemporaryDirectory folder;
  std::vector<Rating> rated;
  IdTable users, items;
  for (std::uint32_t u = 0; u < 12; ++u)
    for (std::uint32_t j = 0; j < 9; ++j)
      if ((u + j) % 3 != 0)
        rated.push_back({users.add("u" + std::to_string(u)), items.add("i" + std::to_string(j)),
                         static_cast<float>(1 + (u * 7 + j * 5) % 5)});
  FactorizeOptions options;
  options.rank = 2;
  FactorModel model = factorize(Ratings(users, items, rated), options).model;
  save_factors(model, folder.path("f.factors"));
  const LoadedModel loaded({"f", folder.path("f.factors")});
  const auto taste_by = [&](const std::vector<std::pair<std::string, float>>& ratings) {
    std::vector<ItemRating> known;
    for (const auto& [item, value] : ratings)
      if (const auto number = model.items.find(item)) known.push_back({*number, value});
    return loaded.recommender()->newcomer(known);
  };
  const auto check = [&](const std::vector<std::pair<std::string, float>>& ratings) {
    FactorModel copy = model;
    IdTable one({"new"}), known;
    std::vector<Rating> own;
    for (const auto& [item, value] : ratings) own.push_back({0, known.add(item), value});
    fold_in_users(copy, Ratings(one, known, own), nullptr, 1);
    const auto expected = recommend(copy, *copy.users.find("new"), 5);
    const auto list = top_items(*loaded.recommender(), taste_by(ratings), {5});
    ASSERT_EQ(list.size(), expected.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_EQ(list[k].item, expected[k].item);
      EXPECT_EQ(list[k].score, expected[k].score);
    }
  };
  check({{"i1", 5}, {"i2", 1}, {"what", 3}});
  check({{"i3", 1}, {"i4", 5}});
  check({{"what", 3}});
  EXPECT_EQ(top_items(*loaded.recommender(), taste_by({{"what", 3}}), {100}).size(), items.size())
      << "nothing is left of those who came before";
}

}  // namespace
}  // namespace dorm::serve
