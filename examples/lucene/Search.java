// SPDX-License-Identifier: Apache-2.0
// Search with Lucene alone: `java -cp 'JARS/*' Search.java DOCUMENTS QUERIES [EXPRESSION]`, files of tab-separated text.
// Without an expression it prints a table of features, a line per document found; with one, as dorm export writes it,
// the documents of every query, best first.
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.DoubleDocValuesField;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.expressions.Expression;
import org.apache.lucene.expressions.SimpleBindings;
import org.apache.lucene.expressions.js.JavascriptCompiler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortRescorer;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

public class Search {
  static final int MATCHED = 100;
  static final String[] FEATURES = {"title_match", "body_match", "age", "sales"};

  public static void main(String[] arguments) throws Exception {
    IndexSearcher searcher = index(Path.of(arguments[0]));
    Expression expression =
        arguments.length > 2 ? JavascriptCompiler.compile(Files.readString(Path.of(arguments[2]))) : null;
    System.out.println("qid,docid" + (expression == null ? "," + String.join(",", FEATURES) : ""));
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      String[] cells = line.split("\t");
      SimpleBindings features = features(cells[1]);
      TopDocs found = searcher.search(words(cells[1], "title", "body"), MATCHED);
      if (expression != null) {
        Sort sort = new Sort(expression.getSortField(features, true)).rewrite(searcher);
        found = new SortRescorer(sort).rescore(searcher, found, MATCHED);
      }
      for (ScoreDoc one : found.scoreDocs) {
        String id = searcher.storedFields().document(one.doc).get("id");
        System.out.println(cells[0] + "," + id + (expression == null ? values(searcher, features, one.doc) : ""));
      }
    }
  }

  /** What the variables of the expression stand for, for one query. */
  static SimpleBindings features(String text) {
    SimpleBindings bindings = new SimpleBindings();
    bindings.add("title_match", DoubleValuesSource.fromQuery(words(text, "title")));
    bindings.add("body_match", DoubleValuesSource.fromQuery(words(text, "body")));
    bindings.add("age", DoubleValuesSource.fromDoubleField("age"));
    bindings.add("sales", DoubleValuesSource.fromDoubleField("sales"));
    return bindings;
  }

  static Query words(String text, String... fields) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (String word : text.split(" "))
      for (String field : fields) query.add(new TermQuery(new Term(field, word)), BooleanClause.Occur.SHOULD);
    return query.build();
  }

  /** The values of the features for a document, as the expression sees them. */
  static String values(IndexSearcher searcher, SimpleBindings features, int document) throws Exception {
    var leaves = searcher.getIndexReader().leaves();
    var leaf = leaves.get(ReaderUtil.subIndex(document, leaves));
    StringBuilder line = new StringBuilder();
    for (String name : FEATURES) {
      DoubleValues values = features.getDoubleValuesSource(name).rewrite(searcher).getValues(leaf, null);
      line.append(',').append(values.advanceExact(document - leaf.docBase) ? values.doubleValue() : 0);
    }
    return line.toString();
  }

  /** Lines of id, title, body, words, year and sales, in memory. */
  static IndexSearcher index(Path documents) throws Exception {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
      for (String line : Files.readAllLines(documents)) {
        String[] cells = line.split("\t");
        Document document = new Document();
        document.add(new StringField("id", cells[0], Field.Store.YES));
        document.add(new TextField("title", cells[1], Field.Store.NO));
        document.add(new TextField("body", cells[2], Field.Store.NO));
        document.add(new DoubleDocValuesField("age", 2026 - Double.parseDouble(cells[4])));
        document.add(new DoubleDocValuesField("sales", Double.parseDouble(cells[5])));
        writer.addDocument(document);
      }
    }
    return new IndexSearcher(DirectoryReader.open(directory));
  }
}
