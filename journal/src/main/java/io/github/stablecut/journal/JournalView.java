package io.github.stablecut.journal;

import java.util.function.Consumer;

/**
 * Reads the journal while segments are dropped: those that were there when it was asked for ({@link
 * Journal#view}) stay until it is closed. For a reader that looks up positions first: asked for
 * before the look-up, it makes sure that they can be read after it. Thread-safe; to be closed once,
 * soon.
 */
public final class JournalView implements AutoCloseable {
  private final Journal journal;
  private final OpenViews views;
  private final int slot;

  /** The first segment of those that stay. */
  private final int first;

  JournalView(Journal journal, OpenViews views, int oldest) {
    this.journal = journal;
    this.views = views;
    this.slot = views.open(oldest);
    this.first = journal.firstKept();
  }

  /** As {@link Journal#read}. */
  public StoredRecord read(long position) {
    return journal.read(position);
  }

  /** As {@link Journal#scan}, without what was being dropped when the view was opened. */
  public void scan(long from, Consumer<StoredRecord> visitor) {
    journal.scan(Math.max(from, Position.of(first, 0)), visitor);
  }

  @Override
  public void close() {
    views.close(slot);
  }
}
