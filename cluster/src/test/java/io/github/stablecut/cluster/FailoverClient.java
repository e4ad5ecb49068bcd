package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A program that uses a client of AntidoteDB as its users do whose cluster may lose a node: it
 * writes, says how much was acknowledged, and ends when its input ends, once it has found that.
 * Thread-safe.
 */
final class FailoverClient implements AutoCloseable {
  /** So many lines are fifty writes or more, on all partitions. */
  private static final int PROGRESS = 6;

  private final Process process;
  private final Collection<String> said = new ConcurrentLinkedQueue<>();
  private final Thread reader;

  private FailoverClient(Path in, List<String> command) throws IOException {
    this.process =
        new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true).start();
    this.reader = new Thread(this::read, "output-of-" + process.pid());
    reader.start();
  }

  private static List<String> with(List<Integer> ports, String... command) {
    List<String> all = new ArrayList<>(List.of(command));
    ports.forEach(port -> all.add(port.toString()));
    return all;
  }

  /** Of npm; skips if that is missing. */
  static FailoverClient javaScript(List<Integer> ports) throws IOException {
    Path folder = ForeignClients.javaScript();
    return new FailoverClient(folder, with(ports, "node", "--no-deprecation", "failover.js"));
  }

  /** Of PyPI; skips if that is missing. */
  static FailoverClient python(List<Integer> ports) throws IOException {
    Path folder = ForeignClients.python();
    return new FailoverClient(folder, with(ports, ForeignClients.PYTHON, "failover.py"));
  }

  /** Of Maven Central. */
  static FailoverClient java(List<Integer> ports) throws IOException {
    return new FailoverClient(
        Path.of("").toAbsolutePath(),
        with(
            ports,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            FailoverMain.class.getName()));
  }

  private void read() {
    process.inputReader().lines().forEach(said::add);
  }

  /** Waits until more was acknowledged since this call. */
  void awaitProgress() throws Exception {
    int before = said.size();
    Eventually.holds(
        "a client is acknowledged more, which has said %s".formatted(said),
        () -> said.size() >= before + PROGRESS || !process.isAlive());
    assertThat(process.isAlive()).as("it goes on: %s", said).isTrue();
  }

  /** Has it end, and look for all that was acknowledged; returns what it said last. */
  String end() throws Exception {
    process.getOutputStream().close();
    int code = process.waitFor();
    reader.join();
    String last = "";
    for (String line : said) {
      last = line;
    }
    assertThat(code).as("its exit code, after it has said %s", last).isZero();
    return last;
  }

  @Override
  public void close() {
    var unused = process.toHandle().destroyForcibly();
  }
}
