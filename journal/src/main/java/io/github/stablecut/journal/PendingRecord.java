package io.github.stablecut.journal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into the journal. Subclasses carry what has to happen when it is durable, so
 * that there is one object per record. Handed to {@link Journal#append} once; from then on nobody
 * may change the body.
 *
 * <p>Confined to the appending thread before {@code append}, to the flushing thread until the
 * {@link GroupListener} was called, and safe to publish from there.
 */
public class PendingRecord {
  private final byte kind;
  private final byte[] body;
  private final int length;
  private long number;
  private long sequence;
  private long position;

  /** The record that was appended before this one, and how many there are up to this one. */
  @Nullable PendingRecord older;

  int depth;

  private boolean isHelped;

  /**
   * A record whose body is the first {@code length} bytes of an array, which isn't copied.
   *
   * @param kind what the record is to the caller, 0 to 127
   */
  public PendingRecord(byte kind, byte[] body, int length) {
    if (kind < 0 || length < 0 || length > body.length) {
      throw new IllegalArgumentException(
          "not a record: kind " + kind + ", " + length + " of " + body.length + " bytes");
    }
    this.kind = kind;
    this.body = body;
    this.length = length;
  }

  /**
   * Declares that the appending thread calls {@link GroupCommitter#help} once it has appended this,
   * whatever happens: appending it wakes nobody. Before it is appended.
   *
   * @throws StackOverflowError if the thread has too little of its stack left for that
   */
  public final void promiseHelp() {
    var unused = StackGuard.require();
    isHelped = true;
  }

  final boolean isHelped() {
    return isHelped;
  }

  /** What the record is to the caller. */
  public final byte kind() {
    return kind;
  }

  /** The length of the body in bytes. */
  public final int length() {
    return length;
  }

  /** The record's number in its log ({@link Journal#nextRecord}); 0 until its group is written. */
  public final long number() {
    return number;
  }

  /** The sequence of the record's first frame; 0 until its group is written. */
  public final long sequence() {
    return sequence;
  }

  /** Where the record is ({@link Position}); 0 until its group is written. */
  public final long position() {
    return position;
  }

  final byte[] body() {
    return body;
  }

  /** A copy of the body. */
  public final byte[] copyOfBody() {
    return Arrays.copyOf(body, length);
  }

  final void begin(long newNumber, long newSequence, long offsetInChunk) {
    number = newNumber;
    sequence = newSequence;
    position = offsetInChunk;
  }

  final void place(long newPosition) {
    position = newPosition;
  }
}
