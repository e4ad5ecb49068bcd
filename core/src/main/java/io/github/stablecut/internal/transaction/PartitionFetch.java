package io.github.stablecut.internal.transaction;

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
 * Gets the files of a partition for a backup, from whichever node has it: anew, if that is another
 * one by then, or has been started again. Confined to one thread.
 */
final class PartitionFetch implements BackupWriter.Fetch {
  /** For so long a partition that can't be reached is tried again. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A partition that was moved, or has failed behind its beginning, as often is left alone. */
  private static final int ATTEMPTS = 10;

  private static final long PAUSE_NANOS = 200_000_000;

  private final PartitionAccess partition;
  private final VectorClock at;

  /** When the first of the failures came that nothing has come after. */
  private OptionalLong failedNanos = OptionalLong.empty();

  /** Whether something has come in this attempt: it fails behind that, perhaps each time. */
  private boolean hasBegun;

  /**
   * @param at the snapshot, which is claimed
   */
  PartitionFetch(PartitionAccess partition, VectorClock at) {
    this.partition = partition;
    this.at = at;
  }

  @Override
  public void into(PartitionTarget target) throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; ) {
      hasBegun = false;
      try {
        if (fetch(target)) {
          return;
        }
        attempt++;
      } catch (RetryException e) {
        long now = System.nanoTime();
        failedNanos = OptionalLong.of(failedNanos.orElse(now));
        if (now - failedNanos.getAsLong() > PATIENCE.toNanos()
            || Thread.currentThread().isInterrupted()
            || (hasBegun && attempt++ == ATTEMPTS)) {
          throw e;
        }
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    throw new PartitionUnavailableException(
        "partition %d was moved, or its node started again, %d times before its files were here: try again when the cluster is quiet"
            .formatted(partition.number(), ATTEMPTS));
  }

  private Piece ask(long reader, String file, long from) {
    Piece piece = partition.backup(new BackupReadRequest(reader, at, file, from));
    failedNanos = OptionalLong.empty();
    hasBegun = true;
    return piece;
  }

  /**
   * Gets all files once.
   *
   * @return whether all are here; otherwise another attempt has to begin
   */
  private boolean fetch(PartitionTarget target) throws IOException {
    target.begin();
    long reader = new SecureRandom().nextLong();
    Contents contents = Contents.decode(ask(reader, "", 0));
    target.expect(contents.runs().stream().mapToLong(Contents.Run::bytes).sum());
    for (Contents.Run run : contents.runs()) {
      try (PartitionTarget.Incoming file = target.create(run.name())) {
        if (!isWhole(reader, run.name(), file)) {
          return false;
        }
        if (file.length() != run.bytes()) {
          throw new FormatException(
              "%s of partition %d has %,d bytes, and %,d were told: make the backup again"
                  .formatted(run.name(), partition.number(), file.length(), run.bytes()));
        }
        file.complete();
      }
    }
    try (PartitionTarget.Incoming records = target.createRecords()) {
      if (!isWhole(reader, BackupReadRequest.RECORDS, records)) {
        return false;
      }
      records.complete();
    }
    for (Map.Entry<String, Bytes> head : contents.heads().entrySet()) {
      try (PartitionTarget.Incoming file = target.create(head.getKey())) {
        file.append(head.getValue().toArray());
        file.complete();
      }
    }
    return true;
  }

  /** Gets a file, and says whether all of it has come: if not, another attempt has to begin. */
  private boolean isWhole(long reader, String name, PartitionTarget.Incoming file)
      throws IOException {
    long next = 0;
    while (next >= 0) {
      Piece piece = ask(reader, name, next);
      if (piece.next() == Piece.RESTART) {
        return false;
      }
      if (piece.next() >= 0 && piece.next() <= next) {
        throw new FormatException(
            "%s of partition %d does not go on after %,d: make the backup again"
                .formatted(name, partition.number(), next));
      }
      file.append(piece.bytes().toArray());
      next = piece.next();
    }
    return true;
  }
}
