package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.cluster.DcConnect;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A serving cluster without data joins other data centres. */
final class RunningClusterJoinsTest {
  private static final int KEYS = 12;

  @TempDir private Path directory;
  private List<Server> nodes = List.of();
  private final List<Store> stores = new ArrayList<>();

  @AfterEach
  void close() {
    stores.forEach(Store::close);
    // The last node of a cluster waits for no other node if all close concurrently.
    nodes.stream()
        .map(node -> CompletableFuture.runAsync(node::close))
        .toList()
        .forEach(CompletableFuture::join);
  }

  /** The output and the exit code of a command. */
  private record CommandResult(int code, String err) {}

  private void start(int size) throws IOException {
    // Addresses are compared as text.
    List<String> ports = Ports.free(size).stream().map(String::valueOf).sorted().toList();
    List<CompletableFuture<Server>> starting = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      ServerSettings settings =
          Settings.dataCentreOrders(Settings.of(directory.resolve("n" + i)))
              .withOperations(Optional.of(Endpoint.loopback(0)))
              .withDataCentre(DataCentreSettings.loopback(0))
              .withCluster(
                  new ClusterSettings(
                      "n" + i,
                      Endpoint.loopback(Integer.parseInt(ports.get(i))),
                      List.of("127.0.0.1:" + ports.get(0)),
                      size,
                      0,
                      Long.MAX_VALUE));
      starting.add(CompletableFuture.supplyAsync(() -> Server.start(settings)));
    }
    nodes = starting.stream().map(CompletableFuture::join).toList();
    stores.add(
        Stablecut.open(
            directory.resolve("store"),
            StoreOptions.defaults()
                .withPartitions(nodes.get(0).partitions().size())
                .withReplication(Replication.tcp("127.0.0.1:0"))));
  }

  /** The store that the cluster joins. */
  private Store store() {
    return stores.get(0);
  }

  private String listens() {
    return "127.0.0.1:" + store().dataCentres().port().orElseThrow();
  }

  private static CommandResult connect(Server server, String address) {
    StringWriter err = new StringWriter();
    String url = "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort();
    int code =
        CommandRunner.run(
            DcConnect.command(),
            new PrintWriter(new StringWriter(), true),
            new PrintWriter(err, true),
            address,
            "--url",
            url);
    return new CommandResult(code, err.toString());
  }

  private static CounterKey key(int i) {
    return Key.counter("b", "k" + i);
  }

  private static long readAfter(Store there, CausalToken token, CounterKey key) {
    try (Transaction transaction = there.begin(TransactionOptions.defaults().after(token))) {
      return transaction.read(key);
    }
  }

  /** Checks that each node and the store see each other's commits. */
  private void checkThatTheyExchange() throws Exception {
    long all = 0;
    for (Server node : nodes) {
      CausalToken there = update(node.store());
      assertThat(readAfter(store(), there, key(KEYS - 1))).isEqualTo(++all);
      CausalToken here = update(store());
      assertThat(readAfter(node.store(), here, key(KEYS - 1))).isEqualTo(++all);
    }
    for (int i = 1; i < KEYS; i++) {
      assertThat(nodes.get(0).store().read(key(i))).isEqualTo(all);
    }
  }

  /** Adds 1 to each key, on all partitions. */
  private static CausalToken update(Store there) {
    return there.update(
        IntStream.range(0, KEYS).mapToObj(i -> key(i).increment(1)).toArray(Update[]::new));
  }

  @Test
  void anAdministratorMakesItJoinAStoreWithData() throws Exception {
    start(2);
    CausalToken token = store().update(key(0).increment(7));
    assertThat(nodes.get(0).partitions()).extracting(PartitionLocation::node).contains("n0", "n1");

    CommandResult elsewhere = connect(nodes.get(1), listens());
    assertThat(elsewhere.code).isEqualTo(1);
    assertThat(elsewhere.err).contains("its first seed", "run the command there");
    CommandResult result = connect(nodes.get(0), listens());

    assertThat(result.code).as(result.err).isZero();
    for (Server node : nodes) {
      Eventually.holds("it is there", () -> node.store().read(key(0)) == 7);
      assertThat(readAfter(node.store(), token, key(0))).isEqualTo(7);
      assertThat(node.store().dataCentres().own()).isEqualTo(1);
    }
    checkThatTheyExchange();
  }

  @Test
  @Tag("long") // forms a cluster twice
  void antidotesMessagesMakeItJoin() throws Exception {
    start(1);
    store().update(key(0).increment(7));
    String descriptor = "stablecut %016x %s".formatted(store().status().storeId(), listens());
    try (WireClient client = new WireClient(nodes.get(0))) {
      Bytes own =
          ((Response.ConnectionDescribed) client.call(new Request.DescribeConnection()))
              .descriptor();
      assertThat(client.call(new Request.ConnectDataCentres(List.of(own, Bytes.utf8(descriptor)))))
          .isEqualTo(new Response.DataCentresConnected());
    }
    assertThat(nodes.get(0).store().read(key(0))).isEqualTo(7);
    checkThatTheyExchange();
  }

  @Test
  void refusesToJoinWithDataAndContinues() throws Exception {
    start(2);
    store().update(key(0).increment(7));
    CausalToken written = update(nodes.get(1).store());

    CommandResult result = connect(nodes.get(0), listens());

    assertThat(result.code).isEqualTo(1);
    assertThat(result.err).contains("export");
    for (Server node : nodes) {
      assertThat(readAfter(node.store(), written, key(0))).isEqualTo(1);
      node.store().update(key(1).increment(1));
    }
  }
}
