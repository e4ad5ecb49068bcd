package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.backup.PartitionTarget;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.BackupReadRequest.Contents;
import io.github.stablecut.internal.partition.BackupReadRequest.Piece;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Fetches the files of a partition for a backup from the node that owns it. Starts again if the
 * partition moves or its node restarts. Confined to one thread.
 */
final class PartitionFetch implements BackupWriter.Fetch {
  /** The time for which an unreachable partition is retried. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The number of attempts after a move, or after failures in the middle of a transfer. */
  private static final int ATTEMPTS = 10;

  private static final long PAUSE_NANOS = 200_000_000;

  private final PartitionAccess partition;
  private final VectorClock at;

  /** The time of the first failure since data was last received. */
  private OptionalLong firstFailureNanos = OptionalLong.empty();

  /** Whether this attempt has received data; then a failure counts as an attempt. */
  private boolean hasReceived;

  /**
   * @param at the snapshot, which is registered
   */
  PartitionFetch(PartitionAccess partition, VectorClock at) {
    this.partition = partition;
    this.at = at;
  }

  @Override
  public void into(PartitionTarget target) throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; ) {
      hasReceived = false;
      try {
        if (tryFetch(target)) {
          return;
        }
        attempt++;
      } catch (RetryException e) {
        long nowNanos = System.nanoTime();
        firstFailureNanos = OptionalLong.of(firstFailureNanos.orElse(nowNanos));
        if (nowNanos - firstFailureNanos.getAsLong() > PATIENCE.toNanos()
            || Thread.currentThread().isInterrupted()
            || (hasReceived && attempt++ == ATTEMPTS)) {
          throw e;
        }
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    throw new PartitionUnavailableException(
        "partition %d moved or its node restarted during each of %d attempts to fetch its files: retry when the cluster is stable"
            .formatted(partition.number(), ATTEMPTS));
  }

  private Piece ask(long reader, String file, long from) {
    Piece piece = partition.backup(new BackupReadRequest(reader, at, file, from));
    firstFailureNanos = OptionalLong.empty();
    hasReceived = true;
    return piece;
  }

  /**
   * Tries to fetch all files once.
   *
   * @return whether all were fetched; otherwise another attempt is needed
   */
  private boolean tryFetch(PartitionTarget target) throws IOException {
    target.begin();
    long reader = new SecureRandom().nextLong();
    Contents contents = Contents.decode(ask(reader, "", 0));
    target.expect(contents.runs().stream().mapToLong(Contents.Run::bytes).sum());
    for (Contents.Run run : contents.runs()) {
      try (PartitionTarget.IncomingFile file = target.create(run.name())) {
        if (!tryFetchFile(reader, run.name(), file)) {
          return false;
        }
        if (file.length() != run.bytes()) {
          throw new FormatException(
              "%s of partition %d has %,d bytes instead of %,d: make the backup again"
                  .formatted(run.name(), partition.number(), file.length(), run.bytes()));
        }
        file.complete();
      }
    }
    try (PartitionTarget.IncomingFile records = target.createRecords()) {
      if (!tryFetchFile(reader, BackupReadRequest.RECORDS, records)) {
        return false;
      }
      records.complete();
    }
    for (Map.Entry<String, Bytes> head : contents.heads().entrySet()) {
      try (PartitionTarget.IncomingFile file = target.create(head.getKey())) {
        file.append(head.getValue().toArray());
        file.complete();
      }
    }
    return true;
  }

  /**
   * Tries to fetch a file; returns whether all of it was received. If not, another attempt is
   * needed.
   */
  private boolean tryFetchFile(long reader, String name, PartitionTarget.IncomingFile file)
      throws IOException {
    long next = 0;
    while (next >= 0) {
      Piece piece = ask(reader, name, next);
      if (piece.next() == Piece.RESTART) {
        return false;
      }
      if (piece.next() >= 0 && piece.next() <= next) {
        throw new FormatException(
            "%s of partition %d does not continue after position %,d: make the backup again"
                .formatted(name, partition.number(), next));
      }
      file.append(piece.bytes().toArray());
      next = piece.next();
    }
    return true;
  }
}
