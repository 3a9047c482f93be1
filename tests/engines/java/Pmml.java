// SPDX-License-Identifier: Apache-2.0
// Scores of JPMML's evaluator. A missing feature is left out, so that the model has to say what it counts as. Its builder
// refuses models of more than 1,000 features unless told otherwise, as here.
import java.util.Map;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;
import org.jpmml.evaluator.ModelEvaluator;

public class Pmml {
  private static final class AnySize extends LoadingModelEvaluatorBuilder {
    @Override
    protected void checkSchema(ModelEvaluator<?> evaluator) {}
  }

  public static void main(String[] folders) throws Exception {
    Cases.run(folders, model -> {
      Evaluator evaluator = new AnySize().load(model.toFile()).build();
      evaluator.verify();
      String score = evaluator.getOutputFields().get(0).getName();  // another name where a feature is called score
      return features -> (Number) evaluator.evaluate((Map) features).get(score);
    });
  }
}
