package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static io.github.stablecut.cluster.WireClient.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ServerSettings.Shares;
import io.github.stablecut.cluster.ServerSettings.Sizes;
import io.github.stablecut.cluster.ServerSettings.Transactions;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireMapKey;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.io.EOFException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of clients, and the refusals of requests above them. */
final class LimitsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int MEBIBYTE = 1 << 20;

  @TempDir private Path directory;

  private ServerSettings settings() {
    return Settings.of(directory.resolve("data"));
  }

  private static ObjectUpdate assign(String key, int bytes) {
    return new ObjectUpdate(
        object(WireType.LWWREG, key), new WireOperation.Assign(Bytes.wrap(new byte[bytes])));
  }

  @Test
  void refusesConnectionsAboveTheLimitAndAcceptsThemAgainWhenOthersClose() throws Exception {
    try (Server server = Server.start(Settings.connections(settings(), 2, HOUR));
        WireClient first = new WireClient(server)) {
      try (WireClient second = new WireClient(server)) {
        first.update(add("a", 1));
        second.update(add("a", 1));
        try (WireClient third = new WireClient(server)) {
          assertThat(WireClient.failed(third.receive(), ErrorCode.BUSY)).contains("2 connections");
          third.expectClosed();
        }
        assertThat(first.count("a")).isEqualTo(2);
      }
      Eventually.holds("the connection is closed", () -> server.connections() == 1);
      try (WireClient third = new WireClient(server)) {
        assertThat(third.count("a")).isEqualTo(2);
      }
    }
  }

  @Test
  void closesAnIdleConnection() throws Exception {
    try (Server server =
            Server.start(Settings.connections(settings(), 10, Duration.ofMillis(200)));
        WireClient client = answered(server)) {
      client.expectClosed();
      Eventually.holds("the connection is closed", () -> server.connections() == 0);
    }
  }

  /**
   * A client that has received an answer; reconnects if a busy machine closed the connection
   * before.
   */
  private static WireClient answered(Server server) throws IOException {
    while (true) {
      WireClient client = new WireClient(server);
      try {
        client.update(add("a", 1));
        return client;
      } catch (EOFException | SocketException e) {
        client.close();
      }
    }
  }

  @Test
  void closesAConnectionThatSendsARequestByteByByte() throws Exception {
    try (Server server = Server.start(Settings.requests(settings(), Duration.ofMillis(200)));
        WireClient client = new WireClient(server)) {
      client.update(add("a", 1));
      client.send("00100000");
      Eventually.holds(
          "the connection is closed, although bytes come",
          () -> {
            trickle(client);
            return server.connections() == 0;
          });
    }
  }

  /** Sends a byte, if the connection is open. */
  private static void trickle(WireClient client) {
    try {
      client.send("00");
    } catch (IOException e) {
      // The server has closed the connection and will report it.
    }
  }

  @Test
  void limitsTheOpenTransactionsOfAConnection() throws Exception {
    try (Server server =
            Server.start(Settings.transactions(settings(), new Transactions(3, 100, HOUR)));
        WireClient client = new WireClient(server);
        WireClient other = new WireClient(server)) {
      List<Bytes> open = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        open.add(client.begin());
      }
      Request start = new Request.Start(Optional.empty());

      assertThat(client.refused(start, ErrorCode.BUSY))
          .contains("3 transactions of this connection are open");
      assertThat(other.begin().length()).isPositive();
      other.commit(open.get(0));
      open.set(0, client.begin());
      assertThat(client.call(new Request.Abort(open.get(1)))).isEqualTo(new Response.Done());
      assertThat(client.begin().length()).isPositive();
      assertThat(client.refused(start, ErrorCode.BUSY)).contains("max-per-connection");
    }
  }

  @Test
  void aTransactionThatCouldNotBeginDoesNotCount() throws Exception {
    try (Server server =
            Server.start(Settings.transactions(settings(), new Transactions(3, 100, HOUR)));
        WireClient client = new WireClient(server)) {
      for (int i = 0; i < 10; i++) {
        Request wrong = new Request.Start(Optional.of(Bytes.utf8("no clock")));
        assertThat(client.refused(wrong, ErrorCode.BAD_REQUEST)).contains("not a clock");
      }

      assertThat(client.begin().length()).isPositive();
      assertThat(server.openTransactions()).isEqualTo(1);
    }
  }

  @Test
  void limitsTheOpenTransactionsOfAllConnections() throws Exception {
    Shares whole = new Shares(100, 100, 100, HOUR);
    ServerSettings settings = Settings.transactions(settings(), new Transactions(3, 4, HOUR));
    try (Server server = Server.start(Settings.shares(settings, whole));
        WireClient client = new WireClient(server);
        WireClient other = new WireClient(server)) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.begin().length()).isPositive();
      }
      assertThat(other.begin().length()).isPositive();

      assertThat(other.refused(new Request.Start(Optional.empty()), ErrorCode.BUSY))
          .contains("4 transactions are open")
          .contains("max-open");
    }
  }

  @Test
  void abortsAnIdleTransaction() throws Exception {
    Transactions limits = new Transactions(10, 10, Duration.ofMillis(100));
    try (Server server = Server.start(Settings.transactions(settings(), limits));
        WireClient client = new WireClient(server)) {
      Bytes transaction = beginWithAnUpdate(client, add("a", 1));

      Eventually.holds("it is aborted", () -> server.openTransactions() == 0);

      assertThat(client.refused(new Request.Commit(transaction), ErrorCode.TIMEOUT))
          .contains("unused for more than 100 milliseconds");
      assertThat(server.store().status().openTransactions()).isZero();
      assertThat(client.count("a")).isZero();
    }
  }

  /** Retries if a busy machine aborted the transaction before its update. */
  private static Bytes beginWithAnUpdate(WireClient client, ObjectUpdate update)
      throws IOException {
    while (true) {
      Bytes transaction = client.begin();
      Response response = client.call(new Request.Update(List.of(update), transaction));
      if (response instanceof Response.Done) {
        return transaction;
      }
      assertThat(response)
          .isInstanceOfSatisfying(
              Response.Failed.class,
              failed -> assertThat(failed.code()).isEqualTo(ErrorCode.TIMEOUT));
    }
  }

  @Test
  void abortsATransactionThatIsTooOldDespiteActivity() throws Exception {
    ServerSettings settings = settings();
    try (Server server =
            Server.start(
                settings.withStore(
                    settings.store().withMaxTransactionAge(Duration.ofMillis(100))));
        WireClient client = new WireClient(server)) {
      Bytes transaction = client.begin();
      Request read = new Request.Read(List.of(WireClient.counter("a")), transaction);
      List<Response> last = new ArrayList<>();
      Eventually.holds(
          "it is too old",
          () -> {
            last.add(client.call(read));
            return last.get(last.size() - 1) instanceof Response.Failed;
          });

      assertThat(WireClient.failed(last.get(last.size() - 1), ErrorCode.TIMEOUT))
          .contains("open for longer than");
    }
  }

  @Test
  void reportsAnUpdateTooLargeForTheServer() throws Exception {
    Sizes sizes = new Sizes(MEBIBYTE, MEBIBYTE, MEBIBYTE);
    try (Server server = Server.start(Settings.sizes(settings(), sizes));
        Store store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      RegisterKey<String> text = Key.register("b", "text", Codec.string());
      store.update(text.assign("small"));
      String large = "x".repeat(32 * MEBIBYTE);

      for (int i = 0; i < 4; i++) {
        assertThatThrownBy(() -> store.update(text.assign(large)))
            .isInstanceOf(LimitExceededException.class)
            .hasMessageContaining("max-request-bytes");
        assertThat(store.read(text)).contains("small");
      }
    }
  }

  @Test
  void refusesARequestAboveTheLimitByItsLengthAlone() throws Exception {
    Sizes sizes = new Sizes(MEBIBYTE, MEBIBYTE, MEBIBYTE);
    try (Server server = Server.start(Settings.sizes(settings(), sizes));
        WireClient client = new WireClient(server);
        WireClient other = new WireClient(server)) {
      client.update(assign("fits", MEBIBYTE - 100));

      client.send("7fffffff 7a");

      assertThat(WireClient.failed(client.receive(), ErrorCode.LIMIT_EXCEEDED))
          .contains("2,147,483,647 bytes")
          .contains("1,048,576");
      client.expectClosed();
      other.send("ffffffff");
      assertThat(WireClient.failed(other.receive(), ErrorCode.LIMIT_EXCEEDED))
          .contains("4,294,967,295 bytes");
    }
  }

  @Test
  void refusesElementsAndNamesAboveTheLimitInEveryType() throws Exception {
    Bytes tooLong = Bytes.wrap(new byte[MEBIBYTE + 1]);
    WireOperation addition = new WireOperation.Elements(true, List.of(tooLong));
    WireOperation entry =
        new WireOperation.Entries(
            List.of(
                new WireOperation.Nested(
                    new WireMapKey(tooLong, WireType.LWWREG), new WireOperation.Assign(tooLong))),
            List.of());
    try (Server server = Server.start(settings());
        WireClient client = new WireClient(server)) {
      for (ObjectUpdate update :
          List.of(
              new ObjectUpdate(object(WireType.ORSET, "a"), addition),
              new ObjectUpdate(object(WireType.RWSET, "b"), addition),
              new ObjectUpdate(object(WireType.GMAP, "c"), entry),
              new ObjectUpdate(object(WireType.RRMAP, "d"), entry))) {
        assertThat(client.refused(WireClient.updateOf(update), ErrorCode.LIMIT_EXCEEDED))
            .contains("1,048,577 bytes")
            .contains("register");
        Bytes transaction = client.begin();
        assertThat(
                client.refused(
                    new Request.Update(List.of(update), transaction), ErrorCode.LIMIT_EXCEEDED))
            .contains("1,048,577 bytes");
      }
      client.update(
          new ObjectUpdate(object(WireType.LWWREG, "e"), new WireOperation.Assign(tooLong)));
    }
  }

  @Test
  void answersRequestsBeforeATooLargeFrame() throws Exception {
    try (Server server = Server.start(settings());
        WireClient client = new WireClient(server)) {
      for (int i = 0; i < 50; i++) {
        client.send(WireClient.updateOf(add("a", 1)));
      }
      client.send("7fffffff");

      for (int i = 0; i < 50; i++) {
        assertThat(WireClient.clock(client.receive()).length()).isPositive();
      }
      assertThat(client.receive()).isInstanceOf(Response.Failed.class);
      client.expectClosed();
    }
  }

  @Test
  void refusesAnAnswerAboveTheLimit() throws Exception {
    Sizes sizes = new Sizes(4 * MEBIBYTE, MEBIBYTE, 8 * MEBIBYTE);
    try (Server server = Server.start(Settings.sizes(settings(), sizes));
        WireClient client = new WireClient(server)) {
      client.update(assign("a", 3 * MEBIBYTE / 4), assign("b", 3 * MEBIBYTE / 4));
      BoundObject a = object(WireType.LWWREG, "a");
      BoundObject b = object(WireType.LWWREG, "b");

      assertThat(client.values(a)).hasSize(1);
      assertThat(client.refused(WireClient.readOf(a, b), ErrorCode.LIMIT_EXCEEDED))
          .contains("read fewer objects");
      assertThat(client.values(b)).hasSize(1);
    }
  }

  @Test
  void announcedLargeRequestsDoNotBlockOthers() throws Exception {
    Sizes sizes = new Sizes(4 * MEBIBYTE, 4 * MEBIBYTE, 2 * MEBIBYTE);
    try (Server server = Server.start(Settings.sizes(settings(), sizes));
        WireClient one = new WireClient(server);
        WireClient two = new WireClient(server);
        WireClient client = new WireClient(server)) {
      one.send("00400000 7a");
      two.send("00400000 7a" + "00".repeat(1000));

      for (int i = 0; i < 4; i++) {
        client.update(add("a", 1), assign("r", MEBIBYTE));
      }

      assertThat(client.count("a")).isEqualTo(4);
    }
  }

  @Test
  void untakenAnswersStayWithinTheirMemoryLimit() throws Exception {
    Sizes sizes = new Sizes(4 * MEBIBYTE, 4 * MEBIBYTE, 3 * MEBIBYTE);
    try (Server server = Server.start(Settings.sizes(settings(), sizes));
        WireClient client = new WireClient(server)) {
      client.update(assign("large", 2 * MEBIBYTE), add("small", 1));
      Request large = WireClient.readOf(object(WireType.LWWREG, "large"));
      List<WireClient> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(new WireClient(server));
      }

      // The operating system buffers some megabytes for each connection, and the slow clients'
      // requests may be refused meanwhile: they retry until their answers remain queued.
      Eventually.holds(
          "a large answer is refused",
          () -> {
            for (WireClient slow : all) {
              slow.send(large);
            }
            return client.call(large) instanceof Response.Failed failed
                && failed.code() == ErrorCode.BUSY
                && failed.message().contains("answers that clients have not taken");
          });
      assertThat(client.count("small")).isEqualTo(1);
      for (WireClient slow : all) {
        slow.close();
      }
      Eventually.holds(
          "large answers are sent again",
          () -> client.call(large) instanceof Response.StaticValues);
    }
  }

  @Test
  void executesNothingMoreForAClientThatReadsNoAnswers() throws Exception {
    try (Server server = Server.start(settings());
        WireClient slow = new WireClient(server);
        WireClient quick = new WireClient(server)) {
      quick.update(assign("large", MEBIBYTE));
      int requests = 500;
      for (int i = 0; i < requests; i++) {
        slow.send(WireClient.readOf(object(WireType.LWWREG, "large")));
        slow.send(WireClient.updateOf(add("done", 1)));
      }

      assertThat(settled(quick, "done")).isLessThan(requests / 4);

      for (int i = 0; i < requests; i++) {
        Response read = slow.receive();
        assertThat(((WireValue.Register) ((Response.StaticValues) read).values().get(0)).value())
            .matches(value -> value.length() == MEBIBYTE);
        assertThat(WireClient.clock(slow.receive()).length()).isPositive();
      }
      assertThat(quick.count("done")).isEqualTo(requests);
    }
  }

  /** The value of a counter that has not changed for a second. */
  private static long settled(WireClient client, String key) throws Exception {
    long[] now = {-1, 0};
    Eventually.holds(
        "it stands still",
        () -> {
          long before = now[0];
          now[0] = client.count(key);
          now[1] = now[0] == before ? now[1] + 1 : 0;
          return now[1] == 100;
        });
    return now[0];
  }

  @Test
  void refusesAPublicAddressWithoutTls() throws Exception {
    ServerSettings open =
        settings().withProtocol(new Endpoint("0.0.0.0", 0, Optional.empty(), false));

    assertThatThrownBy(() -> Server.start(open))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("set tls, set bind to 127.0.0.1, or set insecure = true");
    assertThatThrownBy(
            () ->
                Server.start(
                    settings()
                        .withOperations(
                            Optional.of(new Endpoint("0.0.0.0", 0, Optional.empty(), false)))))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("which this port does not have: set operations.bind to 127.0.0.1");
    ServerSettings insecure =
        settings().withProtocol(new Endpoint("0.0.0.0", 0, Optional.empty(), true));
    try (Server server = Server.start(insecure)) {
      assertThat(server.address().getAddress().isAnyLocalAddress()).isTrue();
    }
  }

  @Test
  void reportsAPortInUseAndLeavesNothingOpen() throws Exception {
    try (Server server = Server.start(settings())) {
      ServerSettings same =
          Settings.of(directory.resolve("other"))
              .withProtocol(Endpoint.loopback(server.address().getPort()));
      assertThatThrownBy(() -> Server.start(same))
          .hasMessageContaining("can't listen on")
          .hasMessageContaining("free the port");
    }
    Server.start(Settings.of(directory.resolve("other"))).close();
  }

  @Test
  void reportsAPortInUseBeforeTheNodeWaitsForOthers() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Integer> free = Ports.free(2);
      for (String setting :
          List.of("port", "operations.port", "cluster.port", "cluster.data-port")) {
        Map<String, Object> options = new HashMap<>();
        options.put("data", directory.resolve("node").toString());
        options.put("port", 0);
        options.put("operations.port", 0);
        options.put("cluster.node", "n1");
        options.put("cluster.port", free.get(0));
        options.put("cluster.join", List.of("127.0.0.1:" + free.get(1)));
        options.put(setting, taken.getLocalPort());
        ServerSettings busy = SettingsLoader.load(Optional.empty(), options);

        assertThatThrownBy(() -> Server.start(busy))
            .as(setting)
            .isInstanceOf(StablecutException.class)
            .hasMessageContaining("127.0.0.1")
            .hasMessageContaining("" + taken.getLocalPort())
            .hasMessageContaining("Address already in use")
            .hasMessageContaining("free");
      }
    }
  }

  @Test
  void theAdminPortReportsTheStart() throws Exception {
    List<Integer> free = Ports.free(2);
    int operations = Ports.free(1).get(0);
    Process node =
        ServerProcess.builder(
                "--data",
                directory.resolve("node").toString(),
                "--port",
                "0",
                "--http-port",
                "" + operations,
                "--node",
                "n1",
                "--cluster-port",
                "" + free.get(0),
                "--join",
                "127.0.0.1:" + free.get(1))
            .start();
    try {
      URL ready = new URL("http://127.0.0.1:" + operations + "/ready");
      Eventually.holds("it reports that it is not ready", () -> status(ready) == 503);

      assertThat(status(new URL("http://127.0.0.1:" + operations + "/alive"))).isEqualTo(200);

    } finally {
      node.destroyForcibly();
    }
  }

  /** The status of an answer; 0 if there is none. */
  private static int status(URL url) {
    try {
      return ((HttpURLConnection) url.openConnection()).getResponseCode();
    } catch (IOException e) {
      return 0;
    }
  }
}
