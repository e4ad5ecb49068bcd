package io.github.stablecut.examples.bench.commit;

import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.SegmentLayout;
import io.github.stablecut.journal.SyncPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The journal, with the batch policy. */
public final class JournalLog implements CommitTarget {
  /** A record and the thread that waits for it. */
  private static final class WaitingRecord extends PendingRecord {
    final WakeChain waiter = new WakeChain();

    WaitingRecord(byte[] body) {
      super((byte) 0, body, body.length);
    }
  }

  private static final class Waker implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {
      Groups.release(group, pending -> ((WaitingRecord) pending).waiter);
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      throw failure;
    }
  }

  private final Journal journal;
  private final GroupCommitter committer;

  /** Opens a journal with the layout of this JVM. */
  public JournalLog(Path directory, SyncPolicy policy) throws IOException {
    this(directory, policy, SegmentLayout.ofThisJvm());
  }

  public JournalLog(Path directory, SyncPolicy policy, SegmentLayout layout) throws IOException {
    JournalOptions options = JournalOptions.named("bench");
    journal =
        Journal.open(
            JournalDirectory.open(directory, options.segmentBytes(), layout),
            options,
            new Waker(),
            stored -> {});
    committer = GroupCommitter.start(journal, policy);
  }

  @Override
  public void commit(byte[] body) {
    WaitingRecord waiting = new WaitingRecord(body);
    journal.ensureWritable(body.length);
    waiting.promiseHelp();
    try {
      journal.append(waiting);
    } finally {
      committer.help();
    }
    waiting.waiter.await();
  }

  @Override
  public long syncs() {
    return journal.status().syncs();
  }

  @Override
  public void close() {
    committer.close();
  }
}
