package io.github.stablecut.internal.paging;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.key.Key;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Checks that the newest checkpoint has exactly the pages that each state needs, each referenced
 * once. Confined to one thread.
 */
public final class PageCheck {
  private final CheckpointView view;
  private final VectorClock at;
  private final Consumer<String> findings;

  /**
   * @param findings receives the problems found
   */
  public PageCheck(CheckpointView view, Consumer<String> findings) {
    this.view = view;
    this.at = view.manifest().checkpointTime();
    this.findings = findings;
  }

  /** Checks all objects. */
  public void run() {
    IdRange left = PageIds.ALL;
    for (Optional<Bytes> next = firstObject(left); next.isPresent(); next = firstObject(left)) {
      Bytes object = next.get();
      check(object);
      left = left.atOrAbove(PageIds.endOf(object));
    }
  }

  private Optional<Bytes> firstObject(IdRange range) {
    try (EntryScan scan = view.scan(range, at)) {
      return scan.next().map(entry -> PageIds.objectOf(entry.id()));
    }
  }

  private void check(Bytes object) {
    try {
      Set<Integer> stored = stored(object);
      Optional<RunEntry> entry = view.find(object, at).filter(found -> !found.isDeleted());
      Deque<Integer> left = new ArrayDeque<>();
      if (entry.isPresent() && PagedRoot.isOne(entry.get().state())) {
        left.addAll(PagedRoot.decode(entry.get().state()).references());
      }
      while (!left.isEmpty()) {
        int page = left.remove();
        if (stored.remove(page)) {
          view.find(PageIds.of(object, page), at)
              .ifPresent(found -> left.addAll(PageReferences.ofPage(found.state())));
        } else {
          report(object, "page %d is missing, or needed twice".formatted(page));
        }
      }
      if (!stored.isEmpty()) {
        report(object, "nothing needs %d of its pages".formatted(stored.size()));
      }
    } catch (DamageException e) {
      report(object, String.valueOf(e.getMessage()));
    }
  }

  private Set<Integer> stored(Bytes object) {
    Set<Integer> stored = new TreeSet<>();
    IdRange pages = IdRange.between(PageIds.of(object, 0), PageIds.endOf(object));
    try (EntryScan scan = view.scan(pages, at)) {
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        stored.add(PageIds.numberOf(next.get().id()));
      }
    }
    return stored;
  }

  private void report(Bytes object, String what) {
    findings.accept("object %s: %s".formatted(Key.nameOf(object), what));
  }
}
