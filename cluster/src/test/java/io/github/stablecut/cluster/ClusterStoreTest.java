package io.github.stablecut.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The store of two nodes in this process, used through a member and through an observer. */
final class ClusterStoreTest {
  @TempDir static Path directory;

  private static final List<ClusterNode> NODES = new ArrayList<>();
  private static @Nullable Store member;
  private static @Nullable Store observer;

  private static ClusterSettings settings(String name, int port, List<String> seeds) {
    return new ClusterSettings(name, Endpoint.loopback(port), seeds, 2, 0, Long.MAX_VALUE);
  }

  private static StoreOptions options(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);
    return options.withLimits(options.limits().withValueBytes(1 << 20));
  }

  @BeforeAll
  static void form() throws Exception {
    List<Integer> ports = Ports.free(3);
    List<String> seeds = List.of("127.0.0.1:" + ports.get(0), "127.0.0.1:" + ports.get(1));
    for (int i = 0; i < 2; i++) {
      NODES.add(
          ClusterNode.join(
              directory.resolve("n" + i), options(4), settings("n" + i, ports.get(i), seeds)));
    }
    member = NODES.get(0).store();
    ClusterNode visiting = ClusterNode.observe(options(0), settings("v", ports.get(2), seeds));
    NODES.add(visiting);
    observer = visiting.store();
  }

  @AfterAll
  static void end() {
    for (int i = NODES.size() - 1; i >= 0; i--) {
      NODES.get(i).close();
    }
  }

  /** A node with partitions. */
  @Nested
  final class Member extends WatchedStoreContract {
    @Override
    Store store() {
      return Objects.requireNonNull(member);
    }
  }

  /** A node without partitions. */
  @Nested
  final class Observer extends WatchedStoreContract {
    @Override
    Store store() {
      return Objects.requireNonNull(observer);
    }
  }
}
