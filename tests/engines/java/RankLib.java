// SPDX-License-Identifier: Apache-2.0
// Scores of RankLib, of the fork that the plugins of Elasticsearch and OpenSearch load as `model/ranklib`. Features have
// no names there: those of a case are called 1, 2, ..., and all are given, since a plugin fills in what is missing.
import ciir.umass.edu.learning.DenseDataPoint;
import ciir.umass.edu.learning.Ranker;
import ciir.umass.edu.learning.RankerFactory;
import java.nio.file.Files;

public class RankLib {
  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      Ranker ranker = new RankerFactory().loadRankerFromString(Files.readString(model));
      return features -> {
        StringBuilder line = new StringBuilder("0 qid:1");
        features.forEach((name, value) -> line.append(' ').append(name).append(':').append(value));
        return ranker.eval(new DenseDataPoint(line.toString()));
      };
    });
  }
}
