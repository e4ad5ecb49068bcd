package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.wire.WirePeer;
import io.github.stablecut.examples.bench.wire.WireTarget;
import io.github.stablecut.file.FileTrees;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the server's cost of a request compared with the lower bound, Netty answering the same
 * frames with the same bytes, and compared with Redis with a sync per write, if it is installed.
 * Each runs in its own process, and one client asks them in turns; medians are printed.
 */
@Command(
    name = "wire",
    description = "Requests of a server compared with a Netty echo of their frames, and Redis")
final class WireBench implements Callable<Integer> {
  private static final int COUNTERS = 1_000;

  @Option(names = "--rounds", defaultValue = "3", description = "${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      description = "seconds of each load of a round (${DEFAULT-VALUE})")
  private int seconds;

  @Mixin private Workspace workspace = new Workspace();

  /**
   * @param depth the number of requests that a connection sends before it reads their answers
   * @param reads the percentage of reads
   */
  private record Load(int connections, int depth, int reads) {
    @Override
    public String toString() {
      return "%d,%d,%d".formatted(connections, depth, reads);
    }
  }

  private static final List<Load> LOADS =
      List.of(
          new Load(1, 1, 100),
          new Load(32, 1, 100),
          new Load(32, 16, 100),
          new Load(1, 1, 0),
          new Load(32, 1, 0),
          new Load(4, 16, 0),
          new Load(32, 1, 80));

  /** A target's results under one load, by round. */
  private record Done(List<Double> perSecond, List<Double> micros) {
    static Done nothing() {
      return new Done(new ArrayList<>(), new ArrayList<>());
    }
  }

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    List<WirePeer> peers = new ArrayList<>();
    try {
      System.out.println(Machine.describe(directory));
      WirePeer server = WirePeer.server(directory.resolve("server"));
      peers.add(server);
      WireTarget own = WireTarget.ofFrames("server", server, COUNTERS);
      WirePeer echo = WirePeer.echo(answerOf(own));
      peers.add(echo);
      List<WireTarget> targets = new ArrayList<>();
      targets.add(WireTarget.ofFrames("echo", echo, COUNTERS));
      targets.add(own);
      WirePeer.redis(directory.resolve("redis"))
          .ifPresent(
              redis -> {
                peers.add(redis);
                targets.add(WireTarget.ofRedis(redis, COUNTERS));
              });
      print(measure(targets));
    } finally {
      peers.forEach(WirePeer::close);
      FileTrees.delete(directory);
    }
    return 0;
  }

  /** Creates all counters, and returns the answer to a read with its length. */
  private static byte[] answerOf(WireTarget server) throws IOException {
    try (Socket socket = connect(server)) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      for (byte[] update : server.updates()) {
        socket.getOutputStream().write(update);
        server.answers().read(in);
      }
      socket.getOutputStream().write(server.reads().get(0));
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      return ByteBuffer.allocate(Integer.BYTES + answer.length)
          .putInt(answer.length)
          .put(answer)
          .array();
    }
  }

  private Map<Load, Map<String, Done>> measure(List<WireTarget> targets) throws Exception {
    Map<Load, Map<String, Done>> all = new LinkedHashMap<>();
    for (int round = -1; round < rounds; round++) { // the first one warms up
      for (Load load : LOADS) {
        for (WireTarget target : targets) {
          long startNanos = System.nanoTime();
          Duration before = target.peer().processor();
          long requests = run(target, load);
          double took = (System.nanoTime() - startNanos) / 1e9;
          double micros = target.peer().processor().minus(before).toNanos() / 1e3 / requests;
          if (round >= 0) {
            Done done =
                all.computeIfAbsent(load, key -> new LinkedHashMap<>())
                    .computeIfAbsent(target.name(), key -> Done.nothing());
            done.perSecond.add(requests / took);
            done.micros.add(micros);
          }
        }
      }
    }
    return all;
  }

  private static void print(Map<Load, Map<String, Done>> all) {
    System.out.println(
        "connections,depth,reads_percent,target,requests_per_s,server_cpu_us_per_request,cpu_beside_echo");
    all.forEach(
        (load, found) -> {
          double limit = Medians.of(found.getOrDefault("echo", Done.nothing()).micros);
          found.forEach(
              (name, done) ->
                  System.out.printf(
                      "%s,%s,%.0f,%.1f,%.2f%n",
                      load,
                      name,
                      Medians.of(done.perSecond),
                      Medians.of(done.micros),
                      Medians.of(done.micros) / limit));
        });
  }

  private long run(WireTarget target, Load load) throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(load.connections);
    long endNanos = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    List<Future<Long>> running = new ArrayList<>();
    for (int i = 0; i < load.connections; i++) {
      SplittableRandom random = new SplittableRandom(i);
      running.add(threads.submit(() -> ask(target, load, random, endNanos)));
    }
    long requests = 0;
    for (Future<Long> one : running) {
      requests += one.get();
    }
    threads.shutdown();
    return requests;
  }

  private static Socket connect(WireTarget target) throws IOException {
    Socket socket =
        new Socket(target.peer().address().getAddress(), target.peer().address().getPort());
    socket.setTcpNoDelay(true);
    return socket;
  }

  private static long ask(WireTarget target, Load load, SplittableRandom random, long endNanos)
      throws IOException {
    long requests = 0;
    try (Socket socket = connect(target)) {
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14));
      OutputStream out = socket.getOutputStream();
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      while (System.nanoTime() - endNanos < 0) {
        for (int i = 0; i < load.depth; i++) {
          boolean reads = random.nextInt(100) < load.reads;
          sent.writeBytes(
              (reads ? target.reads() : target.updates()).get(random.nextInt(COUNTERS)));
        }
        sent.writeTo(out);
        sent.reset();
        for (int i = 0; i < load.depth; i++) {
          target.answers().read(in);
        }
        requests += load.depth;
      }
    }
    return requests;
  }
}
