package io.github.stablecut.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Runs the messages of AntidoteDB's Erlang client against one server. */
final class ErlangClientTest extends ErlangClientContract {
  @TempDir private static Path directory;
  private static Server server;

  @BeforeAll
  static void start() {
    server = Server.start(Settings.dataCentreOrders(Settings.of(directory.resolve("data"))));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  InetSocketAddress address() {
    return server.address();
  }

  @Override
  int nodes() {
    return 1;
  }
}
