package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.ArrayList;
import java.util.List;

/** A journal that notes recovered and announced records, for tests. Confined to one thread. */
public final class OpenJournal implements AutoCloseable, GroupListener {
  public static final JournalOptions OPTIONS = JournalOptions.named("test").withReserveBytes(0);

  public final List<StoredRecord> recovered = new ArrayList<>();
  final List<PendingRecord> committed = new ArrayList<>();
  final List<Integer> groupSizes = new ArrayList<>();
  final List<PendingRecord> failed = new ArrayList<>();
  final SegmentStore store;
  public final Journal journal;

  public OpenJournal(SegmentStore store) {
    this(store, OPTIONS);
  }

  public OpenJournal(SegmentStore store, JournalOptions options) {
    this.store = store;
    journal = Journal.open(store, options, this, recovered::add);
  }

  @Override
  public void durable(List<PendingRecord> group) {
    committed.addAll(group);
    groupSizes.add(group.size());
  }

  @Override
  public void failed(List<PendingRecord> group, JournalFailedException failure) {
    failed.addAll(group);
  }

  @CanIgnoreReturnValue
  public PendingRecord append(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    PendingRecord pending = new PendingRecord((byte) 1, bytes, bytes.length);
    journal.append(pending);
    return pending;
  }

  /** Appends and commits each body as a group of its own. */
  @CanIgnoreReturnValue
  public List<PendingRecord> commit(String... bodies) {
    List<PendingRecord> records = new ArrayList<>();
    for (String body : bodies) {
      records.add(append(body));
      journal.flushGroup();
    }
    return records;
  }

  public List<String> recoveredBodies() {
    return recovered.stream().map(OpenJournal::text).toList();
  }

  public static String text(StoredRecord stored) {
    return new String(stored.body(), UTF_8);
  }

  @Override
  public void close() {
    journal.close();
  }

  /** Ignores all notifications. */
  static final class IgnoringListener implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {}
  }
}
