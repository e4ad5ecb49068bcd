package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.option.ScanOptions;
import java.util.List;

/** The store at one point of its history: reads are repeatable. Immutable. */
public interface Snapshot extends Reader {
  /** The point. */
  CausalToken token();

  /**
   * All objects.
   *
   * @throws SnapshotTruncatedException if the point is not kept any more
   */
  Scan scan();

  /**
   * The objects of a bucket whose keys begin with some bytes.
   *
   * @throws SnapshotTruncatedException if the point is not kept any more
   */
  Scan scan(Bytes bucket, Bytes keyPrefix);

  /**
   * The objects of a part of a bucket, ascending or descending.
   *
   * @throws SnapshotTruncatedException if the point is not kept any more
   */
  Scan scan(ScanOptions options);

  /**
   * The buckets that have objects, in the order of their bytes. In an embedded store each takes a
   * look-up; other stores may read all objects.
   *
   * @param after only buckets behind this one; {@link Bytes#EMPTY} to begin with the first
   * @param most how many are wanted at most, 1 or more
   * @throws SnapshotTruncatedException if the point is not kept any more
   */
  default List<Bytes> buckets(Bytes after, int most) {
    try (Scan scan = scan()) {
      return scan.stream()
          .map(StoredObject::bucket)
          .filter(bucket -> bucket.compareTo(after) > 0)
          .distinct()
          .limit(most)
          .toList();
    }
  }

  /** As {@link #scan(Bytes, Bytes)}, with the UTF-8 bytes of texts. */
  default Scan scan(String bucket, String keyPrefix) {
    return scan(Bytes.utf8(bucket), Bytes.utf8(keyPrefix));
  }

  /** The objects of a bucket. */
  default Scan scan(String bucket) {
    return scan(bucket, "");
  }
}
