package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stablecut serve}: serves a store until it is told to end. */
@Command(
    name = "./stablecut serve",
    description = {
      "Serves a store to clients of AntidoteDB's protocol, until SIGTERM or ctrl-C.",
      "Prints one line when it is ready. What is not said here is read from the settings file,"
          + " and otherwise as reference.conf has it.",
      "Exit code 0 if it was told to end, 1 if it can't start, 2 if the arguments are wrong."
    })
public final class Serve implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this help")
  @SuppressWarnings("unused") // the command line reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--data", paramLabel = "DIR", description = "the store; made if not there")
  private @Nullable String data;

  @Option(names = "--port", paramLabel = "N", description = "for clients; default 8087")
  private @Nullable Integer port;

  @Option(names = "--bind", paramLabel = "ADDRESS", description = "default 127.0.0.1")
  private @Nullable String bind;

  @Option(names = "--partitions", paramLabel = "N", description = "of a new store; default 1")
  private @Nullable Integer partitions;

  @Option(names = "--http-port", paramLabel = "N", description = "for operators; default 3001")
  private @Nullable Integer httpPort;

  @Option(names = "--config", paramLabel = "FILE", description = "settings, in HOCON")
  private @Nullable Path config;

  private final long begun = System.nanoTime();

  Serve() {}

  /**
   * Serves, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Serve(), args));
  }

  @Override
  public Integer call() throws InterruptedException {
    ServerSettings settings = ServerSettings.read(Optional.ofNullable(config), said());
    Server server = Server.start(settings);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server), "stablecut-shutdown"));
    spec.commandLine().getOut().println(readyLine(server));
    spec.commandLine().getOut().flush();
    new CountDownLatch(1).await();
    return 0;
  }

  private Map<String, Object> said() {
    Map<String, Object> said = new HashMap<>();
    put(said, "data", data);
    put(said, "port", port);
    put(said, "bind", bind);
    put(said, "store.partitions", partitions);
    put(said, "operations.port", httpPort);
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
   * Closes what is open, and ends the process with 0: otherwise the JVM would give the number of
   * the signal.
   */
  private static void end(Server server) {
    int code = 1;
    try {
      server.close();
      code = 0;
    } finally {
      Runtime.getRuntime().halt(code);
    }
  }
}
