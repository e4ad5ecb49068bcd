package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a connected store whose server is killed and restarted after each test. */
@Tag("long")
final class KilledRemoteStoreTest extends WatchedStoreContract {
  @TempDir private static Path directory;
  private static Path settings;
  private static ServerProcess server;
  private static Store store;

  @BeforeAll
  static void connect() throws Exception {
    settings =
        Files.writeString(
            directory.resolve("limits.conf"), "stablecut.store.max-operation-bytes = 1 MiB");
    server = ServerProcess.start(directory.resolve("data"), 0, settings);
    store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  @AfterEach
  void killAndRestart() throws Exception {
    server.kill();
    server = ServerProcess.start(directory.resolve("data"), server.address().getPort(), settings);
  }

  @AfterAll
  static void close() {
    store.close();
    server.close();
  }

  @Override
  Store store() {
    return store;
  }
}
