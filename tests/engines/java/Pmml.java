// SPDX-License-Identifier: Apache-2.0
// Scores of JPMML's evaluator. A missing feature is left out, so that the model has to say what it counts as.
import java.util.Map;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;

public class Pmml {
  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(model.toFile()).build();
      evaluator.verify();
      return features -> (Number) evaluator.evaluate((Map) features).get("score");
    });
  }
}
