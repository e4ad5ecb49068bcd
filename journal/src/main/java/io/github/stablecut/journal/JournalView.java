package io.github.stablecut.journal;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads the journal while segments are dropped: those that were there when it was asked for ({@link
 * Journal#view}) stay until it is closed. For a reader that looks up positions first: asked for
 * before the look-up, it makes sure that they can be read after it. Thread-safe; to be closed soon.
 */
public final class JournalView implements AutoCloseable {
  private final Journal journal;
  private final int oldest;
  private final Set<JournalView> open;

  /**
   * @param oldest the first segment that stays
   * @param open has it until it is closed
   */
  JournalView(Journal journal, int oldest, Set<JournalView> open) {
    this.journal = journal;
    this.oldest = oldest;
    this.open = open;
    boolean unused = open.add(this);
  }

  /** The first segment that stays. */
  int oldest() {
    return oldest;
  }

  /** As {@link Journal#read}. */
  public StoredRecord read(long position) {
    return journal.read(position);
  }

  /** As {@link Journal#scan}. */
  public void scan(long from, Consumer<StoredRecord> visitor) {
    journal.scan(from, visitor);
  }

  @Override
  public void close() {
    boolean unused = open.remove(this);
  }
}
