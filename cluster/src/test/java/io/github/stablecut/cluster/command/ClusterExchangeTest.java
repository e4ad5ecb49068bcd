package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.command.cluster.ClusterExport;
import io.github.stablecut.cluster.command.cluster.ClusterImport;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cluster export} and {@code cluster import} keep the objects of a cluster. */
class ClusterExchangeTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withPartitions(0);

  @TempDir private Path directory;

  private List<String> seeds = List.of();

  private ClusterSettings settings(String name, int port) {
    return new ClusterSettings(name, Endpoint.loopback(port), seeds, 2, 0, Long.MAX_VALUE);
  }

  private ClusterNode node(int number, int port) {
    String name = "n" + number;
    return ClusterNode.join(directory.resolve(name), OPTIONS, settings(name, port));
  }

  private CommandResult run(Object command, Path file, String... more) {
    List<Object> arguments = new ArrayList<>(List.of(file, "--join", seeds.get(0)));
    arguments.addAll(List.of(more));
    return CommandResult.of(command, arguments.toArray());
  }

  /** A file with objects of several types. */
  private Path sample() throws IOException {
    Path file = directory.resolve("sample.jsonl");
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      Instant deadline = Instant.now().plus(Duration.ofDays(1));
      for (int i = 0; i < 50; i++) {
        String name = "k" + i;
        ExpiringKey<CounterKey> expiring = Key.expiring(Key.counter("expiring", name));
        store.update(
            Key.counter("counters", name).increment(i + 1),
            Key.addWinsSet("sets", name, Codec.string()).addAll(List.of("a", "b" + i)),
            Key.text("texts", name).insert(0, "text " + i),
            expiring.expireAt(deadline),
            expiring.object().increment(1));
      }
    }
    assertThat(
            CommandResult.of(new Export(), directory.resolve("store").toString(), file.toString())
                .code())
        .isZero();
    return file;
  }

  @Test
  void exportsImportedObjects() throws Exception {
    List<Integer> ports = Ports.free(3);
    seeds = ports.subList(0, 2).stream().map(port -> "127.0.0.1:" + port).toList();
    Path sample = sample();
    Path broken = directory.resolve("broken.jsonl");
    Files.write(broken, List.of(Files.readAllLines(sample).get(0), "no JSON"));

    try (ClusterNode first = node(0, ports.get(0))) {
      try (ClusterNode early = ClusterNode.observe(OPTIONS, settings("early", ports.get(2)))) {
        assertThatThrownBy(early::store)
            .isInstanceOf(JoinRefusedException.class)
            .hasMessageContaining("has no partitions yet");
      }
      try (ClusterNode second = node(1, ports.get(1))) {
        Store store = second.store();

        CommandResult refused = run(new ClusterImport(), broken);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("line 2");
        assertThat(store.snapshot().scan().hasNext()).isFalse();

        CommandResult imported = run(new ClusterImport(), sample);
        assertThat(imported.err()).isEmpty();
        assertThat(imported.out()).contains("imported 200 objects");
        assertThat(store.read(Key.counter("counters", "k49"))).isEqualTo(50);

        CommandResult again = run(new ClusterImport(), sample);
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err())
            .contains("the cluster is not empty, it has the object \"counters\"");

        Path exported = directory.resolve("exported.jsonl.gz");
        CommandResult export = run(new ClusterExport(), exported);
        assertThat(export.out()).contains("exported 200 objects");
        assertThat(lines(exported)).isEqualTo(Files.readAllLines(sample));
        assertThat(run(new ClusterExport(), exported).err()).contains("already exists");
        CommandResult nowhere = CommandResult.of(new ClusterExport(), "file");
        assertThat(nowhere.code()).isEqualTo(2);
        assertThat(nowhere.err()).contains("no cluster is given: use --join HOST:PORT");

        observe(first, ports.get(2));
      }
      exportsWithoutTheSecond(Files.readAllLines(sample));
    }
  }

  /** Half of the partitions are unreachable. */
  private void exportsWithoutTheSecond(List<String> all) throws IOException {
    Path file = directory.resolve("left.jsonl.gz");
    CommandResult refused = run(new ClusterExport(), file);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(file).doesNotExist();

    CommandResult rest = run(new ClusterExport(), file, "--skip-lost", "--json");
    assertThat(rest.code()).as(rest.err()).isEqualTo(1);
    assertThat(rest.err()).contains("4 of 8 partitions could not be reached").contains("(node n1)");
    JsonNode report = ToolsSchema.read().check("cluster export", rest).get(0);
    assertThat(report.path("missing")).hasSize(4);
    assertThat(report.path("objects").asInt()).isBetween(1, all.size());
    assertThat(lines(file)).hasSize(report.path("objects").asInt());
    assertThat(lines(file))
        .filteredOn(line -> !line.contains("\"observed\""))
        .isNotEmpty()
        .isSubsetOf(all);
  }

  @Test
  @Tag("long")
  void anObserverThatNoNodeAdmitsGivesUp() throws IOException {
    seeds = List.of("127.0.0.1:" + Ports.free(1).get(0));

    CommandResult result = run(new ClusterExport(), directory.resolve("file"));

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("error: the observer gives up after 20 s: node observer-")
        .contains("waits for one of the seeds " + seeds);
    assertThat(directory).isEmptyDirectory();
  }

  private static List<String> lines(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  /** An observer sees the whole store, and owns no partition. */
  private void observe(ClusterNode host, int port) {
    try (ClusterNode observer = ClusterNode.observe(OPTIONS, settings("observer", port))) {
      Store store = observer.store();
      store.run(
          transaction -> {
            for (int i = 0; i < 8; i++) {
              transaction.update(Key.counter("observed", "k" + i).increment(1));
            }
          });
      assertThat(store.read(Key.counter("observed", "k7"))).isEqualTo(1);
      assertThat(observer.partitions()).allMatch(location -> !location.node().equals("observer"));
      assertThat(host.members()).contains("127.0.0.1:" + port);
      assertThat(host.nodes()).containsExactlyInAnyOrder("n0", "n1");
      assertThatThrownBy(() -> host.move(0, "observer"))
          .isInstanceOf(MoveRefusedException.class)
          .hasMessageContaining("node observer is not among the reachable nodes");
    }
    assertThat(host.store().read(Key.counter("observed", "k7"))).isEqualTo(1);
  }
}
