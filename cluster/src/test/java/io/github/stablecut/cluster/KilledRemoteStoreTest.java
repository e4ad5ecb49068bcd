package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A store on a server that is killed after each test, and started again, while it is connected. */
@Tag("long")
final class KilledRemoteStoreTest extends WatchedStoreContract {
  @TempDir private static Path directory;
  private static ServerProcess server;
  private static Store store;

  @BeforeAll
  static void connect() throws Exception {
    Path limits =
        Files.writeString(
            directory.resolve("limits.conf"), "stablecut.store.max-operation-bytes = 1 MiB");
    server = ServerProcess.startWith(directory.resolve("data"), "--config", limits.toString());
    InetSocketAddress address = server.address();
    store = Stablecut.connect("stablecut://127.0.0.1:" + address.getPort());
  }

  @AfterEach
  void killAndStartAgain() throws Exception {
    int port = server.address().getPort();
    server.kill();
    server =
        ServerProcess.startWith(
            directory.resolve("data"),
            "--config",
            directory.resolve("limits.conf").toString(),
            "--port",
            "" + port);
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
