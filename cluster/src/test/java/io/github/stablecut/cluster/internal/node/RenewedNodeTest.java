package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.option.StoreOptions;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that has to leave when its cluster joins other data centres. */
class RenewedNodeTest {
  @TempDir private Path directory;

  private NodeRuntime start(String name, String address, List<String> seeds) {
    int port = Integer.parseInt(address.replaceFirst(".*:", ""));
    return NodeRuntime.start(
        new NodeSettings(
            name,
            directory.resolve(name),
            StoreOptions.defaults().withPartitions(2),
            new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
            new NodeSettings.Formation(seeds, 2),
            NodeSettings.MoveLimits.DEFAULT));
  }

  private static void end(NodeRuntime node) {
    node.close();
  }

  /** As an application with an embedded node may do. */
  @Test
  void closingTheNodeInItsListenerReleasesItsDirectory() throws Exception {
    List<String> seeds = Ports.free(2).stream().map(port -> "127.0.0.1:" + port).sorted().toList();
    try (NodeRuntime first = start("n0", seeds.get(0), seeds);
        NodeRuntime renewed = start("n1", seeds.get(1), seeds)) {
      for (NodeRuntime node : List.of(first, renewed)) {
        node.await();
      }
      first.gather();
      CompletableFuture<Void> closed = renewed.ended().thenAccept(why -> end(renewed));
      // Waits for the new node, which does not come.
      FireAndForget.logFailure(
          CompletableFuture.runAsync(() -> first.renewOthers("127.0.0.1:1", 1)),
          "a node could not be renewed");
      closed.join();

      try (FileChannel file =
              FileChannel.open(directory.resolve("n1").resolve("LOCK"), StandardOpenOption.WRITE);
          FileLock own = file.tryLock()) {
        assertThat(own.isValid()).isTrue();
      }
    }
  }
}
