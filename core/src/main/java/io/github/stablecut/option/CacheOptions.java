package io.github.stablecut.option;

import java.util.List;

/**
 * How versions of objects are kept in memory for the next reader. What is said is for the whole
 * store; its partitions share it. Bytes are counted as versions are encoded, about: collections of
 * small elements take up to five times as much of the heap. Immutable.
 */
public sealed interface CacheOptions {
  /** 256 MiB, or an eighth of the heap if that is less. */
  static CacheOptions defaults() {
    return bytes(Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8));
  }

  /** No version is kept: each read materialises. */
  static CacheOptions off() {
    return new Off();
  }

  /** {@link Adaptive}, of a size in bytes. */
  static CacheOptions bytes(long bytes) {
    return new Adaptive(Capacity.bytes(bytes));
  }

  /**
   * {@link Adaptive}, of a size in objects. All together take no more bytes than a cache of {@link
   * #defaults()}: an object that takes more than its share counts as several.
   */
  static CacheOptions objects(long objects) {
    return new Adaptive(Capacity.objects(objects));
  }

  /** {@link Levels}. */
  static CacheOptions levels(Capacity... capacities) {
    return new Levels(List.of(capacities));
  }

  /** No version is kept. */
  record Off() implements CacheOptions {}

  /**
   * Caffeine's policy, W-TinyLFU: a segmented LRU behind an admission window, whose proportions
   * adapt themselves.
   */
  record Adaptive(Capacity capacity) implements CacheOptions {}

  /**
   * A circle of segments (report section 2.4): what is read enters the one at the head; a full head
   * makes the oldest segment the head, emptied.
   *
   * @param capacities two or more
   */
  record Levels(List<Capacity> capacities) implements CacheOptions {
    /** Copies and checks. */
    public Levels {
      capacities = List.copyOf(capacities);
      if (capacities.size() < 2) {
        throw new IllegalArgumentException(
            "a segmented cache has two levels or more, not " + capacities.size());
      }
    }
  }

  /**
   * How much a level holds.
   *
   * @param amount at least 1
   * @param inBytes whether the amount is of bytes; otherwise it is of objects, which take no more
   *     bytes than those of a cache of {@link #defaults()}
   */
  record Capacity(long amount, boolean inBytes) {
    /** Checks. */
    public Capacity {
      if (amount < 1) {
        throw new IllegalArgumentException("capacity is at least 1, not " + amount);
      }
    }

    /** So many bytes. */
    public static Capacity bytes(long bytes) {
      return new Capacity(bytes, true);
    }

    /** So many objects. */
    public static Capacity objects(long objects) {
      return new Capacity(objects, false);
    }
  }
}
