package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Runs a program that uses a client of AntidoteDB as users with a cluster would. It writes, prints
 * the number of acknowledged writes, and, when its input ends, checks that all of them are present.
 * Thread-safe.
 */
final class FailoverClient implements AutoCloseable {
  /** The number of lines for at least fifty writes on all partitions. */
  private static final int PROGRESS = 6;

  private final Process process;
  private final Collection<String> output = new ConcurrentLinkedQueue<>();
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

  /** The client of npm; skips the test if it is missing. */
  static FailoverClient javaScript(List<Integer> ports) throws IOException {
    Path folder = ForeignClients.javaScript();
    return new FailoverClient(folder, with(ports, "node", "--no-deprecation", "failover.js"));
  }

  /** The client of PyPI; skips the test if it is missing. */
  static FailoverClient python(List<Integer> ports) throws IOException {
    Path folder = ForeignClients.python();
    return new FailoverClient(folder, with(ports, ForeignClients.PYTHON, "failover.py"));
  }

  /** The client of Maven Central. */
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
    process.inputReader().lines().forEach(output::add);
  }

  /** Waits until the program reports more acknowledged writes. */
  void awaitProgress() throws Exception {
    int before = output.size();
    Eventually.holds(
        "a client reports more acknowledged writes after %s".formatted(output),
        () -> output.size() >= before + PROGRESS || !process.isAlive());
    assertThat(process.isAlive()).as("it continues: %s", output).isTrue();
  }

  /** Ends the program, which then checks all acknowledged writes; returns its last line. */
  String end() throws Exception {
    process.getOutputStream().close();
    int code = process.waitFor();
    reader.join();
    String last = "";
    for (String line : output) {
      last = line;
    }
    assertThat(code).as("its exit code, after the last line %s", last).isZero();
    return last;
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }
}
