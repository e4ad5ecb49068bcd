package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.PartitionMove.State;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.SmallDisk;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that can't take a partition refuses it and says why, and the owner continues to serve it.
 */
class RefusedMovesTest {
  private static final int PARTITION = 0;
  private static final long RESERVE_BYTES = 4 << 20;
  private static final int VALUES = 16;
  private static final int VALUE_CHARS = 512 << 10;

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();

  /**
   * Starts n0 and n1 with some megabytes in partition 0, which is on n0.
   *
   * @param target the directory of n1
   */
  private void start(Path target) throws Exception {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    List<Path> directories = List.of(directory.resolve("n0"), target);
    for (int i = 0; i < ports.size(); i++) {
      nodes.add(NodeRuntime.start(settings("n" + i, directories.get(i), ports.get(i), seeds)));
    }
    for (NodeRuntime node : nodes) {
      node.await();
    }
    awaitOwner("n0");
    write("first");
  }

  private static NodeSettings settings(String name, Path data, int port, List<String> seeds) {
    return new NodeSettings(
        name,
        data,
        StoreOptions.defaults()
            .withPartitions(2)
            .withLimits(StoreOptions.Limits.defaults().withReserveBytes(RESERVE_BYTES)),
        new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
        new NodeSettings.Formation(seeds, 2),
        NodeSettings.MoveLimits.DEFAULT);
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private Store store() {
    return nodes.get(0).await();
  }

  private static RegisterKey<String> key(int i) {
    return Key.register("b", "k" + i, Codec.string());
  }

  private void write(String value) {
    for (int i = 0; i < VALUES; i++) {
      store().update(key(i).assign(value + "x".repeat(VALUE_CHARS)));
    }
  }

  private void assertServedByItsOwner(long epoch) {
    assertThat(location().node()).isEqualTo("n0");
    assertThat(location().epoch()).isEqualTo(epoch);
    write("second");
    for (int i = 0; i < VALUES; i++) {
      assertThat(store().read(key(i)).orElseThrow()).startsWith("second");
    }
  }

  private PartitionLocation location() {
    return nodes.get(0).partitions().get(PARTITION);
  }

  private void awaitOwner(String name) throws Exception {
    Eventually.holds("it is on " + name, () -> location().node().equals(name));
  }

  private void awaitMove(String what, Predicate<PartitionMove> condition) throws Exception {
    Eventually.holds(what, () -> location().moves().stream().anyMatch(condition));
  }

  private String failure() throws Exception {
    awaitMove("the move fails", move -> move.state() == State.FAILED);
    return location().moves().get(0).problem();
  }

  @Test
  void refusesATargetWithoutDiskSpace() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 64)) {
      start(disk.directory("n1"));
      long epoch = location().epoch();
      disk.leave(RESERVE_BYTES + (1 << 20));

      nodes.get(0).move(PARTITION, "n1");

      assertThat(failure())
          .containsPattern("partition 0 needs [0-9,]{9,} more bytes, and 4,194,304 are reserved")
          .containsPattern("the disk of node n1 has only [0-9,]+ free: free space");
      assertThat(disk.directory("n1").resolve("p0.incoming")).doesNotExist();
      disk.free();
      assertServedByItsOwner(epoch);
      stop();
    }
  }

  @Test
  void refusesATargetWithADirectoryOfThePartition() throws Exception {
    Path target = directory.resolve("n1");
    start(target);
    long epoch = location().epoch();
    Path other = Files.createDirectories(target.resolve("p0/journal")).resolve("segment");
    Files.writeString(other, "content");

    nodes.get(0).move(PARTITION, "n1");

    assertThat(failure())
        .contains(target.resolve("p0") + " exists although another node owns partition 0")
        .contains("determine which one is right");
    assertThat(other).hasContent("content");
    assertServedByItsOwner(epoch);
  }
}
