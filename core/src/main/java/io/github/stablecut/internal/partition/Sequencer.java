package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalClosedException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What has one order on a partition: under the lock, which is held for memory operations only, a
 * record gets its time, its effects their place in the index, and the record its place in the
 * journal.
 */
record Sequencer(
    ReentrantLock lock,
    StableTime times,
    ObjectIndex index,
    Journal journal,
    Horizon horizon,
    Certifier certifier,
    SessionTable sessions,
    Progress progress) {
  /**
   * Checks that a part may enter the index and the journal now. Under the commit lock, which is
   * kept until it has.
   *
   * @throws io.github.stablecut.error.StablecutException if it may not; nothing was changed
   */
  void ensureMayCommit(CommitRequest part) {
    journal.ensureWritable(part.length());
    horizon.checkCommit(part.snapshot());
    certifier.check(part);
  }

  /**
   * Has the journal fail, because something was thrown between the first change of memory and the
   * handing over of the record: memory has what the journal will not. Readers see nothing of it, as
   * the stable vector passes no commit that is not durable. Nothing is done if the journal was
   * closed: then memory is not used any more.
   */
  void halfDone(Throwable cause) {
    if (!(cause instanceof JournalClosedException)) {
      journal.fail(cause);
      progress.changed();
    }
  }
}
