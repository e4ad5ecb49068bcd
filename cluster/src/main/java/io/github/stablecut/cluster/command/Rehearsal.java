package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Runs a server and the most frequent commands on a store of its own, to load their classes.
 * bin/archive.bash runs it in a JVM that archives the loaded classes for later starts.
 */
public final class Rehearsal {
  private final String data;

  private Rehearsal(String data) {
    this.data = data;
  }

  /**
   * Ends the process with 0 on success.
   *
   * @param args the directory for the store, which must not exist
   */
  public static void main(String[] args) {
    Rehearsal rehearsal = new Rehearsal(args[0]);
    boolean succeeds = rehearsal.tryOnline() && rehearsal.tryOffline();
    System.exit((succeeds ? Exit.DONE : Exit.FAILED).code());
  }

  private boolean tryOnline() {
    Map<String, ?> settings = Map.of("data", data, "port", 0, "operations.port", 0);
    try (Server server = Server.start(SettingsLoader.load(Optional.empty(), settings))) {
      String url = "http://" + Serve.text(server.operationsAddress().orElseThrow());
      try (Store store = Stablecut.connect("stablecut://" + Serve.text(server.address()))) {
        store.update(Key.counter("rehearsals", "client").increment());
      }
      return tryRun(new Serve(), "--help")
          && tryRun(new UpdateObject(), "--url", url, "rehearsals", "command", "increment")
          && tryRun(new Get(), "--url", url, "rehearsals", "command")
          && tryRun(new ScanObjects(), "--url", url, "rehearsals")
          && tryRun(new Status(), "--url", url);
    }
  }

  private boolean tryOffline() {
    Path file = Path.of(data).resolveSibling("export");
    return tryRun(new UpdateObject(), "--data", data, "rehearsals", "command", "increment")
        && tryRun(new Get(), "--data", data, "rehearsals", "command")
        && tryRun(new Export(), data, file.toString())
        && tryRun(new Verify(), "--full", data)
        && tryRun(new Inspect(), data);
  }

  private static boolean tryRun(ShellCommand command, String... args) {
    return CommandRunner.run(command, args) == Exit.DONE.code();
  }
}
