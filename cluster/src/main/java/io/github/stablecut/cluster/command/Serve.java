package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.NodeLeftException;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsLoader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./stablecut serve}: serves a store until it is told to end. */
@Command(
    name = "./stablecut serve",
    description = {
      "Serves a store to clients of AntidoteDB's protocol, until SIGTERM or ctrl-C.",
      "Prints one line when it is ready. What is not said here is read from the settings file,"
          + " and otherwise as reference.conf has it.",
      "Exit code 0 if it was told to end, 1 if it can't start, 2 if the arguments or the settings"
          + " are wrong."
    })
public final class Serve extends ShellCommand {
  @Option(names = "--data", paramLabel = "DIR", description = "the store; made if not there")
  private @Nullable String data;

  @Option(names = "--port", paramLabel = "N", description = "for clients; default 8087")
  private @Nullable Integer port;

  @Option(names = "--bind", paramLabel = "ADDRESS", description = "default 127.0.0.1")
  private @Nullable String bind;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "of a new store; default 1, in a cluster twice as many as nodes, 8 at least")
  private @Nullable Integer partitions;

  @Option(names = "--http-port", paramLabel = "N", description = "for operators; default 3001")
  private @Nullable Integer httpPort;

  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      description =
          "joins the cluster of these nodes, as they call themselves; the same ones on all nodes")
  private @Nullable List<String> join;

  @Option(names = "--node", paramLabel = "NAME", description = "this node's, in the cluster")
  private @Nullable String node;

  @Option(names = "--cluster-port", paramLabel = "N", description = "for nodes; default 2552")
  private @Nullable Integer clusterPort;

  @Option(
      names = "--cluster-listen-port",
      paramLabel = "N",
      description = "listened at for nodes, if they reach it under another; default the same")
  private @Nullable Integer clusterListenPort;

  @Option(
      names = "--form-with",
      paramLabel = "N",
      description =
          "a new cluster is made once all nodes of --join and at least so many are there; the same"
              + " number on all nodes; default 0, no more than those of --join")
  private @Nullable Integer formWith;

  @Option(
      names = "--cluster-secret",
      paramLabel = "FILE",
      description =
          "the same for all nodes; default ~/.stablecut/cluster.secret, made if not there")
  private @Nullable String clusterSecret;

  @Option(names = "--config", paramLabel = "FILE", description = "settings, in HOCON")
  private @Nullable Path config;

  private final long begun = System.nanoTime();

  private volatile Optional<Server> serving = Optional.empty();

  /** What the process ends with; 0 if it is told to end. */
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
    ServerSettings settings = SettingsLoader.load(Optional.ofNullable(config), said());
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "stablecut-shutdown"));
    Server server = Server.start(settings);
    serving = Optional.of(server);
    out().println(readyLine(server));
    out().flush();
    RuntimeException why = server.ended().toCompletableFuture().get();
    if (why instanceof NodeLeftException) {
      out().println(why.getMessage());
      return 0;
    }
    throw why;
  }

  private Map<String, Object> said() {
    Map<String, Object> said = new HashMap<>();
    put(said, "data", data);
    put(said, "port", port);
    put(said, "bind", bind);
    put(said, "store.partitions", partitions);
    put(said, "operations.port", httpPort);
    put(said, "cluster.join", join);
    put(said, "cluster.node", node);
    put(said, "cluster.port", clusterPort);
    put(said, "cluster.listen-port", clusterListenPort);
    put(said, "cluster.form-with", formWith);
    put(said, "cluster.secret", clusterSecret);
    return said;
  }

  private static void put(Map<String, Object> said, String name, @Nullable Object value) {
    if (value != null) {
      said.put(name, value);
    }
  }

  private String readyLine(Server server) {
    return "Stablecut is ready: clients at %s%s; started in %,d ms"
        .formatted(
            text(server.address()),
            server
                .operationsAddress()
                .map(address -> ", operators at http://" + text(address))
                .orElse(""),
            (System.nanoTime() - begun) / 1_000_000);
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Closes what is open, and ends the process with 0 if it was told to end: otherwise the JVM would
   * give the number of the signal.
   */
  private void end() {
    int code = 1;
    try {
      serving.ifPresent(Server::close);
      code = exitCode;
    } finally {
      Runtime.getRuntime().halt(code);
    }
  }
}
