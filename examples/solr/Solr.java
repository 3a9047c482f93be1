// SPDX-License-Identifier: Apache-2.0
// A Solr server in one process, for tests and first steps: `java -cp 'JARS/*' Solr.java HOME PORT`.
// HOME holds solr.xml and a folder per core; PORT 0 takes a free one. Prints the address, and serves until its standard
// input ends, so that no server outlives the script that started it.
import org.apache.solr.client.solrj.embedded.JettyConfig;
import org.apache.solr.client.solrj.embedded.JettySolrRunner;

public class Solr {
  public static void main(String[] arguments) throws Exception {
    System.setProperty("solr.log.dir", arguments[0]);
    var config = JettyConfig.builder().setContext("/solr").setPort(Integer.parseInt(arguments[1])).build();
    var server = new JettySolrRunner(java.nio.file.Path.of(arguments[0]).toAbsolutePath().toString(), config);
    server.start();
    System.out.println(server.getBaseUrl());
    while (System.in.read() >= 0) {
    }
    Runtime.getRuntime().halt(0);
  }
}
