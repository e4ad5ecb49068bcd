package io.github.stablecut.internal.transaction;

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

/** Makes a store that begins as a new data centre of a group. */
final class DataCentreJoin {
  private static final Logger LOG = Log.of(DataCentreJoin.class);
  private static final long PROGRESS_BYTES = 256L << 20;

  private DataCentreJoin() {}

  /**
   * Joins, if the options say so and the directory has no store that is a data centre already.
   *
   * @throws ReplicationRefusedException if the directory has a store with something in it, or the
   *     others refuse; nothing was changed
   */
  static void joinIfNew(Path directory, Replication replication) {
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

  /** As {@link #joinIfNew}, for the first node of a cluster. */
  static void joinIfNew(Path directory, String node, Replication replication) {
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
   * Makes the store of what was written for it.
   *
   * @throws ReplicationRefusedException if the directory has a store with something in it
   */
  static void join(Path invitation, Path directory) {
    Path unneeded =
        JoinDirectory.prepare(directory)
            .orElseThrow(
                () ->
                    new ReplicationRefusedException(
                        "the store in %s is a data centre already: open it".formatted(directory)));
    JoinDirectory.finish(unneeded);
    BackupReader.join(invitation, directory, BackupProgress.NONE);
  }

  /**
   * Fetches what a cluster begins with that runs, and is to become a new data centre.
   *
   * @param directory of one of its nodes
   * @return where that lies
   */
  static Path fetch(Path directory, Replication replication) {
    Path files = JoinDirectory.besideNode(directory);
    boolean isThere = false;
    try {
      fetch(directory, files, replication);
      isThere = true;
      return files;
    } finally {
      if (!isThere) {
        JoinDirectory.finish(files);
      }
    }
  }

  /**
   * Makes the first node of a cluster of what was fetched, in place of a node that has ended.
   *
   * @param partitions how many that has, all of its cluster's
   * @throws ReplicationRefusedException if something was written to it; nothing was changed
   */
  static void exchangeNode(Path directory, int partitions, String node, Path files) {
    JoinDirectory.emptyNode(directory, partitions);
    BackupReader.joinAsNode(files, directory, node, BackupProgress.NONE);
    LOG.info("{} has joined", directory);
  }

  private static void join(Path directory, Path files, Replication replication, Runnable making) {
    try {
      fetch(directory, files, replication);
      making.run();
      LOG.info("{} has joined", directory);
    } finally {
      JoinDirectory.finish(files);
    }
  }

  private static void fetch(Path directory, Path files, Replication replication) {
    try {
      LOG.info("{} joins by way of {}", directory, replication.joins());
      JoinCall.fetch(new Sockets(replication.tls()), replication.joins(), files, progress());
    } catch (JoinCall.RefusedException e) {
      throw new ReplicationRefusedException(
          directory + " can't become a data centre: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't become a data centre, no store was made: %s; see whether one of them serves there, and open it again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }

  private static java.util.function.LongConsumer progress() {
    long[] next = {PROGRESS_BYTES};
    return bytes -> {
      if (bytes >= next[0]) {
        LOG.info("{} MiB of what it begins with have come", bytes >> 20);
        next[0] = bytes + PROGRESS_BYTES;
      }
    };
  }
}
