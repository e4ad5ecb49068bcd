package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ObjectScan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Function;

/** The objects of a partition on another node, page by page. Confined to one thread. */
final class RemoteScan implements FoundObjects {
  private final Function<Request.Scan, Reply.Page> pages;
  private final Optional<Bytes> until;
  private final VectorClock snapshot;
  private final Deque<ObjectScan.Found> page = new ArrayDeque<>();

  /** Where the next page begins; empty after the last page. */
  private Optional<Bytes> from;

  RemoteScan(Function<Request.Scan, Reply.Page> pages, IdRange range, VectorClock snapshot) {
    this.pages = pages;
    this.from = Optional.of(range.from());
    this.until = range.until();
    this.snapshot = snapshot;
  }

  @Override
  public Optional<ObjectScan.Found> next() {
    while (page.isEmpty() && from.isPresent()) {
      Reply.Page next = pages.apply(new Request.Scan(from.get(), until, snapshot));
      page.addAll(next.found());
      from = next.next();
    }
    return Optional.ofNullable(page.poll());
  }

  @Override
  public void close() {
    page.clear();
    from = Optional.empty();
  }
}
