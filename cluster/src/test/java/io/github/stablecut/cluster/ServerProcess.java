package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.command.Serve;
import io.github.stablecut.journal.JvmFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code stablecut serve} in a JVM of its own. */
final class ServerProcess implements AutoCloseable {
  private static final Pattern READY =
      Pattern.compile(
          "Stablecut is ready: clients at 127\\.0\\.0\\.1:(\\d+), admin port at"
              + " (http://127\\.0\\.0\\.1:\\d+); started in [0-9,]+ ms");

  private final Process process;
  private final BufferedReader output;
  private final InetSocketAddress address;
  private final String operations;

  private ServerProcess(Process process) throws IOException {
    this.process = process;
    this.output = process.inputReader();
    String line = String.valueOf(output.readLine());
    Matcher ready = READY.matcher(line);
    if (!ready.matches()) {
      close();
      throw new AssertionError("not ready: " + line);
    }
    this.address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(1)));
    this.operations = ready.group(2);
  }

  /** Starts a server and waits until it reports readiness. */
  static ServerProcess start(Path data, int port) throws IOException {
    return start(data, port, "-Xmx512m");
  }

  /** Starts a server with another heap size. */
  static ServerProcess start(Path data, int port, String heap) throws IOException {
    ProcessBuilder builder =
        builder("--data", data.toString(), "--port", "" + port, "--http-port", "0");
    builder.command().add(1, heap);
    return new ServerProcess(builder.start());
  }

  /** Starts a server with a settings file. */
  static ServerProcess start(Path data, int port, Path settings) throws IOException {
    ProcessBuilder builder =
        builder("--data", data.toString(), "--port", "" + port, "--http-port", "0");
    builder.command().addAll(List.of("--config", settings.toString()));
    builder.command().add(1, "-Xmx384m");
    return new ServerProcess(builder.start());
  }

  /** Starts a server with the given number of partitions. */
  static ServerProcess start(Path data, String heap, int partitions) throws IOException {
    ProcessBuilder builder = builder("--data", data.toString(), "--port", "0", "--http-port", "0");
    builder.command().addAll(List.of("--partitions", "" + partitions));
    builder.command().add(1, heap);
    return new ServerProcess(builder.start());
  }

  /** Starts a server with more options. */
  static ServerProcess startWith(Path data, String... more) throws IOException {
    ProcessBuilder builder = builder("--data", data.toString(), "--port", "0", "--http-port", "0");
    builder.command().addAll(List.of(more));
    builder.command().add(1, "-Xmx384m");
    return new ServerProcess(builder.start());
  }

  /** A process to be started; its standard error goes to ours. */
  static ProcessBuilder builder(String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JvmFlags.all());
    command.addAll(LibraryArchive.flags());
    command.addAll(List.of("-XX:TieredStopAtLevel=1"));
    // The cluster's secret is there.
    command.add("-Duser.home=" + System.getProperty("user.home"));
    command.addAll(List.of("-cp", LibraryArchive.classPath(), Serve.class.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  InetSocketAddress address() {
    return address;
  }

  /** The URL of its admin port. */
  String operations() {
    return operations;
  }

  /** Sends SIGKILL. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    assertThat(process.waitFor()).isEqualTo(128 + 9);
  }

  /** Sends SIGTERM and returns the exit code, expected within ten seconds. */
  int terminate() throws InterruptedException {
    assertThat(process.toHandle().destroy()).isTrue();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).as("it ends within ten seconds").isTrue();
    return process.exitValue();
  }

  /** Waits for the end, and returns the output after the line that reports readiness. */
  List<String> moreLines() {
    return output.lines().toList();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
