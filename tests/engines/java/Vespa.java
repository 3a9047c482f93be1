// SPDX-License-Identifier: Apache-2.0
// Scores of the second phase of a rank profile of Vespa: read by its parser of schemas, computed by its evaluator.
import com.yahoo.schema.parser.RankProfileReader;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
import java.nio.file.Files;

public class Vespa {
  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      RankProfileReader profile = new RankProfileReader(Files.readString(model));
      String second = profile.secondPhase.strip();
      RankingExpression expression = new RankingExpression(profile.functions.getOrDefault(second, second));
      return features -> {
        MapContext context = new MapContext();
        features.forEach(context::put);
        return expression.evaluate(context).asDouble();
      };
    });
  }
}
