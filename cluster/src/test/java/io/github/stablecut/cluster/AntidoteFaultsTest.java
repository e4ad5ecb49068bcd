package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static io.github.stablecut.cluster.WireClient.counter;
import static io.github.stablecut.cluster.WireClient.object;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults observed in AntidoteDB's own server, and the correct behaviour here. */
final class AntidoteFaultsTest {
  @TempDir private Path directory;

  private Server start() {
    return Server.start(Settings.dataCentreOrders(Settings.of(directory.resolve("data"))));
  }

  @Test
  void theFirstAnswerAfterARestartIsCorrect() throws Exception {
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      ObjectUpdate[] updates = new ObjectUpdate[3_000];
      Arrays.fill(updates, add("large", 1));
      client.update(updates);
      for (int i = 0; i < 2_000; i++) {
        client.send(WireClient.updateOf(add("many", 1)));
      }
      for (int i = 0; i < 2_000; i++) {
        assertThat(WireClient.clock(client.receive()).length()).isPositive();
      }
    }
    InetSocketAddress address;
    try (Server server = start()) {
      address = server.address();
    }

    // Clients that connect again and again while the server starts.
    AtomicBoolean stop = new AtomicBoolean();
    List<List<WireValue>> seen = Collections.synchronizedList(new ArrayList<>());
    Thread knocking = new Thread(() -> knock(address, stop, seen));
    knocking.start();
    try (Server server =
        Server.start(
            Settings.of(directory.resolve("data"))
                .withProtocol(Endpoint.loopback(address.getPort())))) {
      assertThat(server.address()).isEqualTo(address);
      Eventually.holds("a client got an answer", () -> seen.size() >= 20);
      stop.set(true);
      knocking.join();
    }
    assertThat(seen).allMatch(WireClient.counts(3_000L, 2_000L)::equals);
  }

  private static void knock(
      InetSocketAddress address, AtomicBoolean stop, List<List<WireValue>> seen) {
    while (!stop.get()) {
      try (WireClient client = new WireClient(address)) {
        seen.add(client.values(counter("large"), counter("many")));
      } catch (IOException e) {
        // Nothing listens yet. Pauses first: among very many attempts, one would connect to itself.
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  @Test
  void aWriteAfterARestartIsVisibleWithAllEarlierWrites() throws Exception {
    for (long round = 1; round <= 3; round++) {
      try (Server server = start();
          WireClient client = new WireClient(server)) {
        client.update(add("a", 1));
        assertThat(client.count("a")).isEqualTo(1 + (round - 1) * 501);
        ObjectUpdate[] updates = new ObjectUpdate[500];
        Arrays.fill(updates, add("a", 1));
        client.update(updates);
      }
    }
  }

  @Test
  void aReadOrWriteWithTheWrongTypeIsHarmless() throws Exception {
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      assertThat(client.values(object(WireType.ORSET, "a")))
          .isEqualTo(List.of(new WireValue.Elements(List.of())));
      client.update(add("a", 1));

      assertThat(
              client.refused(
                  WireClient.readOf(object(WireType.ORSET, "a")), ErrorCode.TYPE_MISMATCH))
          .contains("is a counter, not an add-wins set");
      Request fat =
          WireClient.updateOf(
              new ObjectUpdate(object(WireType.FATCOUNTER, "a"), new WireOperation.Count(1)));
      assertThat(client.refused(fat, ErrorCode.TYPE_MISMATCH)).contains("use the right kind");
      assertThat(client.count("a")).isEqualTo(1);
    }
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      client.update(add("a", 1));
      assertThat(client.count("a")).isEqualTo(2);
    }
  }

  @Test
  void writersOfAHotObjectContinueAfterARestart() throws Exception {
    int updates = 20_000;
    for (int restart = 0; restart < 2; restart++) {
      try (Server server = start();
          WireClient client = new WireClient(server)) {
        assertThat(client.count("hot")).isEqualTo((long) restart * updates);
        Thread reader = new Thread(() -> receiveAll(client, updates));
        reader.start();
        for (int i = 0; i < updates; i++) {
          client.send(WireClient.updateOf(add("hot", 1)));
        }
        reader.join();
        assertThat(client.count("hot")).isEqualTo((restart + 1L) * updates);
      }
    }
  }

  private static void receiveAll(WireClient client, int count) {
    try {
      for (int i = 0; i < count; i++) {
        assertThat(WireClient.clock(client.receive()).length()).isPositive();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aStoppedServerAnswersItsRequestsAndClosesItsPort() throws Exception {
    Server server = start();
    InetSocketAddress address = server.address();
    try (WireClient client = new WireClient(server)) {
      Bytes open = client.begin();
      client.updateIn(open, add("open", 1));
      client.update(add("a", 1));

      server.close();

      client.expectClosed();
      assertThat(canConnect(address)).isFalse();
    }
    try (Server again = start();
        WireClient client = new WireClient(again)) {
      assertThat(client.values(counter("a"), counter("open"))).isEqualTo(WireClient.counts(1L, 0L));
    }
  }

  private static boolean canConnect(InetSocketAddress address) {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void answersAnEmptyRead() throws Exception {
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      Bytes transaction = client.begin();

      assertThat(client.call(new Request.Read(List.of(), transaction)))
          .isEqualTo(new Response.Values(List.of()));
      assertThat(client.values()).isEmpty();
      client.commit(transaction);
    }
  }

  @Test
  void refusesAClockInTheFutureAtOnce() throws Exception {
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      long inAnHour = Timestamp.of(Timestamp.countAt(System.currentTimeMillis() + 3_600_000), 0);
      CausalToken future =
          new CausalToken(server.store().status().storeId(), VectorClock.of(inAnHour));
      Optional<Bytes> clock = Optional.of(Bytes.utf8(future.toText()));

      for (Request request :
          List.of(
              new Request.Start(clock),
              new Request.StaticRead(clock, List.of(counter("a"))),
              new Request.StaticUpdate(clock, List.of(add("a", 1))))) {
        assertThat(client.refused(request, ErrorCode.UNKNOWN_SNAPSHOT)).contains("ahead");
      }
      assertThat(server.openTransactions()).isZero();
      assertThat(client.count("a")).isZero();
    }
  }

  @Test
  void refusesMalformedClocksAndDescriptors() throws Exception {
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      for (Bytes bytes :
          List.of(
              Bytes.EMPTY,
              Bytes.wrap(new byte[16]),
              Bytes.wrap(new byte[] {(byte) 0x83, 104, 1, 97, 1}),
              Bytes.wrap(new byte[1 << 20]))) {
        assertThat(client.refused(new Request.Start(Optional.of(bytes)), ErrorCode.BAD_REQUEST))
            .contains("not a clock");
        assertThat(client.refused(new Request.Commit(bytes), ErrorCode.NO_TRANSACTION))
            .contains("no transaction is open");
        assertThat(client.unconnected(List.of(bytes))).contains("not its own");
      }
    }
  }

  @Test
  void oneTransactionAcceptsThirtyThousandSingleUpdates() throws Exception {
    int updates = 30_000;
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      Bytes transaction = client.begin();
      Thread reader =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < updates; i++) {
                    assertThat(client.receive()).isEqualTo(new Response.Done());
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      reader.start();
      for (int i = 0; i < updates; i++) {
        client.send(new Request.Update(List.of(add("a", 1)), transaction));
      }
      reader.join();

      client.commit(transaction);
      assertThat(client.count("a")).isEqualTo(updates);
    }
  }

  @Test
  void aSetOfFiveThousandElementsAcceptsAnother() throws Exception {
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      elements.add(Bytes.utf8("%05d".formatted(i)));
    }
    try (Server server = start();
        WireClient client = new WireClient(server)) {
      client.update(
          new ObjectUpdate(
              object(WireType.ORSET, "set"), new WireOperation.Elements(true, elements)));
      client.update(
          new ObjectUpdate(
              object(WireType.ORSET, "set"),
              new WireOperation.Elements(true, List.of(Bytes.utf8("x")))));

      WireValue.Elements read =
          (WireValue.Elements) client.values(object(WireType.ORSET, "set")).get(0);
      assertThat(read.elements()).hasSize(5_001);
    }
  }
}
