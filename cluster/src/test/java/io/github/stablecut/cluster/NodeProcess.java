package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.Serve;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A cluster node in a JVM of its own, started by {@code stablecut serve --join ...}. */
final class NodeProcess implements AutoCloseable {
  private static final Pattern READY =
      Pattern.compile(
          "Stablecut is ready: clients at (127\\.0\\.0\\.1:\\d+), admin port at (http://127\\.0\\.0\\.1:\\d+); started in [0-9,]+ ms");

  /** The options of a node. */
  record Options(
      String name,
      Path data,
      int port,
      List<String> seeds,
      int formWith,
      String heap,
      long aheadMillis,
      List<String> more,
      List<String> flags) {
    Options(String name, Path data, int port, List<String> seeds, int formWith) {
      this(name, data, port, seeds, formWith, "384m", 0, List.of(), List.of());
    }

    Options withName(String other) {
      return new Options(other, data, port, seeds, formWith, heap, aheadMillis, more, flags);
    }

    Options withData(Path other) {
      return new Options(name, other, port, seeds, formWith, heap, aheadMillis, more, flags);
    }

    Options withPort(int other) {
      return new Options(name, data, other, seeds, formWith, heap, aheadMillis, more, flags);
    }

    /** With other seeds to join. */
    Options withSeeds(List<String> others) {
      return new Options(name, data, port, others, formWith, heap, aheadMillis, more, flags);
    }

    /** With another heap size, such as {@code 1g}. */
    Options withHeap(String other) {
      return new Options(name, data, port, seeds, formWith, other, aheadMillis, more, flags);
    }

    /** On a machine whose clock is ahead of this one's. */
    Options ahead(long otherMillis) {
      return new Options(name, data, port, seeds, formWith, heap, otherMillis, more, flags);
    }

    /** With additional options. */
    Options with(String... other) {
      return new Options(
          name, data, port, seeds, formWith, heap, aheadMillis, List.of(other), flags);
    }

    /** With flags of the JVM. */
    Options withFlags(String... other) {
      return new Options(
          name, data, port, seeds, formWith, heap, aheadMillis, more, List.of(other));
    }
  }

  private final Process process;
  private final CompletableFuture<Matcher> ready = new CompletableFuture<>();

  /** The output without the line that reports readiness. */
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  private NodeProcess(Process process) {
    this.process = process;
    listen(process.inputReader());
    listen(process.errorReader());
  }

  private void listen(BufferedReader output) {
    Thread thread = new Thread(() -> read(output), "output-of-" + process.pid());
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts a node without waiting for it. */
  static NodeProcess start(Options options, String... more) throws IOException {
    ProcessBuilder builder =
        ServerProcess.builder(
            "--data",
            options.data.toString(),
            "--port",
            "0",
            "--http-port",
            "0",
            "--node",
            options.name,
            "--cluster-port",
            "" + options.port,
            "--join",
            String.join(",", options.seeds),
            "--form-with",
            "" + options.formWith);
    builder.command().addAll(options.more);
    if (!options.more.contains("--cluster-data-port")) {
      builder.command().addAll(List.of("--cluster-data-port", "0"));
    }
    builder.command().addAll(List.of(more));
    if (options.aheadMillis != 0) {
      int main = builder.command().indexOf(Serve.class.getName());
      builder.command().set(main, ServeAhead.class.getName());
      builder.command().add(main + 1, "" + options.aheadMillis);
    }
    builder.command().add(1, "-Xmx" + options.heap);
    builder.command().add(1, "-Dstablecut.log=WARN");
    // After the flags of all servers, so that these take precedence.
    builder.command().addAll(builder.command().indexOf("-cp"), options.flags);
    return new NodeProcess(builder.redirectError(ProcessBuilder.Redirect.PIPE).start());
  }

  private void read(BufferedReader output) {
    output
        .lines()
        .forEach(
            line -> {
              Matcher matcher = READY.matcher(line);
              if (matcher.matches()) {
                ready.complete(matcher);
              } else {
                lines.add(line);
              }
            });
    ready.completeExceptionally(new AssertionError("not ready: " + lines));
  }

  /** Waits until the node serves. */
  @CanIgnoreReturnValue
  NodeProcess await() throws InterruptedException, ExecutionException {
    ready.get();
    return this;
  }

  /** Connects to the node's store. */
  Store connect() {
    return Stablecut.connect("stablecut://" + ready.join().group(1));
  }

  /** The address for clients. */
  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }

  /** The port for clients. */
  int port() {
    return Integer.parseInt(ready.join().group(1).replaceFirst(".*:", ""));
  }

  String operations() {
    return ready.join().group(2);
  }

  boolean isReady() {
    return ready.isDone();
  }

  /** The output without the line that reports readiness. */
  String output() {
    return String.join("\n", lines);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a signal by name. */
  void signal(String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Sends SIGKILL. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    assertThat(process.waitFor()).isEqualTo(128 + 9);
  }

  /** Sends SIGTERM and returns the exit code. */
  int terminate() throws InterruptedException {
    assertThat(process.toHandle().destroy()).isTrue();
    return exitCode();
  }

  /** Waits for the end of the process. */
  int exitCode() throws InterruptedException {
    // A busy disk may delay every process for minutes.
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("it ends:\n%s", output()).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }
}
