package io.github.stablecut.cluster.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.command.CommandResult;
import io.github.stablecut.cluster.command.ToolsSchema;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster can forget a node that is permanently lost, with the data that only it had. */
final class ClusterForgetTest {
  private static final int OBJECTS = 40;

  @TempDir private Path directory;
  private List<String> seeds = List.of();

  private Server start(String name, String data) {
    ClusterSettings settings =
        new ClusterSettings(
            name,
            Endpoint.loopback(Integer.parseInt(seeds.get(name.equals("a") ? 0 : 1).substring(10))),
            seeds,
            2,
            0,
            Long.MAX_VALUE);
    return Server.start(
        SettingsLoader.defaults(directory.resolve(data))
            .withProtocol(Endpoint.loopback(0))
            .withOperations(Optional.of(Endpoint.loopback(0)))
            .withCluster(settings));
  }

  private static CommandResult forget(Server server, Object... args) {
    List<Object> all = new ArrayList<>(List.of(args));
    all.addAll(
        List.of("--url", "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort()));
    return CommandResult.of(new ClusterForget(), all.toArray());
  }

  private static boolean isWhole(Server server) {
    return server.partitions().stream().allMatch(PartitionLocation::isServing);
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "k" + number);
  }

  /** Counts the existing objects. */
  private static int count(Store store) {
    int count = 0;
    for (int i = 0; i < OBJECTS; i++) {
      count += store.readLatest(key(i)).intValue();
    }
    return count;
  }

  private static boolean isReadable(Store store, int number) {
    try {
      return store.readLatest(key(number)) == 1;
    } catch (PartitionUnavailableException e) {
      return false;
    }
  }

  @Test
  void partitionsOfALostNodeRestartEmptyAfterConfirmation() throws Exception {
    seeds = Ports.free(2).stream().sorted().map(port -> "127.0.0.1:" + port).toList();
    CompletableFuture<Server> other = CompletableFuture.supplyAsync(() -> start("b", "b"));
    try (Server server = start("a", "a")) {
      Store store = server.store();
      int left;
      try (Server lost = other.join()) {
        Eventually.holds("both serve", () -> isWhole(server) && isWhole(lost));
        for (int i = 0; i < OBJECTS; i++) {
          store.update(key(i).increment());
        }
        assertThat(forget(server, "b").err()).contains("node b is running");
        assertThat(forget(lost, "x").err()).contains("the cluster knows no node x");
      }
      Eventually.holds("the node is lost", () -> forget(server, "b").code() == 0);
      List<Integer> readable = new ArrayList<>();
      for (int i = 0; i < OBJECTS; i++) {
        if (isReadable(store, i)) {
          readable.add(i);
        }
      }
      left = readable.size();
      assertThat(left).isBetween(1, OBJECTS - 1);

      CommandResult warned = forget(server, "b");
      CommandResult wrong = forget(server, "b", "--confirm", "yes");
      assertThat(warned.out())
          .contains("Nothing was changed", "export --skip-lost", "--confirm lose-4-partitions");
      assertThat(wrong.code()).isEqualTo(1);
      assertThat(wrong.err()).contains("nothing was changed", "--confirm lose-4-partitions");
      assertThat(isWhole(server)).isFalse();

      CommandResult done = forget(server, "b", "--confirm", "lose-4-partitions", "--json");

      assertThat(done.code()).as(done.err()).isZero();
      JsonNode report = ToolsSchema.read().check("cluster forget", done).get(0);
      assertThat(report.path("partitions")).hasSize(4);
      assertThat(report.path("done").asBoolean()).isTrue();
      Eventually.holds("all partitions are served", () -> isWhole(server));
      assertThat(count(store)).isEqualTo(left);
      for (int i = 0; i < OBJECTS; i++) {
        store.update(key(i).increment());
      }
      assertThat(count(store)).isEqualTo(left + OBJECTS);
      assertThatThrownBy(() -> start("b", "b"))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("older copy");
      try (Server empty = start("b", "empty")) {
        Eventually.holds("the new node serves", () -> isWhole(empty));
        assertThat(count(empty.store())).isEqualTo(left + OBJECTS);
        assertThat(empty.partitions()).extracting(PartitionLocation::node).containsOnly("a");
      }
    } catch (StablecutException e) {
      other.thenAccept(Server::close).join();
      throw e;
    }
  }
}
