package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.command.cluster.ClusterRebalance;
import io.github.stablecut.cluster.command.cluster.ClusterView;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several administrators rebalance a cluster at the same time. */
final class RebalancesAtOnceTest {
  private static final int PARTITIONS = 8;

  @TempDir private Path temporary;

  private Server start(String name, int port, int seed) {
    ClusterSettings cluster =
        new ClusterSettings(
            name, Endpoint.loopback(port), List.of("127.0.0.1:" + seed), 1, 0, Long.MAX_VALUE);
    return Server.start(
        SettingsLoader.defaults(temporary.resolve(name))
            .withProtocol(Endpoint.loopback(0))
            .withOperations(Optional.of(Endpoint.loopback(0)))
            .withStore(StoreOptions.defaults().withPartitions(PARTITIONS))
            .withCluster(cluster));
  }

  private static String url(Server server) {
    return "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort();
  }

  private static ClusterView view(Server server) throws IOException, InterruptedException {
    AdminPort port = new AdminPort().at(URI.create(url(server)));
    return ClusterView.ask(port);
  }

  @Test
  void allOfThemSucceed() throws Exception {
    List<Integer> ports = Ports.free(2);
    try (Server first = start("n1", ports.get(0), ports.get(0));
        Server second = start("n2", ports.get(1), ports.get(0))) {
      Eventually.holds("the nodes know each other", () -> view(first).nodes().size() == 2);

      List<CompletableFuture<CommandResult>> all = new ArrayList<>();
      for (Server asked : List.of(first, second, first)) {
        all.add(
            CompletableFuture.supplyAsync(
                () -> CommandResult.of(new ClusterRebalance(), "--url", url(asked))));
      }

      for (CompletableFuture<CommandResult> one : all) {
        CommandResult result = one.get();
        assertThat(result.code()).as(result.err()).isZero();
      }
      assertThat(view(first).counts()).containsEntry("n1", 4).containsEntry("n2", 4);
    }
  }
}
