package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only its client can use a session of a server, and no client exhausts the sessions of others. */
final class RemoteSessionsTest {
  private static final CounterKey COUNT = Key.counter("b", "count");

  /** The maximal number of sessions of the store, and of one address. */
  private static final int SESSIONS = 5;

  private static final int SHARE = 2;

  @TempDir private Path directory;

  private Server start() {
    ServerSettings settings = Settings.of(directory.resolve("data"));
    StoreOptions.Limits limits =
        settings.store().limits().withSessions(SESSIONS).withSessionsPerClient(SHARE);
    return Server.start(settings.withStore(settings.store().withLimits(limits)));
  }

  private static Store connect(Server server) {
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  /** A connection from an address of this machine. */
  private record Raw(Socket socket) implements AutoCloseable {
    /**
     * @param from the last byte of the local address
     */
    static Raw connect(Server server, int from) throws IOException {
      return new Raw(
          new Socket(
              InetAddress.getLoopbackAddress(),
              server.address().getPort(),
              InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) from}),
              0));
    }

    Answer call(Call call) throws IOException {
      for (ByteBuffer part : CallFrame.write(CallFrame.CALL, CallCodec.encode(call))) {
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        socket.getOutputStream().write(bytes);
      }
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        byte[] frame = in.readNBytes(in.readInt());
        if (Byte.toUnsignedInt(frame[0]) != CallFrame.ALIVE) {
          return AnswerCodec.decodeFrame(Bytes.wrap(frame));
        }
      }
    }

    SessionId open() throws IOException {
      return ((Answer.OpenedSession) call(Call.Plain.OPEN_SESSION)).session();
    }

    void increment(SessionId session, long number) throws IOException {
      Answer answer =
          call(new Call.WriteOnce(session, number, Optional.empty(), List.of(COUNT.increment())));
      if (answer instanceof Answer.Failed failed) {
        throw CallFailures.exception(failed);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void refusesASessionIdThatNoServerIssued() {
    try (Server server = start();
        Store store = connect(server)) {
      SessionId issued = store.openSession().id();
      for (SessionId other :
          List.of(
              SessionId.create(Instant.now()),
              SessionId.create(Instant.now()).issued(issued.client(), issued.signature()),
              new SessionId(
                  issued.openedMillis() + 1,
                  issued.high(),
                  issued.low(),
                  issued.client(),
                  issued.signature()))) {
        assertThatThrownBy(() -> store.session(other).update(1, COUNT.increment()))
            .isInstanceOf(SessionExpiredException.class)
            .hasMessageContainingAll("was not issued by this server", "open one with openSession");
      }
      assertThat(store.read(COUNT)).isZero();
    }
  }

  /**
   * The difference of two numbers of a {@code ThreadLocalRandom}, before mixing, is the same for
   * all numbers of one thread, and for other threads a multiple of their number beyond a constant.
   */
  @Test
  void sessionIdsAreUnpredictable() throws IOException {
    List<Long> seeds = new ArrayList<>();
    try (Server server = start();
        Raw attacker = Raw.connect(server, 1)) {
      for (int i = 0; i < 60; i++) {
        SessionId id = attacker.open();
        seeds.add(unmixed(id.high()));
        seeds.add(unmixed(id.low()));
      }
    }
    for (int i = 0; i < seeds.size(); i++) {
      for (int later = i + 1; later < seeds.size(); later++) {
        for (int steps = 1; steps <= later - i; steps++) {
          long beyond = seeds.get(later) - seeds.get(i) - steps * 0x9e3779b97f4a7c15L;
          assertThat(beyond < 0 || beyond > 8_000L * steps).isTrue();
        }
      }
    }
  }

  private static long unmixed(long random) {
    long seed = random ^ (random >>> 33);
    seed *= inverse(0xc4ceb9fe1a85ec53L);
    seed ^= seed >>> 33;
    seed *= inverse(0xff51afd7ed558ccdL);
    return seed ^ (seed >>> 33);
  }

  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  @Test
  void refusesOtherUpdatesUnderTheSameNumber() {
    try (Server server = start();
        Store store = connect(server)) {
      Session session = store.openSession();
      session.update(1, COUNT.increment());
      for (Session same : List.of(session, store.session(session.id()))) {
        assertThatThrownBy(() -> same.update(1, COUNT.increment(2)))
            .isInstanceOf(RequestMismatchException.class)
            .hasMessageContaining("with other updates, and these were not executed");
      }
      assertThat(store.read(COUNT)).isOne();
    }
  }

  @Test
  void anAddressAtItsShareDoesNotExcludeOthersEvenAfterARestart() throws IOException {
    SessionId first;
    try (Server server = start();
        Raw greedy = Raw.connect(server, 1)) {
      for (int i = 0; i < 10 * SESSIONS; i++) {
        // A session that commits nothing takes no place.
        greedy.open();
      }
      first = greedy.open();
      greedy.increment(first, 1);
      greedy.increment(greedy.open(), 1);
      assertFull(greedy);
    }
    try (Server server = start();
        Raw greedy = Raw.connect(server, 1);
        Raw another = Raw.connect(server, 2)) {
      assertFull(greedy);
      greedy.increment(first, 1);
      greedy.increment(first, 2);
      another.increment(another.open(), 1);
      another.increment(another.open(), 1);
      assertFull(another);
      assertThat(server.store().read(COUNT)).isEqualTo(5);
    }
  }

  private static void assertFull(Raw client) {
    assertThatThrownBy(() -> client.increment(client.open(), 1))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContainingAll(
            SHARE + " sessions that servers issued to this client's address",
            "store.max-sessions-per-client");
  }

  @Test
  void namesTheSettingWhenRefusingTooManySessions() throws IOException {
    try (Server server = start()) {
      for (int i = 0; i < SESSIONS; i++) {
        try (Raw client = Raw.connect(server, 1 + i)) {
          client.increment(client.open(), 1);
        }
      }
      try (Raw client = Raw.connect(server, 9)) {
        assertThatThrownBy(() -> client.increment(client.open(), 1))
            .isInstanceOf(LimitExceededException.class)
            .hasMessageContainingAll("5 sessions that were opened", "store.max-sessions,");
      }
    }
  }
}
