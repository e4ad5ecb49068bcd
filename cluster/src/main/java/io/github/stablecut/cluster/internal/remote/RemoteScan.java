package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Function;

/** The objects of a partition on another node, page by page. Confined to one thread. */
final class RemoteScan implements FoundObjects {
  /** A page has at most this many objects. */
  private static final int MAX_PAGE = 1 << 16;

  private final Function<Request.Scan, Reply.Page> pages;
  private final ScanPlan plan;
  private final VectorClock snapshot;
  private final Deque<FoundObject> page = new ArrayDeque<>();

  /** The rest of the range, after the page. */
  private IdRange rest;

  private int maxObjects;
  private boolean isEnded;

  RemoteScan(Function<Request.Scan, Reply.Page> pages, ScanPlan plan, VectorClock snapshot) {
    this.pages = pages;
    this.rest = plan.range();
    this.plan = plan;
    this.maxObjects = Math.max(1, Math.min(MAX_PAGE, plan.maxObjects()));
    this.isEnded = rest.isEmpty();
    this.snapshot = snapshot;
  }

  @Override
  public Optional<FoundObject> next() {
    while (page.isEmpty() && !isEnded) {
      Reply.Page next =
          pages.apply(
              new Request.Scan(
                  rest.from(),
                  rest.until(),
                  snapshot,
                  plan.isDescending(),
                  plan.isKeysOnly(),
                  maxObjects));
      page.addAll(next.found());
      next.next().ifPresent(this::goOnAt);
      isEnded = next.next().isEmpty();
      maxObjects = Math.min(MAX_PAGE, 4 * maxObjects);
    }
    return Optional.ofNullable(page.poll());
  }

  /**
   * @param id the id of the first object of the next page
   */
  private void goOnAt(Bytes id) {
    rest = plan.isDescending() ? rest.below(id.successor()) : rest.atOrAbove(id);
  }

  @Override
  public long heldBytes() {
    long bytes = 0;
    for (FoundObject found : page) {
      bytes += found.bytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    page.clear();
    isEnded = true;
  }
}
