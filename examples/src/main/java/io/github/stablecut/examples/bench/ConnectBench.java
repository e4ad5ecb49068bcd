package io.github.stablecut.examples.bench;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.examples.bench.wire.IdleServer;
import io.github.stablecut.examples.bench.wire.NettyEcho;
import io.github.stablecut.examples.bench.wire.WireTarget;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.WatchOptions;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Compares {@code Stablecut.connect} with its limits. It measures a read of a counter in memory
 * compared with a round trip to plain Netty with frames of the same bytes; scans and watches
 * compared with those of the store in the server's process, and the cost of idle connections.
 * Client and servers share this process, except for idle connections. Rounds alternate; the medians
 * and their ratio are printed.
 */
@Command(
    name = "connect",
    description = "Calls of Stablecut.connect compared with echo and embedded")
final class ConnectBench implements Callable<Integer> {
  private static final CounterKey HOT = Key.counter("hot", "counter");
  private static final int UPDATES_AT_ONCE = 1_000;

  /** The number of connections made before memory is measured. */
  private static final int WARM_UP = 500;

  @Option(names = "--rounds", defaultValue = "7", description = "${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--reads", defaultValue = "50000", description = "in a round (${DEFAULT-VALUE})")
  private int reads;

  @Option(
      names = "--objects",
      defaultValue = "100000",
      description = "objects of a scan (${DEFAULT-VALUE})")
  private int objects;

  @Option(
      names = "--changes",
      defaultValue = "50000",
      description = "changes of a watch (${DEFAULT-VALUE})")
  private int changes;

  @Option(
      names = "--idle",
      defaultValue = "10000",
      description = "connections that have sent Hello (${DEFAULT-VALUE})")
  private int idle;

  @Mixin private Workspace workspace = new Workspace();

  /** Some number of operations, measured together. */
  @FunctionalInterface
  private interface Round {
    void run() throws Exception;
  }

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try (Server server = start(directory.resolve("data"));
        Store remote = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      Store embedded = server.store();
      embedded.update(HOT.increment());
      fill(embedded);
      System.out.println(Machine.describe(directory));
      System.out.println("what,connect,baseline,unit,ratio");
      read(remote);
      scan(embedded, remote);
      watch(embedded, remote);
      keepIdle(directory.resolve("idle"));
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static Server start(Path data) {
    return Server.start(
        SettingsLoader.load(
            Optional.empty(),
            Map.of("data", data.toString(), "port", 0, "operations.enabled", false)));
  }

  private void fill(Store store) {
    for (int begin = 0; begin < objects; begin += UPDATES_AT_ONCE) {
      store.update(
          IntStream.range(begin, Math.min(objects, begin + UPDATES_AT_ONCE))
              .mapToObj(i -> Key.counter("scanned", "object-%07d".formatted(i)).increment())
              .toArray(Update[]::new));
    }
  }

  private static double nanos(Round round) throws Exception {
    long startNanos = System.nanoTime();
    round.run();
    return System.nanoTime() - startNanos;
  }

  /** Prints the time of an operation done in two ways, and the ratio. */
  private void compare(String what, int count, Round connect, Round baseline) throws Exception {
    List<Double> connected = new ArrayList<>();
    List<Double> others = new ArrayList<>();
    for (int i = -2; i < rounds; i++) { // the first ones warm up
      double first = nanos(connect) / count;
      double second = nanos(baseline) / count;
      if (i >= 0) {
        connected.add(first);
        others.add(second);
      }
    }
    double one = Medians.of(connected);
    double other = Medians.of(others);
    System.out.printf("%s,%.0f,%.0f,ns,%.2f%n", what, one, other, one / other);
  }

  private void read(Store remote) throws Exception {
    byte[] call =
        WireTarget.whole(
            CallFrame.write(
                CallFrame.CALL,
                CallCodec.encode(
                    new Call.Read(Call.Freshness.NEWEST, Optional.empty(), List.of(HOT)))));
    byte[] answer =
        WireTarget.whole(
            CallFrame.write(
                CallFrame.ANSWER,
                AnswerCodec.encode(
                    new Answer.Values(
                        remote.snapshot().token(), List.of(Key.id(HOT.bucket(), HOT.key()))))));
    try (NettyEcho echo = new NettyEcho(answer);
        Socket socket = new Socket(echo.address().getAddress(), echo.address().getPort())) {
      socket.setTcpNoDelay(true);
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14));
      OutputStream out = socket.getOutputStream();
      compare(
          "hot read compared with a Netty echo",
          reads,
          () -> {
            for (int i = 0; i < reads; i++) {
              check(remote.read(HOT), 1);
            }
          },
          () -> {
            for (int i = 0; i < reads; i++) {
              out.write(call);
              in.readNBytes(in.readInt());
            }
          });
    }
  }

  private void scan(Store embedded, Store remote) throws Exception {
    compare(
        "scan, an object, compared with embedded",
        objects,
        () -> scan(remote),
        () -> scan(embedded));
  }

  private void scan(Store store) {
    try (Scan scan = store.snapshot().scan("scanned")) {
      long found = scan.stream().filter(object -> object.value() != null).count();
      check(found, objects);
    }
  }

  private void watch(Store embedded, Store remote) throws Exception {
    CausalToken begin = embedded.snapshot().token();
    CompletableFuture<?>[] commits = new CompletableFuture<?>[changes];
    for (int i = 0; i < changes; i++) {
      commits[i] =
          embedded
              .updateAsync(Key.counter("watched", "k" + i % 1_000).increment())
              .toCompletableFuture();
    }
    CompletableFuture.allOf(commits).join();
    embedded.update(Key.counter("watched", "last").increment());
    compare(
        "watch, a change of the past, compared with embedded",
        changes,
        () -> watch(remote, begin),
        () -> watch(embedded, begin));
  }

  private void watch(Store store, CausalToken begin) throws InterruptedException {
    try (Watch watch = store.watch("watched", "", WatchOptions.after(begin))) {
      for (int i = 0; i < changes; i++) {
        check(watch.next().objects().size(), 1);
      }
    }
  }

  private void keepIdle(Path data) throws IOException {
    byte[] hello =
        WireTarget.whole(
            CallFrame.write(CallFrame.CALL, CallCodec.encode(new Call.Hello(CallFrame.VERSION))));
    List<Socket> sockets = new ArrayList<>();
    try (IdleServer server = IdleServer.start(data, idle + WARM_UP)) {
      IdleServer.Memory before = server.memory();
      for (int i = 0; i < idle + WARM_UP; i++) {
        if (i == WARM_UP) {
          before = server.memory();
        }
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        sockets.add(socket);
        socket.getOutputStream().write(hello);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readNBytes(in.readInt());
      }
      IdleServer.Memory after = server.memory();
      System.out.printf(
          "# %,d idle connections: the server's heap grew by %.1f MB, its process by %.1f MB%n",
          idle,
          (after.heapBytes() - before.heapBytes()) / 1e6,
          (after.processBytes() - before.processBytes()) / 1e6);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void check(long is, long expected) {
    if (is != expected) {
      throw new IllegalStateException("%,d instead of %,d".formatted(is, expected));
    }
  }
}
