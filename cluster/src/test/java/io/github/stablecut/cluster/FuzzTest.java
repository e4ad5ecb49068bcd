package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.ServerSettings.Sizes;
import io.github.stablecut.cluster.ServerSettings.Transactions;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.call.CallProperties;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that send arbitrary bytes break nothing, leave nothing behind and do not disturb others.
 */
final class FuzzTest {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir private Path directory;

  @Test
  void survivesFourHundredMalformedClients() throws Exception {
    fuzz(400, new Random().nextLong());
  }

  @Test
  @Tag("long")
  void survivesTwentyThousandMalformedClients() throws Exception {
    fuzz(20_000, new Random().nextLong());
  }

  private void fuzz(int clients, long seed) throws Exception {
    ServerSettings settings =
        Settings.transactions(
            Settings.sizes(
                Settings.of(directory.resolve("data")),
                new Sizes(MEBIBYTE, MEBIBYTE, 2 * MEBIBYTE)),
            new Transactions(50, 200, Duration.ofMillis(300)));
    try (Server server = Server.start(settings)) {
      ServerAddress at = new ServerAddress(server.address());
      List<CountingClient> others = List.of(new CountingClient(1, at), new CountingClient(2, at));
      List<Thread> threads = others.stream().map(Thread::new).toList();
      threads.forEach(Thread::start);
      Random random = new Random(seed);
      for (int i = 0; i < clients; i++) {
        misbehave(server, random);
      }
      others.forEach(CountingClient::stop);
      for (Thread thread : threads) {
        thread.join();
      }

      others.forEach(CountingClient::check);
      assertThat(others).as("seed " + seed).allMatch(other -> other.answers() > 10);
      Eventually.holds("connections are closed, seed " + seed, () -> server.connections() == 0);
      Eventually.holds("transactions are closed", () -> server.openTransactions() == 0);
      Eventually.holds(
          "nothing else holds on to the past, seed " + seed,
          () -> server.store().status().openTransactions() == 0);
    }
  }

  /** Sends some frames, some of them malformed, reads some answers, and disconnects. */
  private static void misbehave(Server server, Random random) {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i <= random.nextInt(20); i++) {
        switch (random.nextInt(4)) {
          case 0 -> out.write(noise(random));
          case 1 -> out.write(mutated(call(random), random));
          default -> out.write(mutated(random));
        }
      }
      if (random.nextBoolean()) {
        socket.shutdownOutput();
        socket.getInputStream().readNBytes(random.nextInt(2_000));
      } else if (random.nextBoolean()) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      assertThat(e).as("the server may hang up").isNotNull();
    }
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    if (bytes.length > 4 && random.nextBoolean()) {
      ByteBuffer.wrap(bytes).putInt(0, random.nextInt(bytes.length));
    }
    return bytes;
  }

  /** A request in which some bytes may be wrong. */
  static byte[] mutated(Random random) {
    return mutated(frame(random), random);
  }

  private static byte[] mutated(byte[] frame, Random random) {
    for (int i = 0; i < random.nextInt(3); i++) {
      frame[random.nextInt(frame.length)] = (byte) random.nextInt(256);
    }
    return random.nextInt(10) == 0 ? Arrays.copyOf(frame, random.nextInt(frame.length)) : frame;
  }

  /** A random request. */
  static byte[] frame(Random random) {
    Request request =
        switch (random.nextInt(6)) {
          case 0 -> new Request.Start(Optional.empty());
          case 1 -> new Request.Start(Optional.of(Bytes.wrap(new byte[random.nextInt(40)])));
          case 2 -> new Request.Commit(Bytes.wrap(new byte[16]));
          case 3 -> WireClient.readOf(WireClient.counter("fuzz"), WireClient.counter(""));
          case 4 -> new Request.Read(new ArrayList<>(), Bytes.wrap(new byte[16]));
          default -> WireClient.updateOf(WireClient.add("fuzz", random.nextLong()));
        };
    return bytes(RequestCodec.write(request, MEBIBYTE).get(0));
  }

  /** A call of {@code Stablecut.connect}. */
  private static byte[] call(Random random) {
    List<Call> calls = new ArrayList<>(CallProperties.harmless());
    calls.add(new Call.OpenWatch(Bytes.utf8("b"), Bytes.EMPTY, WatchOptions.fromNow()));
    calls.add(new Call.Begin(TransactionOptions.defaults()));
    Call call = calls.get(random.nextInt(calls.size()));
    return bytes(CallFrame.write(CallFrame.CALL, CallCodec.encode(call)).get(0));
  }

  private static byte[] bytes(ByteBuffer written) {
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }
}
