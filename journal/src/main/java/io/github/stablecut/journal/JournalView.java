package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.OpenViews;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.function.Consumer;

/**
 * Reads the journal while segments are dropped: those present when the view was opened ({@link
 * Journal#view}) stay until it is closed. A reader that looks up positions opens the view before
 * the look-up, so that the records stay readable after it. Thread-safe; close it once, and soon.
 */
public final class JournalView implements AutoCloseable {
  private final Journal journal;
  private final OpenViews views;
  private final int slot;

  /** The first retained segment. */
  private final int first;

  JournalView(Journal journal, OpenViews views, int oldest) {
    this.journal = journal;
    this.views = views;
    this.slot = views.open(oldest);
    this.first = journal.firstKept();
  }

  /** Like {@link Journal#read}. */
  public StoredRecord read(long position) {
    return journal.read(position);
  }

  /**
   * Like {@link Journal#scan}, without segments that were being dropped when the view was opened.
   */
  public void scan(long from, Consumer<StoredRecord> visitor) {
    journal.scan(Math.max(from, Position.of(first, 0)), visitor);
  }

  @Override
  public void close() {
    views.close(slot);
  }
}
