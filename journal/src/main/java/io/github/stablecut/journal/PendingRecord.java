package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.Position;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record that is being committed to the journal. Subclasses carry what happens once it is
 * durable, so there is one object per record. Passed to {@link Journal#append} once; after that the
 * body must not change.
 *
 * <p>Confined to the appending thread before {@code append}, and to the flushing thread until the
 * {@link GroupListener} is called, which may publish it safely.
 */
public class PendingRecord {
  private final byte kind;
  private final byte[] body;
  private final int length;
  private long number;
  private long sequence;
  private long position;

  /**
   * The record appended before this one. {@link #depth} counts the queued records up to this one.
   */
  @Nullable PendingRecord older;

  int depth;

  private boolean isHelped;

  /**
   * A record whose body is the first {@code length} bytes of an array, which is not copied.
   *
   * @param kind the caller's kind of record, 0 to 127
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
   * Promises that the appending thread always calls {@link GroupCommitter#help} after appending
   * this record, so appending it wakes no thread. Called before it is appended.
   *
   * @throws StackOverflowError if the thread's remaining stack is too small for that
   */
  public final void promiseHelp() {
    StackGuard.require();
    isHelped = true;
  }

  final boolean isHelped() {
    return isHelped;
  }

  /** The caller's kind of record. */
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

  /** Returns the {@link Position} of the record; 0 until its group is written. */
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
