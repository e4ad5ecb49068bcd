package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.backup.BackupReader;
import io.github.stablecut.internal.link.JoinCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.recovery.JoinDirectory;
import io.github.stablecut.log.Log;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;

/** Creates a store that joins a group as a new data centre. */
public final class DataCentreJoin {
  private static final Logger LOG = Log.of(DataCentreJoin.class);
  private static final long PROGRESS_BYTES = 256L << 20;

  private DataCentreJoin() {}

  /**
   * Joins if the options request it and the directory has no store that already is a data centre.
   *
   * @throws ReplicationRefusedException if the directory has a store with data, or the others
   *     refuse; nothing was changed
   */
  public static void joinIfNew(Path directory, Replication replication) {
    if (!replication.joins().isEmpty()) {
      JoinDirectory.prepare(directory)
          .ifPresent(
              files ->
                  join(
                      directory,
                      files,
                      replication,
                      () -> BackupReader.join(files, directory, BackupProgress.NONE)));
    }
  }

  /** Like {@link #joinIfNew}, for the first node of a cluster. */
  public static void joinIfNew(Path directory, String node, Replication replication) {
    if (!replication.joins().isEmpty()) {
      JoinDirectory.prepareNode(directory)
          .ifPresent(
              files ->
                  join(
                      directory,
                      files,
                      replication,
                      () -> BackupReader.joinAsNode(files, directory, node, BackupProgress.NONE)));
    }
  }

  /**
   * Creates the store from a written invitation.
   *
   * @throws ReplicationRefusedException if the directory has a store with data
   */
  public static void join(Path invitation, Path directory) {
    Path downloadDirectory =
        JoinDirectory.prepare(directory)
            .orElseThrow(
                () ->
                    new ReplicationRefusedException(
                        "the store in %s is a data centre already: open it".formatted(directory)));
    JoinDirectory.finish(downloadDirectory);
    BackupReader.join(invitation, directory, BackupProgress.NONE);
  }

  /**
   * Fetches the initial state for a running cluster that becomes a new data centre.
   *
   * @param directory of one of its nodes
   * @return where the files are
   */
  public static Path fetch(Path directory, Replication replication) {
    Path files = JoinDirectory.besideNode(directory);
    boolean isFetched = false;
    try {
      fetch(directory, files, replication);
      isFetched = true;
      return files;
    } finally {
      if (!isFetched) {
        JoinDirectory.finish(files);
      }
    }
  }

  /**
   * Creates the first node of a cluster from fetched files, in place of a node that has stopped.
   *
   * @param partitions the number of partitions of its cluster, all of which that node has
   * @throws ReplicationRefusedException if it has data; nothing was changed
   */
  public static void exchangeNode(Path directory, int partitions, String node, Path files) {
    JoinDirectory.emptyNode(directory, partitions);
    BackupReader.joinAsNode(files, directory, node, BackupProgress.NONE);
    LOG.info("{} has joined", directory);
  }

  private static void join(Path directory, Path files, Replication replication, Runnable restore) {
    try {
      fetch(directory, files, replication);
      restore.run();
      LOG.info("{} has joined", directory);
    } finally {
      JoinDirectory.finish(files);
    }
  }

  private static void fetch(Path directory, Path files, Replication replication) {
    try {
      LOG.info("{} joins through {}", directory, replication.joins());
      JoinCall.fetch(new Sockets(replication.tls()), replication.joins(), files, progress());
    } catch (JoinCall.RefusedException e) {
      throw new ReplicationRefusedException(
          directory + " can't become a data centre: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't become a data centre, and no store was created: %s; check that one of them is running, and open it again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }

  private static java.util.function.LongConsumer progress() {
    long[] next = {PROGRESS_BYTES};
    return bytes -> {
      if (bytes >= next[0]) {
        LOG.info("received {} MiB of the initial state", bytes >> 20);
        next[0] = bytes + PROGRESS_BYTES;
      }
    };
  }
}
