package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.ForeignClients.PYTHON;
import static io.github.stablecut.cluster.ForeignClients.javaScript;
import static io.github.stablecut.cluster.ForeignClients.python;
import static io.github.stablecut.cluster.ForeignClients.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.ForeignClients.ProcessResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests AntidoteDB's own clients for other languages, unchanged, from their registries. The tests
 * report a missing language or registry and skip; in CI (the variable {@code CI} is set) they fail.
 */
final class ForeignClientsTest {
  @TempDir private Path directory;

  private static final Path PAGE = Path.of("../docs/server.md");

  /** The page's example in a language, adapted to a server; it prints 2. */
  private static String example(String language, Server server) throws IOException {
    return Pattern.compile("(?s)```" + language + "\n(.*?)```")
        .matcher(Files.readString(PAGE))
        .results()
        .map(found -> found.group(1))
        .filter(code -> code.contains("8087"))
        .findFirst()
        .orElseThrow()
        .replace("8087", "" + server.address().getPort());
  }

  @Test
  void theJavaScriptExampleOfTheDocumentWorks() throws Exception {
    Path folder = javaScript();
    try (Server server = Server.start(Settings.of(directory.resolve("data")))) {
      ProcessResult ended =
          run(folder, Map.of(), "node", "--no-deprecation", "-e", example("javascript", server));

      assertThat(ended).isEqualTo(new ProcessResult(0, "2\n"));
    }
  }

  @Test
  void thePythonExampleOfTheDocumentWorks() throws Exception {
    Path folder = python();
    try (Server server = Server.start(Settings.of(directory.resolve("data")))) {
      ProcessResult ended = run(folder, Map.of(), PYTHON, "-c", example("python", server));

      assertThat(ended).isEqualTo(new ProcessResult(0, "2\n"));
    }
  }

  @Test
  void theJavaExampleOfTheDocumentWorks() throws Exception {
    try (Server server = Server.start(Settings.of(directory.resolve("data")))) {
      Path source =
          Files.writeString(
              directory.resolve("Example.java"),
              """
              import io.github.stablecut.*;
              import io.github.stablecut.error.*;
              import io.github.stablecut.key.*;
              import io.github.stablecut.option.*;

              class Example {
                public static void main(String[] args) {
                  %s
                }
              }
              """
                  .formatted(example("java", server)));
      ProcessResult ended =
          run(
              directory,
              Map.of(),
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              System.getProperty("java.class.path"),
              source.toString());

      assertThat(ended).isEqualTo(new ProcessResult(0, "2\n"));
    }
  }

  @Test
  void theTestsOfTheJavaScriptClientPass() throws Exception {
    Path folder = javaScript();

    try (ServerProcess server = ServerProcess.start(directory.resolve("data"), 0, "-Xmx1500m")) {
      javaScriptClientPasses(folder, server.address().getPort());
    }
  }

  private static void javaScriptClientPasses(Path folder, int port) {
    ProcessResult ended =
        run(
            folder,
            Map.of("STABLECUT_PORT", "" + port),
            "node",
            "node_modules/mocha/bin/_mocha",
            "--no-timeouts",
            "--require",
            "./redirect.js",
            "node_modules/antidote_ts_client/dist/test.js");

    assertThat(ended.output()).contains("25 passing").doesNotContain("failing");
    assertThat(ended.code()).isZero();
  }

  /** Each connection goes to the next node. */
  @Test
  @Tag("long")
  void theTestsOfTheClientsPassOnACluster() throws Exception {
    Path javaScript = javaScript();
    Path python = python();

    // Without the optimizing compiler, AES takes five times as long as everything else.
    List<NodeProcess.Options> nodes =
        TestCluster.options(directory, 3).stream()
            .map(node -> node.withHeap("1500m").withFlags("-XX:TieredStopAtLevel=4"))
            .toList();
    try (TestCluster cluster = TestCluster.form(nodes);
        CutProxy spread =
            new CutProxy(
                0,
                List.of(cluster.node(0).port(), cluster.node(1).port(), cluster.node(2).port()))) {
      cluster.awaitWhole();

      javaScriptClientPasses(javaScript, spread.port());
      pythonClientPasses(python, spread.port());
    }
  }

  @Test
  void thePythonClientPassesItsUsersTests() throws Exception {
    Path folder = python();
    try (Server server = Server.start(Settings.of(directory.resolve("data")))) {
      pythonClientPasses(folder, server.address().getPort());
    }
  }

  private static void pythonClientPasses(Path folder, int port) {
    ProcessResult ended = run(folder, Map.of(), PYTHON, "scenarios.py", "" + port);

    assertThat(ended.code()).as(ended.output()).isZero();
    assertThat(ended.output().lines().filter(line -> line.startsWith("ok: "))).hasSize(23);
  }
}
