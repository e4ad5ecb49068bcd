package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.address;
import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.internal.link.JoinCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data centres join despite disturbances. */
final class JoiningDataCentresTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  /** More than the system buffers for a connection. */
  private static final int PICTURES = 16;

  /** More than a data centre waits for at once. */
  private static final int IDLE = 60;

  private static final long HELD_AFTER = 1 << 17;

  @TempDir Path directory;
  private DataCentreStores stores;

  @BeforeEach
  void setUp() {
    stores = new DataCentreStores(directory);
  }

  private static RegisterKey<Bytes> picture(int number) {
    return Key.register("pictures", "p" + number, Codec.bytes());
  }

  private static byte[] pixels(int number) {
    byte[] pixels = new byte[1 << 20];
    new Random(number).nextBytes(pixels);
    return pixels;
  }

  private static void paint(Store store) {
    for (int i = 0; i < PICTURES; i++) {
      store.update(picture(i).assign(Bytes.wrap(pixels(i))));
    }
  }

  private static void checkPictures(Store store) {
    for (int i = 0; i < PICTURES; i++) {
      assertThat(store.read(picture(i))).contains(Bytes.wrap(pixels(i)));
    }
  }

  private CompletableFuture<Store> joinedBy(String name, String... addresses) {
    return CompletableFuture.supplyAsync(
        () -> {
          Replication replication = Replication.tcp("127.0.0.1:0");
          for (String address : addresses) {
            replication = replication.join(address);
          }
          return stores.open(name, replication);
        });
  }

  @Test
  void idleConnectionsDoNotBlockJoining() throws IOException {
    Store first = stores.open("first", Replication.tcp("127.0.0.1:0"));
    String place = address(first);
    int colon = place.lastIndexOf(':');
    String host = place.substring(0, colon);
    int port = Integer.parseInt(place.substring(colon + 1));
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE; i++) {
        idle.add(new Socket(host, port));
      }

      DataCentreInfo about = JoinCall.ask(new Sockets(Optional.empty()), address(first));

      assertThat(about.number()).isZero();
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
      first.close();
    }
  }

  @Test
  void twoJoinConcurrently() throws Exception {
    try (Store first = stores.first("first")) {
      paint(first);
      try (HeldCable cable = new HeldCable(address(first), HELD_AFTER)) {
        CompletableFuture<Store> slow = joinedBy("slow", cable.address());
        cable.awaitHeld();
        try (Store fast = stores.joined("fast", first)) {
          checkPictures(fast);
          cable.release();
          try (Store second = slow.join()) {
            checkPictures(second);
            assertThat(second.dataCentres().own()).isEqualTo(1);
            assertThat(fast.dataCentres().own()).isEqualTo(2);
            CausalToken token = second.update(LIKES.increment(1));
            assertThat(readAfter(fast, token, LIKES)).isEqualTo(1);
          }
        }
      }
      assertThat(leftovers("first")).isEmpty();
    }
  }

  private List<Path> leftovers(String name) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(name))) {
      return files.filter(file -> file.toString().endsWith(".tmp")).toList();
    }
  }

  @Test
  void restartsAnInterruptedTransferWithAnotherDataCentre() throws Exception {
    try (Store first = stores.first("first")) {
      paint(first);
      try (HeldCable cable = new HeldCable(address(first), HELD_AFTER)) {
        CompletableFuture<Store> joining = joinedBy("second", cable.address(), address(first));
        cable.awaitHeld();
        cable.cut();
        try (Store second = joining.join()) {
          checkPictures(second);
          assertThat(leftovers("second")).isEmpty();
          // Nothing is kept for a joiner that did not receive everything.
          List<DataCentre> all =
              Arrival.await(
                  () -> first.dataCentres().all(),
                  known -> known.get(1).state() == DataCentre.State.DETACHED);
          assertThat(all).hasSize(3);
          assertThat(second.dataCentres().own()).isEqualTo(2);
        }
      }
    }
  }

  /** The clocks stand still, so future times in heartbeats become visible. */
  @Test
  void aJoinerCommitsAtItsClockAndSoDoTheOthersThen() {
    Instant now = Instant.parse("2026-11-20T12:00:00Z");
    StoreOptions options = StoreOptions.defaults().withClock(() -> now);
    Replication listening = Replication.tcp("127.0.0.1:0");
    try (Store first =
        Stablecut.open(directory.resolve("first"), options.withReplication(listening))) {
      CausalToken before = first.update(LIKES.increment(1));
      try (Store second =
          Stablecut.open(
              directory.resolve("second"),
              options.withReplication(listening.join(address(first))))) {
        CausalToken joined = second.update(LIKES.increment(1));
        assertThat(readAfter(first, joined, LIKES)).isEqualTo(2);
        CausalToken after = first.update(LIKES.increment(1));

        // Two openings of one initial directory differ by up to 64 milliseconds.
        assertThat(List.of(before.time(), joined.time(), after.time()))
            .allSatisfy(time -> assertThat(time).isBetween(now, now.plusMillis(64)));
      }
    }
  }

  @Test
  void deletesTheRemainsOfACrashedJoinAtTheNextOpening() throws IOException {
    stores.first("first").close();
    Path left = directory.resolve("first/joining-3.tmp/files");
    Files.createDirectories(left);
    Files.writeString(left.resolve("BACKUP"), "a part of it");
    try (Store first = stores.first("first")) {
      assertThat(leftovers("first")).isEmpty();
      assertThat(first.read(LIKES)).isZero();
    }
  }

  @Test
  void anOpenStoreCannotJoin() {
    try (Store first = stores.first("first");
        Store open = Stablecut.open(directory.resolve("open"))) {
      assertThatThrownBy(() -> stores.joined("open", first))
          .isInstanceOf(StoreInUseException.class);
      open.update(LIKES.increment(1));
      assertThat(open.read(LIKES)).isEqualTo(1);
    }
  }

  @Test
  void aFailingTransportWrapperLeavesThePortFree() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Replication replication = Replication.tcp("127.0.0.1:" + port);
    Replication failing =
        replication.through(
            transport -> {
              throw new IllegalStateException("no cable");
            });
    assertThatThrownBy(() -> stores.open("first", failing)).hasMessageContaining("no cable");
    try (Store first = stores.open("first", replication)) {
      assertThat(first.dataCentres().port()).hasValue(port);
    }
  }
}
