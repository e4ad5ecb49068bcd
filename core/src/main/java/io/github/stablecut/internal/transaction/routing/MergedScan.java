package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.Closeables;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Merges the scans of several partitions in id order. Confined to one thread. */
final class MergedScan implements FoundObjects {
  /** A partition's scan and its next object. */
  private record Head(FoundObject found, FoundObjects scan) {}

  private final List<FoundObjects> scans = new ArrayList<>();
  private final PriorityQueue<Head> heads;

  /** The scan whose object was returned last; it advances on the next call. */
  private @Nullable FoundObjects pending;

  private MergedScan(boolean isDescending) {
    Comparator<Head> ascending = Comparator.comparing(head -> head.found.id());
    heads = new PriorityQueue<>(isDescending ? ascending.reversed() : ascending);
  }

  /** Begins a scan of each partition. */
  static MergedScan open(List<PartitionAccess> partitions, ScanPlan plan, VectorClock snapshot) {
    MergedScan merged = new MergedScan(plan.isDescending());
    try {
      for (PartitionAccess partition : partitions) {
        FoundObjects scan = partition.scan(plan, snapshot);
        merged.scans.add(scan);
        merged.advance(scan);
      }
    } catch (RuntimeException | Error e) {
      merged.close();
      throw e;
    }
    return merged;
  }

  private void advance(FoundObjects scan) {
    scan.next().ifPresent(found -> heads.add(new Head(found, scan)));
  }

  @Override
  public Optional<FoundObject> next() {
    if (pending != null) {
      FoundObjects scan = pending;
      pending = null;
      advance(scan);
    }
    Head head = heads.poll();
    if (head == null) {
      return Optional.empty();
    }
    pending = head.scan;
    return Optional.of(head.found);
  }

  @Override
  public long heldBytes() {
    long bytes = 0;
    for (Head head : heads) {
      bytes += head.found.bytes();
    }
    for (FoundObjects scan : scans) {
      bytes += scan.heldBytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    Closeables.each(scans, FoundObjects::close);
  }
}
