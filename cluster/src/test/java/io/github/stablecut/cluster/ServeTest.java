package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Status;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process: starting, stopping and kills. */
final class ServeTest {
  private static final int CONNECTIONS = 16;
  private static final int PARTITIONS = 8;
  private static final int LARGE = 2_000;

  @TempDir private Path directory;

  private static List<CountingClient> counters(ServerAddress server) {
    List<CountingClient> counters = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      CountingClient counter = new CountingClient(i, server);
      counters.add(counter);
      Thread thread = new Thread(counter, "counting-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    return counters;
  }

  private static void awaitAnswers(List<CountingClient> counters, long more) throws Exception {
    for (CountingClient counter : counters) {
      long before = counter.answers();
      Eventually.holds(
          "each client was answered",
          () -> {
            counter.check();
            return counter.answers() >= before + more;
          });
    }
  }

  @Test
  void reportsReadinessOnceAndEndsWithZeroUnderLoad() throws Exception {
    Path data = directory.resolve("data");
    List<CountingClient> counters;
    try (ServerProcess server = ServerProcess.start(data, 0)) {
      counters = counters(new ServerAddress(server.address()));
      awaitAnswers(counters, 20);

      assertThat(server.terminate()).isZero();

      List<String> more = server.moreLines();
      assertThat(more).hasSize(2);
      assertThat(more.get(0))
          .contains("stablecut ", "Java ", data.toString(), "heap ", "durability batch", "1 hour");
      assertThat(more.get(1)).isEqualTo("Stablecut has stopped");
      counters.forEach(CountingClient::stop);
    }
    try (ServerProcess server = ServerProcess.start(data, 0);
        WireClient client = new WireClient(server.address())) {
      for (CountingClient counter : counters) {
        assertThat(counter.read(client)).isPositive();
        counter.check();
      }
    }
  }

  @Test
  void servesMoreThanItsHeapHoldsInManyPartitions() throws Exception {
    try (ServerProcess server =
            ServerProcess.start(directory.resolve("data"), "-Xmx128m", PARTITIONS);
        Store store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      for (int i = 0; i < LARGE; i++) {
        store.update(large(i).assign(Bytes.wrap(new byte[100_000])));
      }
      for (int i = 0; i < LARGE; i++) {
        assertThat(store.read(large(i)).orElseThrow().length()).isEqualTo(100_000);
      }
      assertThat(server.terminate()).isZero();
    }
  }

  @Test
  @Tag("long")
  void openTransactionsOfClientsDoNotFillItsHeap() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory.resolve("data"), "-Xmx128m", 1);
        Store store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      List<Transaction> open = new ArrayList<>();
      int refused = 0;
      for (int i = 0; i < 40; i++) {
        Transaction transaction = store.begin();
        open.add(transaction);
        try {
          transaction.update(large(i).assign(Bytes.wrap(new byte[5_000_000])));
        } catch (RetryException e) {
          assertThat(e).hasMessageContaining("commit or abort some");
          refused++;
        }
      }

      assertThat(refused).isBetween(30, 39);
      open.forEach(Transaction::close);
      store.update(large(0).assign(Bytes.wrap(new byte[1_000])));
      assertThat(server.terminate()).isZero();
    }
  }

  private static RegisterKey<Bytes> large(int number) {
    return Key.register("large", "k" + number, Codec.bytes());
  }

  @Test
  void keepsAcknowledgedWritesThroughThreeKills() throws Exception {
    killAndCheck(3);
  }

  @Test
  @Tag("long")
  void keepsAcknowledgedWritesThroughThirtyKills() throws Exception {
    killAndCheck(30);
  }

  private void killAndCheck(int kills) throws Exception {
    Path data = directory.resolve("data");
    ServerProcess server = ServerProcess.start(data, 0);
    ServerAddress at = new ServerAddress(server.address());
    List<CountingClient> counters = counters(at);
    try {
      for (int kill = 0; kill < kills; kill++) {
        awaitAnswers(counters, 20);
        server.kill();
        server = ServerProcess.start(data, 0);
        at.set(server.address());
      }
      awaitAnswers(counters, 20);
      counters.forEach(CountingClient::stop);
    } finally {
      server.close();
    }
    counters.forEach(CountingClient::check);
  }

  @Test
  void reportsInOneLineWhyItCannotStart() throws Exception {
    Path config = Files.writeString(directory.resolve("c.conf"), "stablecut.prot = 1");
    Process process =
        ServerProcess.builder(
                "--data", directory.resolve("d").toString(), "--config", config.toString())
            .redirectError(ProcessBuilder.Redirect.PIPE)
            .start();

    String error = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(error.lines().filter(line -> line.startsWith("error: ")).toList())
        .singleElement()
        .asString()
        .contains("most similar is stablecut.port");
    assertThat(error).doesNotContain("\tat ");
    assertThat(directory.resolve("d")).doesNotExist();
  }

  @Test
  void theStatusCommandQueriesIt() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory.resolve("data"), 0);
        WireClient client = new WireClient(server.address())) {
      client.update(WireClient.add("a", 1));

      assertThat(status(0, "--url", server.operations()))
          .startsWith("ready: all is well\n")
          .contains("\ncommits        1 since the start;")
          .contains("\nclients        1 connection,");
      assertThat(status(0, "--url", server.operations(), "--json"))
          .startsWith("{\"command\":\"status\",\"ok\":true,\"ready\":true,");
      String operations = server.operations();
      assertThat(server.terminate()).isZero();
      assertThat(status(1, "--url", operations)).contains("no server answers at " + operations);
    }
  }

  private static String status(int code, String... args) {
    StringWriter out = new StringWriter();
    assertThat(
            CommandRunner.run(Status.command(), new PrintWriter(out), new PrintWriter(out), args))
        .isEqualTo(code);
    return out.toString();
  }
}
