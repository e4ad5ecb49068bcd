package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.RecordRange;
import java.util.List;
import java.util.Optional;

/**
 * Converts bounds of clustering keys into bounds of bytes. In a descending column, greater values
 * have lesser bytes.
 */
final class ClusteringRange {
  private ClusteringRange() {}

  static RecordRange of(Schema schema, Bytes partition, TableScan scan) {
    List<KeyCodec.KeyColumn> parts = schema.clusteringParts();
    int equal = scan.slice().first().size();
    boolean isBounded = scan.slice().low().isPresent() || scan.slice().high().isPresent();
    if (equal + (isBounded ? 1 : 0) > parts.size()) {
      throw new IllegalArgumentException(
          "the clustering key of %s has %d columns, and the scan has values and bounds for more: omit some"
              .formatted(schema.table().name(), parts.size()));
    }
    Bytes prefix = KeyCodec.encode(parts, scan.slice().first());
    Bytes low = prefix;
    Optional<Bytes> high = KeyCodec.afterPrefix(prefix);
    if (isBounded) {
      KeyCodec.KeyColumn part = parts.get(equal);
      Optional<TableScan.Bound> first =
          part.isDescending() ? scan.slice().high() : scan.slice().low();
      Optional<TableScan.Bound> last =
          part.isDescending() ? scan.slice().low() : scan.slice().high();
      if (first.isPresent()) {
        Bytes at = place(prefix, part, first.get());
        Optional<Bytes> from =
            first.get().isInclusive() ? Optional.of(at) : KeyCodec.afterPrefix(at);
        if (from.isEmpty()) {
          return RecordRange.of(schema.place(), partition, Bytes.EMPTY, Optional.of(Bytes.EMPTY));
        }
        low = from.get();
      }
      if (last.isPresent()) {
        Bytes at = place(prefix, part, last.get());
        Optional<Bytes> until =
            last.get().isInclusive() ? KeyCodec.afterPrefix(at) : Optional.of(at);
        high = until.isPresent() ? until : high;
      }
    }
    return RecordRange.of(schema.place(), partition, low, high);
  }

  private static Bytes place(Bytes prefix, KeyCodec.KeyColumn part, TableScan.Bound bound) {
    return KeyCodec.join(prefix, KeyCodec.encode(List.of(part), List.of(bound.value())));
  }
}
