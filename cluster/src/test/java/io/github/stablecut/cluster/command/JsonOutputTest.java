package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.DataCentreSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.cluster.command.cluster.DcStatus;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of commands with --json, for a running server and for a closed directory. */
final class JsonOutputTest {
  @TempDir private Path temporary;

  private final ToolsSchema schema;

  JsonOutputTest() throws Exception {
    schema = ToolsSchema.read();
  }

  @BeforeEach
  void fill() {
    try (Store store =
        Stablecut.open(temporary.resolve("data"), StoreOptions.defaults().withPartitions(2))) {
      store.update(
          Key.counter("b", "k").increment(3),
          Key.addWinsSet("b", "s\u001b", Codec.string()).add("x"),
          Key.register("c", "r", Codec.string()).assign("y"));
      store.checkpoint();
      store.openSession().update(1, Key.counter("b", "k").increment(1));
    }
  }

  private Server serve() {
    return Server.start(settings("data").withDataCentre(DataCentreSettings.loopback(0)));
  }

  private ServerSettings settings(String name) {
    return SettingsLoader.defaults(temporary.resolve(name))
        .withProtocol(Endpoint.loopback(0))
        .withOperations(Optional.of(Endpoint.loopback(0)));
  }

  private static String url(Server server) {
    return "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort();
  }

  @CanIgnoreReturnValue
  private List<JsonNode> run(String name, Object command, Object... args) throws Exception {
    List<Object> all = new ArrayList<>(Arrays.asList(args));
    all.add("--json");
    CommandResult result = CommandResult.of(command, all.toArray());
    assertThat(result.code()).as(result.err()).isZero();
    List<JsonNode> lines = schema.check(name, result);
    assertThat(lines).as(name).isNotEmpty();
    return lines;
  }

  @Test
  void matchesTheSchemaForAClosedDirectory() throws Exception {
    Path data = temporary.resolve("data");
    Path backup = temporary.resolve("backup");
    Path file = temporary.resolve("data.jsonl");

    JsonNode verdict = run("verify", new Verify(), data, "--full").get(0);
    assertThat(verdict.path("ok").asBoolean()).isTrue();
    assertThat(verdict.path("compared").asInt()).isPositive();
    run("inspect", new Inspect(), data);
    assertThat(run("journal dump", new DumpJournal(), data)).hasSizeGreaterThan(3);
    run("get", new Get(), "--data", data, "b", "k");
    assertThat(run("scan", new ScanObjects(), "--data", data, "b")).hasSize(2);
    assertThat(run("buckets", new ListBuckets(), "--data", data)).hasSize(2);
    run("update", new UpdateObject(), "--data", data, "b", "k", "increment");
    run("watch", new WatchObjects(), "--data", data, "--after", "0", "b");
    assertThat(run("export", new Export(), data, file).get(0).path("objects").asInt()).isEqualTo(3);
    run("import", new Import(), file, temporary.resolve("imported"));
    run("backup", new Backup(), data, backup);
    run("backup verify", new BackupVerify(), backup);
    run("restore", new Restore(), backup, temporary.resolve("restored"));
    run("inspect", new Inspect(), temporary.resolve("restored"));
  }

  @Test
  void matchesTheSchemaForARunningServer() throws Exception {
    Path backup = temporary.resolve("backup");
    Path file = temporary.resolve("data.jsonl.gz");
    try (Server server = serve()) {
      String url = url(server);

      run("status", new Status(), "--url", url);
      run("dc status", new DcStatus(), "--url", url);
      run("top", new Top(), "--url", url, "-n", 2, "--interval", 10);
      run("get", new Get(), "--url", url, "b", "k");
      run("scan", new ScanObjects(), "--url", url, "b");
      run("buckets", new ListBuckets(), "--url", url);
      run("update", new UpdateObject(), "--url", url, "b", "k", "increment");
      JsonNode exported = run("export", new Export(), "--url", url, file).get(0);
      assertThat(exported.path("objects").asInt()).isEqualTo(3);
      run("inspect", new Inspect(), "--url", url);
      assertThat(run("journal dump", new DumpJournal(), "--url", url)).hasSizeGreaterThan(3);
      run("backup", new Backup(), "--url", url, backup);
      JsonNode verdict = run("verify", new Verify(), "--url", url, "--full").get(0);
      assertThat(verdict.path("entries").asInt()).isPositive();
      try (Stream<Path> left = Files.list(temporary)) {
        assertThat(left.map(Path::getFileName).map(Path::toString))
            .containsExactlyInAnyOrder("data", "data.jsonl.gz", "backup");
      }
    }
    run("backup verify", new BackupVerify(), backup);
    run("import", new Import(), file, temporary.resolve("imported"));
  }

  @Test
  void matchesTheSchemaForAClusterNode() throws Exception {
    int port = Ports.free(1).get(0);
    ClusterSettings alone =
        new ClusterSettings(
            "n0", Endpoint.loopback(port), List.of("127.0.0.1:" + port), 1, 0, Long.MAX_VALUE);
    try (Server server = Server.start(settings("node").withCluster(alone))) {
      String url = url(server);

      run("status", new Status(), "--url", url);
      run("export", new Export(), "--url", url, temporary.resolve("none.jsonl"));
      run("inspect", new Inspect(), "--url", url);
      run("journal dump", new DumpJournal(), "--url", url);
      assertThat(
              run("cluster status", new ClusterStatus(), "--url", url)
                  .get(0)
                  .at("/nodes/0")
                  .asText())
          .isEqualTo("n0");
    }
  }

  @Test
  void reportsDamage() throws Exception {
    Path backup = temporary.resolve("backup");
    assertThat(CommandResult.of(new Backup(), temporary.resolve("data"), backup).code()).isZero();
    try (var files = Files.list(backup.resolve("p0"))) {
      Files.delete(files.findFirst().orElseThrow());
    }

    CommandResult result = CommandResult.of(new BackupVerify(), backup, "--json");

    assertThat(result.code()).isEqualTo(1);
    JsonNode report = schema.check("backup verify", result).get(0);
    assertThat(report.path("ok").asBoolean(true)).isFalse();
    assertThat(report.path("damages")).hasSize(1);
  }
}
