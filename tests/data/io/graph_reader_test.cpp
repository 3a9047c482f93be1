// SPDX-License-Identifier: Apache-2.0
// Graphs, pairs and matches from CSV text, and what is refused with which words.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/matching/read_graphs.h"
#include "support/message_of.h"

namespace dorm {
namespace {

constexpr const char* kNodes = "graph,node,x,y\ng,a,1,2\nh,b,5,6\ng,b,3,4\nh,\"c,c\",7,8\nh,a,9,10\n";
constexpr const char* kEdges = "graph,from,to,length\ng,a,b,1.5\nh,a,b,2\nh,b,\"c,c\",3\nh,b,a,2\n";

TEST(GraphReader, ReadsNodesAndEdgesById) {
  const GraphSet set = parse_graphs(kNodes, "n", kEdges, "e");
  EXPECT_EQ(set.node_features, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(set.edge_features, (std::vector<std::string>{"length"}));
  ASSERT_EQ(set.graphs.size(), 2u);
  EXPECT_EQ(set.names[1], "h");
  EXPECT_EQ(set.graphs[0].node_values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(set.graphs[1].nodes[1], "c,c");
  EXPECT_EQ(set.graphs[1].edges, (std::vector<GraphEdge>{{2, 0}, {0, 1}}));  // the third is the first again
  EXPECT_EQ(set.graphs[1].edge_values, (std::vector<double>{2, 3}));
  EXPECT_NO_THROW(set.validate());
  const GraphSet directed = parse_graphs(kNodes, "n", kEdges, "e", true);
  EXPECT_EQ(directed.graphs[1].edges.size(), 3u);
  EXPECT_TRUE(parse_graphs(kNodes, "n", "", "").graphs[0].edges.empty());
}

TEST(GraphReader, ReadsPairsAndWhoBelongsTogether) {
  const GraphSet set = parse_graphs(kNodes, "n", "", "");
  constexpr const char* kPairs = "part,left,right\ntrain,g,h\ntest,h,g\ntrain,g,g\n";
  std::vector<GraphPair> pairs = parse_graph_pairs(kPairs, "p", set, {"left", "right", {{"part", "train"}}});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].second, 1u);
  EXPECT_EQ(parse_graph_pairs("a,b,c\ng,h,7\n", "p", set).size(), 1u);
  parse_graph_matches("graph1,graph2,node1,node2\ng,h,a,b\nh,g,a,b\n", "m", set, pairs);
  EXPECT_EQ(pairs[0].match, (std::vector<std::uint32_t>{0, kUnmatched}));
  EXPECT_EQ(pairs[1].match, (std::vector<std::uint32_t>{kUnmatched, kUnmatched}));
  EXPECT_EQ(pair_by_id(set, 0, 1).match, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(pair_by_id(set, 1, 0).match, (std::vector<std::uint32_t>{1, kUnmatched, 0}));
  EXPECT_NO_THROW(validate(set, pairs));
}

TEST(GraphReader, SaysWhatIsWrongAndWhere) {
  const auto graphs = [](const std::string& nodes, const std::string& edges) {
    return test::message_of([&] { parse_graphs(nodes, "n", edges, "e"); });
  };
  EXPECT_EQ(graphs("", ""), "n: empty; expected a header: graph,node and the features of nodes");
  EXPECT_EQ(graphs("graph\n", ""), "n:1: found 1 columns; expected graph,node and the features of nodes");
  EXPECT_EQ(graphs("graph,node,x\n", ""), "n: no nodes");
  EXPECT_EQ(graphs("graph,node,x,x\n", ""), "n:1:14: the column 'x' appears twice");
  EXPECT_EQ(graphs("graph,node,x\ng,a,one\n", ""), "n:2:5: found 'one'; expected a finite number");
  EXPECT_EQ(graphs("graph,node,x\ng,a\n", ""), "n:2: found 2 cells; expected 3 as in the header");
  EXPECT_EQ(graphs("graph,node,x\ng,a,1\ng,a,1\n", ""), "n:3:3: graph 'g' has a node 'a' already");
  EXPECT_EQ(graphs(kNodes, "graph,from,to\nf,a,b\n"), "e:2:1: there is no graph 'f' in the table of nodes");
  EXPECT_EQ(graphs(kNodes, "graph,from,to\ng,a,z\n"), "e:2:5: graph 'g' has no node 'z'");
  EXPECT_EQ(graphs(kNodes, "graph,from,to\ng,a,a\n"), "e:2:5: an edge from 'a' to itself; expected another node");
  EXPECT_EQ(graphs(kNodes, "graph,from,to\ng,a,b\ng,a,b\n"),
            "e:3:3: the edge between 'a' and 'b' of graph 'g' appears twice");
  EXPECT_EQ(graphs(kNodes, "graph,from,to,l\ng,a,b,1\ng,b,a,2\n"),
            "e:3:3: the edge between 'b' and 'a' of graph 'g' appears twice, with other features");
  const GraphSet set = parse_graphs(kNodes, "n", "", "");
  const auto pairs = [&](const std::string& text, const GraphPairColumns& columns) {
    return test::message_of([&] { parse_graph_pairs(text, "p", set, columns); });
  };
  EXPECT_EQ(pairs("left\ng\n", {}), "p:1: found one column; expected those of two graphs");
  EXPECT_EQ(pairs("left,right\ng,h\n", {"lft", "right", {}}),
            "p:1: no column 'lft'; did you mean 'left'?; there are left, right");
  EXPECT_EQ(pairs("left,right\ng,k\n", {}), "p:2:3: there is no graph 'k' in the table of nodes");
  EXPECT_EQ(pairs("left,right\ng,h\n", {"", "", {{"left", "h"}}}), "p: no pairs with the values asked for");
  std::vector<GraphPair> one = parse_graph_pairs("left,right\ng,h\n", "p", set);
  EXPECT_EQ(
      test::message_of([&] { parse_graph_matches("graph1,graph2,node1,node2\ng,h,a,b\ng,h,b,b\n", "m", set, one); }),
      "m:3:7: node 'b' has a partner already");
}

}  // namespace
}  // namespace dorm
