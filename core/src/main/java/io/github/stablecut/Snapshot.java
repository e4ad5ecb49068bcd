package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.option.ScanOptions;

/** The store at one point of its history: reads give the same for ever. Immutable. */
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

  /** As {@link #scan(Bytes, Bytes)}, with the UTF-8 bytes of texts. */
  default Scan scan(String bucket, String keyPrefix) {
    return scan(Bytes.utf8(bucket), Bytes.utf8(keyPrefix));
  }

  /** The objects of a bucket. */
  default Scan scan(String bucket) {
    return scan(bucket, "");
  }
}
