package io.github.stablecut.checkpoint.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the slots of an index by their hashes, whatever their number, in 64 MiB of memory: parts of
 * two million slots are sorted in memory and, if there are several, written to a file and merged.
 * Slots with equal hashes stay in the order in which they came. Confined to one thread.
 */
final class SlotSorter implements AutoCloseable {
  /** Is handed the slots in order. */
  @FunctionalInterface
  interface SlotConsumer {
    void accept(long hash, long location) throws IOException;
  }

  static final int PART_SLOTS = 1 << 21;

  private static final int FIRST_SLOTS = 1 << 10;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;

  private final Directory directory;
  private final String fileName;
  private final WriteLimits limits;
  private final int partSlots;
  private final List<Long> partEnds = new ArrayList<>();
  private long[] hashes = new long[FIRST_SLOTS];
  private long[] locations = new long[FIRST_SLOTS];
  private int size;
  private boolean isSorted;
  private @Nullable BlockOutput parts;

  /**
   * @param fileName the file that parts are written to if there are several
   * @param partSlots the number of slots in a part
   */
  SlotSorter(Directory directory, String fileName, WriteLimits limits, int partSlots) {
    this.directory = directory;
    this.fileName = fileName;
    this.limits = limits;
    this.partSlots = partSlots;
  }

  void add(long hash, long location) throws IOException {
    if (size == partSlots) {
      writePart();
    }
    if (size == hashes.length) {
      int grown = Math.min(partSlots, 2 * size);
      hashes = Arrays.copyOf(hashes, grown);
      locations = Arrays.copyOf(locations, grown);
    }
    hashes[size] = hash;
    locations[size] = location;
    size++;
  }

  /** Hands over all slots in order, as often as it is called; then no more are added. */
  void forEach(SlotConsumer consumer) throws IOException {
    if (!isSorted) {
      finish();
      isSorted = true;
    }
    if (partEnds.isEmpty()) {
      for (int i = 0; i < size; i++) {
        consumer.accept(hashes[i], locations[i]);
      }
    } else {
      try (FileView file = directory.view(fileName)) {
        merge(file, consumer);
      }
    }
  }

  private void finish() throws IOException {
    if (partEnds.isEmpty()) {
      sort();
    } else {
      writePart().finish();
    }
  }

  @CanIgnoreReturnValue
  private BlockOutput writePart() throws IOException {
    sort();
    BlockOutput out = parts;
    if (out == null) {
      out = new BlockOutput(directory, fileName, limits);
      parts = out;
    }
    for (int i = 0; i < size; i++) {
      out.writeLong(hashes[i]);
      out.writeLong(locations[i]);
    }
    partEnds.add(out.position());
    size = 0;
    return out;
  }

  private void merge(FileView file, SlotConsumer consumer) throws IOException {
    PriorityQueue<Part> queue =
        new PriorityQueue<>(
            Comparator.comparingLong((Part part) -> part.hash ^ Long.MIN_VALUE)
                .thenComparingLong(part -> part.end));
    long start = 0;
    for (long end : partEnds) {
      queue.add(new Part(file, start, end));
      start = end;
    }
    while (!queue.isEmpty()) {
      Part least = queue.remove();
      consumer.accept(least.hash, file.getLong(least.at + RunFormat.SLOT_LOCATION_AT));
      if (least.advance()) {
        queue.add(least);
      }
    }
  }

  /** A sorted part of the file, which is not empty, and a place in it. */
  private static final class Part {
    private final FileView file;
    private final long end;
    private long at;
    private long hash;

    Part(FileView file, long start, long end) {
      this.file = file;
      this.end = end;
      this.at = start;
      this.hash = file.getLong(start);
    }

    /** Goes on to the next slot, if there is one. */
    boolean advance() {
      at += RunFormat.SLOT_BYTES;
      if (at == end) {
        return false;
      }
      hash = file.getLong(at);
      return true;
    }
  }

  /** Sorts what is in memory, digit by digit from the lowest: stable, and never slow. */
  private void sort() {
    long[] otherHashes = new long[hashes.length];
    long[] otherLocations = new long[hashes.length];
    for (int digit = 0; digit < DIGITS; digit++) {
      int shift = digit * DIGIT_BITS;
      int[] starts = starts(shift);
      for (int i = 0; i < size; i++) {
        int to = starts[digitOf(hashes[i], shift)]++;
        otherHashes[to] = hashes[i];
        otherLocations[to] = locations[i];
      }
      long[] sortedHashes = otherHashes;
      long[] sortedLocations = otherLocations;
      otherHashes = hashes;
      otherLocations = locations;
      hashes = sortedHashes;
      locations = sortedLocations;
    }
  }

  /** For each value of a digit, how many slots have a smaller one. */
  private int[] starts(int shift) {
    int[] counts = new int[(1 << DIGIT_BITS) + 1];
    for (int i = 0; i < size; i++) {
      counts[digitOf(hashes[i], shift) + 1]++;
    }
    for (int i = 1; i < counts.length; i++) {
      counts[i] += counts[i - 1];
    }
    return counts;
  }

  private static int digitOf(long hash, int shift) {
    return (int) (hash >>> shift) & (1 << DIGIT_BITS) - 1;
  }

  /** Deletes the file of parts, if there is one. */
  @Override
  public void close() throws IOException {
    BlockOutput written = parts;
    if (written != null) {
      parts = null;
      written.close();
      directory.delete(fileName);
    }
  }
}
