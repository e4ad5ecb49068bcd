package io.github.stablecut.journal.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Segments in memory that lose on request what a real disk may lose, for tests and simulations.
 * Thread-safe.
 *
 * <p>A crash returns a new store and leaves this one unchanged, so that one run can be tried with
 * many losses. Faults are counted across {@link #create}, {@link #append} and {@link #force}.
 */
public final class LossySegments implements SegmentStore {
  /** The unit of loss: a page of the page cache. */
  public static final int PAGE_BYTES = 4096;

  /** The header that Chronicle Queue writes before a chunk. */
  private static final int FRAME_HEADER_BYTES = 4;

  /** Decides whether an unsynced page reached the disk. */
  @FunctionalInterface
  public interface Survival {
    /**
     * Whether a page reached the disk.
     *
     * @param segment the segment of the page
     * @param page the page's number in it
     */
    boolean survives(int segment, int page);
  }

  /** A segment's contents on the disk and in the page cache. */
  private static final class Segment {
    byte[] written = new byte[PAGE_BYTES];
    byte[] synced = new byte[PAGE_BYTES];
    final BitSet dirty = new BitSet();

    /** Pages that readers see but that no sync writes, because a sync of them has failed. */
    final BitSet forgotten = new BitSet();

    int length;

    void touch(int from, int to) {
      dirty.set(from / PAGE_BYTES, (to - 1) / PAGE_BYTES + 1);
      forgotten.andNot(dirty);
    }
  }

  @GuardedBy("this")
  private long capacityBytes;

  @GuardedBy("this")
  private final TreeMap<Integer, Segment> segments = new TreeMap<>();

  @GuardedBy("this")
  private int newest;

  @GuardedBy("this")
  private long durable;

  @GuardedBy("this")
  private int callsUntilFault = -1;

  @GuardedBy("this")
  private boolean isOff;

  @GuardedBy("this")
  private int forces;

  @GuardedBy("this")
  private Runnable whenWritten = () -> {};

  @GuardedBy("this")
  private Runnable whenForced = () -> {};

  /** An empty store without a limit. */
  public LossySegments() {
    this(Long.MAX_VALUE);
  }

  /** An empty store on a disk of this size. */
  public LossySegments(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /** The store that the next process finds after this one is killed, with everything written. */
  public synchronized LossySegments afterKill() {
    LossySegments copy = new LossySegments(capacityBytes);
    copy.copyFrom(segments, newest, durable);
    return copy;
  }

  private synchronized void copyFrom(
      Map<Integer, Segment> originals, int newestOfThem, long durableOfThem) {
    newest = newestOfThem;
    durable = durableOfThem;
    originals.forEach(
        (number, original) -> {
          Segment segment = new Segment();
          segment.written = original.written.clone();
          segment.synced = original.synced.clone();
          segment.dirty.or(original.dirty);
          segment.forgotten.or(original.forgotten);
          segment.length = original.length;
          segments.put(number, segment);
        });
  }

  /** The store after a power failure: everything synced, and the surviving pages of the rest. */
  public LossySegments afterPowerCut(Survival survival) {
    LossySegments copy = afterKill();
    copy.cutPower(survival);
    return copy;
  }

  private synchronized void cutPower(Survival survival) {
    segments.forEach(
        (number, segment) -> {
          byte[] disk = Arrays.copyOf(segment.synced, segment.written.length);
          segment.dirty.or(segment.forgotten);
          for (int p = segment.dirty.nextSetBit(0); p >= 0; p = segment.dirty.nextSetBit(p + 1)) {
            if (survival.survives(number, p)) {
              int at = p * PAGE_BYTES;
              System.arraycopy(segment.written, at, disk, at, PAGE_BYTES);
            }
          }
          segment.written = disk;
          segment.synced = disk.clone();
          segment.dirty.clear();
          segment.forgotten.clear();
        });
  }

  /**
   * Makes the n-th create, append or force from now fail; the next one is 1. Readers see what a
   * failed force should have synced, but it is never synced unless it is written again.
   */
  public synchronized void failOnce(int n) {
    callsUntilFault = n;
  }

  /**
   * Sets what runs after each successful append, and after each successful create or force, before
   * the caller continues.
   */
  public synchronized void listen(Runnable written, Runnable forced) {
    whenWritten = written;
    whenForced = forced;
  }

  /** Makes every later create, append and force throw. */
  public synchronized void switchOff() {
    isOff = true;
  }

  /** Sets the size of the disk. */
  public synchronized void setCapacity(long bytes) {
    capacityBytes = bytes;
  }

  /** Replaces the contents of a segment, fully synced: damage, or what another store wrote. */
  public synchronized void replace(int number, byte[] contents) {
    Segment segment = new Segment();
    int pages = contents.length / PAGE_BYTES + 1;
    segment.written = Arrays.copyOf(contents, pages * PAGE_BYTES);
    segment.synced = segment.written.clone();
    segment.length = contents.length;
    segments.put(number, segment);
  }

  /** The bytes of a segment up to the last one written. */
  public synchronized byte[] contents(int number) {
    Segment segment = find(number);
    return Arrays.copyOf(segment.written, segment.length);
  }

  /** Returns the number of calls of {@link #force}, successful or not. */
  public synchronized int forces() {
    return forces;
  }

  @Override
  public synchronized List<Integer> segments() {
    return new ArrayList<>(segments.keySet());
  }

  @Override
  public synchronized Extent extent() {
    return new Extent(newest, durable);
  }

  @Override
  public synchronized void markSynced(long sequence) {
    durable = Math.max(durable, sequence);
  }

  /** Loses a segment, as if its file had been deleted. */
  public synchronized void lose(int number) {
    segments.remove(number);
  }

  @Override
  public String nameOf(int segment) {
    return "segment " + segment;
  }

  @Override
  public synchronized long create(int number, byte[] chunk, int length) throws IOException {
    if (!segments.isEmpty() && segments.lastKey() >= number) {
      throw new IllegalArgumentException("segment " + number + " is not above all existing ones");
    }
    Segment segment = new Segment();
    segments.put(number, segment);
    countCall("create");
    long start = write(segment, chunk, length);
    sync(segment);
    newest = number;
    durable = 0;
    whenForced.run();
    return start;
  }

  @Override
  public synchronized long append(byte[] chunk, int length) throws IOException {
    Segment segment = segments.lastEntry().getValue();
    try {
      countCall("append");
    } catch (IOException e) {
      write(segment, chunk, length / 2);
      throw e;
    }
    long start = write(segment, chunk, length);
    whenWritten.run();
    return start;
  }

  /** Writes four bytes of its own, as Chronicle Queue does, and the chunk. */
  @CanIgnoreReturnValue
  private long write(Segment segment, byte[] chunk, int length) throws IOException {
    int start = segment.length + FRAME_HEADER_BYTES;
    int end = start + length;
    if (end - segment.length > usableBytes()) {
      throw new IOException("no space left");
    }
    byte[] target = segment.written;
    if (end > target.length) {
      int pages = Math.max(end, 2 * target.length) / PAGE_BYTES + 1;
      target = Arrays.copyOf(target, pages * PAGE_BYTES);
    }
    target[segment.length] = (byte) length;
    target[segment.length + 1] = (byte) (length >> 8);
    target[segment.length + 2] = (byte) (length >> 16);
    System.arraycopy(chunk, 0, target, start, length);
    segment.touch(segment.length, end);
    segment.written = target;
    segment.length = end;
    return start;
  }

  @Override
  public long room() {
    return MAX_CHUNK_BYTES;
  }

  @Override
  public synchronized void force(int number) throws IOException {
    forces++;
    Segment segment = find(number);
    try {
      countCall("force");
    } catch (IOException e) {
      segment.forgotten.or(segment.dirty);
      segment.dirty.clear();
      throw e;
    }
    sync(segment);
    whenForced.run();
  }

  @Override
  public synchronized void rewrite(int number, int from, int to) {
    find(number).touch(from, to);
  }

  private static void sync(Segment segment) {
    if (segment.synced.length < segment.written.length) {
      segment.synced = Arrays.copyOf(segment.synced, segment.written.length);
    }
    for (int p = segment.dirty.nextSetBit(0); p >= 0; p = segment.dirty.nextSetBit(p + 1)) {
      int at = p * PAGE_BYTES;
      System.arraycopy(segment.written, at, segment.synced, at, PAGE_BYTES);
    }
    segment.dirty.clear();
  }

  @GuardedBy("this")
  private void countCall(String call) throws IOException {
    if (isOff) {
      throw new IOException("the power is cut: no " + call);
    }
    if (callsUntilFault > 0 && --callsUntilFault == 0) {
      throw new IOException("injected fault in " + call);
    }
  }

  @GuardedBy("this")
  private Segment find(int number) {
    Segment segment = segments.get(number);
    if (segment == null) {
      throw new IllegalArgumentException("there is no segment " + number);
    }
    return segment;
  }

  @Override
  public void check(int segment) {
    // It writes nothing of its own that a reader relies on.
  }

  @Override
  public synchronized SegmentView view(int number) throws IOException {
    if (!segments.containsKey(number)) {
      throw new NoSuchFileException(nameOf(number));
    }
    return new View(SegmentBytes.of(ByteBuffer.wrap(find(number).written)));
  }

  @Override
  public SegmentView sequentialView(int number) throws IOException {
    return view(number);
  }

  private record View(SegmentBytes bytes) implements SegmentView {
    @Override
    public void close() {}
  }

  @Override
  public synchronized long allocatedBytes(int number) {
    return find(number).written.length;
  }

  @Override
  public synchronized void delete(int number) {
    segments.remove(number);
    if (number == newest) {
      durable = 0;
      newest = segments.isEmpty() ? 0 : segments.lastKey();
    }
  }

  @Override
  public synchronized long usableBytes() {
    long used = 0;
    for (Segment segment : segments.values()) {
      used += segment.length;
    }
    return capacityBytes - used;
  }

  @Override
  public void close() {}
}
