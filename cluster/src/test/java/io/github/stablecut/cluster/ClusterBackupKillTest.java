package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.cluster.ClusterBackup;
import io.github.stablecut.key.Key;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes are killed while a cluster is backed up, and restarted. A backup is complete or absent.
 * {@code -Dstablecut.seed} determines which node is killed when.
 */
@Tag("long")
class ClusterBackupKillTest {
  private static final int NODES = 3;
  private static final int BACKUPS = 6;
  private static final int WRITERS = 3;

  @TempDir private Path directory;

  private static long sum(Store store, String side) {
    long sum = 0;
    for (int writer = 0; writer < WRITERS; writer++) {
      sum += store.read(Key.counter("pairs", writer + side));
    }
    return sum;
  }

  private int backUp(TestCluster cluster, Path target, StringWriter err) {
    String join =
        "127.0.0.1:" + cluster.options(0).port() + ",127.0.0.1:" + cluster.options(1).port();
    return CommandRunner.run(
        ClusterBackup.command(),
        new PrintWriter(new StringWriter(), true),
        new PrintWriter(err, true),
        target.toString(),
        "--join",
        join);
  }

  /** Returns the number of backups that were completed. */
  private int completedBackups(String... more) throws Exception {
    long seed = Long.getLong("stablecut.seed", System.nanoTime());
    System.out.println("nodes are killed during backups with -Dstablecut.seed=" + seed);
    Random random = new Random(seed);
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(one.with(more));
    }
    int made = 0;
    try (TestCluster cluster = TestCluster.form(options);
        PairLoad load = new PairLoad("pairs", cluster.connections(), WRITERS)) {
      for (int i = 0; i < BACKUPS; i++) {
        cluster.awaitWhole();
        load.awaitProgress();
        Path target = directory.resolve("backup" + i);
        long acknowledged = load.acknowledged();
        StringWriter err = new StringWriter();
        CompletableFuture<Integer> backup =
            CompletableFuture.supplyAsync(() -> backUp(cluster, target, err));
        // Kills at a random moment of the backup.
        Thread.sleep(random.nextInt(6_000));
        int victim = random.nextInt(NODES);
        cluster.node(victim).kill();
        cluster.restart(victim);
        int code = backup.get();
        System.out.println("backup %d: %d %s".formatted(i, code, err.toString().strip()));
        if (code == 0) {
          made++;
          check(target, directory.resolve("restored" + i), acknowledged);
        } else {
          assertThat(err.toString()).contains("error: ");
          assertThat(target.resolve("BACKUP")).doesNotExist();
          assertThat(target.resolve("p0")).doesNotExist();
        }
      }
    }
    return made;
  }

  private static void check(Path backup, Path restored, long acknowledged) {
    Stablecut.restore(backup, restored, BackupProgress.NONE);
    try (Store store = Stablecut.open(restored)) {
      for (int writer = 0; writer < WRITERS; writer++) {
        long left = store.read(Key.counter("pairs", writer + "left"));
        assertThat(store.read(Key.counter("pairs", writer + "middle"))).isEqualTo(left);
        assertThat(store.read(Key.counter("pairs", writer + "right"))).isEqualTo(left);
      }
      assertThat(sum(store, "left")).isGreaterThanOrEqualTo(acknowledged);
      assertThat(store.status().activity().inDoubt()).isEmpty();
    }
  }

  @Test
  void completesTheBackupWhicheverReplicaIsKilled() throws Exception {
    assertThat(completedBackups("--replicas", "3", "--partitions", "6")).isPositive();
  }

  @Test
  void leavesACompleteBackupOrNoneWhicheverNodeIsKilled() throws Exception {
    assertThat(completedBackups("--partitions", "6")).isPositive();
  }
}
