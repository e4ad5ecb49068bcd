package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.examples.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A server in its own process, which can be killed and restarted. Confined to one thread. */
final class ServerProcess {
  private static final String HEAP = "384m";

  /** Faults restart servers often, so they start fast rather than run fast later. */
  private static final List<String> FLAGS =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dstablecut.log=ERROR");

  private final List<String> arguments;
  private @Nullable Process process;
  private boolean isReady;

  /**
   * Describes a server.
   *
   * @param data its directory
   * @param port for clients
   * @param number of the server
   * @param seeds the addresses of all nodes; a single one makes a server without a cluster
   */
  ServerProcess(Path data, int port, int partitions, int number, List<String> seeds) {
    this.arguments =
        List.of(data.toString(), "" + port, "" + partitions, "" + number, String.join(",", seeds));
  }

  void start() throws IOException {
    ProcessBuilder builder =
        ChildJvm.withHeap(HEAP, ServerProcess.class, arguments.toArray(String[]::new));
    builder.command().addAll(1, FLAGS);
    isReady = false;
    process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private Process running() {
    if (process == null) {
      throw new IllegalStateException(this + " was not started");
    }
    return process;
  }

  /** Waits until the server serves. */
  void awaitReady() throws IOException {
    if (!isReady && running().inputReader(UTF_8).readLine() == null) {
      throw new IOException("the process of a server exited: see its messages above");
    }
    isReady = true;
  }

  /** Kills the process, as a crash does. */
  void kill() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Suspends the process: a long pause of the machine. */
  void suspend() {
    signal("STOP");
  }

  /** Restarts a killed process, or continues a suspended one. */
  void restartOrResume() throws IOException {
    if (running().isAlive()) {
      signal("CONT");
    } else {
      start();
    }
  }

  private void signal(String name) {
    try {
      int status = new ProcessBuilder("kill", "-" + name, "" + running().pid()).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + name + " exited with " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "server " + arguments.get(3);
  }

  /** Serves until the input ends. */
  public static void main(String[] args) throws IOException {
    List<String> seeds = List.of(args[4].split(",", -1));
    int number = Integer.parseInt(args[3]);
    Map<String, Object> settings =
        new HashMap<>(
            Map.of(
                "data",
                args[0],
                "port",
                Integer.parseInt(args[1]),
                "operations.enabled",
                false,
                "store.partitions",
                Integer.parseInt(args[2])));
    if (seeds.size() > 1) {
      settings.put("cluster.node", "n" + number);
      settings.put("cluster.port", Integer.parseInt(seeds.get(number).split(":", -1)[1]));
      settings.put("cluster.data-port", 0);
      settings.put("cluster.join", seeds);
      settings.put("cluster.form-with", seeds.size());
      settings.put("cluster.replicas", seeds.size());
    }
    try (Server server = Server.start(SettingsLoader.load(Optional.empty(), settings))) {
      System.out.println("serves " + server.address());
      while (System.in.read() >= 0) {
        // Nothing is written to it.
      }
    }
  }
}
