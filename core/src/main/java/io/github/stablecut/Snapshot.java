package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.option.ScanOptions;
import java.util.List;

/** The store at one point of its history: reads are repeatable. Immutable. */
public interface Snapshot extends Reader {
  /** The token of this point. */
  CausalToken token();

  /**
   * Scans all objects.
   *
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  Scan scan();

  /**
   * Scans the objects of a bucket whose keys start with a prefix.
   *
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  Scan scan(Bytes bucket, Bytes keyPrefix);

  /**
   * Scans a range of a bucket, ascending or descending.
   *
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  Scan scan(ScanOptions options);

  /**
   * The buckets that contain objects, ordered by their bytes. An embedded store needs one look-up
   * per bucket; other stores may read all objects.
   *
   * @param after the bucket after which to begin; {@link Bytes#EMPTY} to begin with the first
   * @param limit the maximum number of buckets, at least 1
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  default List<Bytes> buckets(Bytes after, int limit) {
    try (Scan scan = scan()) {
      return scan.stream()
          .map(StoredObject::bucket)
          .filter(bucket -> bucket.compareTo(after) > 0)
          .distinct()
          .limit(limit)
          .toList();
    }
  }

  /** Like {@link #scan(Bytes, Bytes)}, with the UTF-8 bytes of strings. */
  default Scan scan(String bucket, String keyPrefix) {
    return scan(Bytes.utf8(bucket), Bytes.utf8(keyPrefix));
  }

  /** Scans the objects of a bucket. */
  default Scan scan(String bucket) {
    return scan(bucket, "");
  }
}
