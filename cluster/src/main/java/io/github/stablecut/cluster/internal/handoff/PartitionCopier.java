package io.github.stablecut.cluster.internal.handoff;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.IncomingPartition;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Copies the files of a partition from its owner at a limited rate, in rounds: each round copies
 * what the previous ones lack. Used by one thread.
 */
final class PartitionCopier {
  /** The size of one read. */
  private static final int PART_BYTES = 512 << 10;

  /** A round of at most this size is short enough to run while the partition is closed. */
  private static final long SHORT_BYTES = 2 << 20;

  private static final int MAX_ROUNDS = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  /** The owner first finishes a checkpoint that is being written. */
  private static final Duration QUIET_TIMEOUT = Duration.ofMinutes(10);

  /** Sends requests to the partition's owner. */
  @FunctionalInterface
  interface Source {
    /** Returns the reply; throws the failure if there is one. */
    Reply ask(Request request, Duration timeout);
  }

  /** Receives the progress of the copy. */
  @FunctionalInterface
  interface Progress {
    /** A number of bytes is copied, of a total. */
    void reached(long copied, long total);
  }

  private final MoveMark mark;
  private final NodeSettings settings;
  private final Source source;
  private final Progress progress;
  private final LongConsumer pause;
  private Optional<IncomingPartition> target = Optional.empty();
  private long storeId;
  private long startNanos;
  private long sent;

  /**
   * @param pause waits for some nanoseconds, or less if the node is closed meanwhile
   */
  PartitionCopier(
      MoveMark mark, NodeSettings settings, Source source, Progress progress, LongConsumer pause) {
    this.mark = mark;
    this.settings = settings;
    this.source = source;
    this.progress = progress;
    this.pause = pause;
  }

  private IncomingPartition target() {
    return target.orElseThrow();
  }

  /**
   * Copies while the owner serves, until little is missing.
   *
   * @param to receives the files
   * @param store the store that the partition must belong to
   */
  void copy(IncomingPartition to, long store) throws IOException {
    this.target = Optional.of(to);
    this.storeId = store;
    this.startNanos = System.nanoTime();
    Request.StartHandoff ask = new Request.StartHandoff(mark.move(), settings.name());
    List<CopiedFile> files = files(ask, TIMEOUT);
    checkRoom(files);
    for (int round = 1; round < MAX_ROUNDS && copyRound(files, true) > SHORT_BYTES; round++) {
      files = files(ask, TIMEOUT);
    }
    target().force();
    files = files(new Request.SuspendCheckpoints(mark.move()), QUIET_TIMEOUT);
    copyRound(files, true);
    target().force();
    // Checked while the owner still serves; the rest is small, and opening needs some room too.
    checkRoom(files);
  }

  /** Has the owner close the partition, copies the rest, and makes the copy durable. */
  void finish() throws IOException {
    List<CopiedFile> files = files(new Request.Fence(mark.move()), TIMEOUT);
    copyRound(files, false);
    for (CopiedFile file : files) {
      if (target().length(file.name()) != file.bytes()) {
        throw new StoreIoException(
            "the replica of %s has %,d bytes instead of %,d: move the partition again"
                .formatted(file.name(), target().length(file.name()), file.bytes()));
      }
    }
    target().complete(mark);
  }

  private List<CopiedFile> files(Request request, Duration timeout) {
    Reply reply = source.ask(request, timeout);
    if (!(reply instanceof Reply.Files files)) {
      throw takenBack();
    }
    if (files.storeId() != storeId) {
      throw new StoreIoException(
          "node %s has partition %d of store %016x, this node belongs to store %016x: check which cluster it is in"
              .formatted(mark.node(), mark.number(), files.storeId(), storeId));
    }
    return files.files();
  }

  private PartitionUnavailableException takenBack() {
    return new PartitionUnavailableException(
        "node %s was restarted, or received no message for too long, and kept partition %d: move it again"
            .formatted(mark.node(), mark.number()));
  }

  private void checkRoom(List<CopiedFile> files) throws IOException {
    long bytes = 0;
    for (CopiedFile file : files) {
      bytes += Math.max(0, file.bytes() - target().length(file.name()));
    }
    long reserve = settings.store().limits().reserveBytes();
    long usable = target().usableBytes();
    if (usable < bytes + reserve) {
      throw new LimitExceededException(
          "partition %d needs %,d more bytes, and %,d are reserved, but the disk of node %s has only %,d free: free space, or choose another node"
              .formatted(mark.number(), bytes, reserve, settings.name(), usable));
    }
  }

  /**
   * Copies the missing bytes.
   *
   * @param isServed whether the owner still serves: files may disappear, and the rate is limited
   * @return the number of bytes copied
   */
  @CanIgnoreReturnValue
  private long copyRound(List<CopiedFile> files, boolean isServed) throws IOException {
    target().keepOnly(files);
    long total = files.stream().mapToLong(CopiedFile::bytes).sum();
    long had = 0;
    for (CopiedFile file : files) {
      had += target().length(file.name());
    }
    long copied = had;
    for (CopiedFile file : files) {
      progress.reached(copied, total);
      copied += copyFile(file, isServed);
    }
    progress.reached(copied, total);
    return copied - had;
  }

  private long copyFile(CopiedFile file, boolean isServed) throws IOException {
    long first = target().length(file.name());
    for (long at = first; at < file.bytes(); at += PART_BYTES) {
      int length = (int) Math.min(PART_BYTES, file.bytes() - at);
      Reply reply;
      try {
        reply = source.ask(new Request.ReadFile(mark.move(), file.name(), at, length), TIMEOUT);
      } catch (StoreIoException e) {
        if (isServed) {
          // Truncation dropped the file; the next list says whether it is still needed.
          return at - first;
        }
        throw e;
      }
      if (!(reply instanceof Reply.FilePart part)) {
        throw takenBack();
      }
      byte[] bytes = part.bytes().toArray();
      if (HandoffSender.checksum(bytes) != part.checksum() || bytes.length != length) {
        throw new StoreIoException(
            "%s was damaged during its transfer from node %s: move the partition again"
                .formatted(file.name(), mark.node()));
      }
      target().append(file.name(), bytes);
      sent += length;
      if (isServed) {
        slowDown();
      }
    }
    return file.bytes() - first;
  }

  /** Waits as long as the rate limit requires. */
  private void slowDown() {
    double due = sent * 1e9 / settings.moving().bytesPerSecond();
    long earlyNanos = (long) due - (System.nanoTime() - startNanos);
    if (earlyNanos > 1_000_000) {
      pause.accept(earlyNanos);
    }
  }
}
