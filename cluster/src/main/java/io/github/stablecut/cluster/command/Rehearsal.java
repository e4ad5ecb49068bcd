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
 * Does what servers and the most frequent commands do, on a store of its own, so that their classes
 * are loaded: bin/archive.bash runs it in a JVM that puts them into an archive for later starts.
 */
public final class Rehearsal {
  private final String data;

  private Rehearsal(String data) {
    this.data = data;
  }

  /**
   * Ends the process with 0 if all went well.
   *
   * @param args a directory for the store, which does not exist yet
   */
  public static void main(String[] args) {
    Rehearsal rehearsal = new Rehearsal(args[0]);
    boolean isDone = rehearsal.online() && rehearsal.offline();
    System.exit((isDone ? Exit.DONE : Exit.FAILED).code());
  }

  private boolean online() {
    Map<String, ?> settings = Map.of("data", data, "port", 0, "operations.port", 0);
    try (Server server = Server.start(SettingsLoader.load(Optional.empty(), settings))) {
      String url = "http://" + Serve.text(server.operationsAddress().orElseThrow());
      try (Store store = Stablecut.connect("stablecut://" + Serve.text(server.address()))) {
        var unused = store.update(Key.counter("rehearsals", "client").increment());
      }
      return isDone(new Serve(), "--help")
          && isDone(new UpdateObject(), "--url", url, "rehearsals", "command", "increment")
          && isDone(new Get(), "--url", url, "rehearsals", "command")
          && isDone(new ScanObjects(), "--url", url, "rehearsals")
          && isDone(new Status(), "--url", url);
    }
  }

  private boolean offline() {
    Path file = Path.of(data).resolveSibling("export");
    return isDone(new UpdateObject(), "--data", data, "rehearsals", "command", "increment")
        && isDone(new Get(), "--data", data, "rehearsals", "command")
        && isDone(new Export(), data, file.toString())
        && isDone(new Verify(), "--full", data)
        && isDone(new Inspect(), data);
  }

  private static boolean isDone(ShellCommand command, String... args) {
    return CommandRunner.run(command, args) == Exit.DONE.code();
  }
}
