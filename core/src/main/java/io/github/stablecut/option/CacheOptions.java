package io.github.stablecut.option;

import java.util.List;

/**
 * The options for caching versions of objects in memory. The sizes apply to the whole store; its
 * partitions share them. Bytes approximate the encoded size of versions: collections of small
 * elements take up to five times as much of the heap. Immutable.
 */
public sealed interface CacheOptions {
  /** An adaptive cache of 256 MiB, or of an eighth of the heap if that is less. */
  static CacheOptions defaults() {
    return bytes(Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8));
  }

  /** No cache: each read materializes the object. */
  static CacheOptions off() {
    return new Off();
  }

  /** An {@link Adaptive} cache with a size in bytes. */
  static CacheOptions bytes(long bytes) {
    return new Adaptive(Capacity.bytes(bytes));
  }

  /**
   * An {@link Adaptive} cache with a size in objects. The objects together take no more bytes than
   * a cache of {@link #defaults()}: an object that is larger than its share counts as several.
   */
  static CacheOptions objects(long objects) {
    return new Adaptive(Capacity.objects(objects));
  }

  /** A cache with {@link Levels}. */
  static CacheOptions levels(Capacity... capacities) {
    return new Levels(List.of(capacities));
  }

  /** No cache. */
  record Off() implements CacheOptions {}

  /**
   * A cache with Caffeine's policy, W-TinyLFU: a segmented LRU behind an admission window, with
   * adaptive proportions.
   */
  record Adaptive(Capacity capacity) implements CacheOptions {}

  /**
   * A ring of segments (report section 2.4). Objects that are read enter the head segment. When the
   * head is full, the oldest segment is emptied and becomes the head.
   *
   * @param capacities the capacity of each segment, at least two
   */
  record Levels(List<Capacity> capacities) implements CacheOptions {
    /** Copies the list and checks its size. */
    public Levels {
      capacities = List.copyOf(capacities);
      if (capacities.size() < 2) {
        throw new IllegalArgumentException(
            "a segmented cache needs at least two levels, not " + capacities.size());
      }
    }
  }

  /**
   * The capacity of a level.
   *
   * @param amount the size, at least 1
   * @param inBytes whether the amount is in bytes; otherwise it is in objects, which together take
   *     no more bytes than a cache of {@link #defaults()}
   */
  record Capacity(long amount, boolean inBytes) {
    /** Checks the range. */
    public Capacity {
      if (amount < 1) {
        throw new IllegalArgumentException("a capacity must be at least 1, not " + amount);
      }
    }

    /** A capacity in bytes. */
    public static Capacity bytes(long bytes) {
      return new Capacity(bytes, true);
    }

    /** A capacity in objects. */
    public static Capacity objects(long objects) {
      return new Capacity(objects, false);
    }
  }
}
