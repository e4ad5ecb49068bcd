package io.github.stablecut.examples.bench;

import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.client.ClientConnection;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures a server of AntidoteDB's protocol through the wire: each connection waits for an answer
 * before it sends the next request, which reads or increments a counter. The server may be
 * AntidoteDB itself.
 */
@Command(name = "service", description = "Requests per second through the wire")
final class ServiceBench implements Callable<Integer> {
  private static final long MAX_BYTES = 1 << 20;
  private static final long MAX_NANOS = 60_000_000_000L;

  @Option(names = "--host", defaultValue = "127.0.0.1", description = "${DEFAULT-VALUE}")
  private String host = "127.0.0.1";

  @Option(names = "--port", defaultValue = "8087", description = "${DEFAULT-VALUE}")
  private int port;

  @Option(names = "--connections", defaultValue = "32", description = "${DEFAULT-VALUE}")
  private int connections;

  @Option(names = "--keys", defaultValue = "1000", description = "${DEFAULT-VALUE}")
  private int keys;

  @Option(
      names = "--reads",
      defaultValue = "80",
      description = "percentage of reads (${DEFAULT-VALUE})")
  private int reads;

  @Option(names = "--seconds", defaultValue = "10", description = "per round (${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "rounds after one warm-up round (${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--server-pid",
      description = "id of the server's process on this machine, to measure its CPU time")
  private @Nullable Long pid;

  @Option(names = "--plot", description = "the latencies as a picture: PATH.svg and PATH.png")
  private @Nullable Path plot;

  /** The measurements of one connection, or of all. */
  private record Measurements(Histogram reads, Histogram updates) {
    static Measurements nothing() {
      return new Measurements(new Histogram(MAX_NANOS, 3), new Histogram(MAX_NANOS, 3));
    }

    long count() {
      return reads.getTotalCount() + updates.getTotalCount();
    }

    void add(Measurements other) {
      reads.add(other.reads);
      updates.add(other.updates);
    }
  }

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    out.println(Machine.describe(Path.of(".")));
    out.println(
        "round,requests_per_s,read_p50_us,read_p99_us,read_p999_us,update_p50_us,update_p99_us,update_p999_us,server_cpu_us_per_request");
    Measurements last = run(Duration.ofSeconds(seconds));
    for (int round = 1; round <= rounds; round++) {
      Duration before = serverCpu();
      long startNanos = System.nanoTime();
      last = run(Duration.ofSeconds(seconds));
      print(out, round, last, System.nanoTime() - startNanos, serverCpu().minus(before));
    }
    if (plot != null) {
      Plot latencies = Plot.ofLatencies(connections + " connections, " + keys + " counters");
      latencies.add("reads", last.reads);
      latencies.add("updates", last.updates);
      latencies.write(plot);
    }
    return 0;
  }

  private Duration serverCpu() {
    return Optional.ofNullable(pid)
        .flatMap(ProcessHandle::of)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  private static void print(
      PrintStream out, int round, Measurements all, long nanos, Duration serverCpu) {
    out.printf(
        "%d,%.0f,%s,%s,%.1f%n",
        round,
        all.count() * 1e9 / nanos,
        percentiles(all.reads),
        percentiles(all.updates),
        serverCpu.toNanos() / 1e3 / Math.max(1, all.count()));
  }

  private static String percentiles(Histogram latencies) {
    return "%.0f,%.0f,%.0f"
        .formatted(
            latencies.getValueAtPercentile(50) / 1e3,
            latencies.getValueAtPercentile(99) / 1e3,
            latencies.getValueAtPercentile(99.9) / 1e3);
  }

  private Measurements run(Duration duration)
      throws InterruptedException, ExecutionException, IOException {
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    List<Future<Measurements>> running = new ArrayList<>();
    long endNanos = System.nanoTime() + duration.toNanos();
    for (int i = 0; i < connections; i++) {
      SplittableRandom random = new SplittableRandom(System.nanoTime() + i);
      running.add(threads.submit(() -> ask(random, endNanos)));
    }
    Measurements all = Measurements.nothing();
    for (Future<Measurements> one : running) {
      all.add(one.get());
    }
    threads.shutdown();
    return all;
  }

  private Socket connect() throws IOException {
    try {
      Socket socket = new Socket(host, port);
      socket.setTcpNoDelay(true);
      return socket;
    } catch (ConnectException e) {
      throw new IOException(
          "no server answers at %s port %d: start one, or set --host and --port"
              .formatted(host, port),
          e);
    }
  }

  private Measurements ask(SplittableRandom random, long endNanos) throws IOException {
    Measurements measured = Measurements.nothing();
    Socket socket = connect();
    try (ClientConnection connection = new ClientConnection(socket, MAX_BYTES)) {
      long nowNanos = System.nanoTime();
      while (nowNanos < endNanos) {
        boolean read = random.nextInt(100) < reads;
        BoundObject counter =
            new BoundObject(
                Bytes.utf8("key" + random.nextInt(keys)), WireType.COUNTER, Bytes.utf8("bench"));
        check(connection.call(read ? reading(counter) : counting(counter)));
        long laterNanos = System.nanoTime();
        (read ? measured.reads : measured.updates)
            .recordValue(Math.min(laterNanos - nowNanos, MAX_NANOS));
        nowNanos = laterNanos;
      }
    }
    return measured;
  }

  private static Request reading(BoundObject counter) {
    return new Request.StaticRead(Optional.empty(), List.of(counter));
  }

  private static Request counting(BoundObject counter) {
    return new Request.StaticUpdate(
        Optional.empty(), List.of(new ObjectUpdate(counter, new WireOperation.Count(1))));
  }

  /** Checks an answer. Conflicts count as answers: AntidoteDB reports them for counters, too. */
  private static void check(Response response) throws IOException {
    if (response instanceof Response.Failed failed) {
      throw new IOException("the server refused: " + failed.message());
    }
  }
}
