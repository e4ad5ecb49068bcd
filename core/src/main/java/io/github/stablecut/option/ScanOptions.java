package io.github.stablecut.option;

import io.github.stablecut.Snapshot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.PartitionKeys;
import java.util.Objects;
import java.util.Optional;

/**
 * The range and order of a scan over the objects of a bucket, ordered by the bytes of their keys.
 * Bounds accumulate: each one narrows the range. Immutable.
 *
 * <pre>{@code
 * ScanOptions.bucket("orders").prefix("2026-").descending().limit(20)
 * ScanOptions.bucket("orders").from("2026-01").until("2026-02").after(last.key())
 * }</pre>
 *
 * @see Snapshot#scan(ScanOptions)
 */
public final class ScanOptions {
  /** The limit of a scan without a limit, the default. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  private final Bytes bucket;

  /** The prefix of all keys in bounds; empty unless the scan is of one partition key. */
  private final Bytes keyPrefix;

  /** The least id of the range. */
  private final Bytes low;

  /** The least id above the range. */
  private final Bytes high;

  private final Optional<Bytes> after;
  private final boolean isDescending;
  private final boolean isKeysOnly;
  private final long limit;

  private ScanOptions(
      Bytes bucket,
      Bytes keyPrefix,
      Bytes low,
      Bytes high,
      Optional<Bytes> after,
      boolean isDescending,
      boolean isKeysOnly,
      long limit) {
    this.bucket = bucket;
    this.keyPrefix = keyPrefix;
    this.low = low;
    this.high = high;
    this.after = after;
    this.isDescending = isDescending;
    this.isKeysOnly = isKeysOnly;
    this.limit = limit;
  }

  /** All objects of a bucket, ascending. */
  public static ScanOptions bucket(String bucket) {
    return bucket(Bytes.utf8(Objects.requireNonNull(bucket, "bucket")));
  }

  /** All objects of a bucket, ascending. */
  public static ScanOptions bucket(Bytes bucket) {
    return startingWith(bucket, Bytes.EMPTY);
  }

  /**
   * All objects of a bucket with a partition key ({@link Key#withPartitionKey}), ascending. They
   * are on one partition. Prefixes and bounds take keys without the partition key; {@link #after}
   * takes whole keys, as a scan returns them.
   */
  public static ScanOptions bucket(String bucket, Bytes partitionKey) {
    return bucket(Bytes.utf8(Objects.requireNonNull(bucket, "bucket")), partitionKey);
  }

  /** Like {@link #bucket(String, Bytes)}. */
  public static ScanOptions bucket(Bytes bucket, Bytes partitionKey) {
    return startingWith(bucket, PartitionKeys.prefix(partitionKey));
  }

  /**
   * All objects of a range of ids in a bucket. For implementations of {@link
   * io.github.stablecut.Store}.
   *
   * @param from the least id of the range, as {@link Key#id(Bytes, Bytes)} returns it
   * @param until the least id above the range
   * @throws io.github.stablecut.crdt.FormatException if {@code from} is not an id
   */
  public static ScanOptions ofIds(Bytes from, Bytes until) {
    return bucket(Key.bucketOf(from)).atOrAbove(from).below(until);
  }

  private static ScanOptions startingWith(Bytes bucket, Bytes keyPrefix) {
    Bytes first = Key.id(bucket, keyPrefix);
    return new ScanOptions(
        bucket, keyPrefix, first, afterPrefix(first), Optional.empty(), false, false, NO_LIMIT);
  }

  /** The least byte string above all that start with a prefix, which must not end with 255. */
  private static Bytes afterPrefix(Bytes prefix) {
    byte[] end = prefix.toArray();
    end[end.length - 1]++;
    return Bytes.wrap(end);
  }

  /** Only keys that start with a text. */
  public ScanOptions prefix(String prefix) {
    return prefix(Bytes.utf8(prefix));
  }

  /** Only keys that start with some bytes. */
  public ScanOptions prefix(Bytes prefix) {
    int length = prefix.length();
    while (length > 0 && prefix.at(length - 1) == 255) {
      length--;
    }
    ScanOptions from = from(prefix);
    return length == 0 ? from : from.below(afterPrefix(id(prefix.slice(0, length))));
  }

  /** Only keys at or above a bound. */
  public ScanOptions from(String key) {
    return from(Bytes.utf8(key));
  }

  /** Only keys at or above a bound. */
  public ScanOptions from(Bytes key) {
    return atOrAbove(id(key));
  }

  /** Only keys above a bound. */
  public ScanOptions above(String key) {
    return above(Bytes.utf8(key));
  }

  /** Only keys above a bound. */
  public ScanOptions above(Bytes key) {
    return atOrAbove(id(key).successor());
  }

  /** Only keys below a bound. */
  public ScanOptions until(String key) {
    return until(Bytes.utf8(key));
  }

  /** Only keys below a bound. */
  public ScanOptions until(Bytes key) {
    return below(id(key));
  }

  /** Only keys at or below a bound. */
  public ScanOptions through(String key) {
    return through(Bytes.utf8(key));
  }

  /** Only keys at or below a bound. */
  public ScanOptions through(Bytes key) {
    return below(id(key).successor());
  }

  /**
   * Only keys after one in the direction of the scan: for the next page, pass the last key of a
   * page.
   */
  public ScanOptions after(String key) {
    return after(Bytes.utf8(key));
  }

  /**
   * Only keys after one in the direction of the scan: for the next page, pass the last key of a
   * page.
   */
  public ScanOptions after(Bytes key) {
    Optional<Bytes> last = Optional.of(Key.id(bucket, key));
    return new ScanOptions(bucket, keyPrefix, low, high, last, isDescending, isKeysOnly, limit);
  }

  /** Descending order: the greatest key first. */
  public ScanOptions descending() {
    return new ScanOptions(bucket, keyPrefix, low, high, after, true, isKeysOnly, limit);
  }

  /**
   * Only keys and types: values are not read or sent over a network. {@link
   * io.github.stablecut.StoredObject#value} then throws.
   */
  public ScanOptions keysOnly() {
    return new ScanOptions(bucket, keyPrefix, low, high, after, isDescending, true, limit);
  }

  /**
   * Limits the number of objects. If data centres concurrently created an object with several
   * types, the scan returns it once per type, and counts it once.
   *
   * @param objects above 0
   */
  public ScanOptions limit(long objects) {
    if (objects < 1) {
      throw new IllegalArgumentException(
          "the limit of a scan must be at least 1 object, not " + objects);
    }
    return new ScanOptions(bucket, keyPrefix, low, high, after, isDescending, isKeysOnly, objects);
  }

  private Bytes id(Bytes key) {
    byte[] whole = new byte[keyPrefix.length() + key.length()];
    keyPrefix.copyInto(whole, 0);
    key.copyInto(whole, keyPrefix.length());
    return Key.id(bucket, Bytes.wrap(whole));
  }

  private ScanOptions atOrAbove(Bytes id) {
    return new ScanOptions(
        bucket, keyPrefix, max(low, id), high, after, isDescending, isKeysOnly, limit);
  }

  private ScanOptions below(Bytes id) {
    return new ScanOptions(
        bucket, keyPrefix, low, min(high, id), after, isDescending, isKeysOnly, limit);
  }

  private static Bytes max(Bytes one, Bytes other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static Bytes min(Bytes one, Bytes other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** The least id of the range, as {@link Key#id(Bytes, Bytes)} returns it. */
  public Bytes fromId() {
    return isDescending ? low : after.map(id -> max(low, id.successor())).orElse(low);
  }

  /** The least id above the range; at or below {@link #fromId} if the range is empty. */
  public Bytes untilId() {
    return isDescending ? after.map(id -> min(high, id)).orElse(high) : high;
  }

  /** Whether the greatest key comes first. */
  public boolean isDescending() {
    return isDescending;
  }

  /** Whether the scan returns only keys and types. */
  public boolean isKeysOnly() {
    return isKeysOnly;
  }

  /** The maximum number of objects; {@link #NO_LIMIT} without a limit. */
  public long limit() {
    return limit;
  }

  @Override
  public String toString() {
    return "ScanOptions[bucket=%s, from=%s, until=%s, descending=%s, keysOnly=%s, limit=%s]"
        .formatted(
            bucket,
            fromId(),
            untilId(),
            isDescending,
            isKeysOnly,
            limit == NO_LIMIT ? "none" : limit);
  }
}
