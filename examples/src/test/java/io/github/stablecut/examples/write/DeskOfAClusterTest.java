package io.github.stablecut.examples.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import io.github.stablecut.web.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two desks write one text; one of them is a cluster. */
final class DeskOfAClusterTest {
  private static final int EDITS = 5;

  @TempDir private Path directory;

  private ClusterNode cluster(String name, Replication replication) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    return ClusterNode.join(
        directory.resolve(name),
        StoreOptions.defaults().withReplication(replication),
        new ClusterSettings(
            name, Endpoint.loopback(port), List.of("127.0.0.1:" + port), 1, 0, Long.MAX_VALUE));
  }

  private static void edit(Window window, String text) {
    window.edit(window.view().version(), new Patch(0, 0, text), text.length());
  }

  private static String text(Desk desk) {
    return desk.store().read(Paper.TEXT).toString();
  }

  @Test
  void usersOfBothDesksWriteOneText() throws IOException {
    Replication any = Replication.tcp("127.0.0.1:0");
    Signal signal = new Signal();
    try (Store here =
        Stablecut.open(directory.resolve("oslo"), StoreOptions.defaults().withReplication(any))) {
      Replication joins = any.join("127.0.0.1:" + here.dataCentres().port().orElseThrow());
      try (ClusterNode lima = cluster("lima", joins);
          Desk one = new Desk(0, "Oslo", here, signal);
          Desk other = new Desk(1, "Lima", lima.store(), signal);
          Window ann = new Window("0-1", "Ann", one, () -> {});
          Window bea = new Window("1-1", "Bea", other, () -> {})) {
        for (int i = 0; i < EDITS; i++) {
          edit(ann, "a" + i + " ");
          edit(bea, "b" + i + " ");
        }

        int all = 2 * 3 * EDITS;
        while (text(one).length() < all || text(other).length() < all || other.moments() == 0) {
          LockSupport.parkNanos(1_000_000);
        }
        assertThat(text(one)).isEqualTo(text(other)).contains("a0 ", "b0 ", "a4 ", "b4 ");
        assertThat(other.past(0).text()).isNotEmpty();
      }
    }
  }
}
