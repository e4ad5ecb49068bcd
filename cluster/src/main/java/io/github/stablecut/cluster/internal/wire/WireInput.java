package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Reads the parts that messages are made of. What is cut off, too long or malformed is a {@link
 * BadMessageException}; nothing is allocated that is larger than what was sent. Confined to one
 * thread.
 */
public final class WireInput {
  private final ByteBuffer in;

  /** The sender's clock. */
  private final long clock;

  /**
   * @param clock of the sender: a message tells no later time
   */
  WireInput(byte[] bytes, long clock) {
    this.in = ByteBuffer.wrap(bytes);
    this.clock = clock;
  }

  /**
   * @param clock of the sender: a message tells no later time
   */
  WireInput(Bytes bytes, long clock) {
    this(bytes.toArray(), clock);
  }

  /** For what has no times of a clock, or is the sender's clock. */
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

  /** A number that is not negative. */
  public long count() {
    long count = number();
    if (count < 0) {
      throw new BadMessageException("a number of " + count);
    }
    return count;
  }

  /** A time of a clock. The receiver takes note of it, so one that no clock has told is refused. */
  long time() {
    long time = count();
    checkTime(time);
    return time;
  }

  /**
   * Checks a time that was read otherwise.
   *
   * @throws BadMessageException if it is later than the sender's clock
   */
  void checkTime(long time) {
    checkTime(time, clock);
  }

  /** As {@link #checkTime(long)}. */
  static void checkTime(long time, long clock) {
    if (time > clock) {
      throw new BadMessageException(
          "it tells the time %s, and its sender's clock says %s"
              .formatted(Timestamp.format(time), Timestamp.format(clock)));
    }
  }

  /** A number that is not negative and fits an int. */
  public int small() {
    require(Integer.BYTES);
    int small = in.getInt();
    if (small < 0) {
      throw new BadMessageException("a number of " + small);
    }
    return small;
  }

  /** A number of things that take a byte each at least. */
  public int size() {
    int size = small();
    if (size > in.remaining()) {
      throw new BadMessageException("%d things in %d bytes".formatted(size, in.remaining()));
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

  VectorClock vector() {
    int size = size();
    if (size > 1) {
      throw new BadMessageException("a vector of " + size + " data centres, there is one");
    }
    return size == 0 ? VectorClock.ZERO : VectorClock.of(time());
  }

  /** Takes the rest for read. */
  void skip() {
    in.position(in.limit());
  }

  /** Checks that all was read. */
  public <T> T end(T read) {
    if (in.hasRemaining()) {
      throw new BadMessageException(in.remaining() + " bytes too many");
    }
    return read;
  }

  private void require(int bytes) {
    if (in.remaining() < bytes) {
      throw new BadMessageException("it ends too early", new BufferUnderflowException());
    }
  }
}
