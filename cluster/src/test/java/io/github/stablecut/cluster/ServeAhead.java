package io.github.stablecut.cluster;

import io.github.stablecut.error.StablecutException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * {@code stablecut serve} on a machine whose clock is ahead, or behind if the offset is negative.
 */
final class ServeAhead {
  /** The settings that correspond to options. */
  private static final Map<String, String> NAMES =
      Map.of(
          "--data", "data",
          "--port", "port",
          "--http-port", "operations.port",
          "--node", "cluster.node",
          "--cluster-port", "cluster.port",
          "--cluster-listen-port", "cluster.listen-port",
          "--cluster-data-port", "cluster.data-port",
          "--cluster-data-listen-port", "cluster.data-listen-port",
          "--form-with", "cluster.form-with");

  private ServeAhead() {}

  /**
   * Serves until the process is asked to end or the node fails.
   *
   * @param args milliseconds, and options of {@code serve} with their values
   */
  public static void main(String[] args) throws InterruptedException, ExecutionException {
    Optional<Path> config = Optional.empty();
    Map<String, Object> options = new HashMap<>();
    for (int i = 1; i < args.length; i += 2) {
      if (args[i].equals("--config")) {
        config = Optional.of(Path.of(args[i + 1]));
      } else if (args[i].equals("--join")) {
        options.put("cluster.join", Arrays.asList(args[i + 1].split(",", -1)));
      } else {
        options.put(NAMES.getOrDefault(args[i], args[i]), args[i + 1]);
      }
    }
    ServerSettings settings = SettingsLoader.load(config, options);
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(args[0])));
    serve(settings.withStore(settings.store().withClock(clock)));
  }

  private static void serve(ServerSettings settings)
      throws InterruptedException, ExecutionException {
    try (Server server = Server.start(settings)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server)));
      System.out.printf(
          "Stablecut is ready: clients at 127.0.0.1:%d, admin port at http://127.0.0.1:%d; started in 0 ms%n",
          server.address().getPort(), server.operationsAddress().orElseThrow().getPort());
      RuntimeException why = server.ended().toCompletableFuture().get();
      System.err.println("error: " + why.getMessage());
    } catch (StablecutException e) {
      System.err.println("error: " + e.getMessage());
    }
    Runtime.getRuntime().halt(1);
  }

  /** Ends normally: otherwise the JVM's exit code would be that of the signal. */
  private static void end(Server server) {
    server.close();
    Runtime.getRuntime().halt(0);
  }
}
