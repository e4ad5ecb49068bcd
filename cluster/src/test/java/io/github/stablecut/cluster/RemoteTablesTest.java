package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.testing.TableMapContract;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables on a server, opened by its URI. */
final class RemoteTablesTest {
  /** Restarts the server whenever the contract reopens the tables. */
  @Nested
  class Contract extends TableMapContract {
    private Optional<Server> server = Optional.empty();

    @Override
    protected TableMap open(Path data) {
      stop();
      ServerSettings settings = Settings.of(data);
      Server started = Server.start(settings.withStore(settings.store().withPartitions(4)));
      server = Optional.of(started);
      return TableMap.open(uri(started));
    }

    @AfterEach
    void stop() {
      server.ifPresent(Server::close);
    }
  }

  private static String uri(Server server) {
    return "stablecut://127.0.0.1:" + server.address().getPort();
  }

  @TempDir Path directory;

  @Test
  void closingTheTablesClosesTheConnectionAndNotTheStore() {
    Table table = Table.named("n", "t").partitionKey("p", ColumnType.INT);
    String uri;
    try (Server server = Server.start(Settings.of(directory.resolve("data")))) {
      uri = uri(server);
      TableMap map = TableMap.open(uri);
      map.createNamespace("n");
      map.createTable(table);
      map.mutate(Put.of(table.key(1)));
      map.close();
      map.close();

      assertThatThrownBy(() -> map.get(table.key(1))).hasMessageContaining("closed");
      assertThat(TableMap.over(server.store()).get(table.key(1))).isPresent();
      try (TableMap again = TableMap.open(uri)) {
        assertThat(again.get(table.key(1))).isPresent();
      }
    }
    assertThatThrownBy(() -> TableMap.open(uri)).isInstanceOf(ServerUnavailableException.class);
  }
}
