package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Reads the fields of messages. Truncated, overlong and malformed input is a {@link
 * BadMessageException}; no allocation exceeds the size of the input. Confined to one thread.
 */
public final class WireInput {
  private final ByteBuffer in;

  /** The sender's clock. */
  private final long clock;

  /**
   * @param clock the sender's clock, which no timestamp in the message may exceed
   */
  WireInput(byte[] bytes, long clock) {
    this.in = ByteBuffer.wrap(bytes);
    this.clock = clock;
  }

  /**
   * @param clock the sender's clock, which no timestamp in the message may exceed
   */
  WireInput(Bytes bytes, long clock) {
    this(bytes.unwrap(), clock);
  }

  /** Reads a message without timestamps, or one that carries the sender's clock itself. */
  public static WireInput untimed(byte[] bytes) {
    return new WireInput(bytes, Long.MAX_VALUE);
  }

  public int kind() {
    require(1);
    return in.get();
  }

  public long number() {
    require(Long.BYTES);
    return in.getLong();
  }

  /** Reads a non-negative number. */
  public long count() {
    long count = number();
    if (count < 0) {
      throw new BadMessageException("a number of " + count);
    }
    return count;
  }

  /**
   * Reads a timestamp. It raises the receiver's clock, so one above the sender's clock is refused.
   */
  long time() {
    long time = count();
    checkTime(time);
    return time;
  }

  /**
   * Checks a timestamp that was read by other means.
   *
   * @throws BadMessageException if it is later than the sender's clock
   */
  void checkTime(long time) {
    checkTime(time, clock);
  }

  /** Like {@link #checkTime(long)}. */
  static void checkTime(long time, long clock) {
    if (time > clock) {
      throw new BadMessageException(
          "its timestamp %s is ahead of its sender's clock, %s"
              .formatted(Timestamp.format(time), Timestamp.format(clock)));
    }
  }

  /** Reads a non-negative number that fits an int. */
  public int small() {
    require(Integer.BYTES);
    int small = in.getInt();
    if (small < 0) {
      throw new BadMessageException("a number of " + small);
    }
    return small;
  }

  /** Reads the size of a list whose elements take at least a byte each. */
  public int size() {
    int size = small();
    if (size > in.remaining()) {
      throw new BadMessageException("%d elements in %d bytes".formatted(size, in.remaining()));
    }
    return size;
  }

  public Bytes bytes() {
    byte[] bytes = new byte[size()];
    in.get(bytes);
    return Bytes.wrap(bytes);
  }

  public String text() {
    return bytes().toUtf8();
  }

  /** Reads a vector of up to {@link VectorClock#MAX_DATA_CENTRES} entries, each a {@link #time}. */
  VectorClock vector() {
    int size = size();
    if (size > VectorClock.MAX_DATA_CENTRES) {
      throw new BadMessageException(
          "a vector of %d data centres, at most %d".formatted(size, VectorClock.MAX_DATA_CENTRES));
    }
    if (size <= 1) {
      return size == 0 ? VectorClock.ZERO : VectorClock.of(time());
    }
    long[] entries = new long[size];
    for (int i = 0; i < size; i++) {
      entries[i] = time();
    }
    return VectorClock.ofEntries(entries);
  }

  /** Skips the rest. */
  void skip() {
    in.position(in.limit());
  }

  /** Checks that nothing is left to read. */
  public <T> T end(T read) {
    if (in.hasRemaining()) {
      throw new BadMessageException(in.remaining() + " surplus bytes");
    }
    return read;
  }

  private void require(int bytes) {
    if (in.remaining() < bytes) {
      throw new BadMessageException("it is truncated", new BufferUnderflowException());
    }
  }
}
