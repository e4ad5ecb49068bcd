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
 * Sorts any number of index slots by their hashes in 64 MiB of memory. Parts of two million slots
 * are sorted in memory and, if there are several, written to a file and merged. The sort is stable:
 * slots with equal hashes stay in the order of adding. Confined to one thread.
 */
final class SlotSorter implements AutoCloseable {
  /** Receives the slots in order. */
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
   * @param fileName the file for parts, if there are several
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

  /** Passes all slots to a consumer in order, on every call; no more may be added afterwards. */
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
    PriorityQueue<SortedPart> queue =
        new PriorityQueue<>(
            Comparator.comparingLong((SortedPart part) -> part.hash ^ Long.MIN_VALUE)
                .thenComparingLong(part -> part.end));
    long start = 0;
    for (long end : partEnds) {
      queue.add(new SortedPart(file, start, end));
      start = end;
    }
    while (!queue.isEmpty()) {
      SortedPart least = queue.remove();
      consumer.accept(least.hash, file.getLong(least.at + RunFormat.SLOT_LOCATION_AT));
      if (least.advance()) {
        queue.add(least);
      }
    }
  }

  /** A non-empty sorted part of the file, and a cursor in it. */
  private static final class SortedPart {
    private final FileView file;
    private final long end;
    private long at;
    private long hash;

    SortedPart(FileView file, long start, long end) {
      this.file = file;
      this.end = end;
      this.at = start;
      this.hash = file.getLong(start);
    }

    /** Moves to the next slot, if there is one. */
    boolean advance() {
      at += RunFormat.SLOT_BYTES;
      if (at == end) {
        return false;
      }
      hash = file.getLong(at);
      return true;
    }
  }

  /** Sorts the slots in memory by radix, from the lowest digit: stable, in linear time. */
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

  /** The number of slots with a smaller digit, for each value of the digit. */
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
