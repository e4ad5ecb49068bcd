package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.NodeLeftException;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.StoreOptions;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stablecut serve}: serves a store until it is stopped. */
@Command(
    name = "stablecut serve",
    description = {
      "Serves a store to clients of AntidoteDB's protocol until SIGTERM or ctrl-C.",
      "Prints one line when it is ready. Options override the settings file, which overrides"
          + " reference.conf.",
      "Exit code 0 after an orderly shutdown, 1 if the server fails, 2 if the arguments or the"
          + " settings are invalid."
    })
public final class Serve extends ShellCommand {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "directory of the store; created if missing")
  private @Nullable String data;

  @Option(names = "--port", paramLabel = "N", description = "port for clients; default 8087")
  private @Nullable Integer port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "address of the port for clients; default 127.0.0.1. The addresses of other ports are in the settings file: operations.bind, cluster.bind, replication.listen")
  private @Nullable String bind;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "partitions of a new store; default 1; in a cluster twice the number of nodes, at least"
              + " 8")
  private @Nullable Integer partitions;

  @Option(names = "--http-port", paramLabel = "N", description = "admin port; default 3001")
  private @Nullable Integer httpPort;

  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      description = "seed nodes of the cluster, by their own addresses; the same list on all nodes")
  private @Nullable List<String> join;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "unique name of this node in the cluster")
  private @Nullable String node;

  @Option(
      names = "--cluster-port",
      paramLabel = "N",
      description = "port for other nodes; default 2552")
  private @Nullable Integer clusterPort;

  @Option(
      names = "--cluster-listen-port",
      paramLabel = "N",
      description =
          "port to listen on, if other nodes reach --cluster-port through a mapping; default the"
              + " same")
  private @Nullable Integer clusterListenPort;

  @Option(
      names = "--cluster-data-port",
      paramLabel = "N",
      description =
          "port for requests of other nodes; default --cluster-port plus 1,000; 0 means any free"
              + " one")
  private @Nullable Integer clusterDataPort;

  @Option(
      names = "--cluster-data-listen-port",
      paramLabel = "N",
      description =
          "port to listen on, if other nodes reach --cluster-data-port through a mapping; default"
              + " the same")
  private @Nullable Integer clusterDataListenPort;

  @Option(
      names = "--form-with",
      paramLabel = "N",
      description =
          "a new cluster forms once all seed nodes and at least N nodes are present; the same"
              + " number on all nodes; default 0: the seed nodes suffice")
  private @Nullable Integer formWith;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description =
          "replicas of each partition of a new cluster, each on another node: 1, 3 or 5; the same number on all nodes; default 1")
  private @Nullable Integer replicas;

  @Option(
      names = "--zone",
      paramLabel = "NAME",
      description =
          "name for what this node fails together with, such as a rack; replicas of a partition are spread over the zones; default: none")
  private @Nullable String zone;

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description =
          "file with the cluster's secret, which all nodes share, and the admin token; default ~/.stablecut/cluster.secret, created if missing")
  private @Nullable String secret;

  @Option(
      names = "--dc-listen",
      paramLabel = "HOST:PORT",
      description = "where to listen for other data centres; default: nowhere")
  private @Nullable String dataCentreListen;

  @Option(
      names = "--dc-advertised",
      paramLabel = "HOST:PORT",
      description = "where other data centres reach this one, if not at --dc-listen")
  private @Nullable String dataCentreAdvertised;

  @Option(
      names = "--dc-join",
      split = ",",
      paramLabel = "HOST:PORT",
      description = "data centres whose group a new store joins")
  private @Nullable List<String> dataCentreJoin;

  @Option(names = "--config", paramLabel = "FILE", description = "settings file in HOCON")
  private @Nullable Path config;

  private final long startedNanos = System.nanoTime();

  private volatile Optional<Server> serving = Optional.empty();

  /** The exit code of the process; 0 if a signal stops it. */
  private volatile int exitCode;

  Serve() {}

  /**
   * Serves, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    Serve serve = new Serve();
    serve.exitCode = CommandRunner.run(serve, args);
    System.exit(serve.exitCode);
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    ServerSettings settings =
        withObjectTypes(SettingsLoader.load(Optional.ofNullable(config), overrides()));
    Runtime.getRuntime().addShutdownHook(new Thread(this::shutDown, "stablecut-shutdown"));
    Server server = Server.start(settings);
    serving = Optional.of(server);
    announce(readyLine(server), factsLine(settings, server));
    RuntimeException reason = server.ended().toCompletableFuture().get();
    if (reason instanceof NodeLeftException) {
      announce(String.valueOf(reason.getMessage()));
      return 0;
    }
    throw reason;
  }

  /** Prints lines; a server keeps serving if its output can't be written. */
  private void announce(String... lines) {
    try {
      for (String line : lines) {
        out().println(line);
      }
      out().flush();
    } catch (UncheckedIOException e) {
      err()
          .println(
              "warning: "
                  + PrintableText.of(
                      String.valueOf(Objects.requireNonNull(e.getCause()).getMessage())));
    }
  }

  /** Adds the object types that are on the class path. */
  private static ServerSettings withObjectTypes(ServerSettings settings) {
    try {
      return settings.withStore(settings.store().withObjectTypes(ObjectTypes.onClassPath()));
    } catch (IllegalArgumentException e) {
      throw new SettingsException("object types: " + e.getMessage(), e);
    }
  }

  /** The given options, by the names of their settings. */
  private Map<String, Object> overrides() {
    Map<String, Object> overrides = new HashMap<>();
    put(overrides, "data", data);
    put(overrides, "port", port);
    put(overrides, "bind", bind);
    put(overrides, "store.partitions", partitions);
    put(overrides, "operations.port", httpPort);
    put(overrides, "cluster.join", join);
    put(overrides, "cluster.node", node);
    put(overrides, "cluster.port", clusterPort);
    put(overrides, "cluster.listen-port", clusterListenPort);
    put(overrides, "cluster.data-port", clusterDataPort);
    put(overrides, "cluster.data-listen-port", clusterDataListenPort);
    put(overrides, "cluster.form-with", formWith);
    put(overrides, "cluster.replicas", replicas);
    put(overrides, "cluster.zone", zone);
    put(overrides, "cluster.secret", secret);
    put(overrides, "replication.listen", dataCentreListen);
    put(overrides, "replication.advertised", dataCentreAdvertised);
    put(overrides, "replication.join", dataCentreJoin);
    return overrides;
  }

  private static void put(Map<String, Object> overrides, String name, @Nullable Object value) {
    if (value != null) {
      overrides.put(name, value);
    }
  }

  private String readyLine(Server server) {
    return "Stablecut is ready: clients at %s%s; started in %,d ms"
        .formatted(
            text(server.address()),
            server
                .operationsAddress()
                .map(address -> ", admin port at http://" + text(address))
                .orElse(""),
            (System.nanoTime() - startedNanos) / 1_000_000);
  }

  /** The facts that help with reading an old log. */
  private static String factsLine(ServerSettings settings, Server server) {
    StoreOptions store = settings.store();
    return "%s; store %s, partitions %d, heap %,d MiB, durability %s, history retained for %s"
        .formatted(
            Main.version(),
            settings.data(),
            server.store().status().partitions(),
            Runtime.getRuntime().maxMemory() >> 20,
            store.durability().getClass().getSimpleName().toLowerCase(Locale.ROOT),
            DurationWords.of(store.checkpoints().retention()));
  }

  /** An address in the notation of URIs. */
  static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Closes the server, and ends the process with code 0 if a signal stops it: the JVM's own code
   * would be derived from the signal's number.
   */
  private void shutDown() {
    int code = 1;
    try {
      serving.ifPresent(
          server -> {
            server.close();
            announce("Stablecut has stopped");
          });
      code = exitCode;
    } finally {
      Runtime.getRuntime().halt(code);
    }
  }
}
