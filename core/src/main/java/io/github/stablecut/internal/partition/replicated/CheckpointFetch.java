package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.ReplicaMessage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Fetches a checkpoint of the leader for a replica that lacks records the leader has dropped.
 * Requests one chunk at a time, each after the previous one is written. Confined to the replica's
 * thread.
 */
final class CheckpointFetch implements AutoCloseable {
  /** Abandons the fetch after this time without an answer. */
  private static final long TIMEOUT_NANOS = 10_000_000_000L;

  /** Resends an unanswered request after this time. */
  private static final long RESEND_NANOS = 1_000_000_000;

  private final String leader;
  private final LogEnd end;
  private final Directory incoming;
  private final CheckpointOptions options;
  private final ReplicaTiming clock;
  private final Consumer<ReplicaMessage> toLeader;
  private final Deque<ReplicaMessage.FileLength> left = new ArrayDeque<>();
  private List<ReplicaMessage.SmallFile> heads = List.of();
  private FileAppender file = new NoFile();

  /** Bytes of the file that are not forced yet; forcing all at once would take long. */
  private long unforced;

  private ReplicaMessage.CheckpointRequest request;
  private long askedAtNanos;
  private long answeredAtNanos;
  private long epoch;
  private long first;
  private long firstEpoch;
  private boolean isComplete;

  /** The file before the first and after the last one. */
  private static final class NoFile implements FileAppender {
    @Override
    public void append(byte[] source, int from, int length) {
      throw new IllegalStateException("no file is being fetched");
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  /**
   * Starts the fetch.
   *
   * @param end the end of the log that the checkpoint is to replace
   * @param incoming an empty directory
   * @param toLeader sends a message that may be lost
   */
  CheckpointFetch(
      String leader,
      long epoch,
      LogEnd end,
      Directory incoming,
      CheckpointOptions options,
      ReplicaTiming clock,
      Consumer<ReplicaMessage> toLeader) {
    this.leader = leader;
    this.epoch = epoch;
    this.end = end;
    this.incoming = incoming;
    this.options = options;
    this.clock = clock;
    this.answeredAtNanos = clock.nanoTime();
    this.toLeader = toLeader;
    this.request = new ReplicaMessage.CheckpointRequest(epoch, "", 0);
    ask("", 0);
  }

  private void ask(String name, long from) {
    request = new ReplicaMessage.CheckpointRequest(epoch, name, from);
    askedAtNanos = clock.nanoTime();
    toLeader.accept(request);
  }

  /** Whether this fetches from the given replica. */
  boolean isOf(String replica) {
    return leader.equals(replica);
  }

  /**
   * Continues this fetch in a newer epoch if the leader and the end of the log are unchanged and
   * the leader still answers.
   *
   * @return whether the fetch continues
   */
  boolean tryContinue(String replica, long newest, LogEnd newestEnd) {
    boolean isSame =
        leader.equals(replica)
            && end.equals(newestEnd)
            && (isComplete || clock.nanoTime() - answeredAtNanos < TIMEOUT_NANOS);
    epoch = isSame ? newest : epoch;
    return isSame;
  }

  /** Resends an unanswered request. */
  void tick() {
    if (!isComplete && clock.nanoTime() - askedAtNanos > RESEND_NANOS) {
      ask(request.file(), request.from());
    }
  }

  /**
   * Handles the list of files.
   *
   * @throws IOException if there is too little space, or writing fails
   */
  void files(ReplicaMessage.CheckpointListing files) throws IOException {
    if (!request.file().isEmpty() || isComplete) {
      return;
    }
    answeredAtNanos = clock.nanoTime();
    long bytes = files.files().stream().mapToLong(ReplicaMessage.FileLength::bytes).sum();
    long usable = incoming.usableBytes();
    if (usable - bytes < options.reserveBytes()) {
      throw new IOException(
          "the checkpoint has %,d bytes, %,d are free, and %,d stay reserved"
              .formatted(bytes, usable, options.reserveBytes()));
    }
    first = files.first();
    firstEpoch = files.firstEpoch();
    heads = files.smallFiles();
    left.addAll(files.files());
    nextFile();
  }

  /**
   * Handles a chunk of a file.
   *
   * @throws IOException if writing fails
   */
  void part(ReplicaMessage.FileChunk part) throws IOException {
    byte[] bytes = part.bytes().toArray();
    boolean isAsked =
        !isComplete
            && !part.file().isEmpty()
            && part.file().equals(request.file())
            && part.from() == request.from()
            && CheckpointSource.checksum(bytes) == part.checksum()
            && bytes.length > 0;
    if (!isAsked) {
      return;
    }
    answeredAtNanos = clock.nanoTime();
    file.append(bytes, 0, bytes.length);
    unforced += bytes.length;
    long next = part.from() + bytes.length;
    boolean isLast = next >= left.element().bytes();
    if (isLast || unforced >= options.forceBytes()) {
      file.force();
      unforced = 0;
    }
    if (!isLast) {
      ask(part.file(), next);
    } else {
      file.close();
      left.remove();
      nextFile();
    }
  }

  private void nextFile() throws IOException {
    if (!left.isEmpty()) {
      file = incoming.create(left.element().file());
      ask(left.element().file(), 0);
      return;
    }
    file = new NoFile();
    for (ReplicaMessage.SmallFile head : heads) {
      try (FileAppender small = incoming.create(head.file())) {
        byte[] content = head.content().toArray();
        small.append(content, 0, content.length);
        small.force();
      }
    }
    incoming.force();
    // Verifies that the checkpoint opens before it replaces anything.
    CheckpointStore.open(incoming, options, 1).close();
    isComplete = true;
  }

  /** Whether the checkpoint is complete and durable. */
  boolean isComplete() {
    return isComplete;
  }

  /** The end of the log that the checkpoint is to replace. */
  LogEnd end() {
    return end;
  }

  /** All records below this number are in the checkpoint. */
  long first() {
    return first;
  }

  /** The epoch of the record with that number. */
  long firstEpoch() {
    return firstEpoch;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
