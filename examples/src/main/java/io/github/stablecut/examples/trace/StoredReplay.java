package io.github.stablecut.examples.trace;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;
import io.github.stablecut.examples.trace.Trace.Transaction;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Replays a trace of one author on a text in a store, each transaction durably before the next one.
 * Each transaction also increments a counter, so the same call resumes after a crash.
 */
final class StoredReplay {
  private static final String BUCKET = "traces";

  private final Trace trace;
  private final Path directory;
  private final ObjectKey<Rga.Operation<String>, Text> text;
  private final CounterKey done;

  /**
   * @param name the key of the text in the store
   */
  StoredReplay(Trace trace, String name, Path directory) {
    this.trace = trace;
    this.directory = directory;
    this.text = Key.of(Bytes.utf8(BUCKET), Bytes.utf8(name), RgaText.TYPE);
    this.done = Key.counter(BUCKET, name + "/transactions");
  }

  /**
   * Replays what the store does not have yet, and compares the text before and after reopening.
   *
   * @throws TraceException if the trace edits text that does not exist
   */
  Outcome run(ProgressBar progress) {
    double seconds;
    long liveHeapBytes;
    long encodedBytes;
    Optional<String> fault;
    long usedBytes = LiveHeap.usedBytes();
    try (Store store = Stablecut.open(directory)) {
      long startNanos = System.nanoTime();
      replay(store, progress);
      fault = Replay.difference(trace.endContent(), store.read(text).toString());
      seconds = Replay.secondsSince(startNanos);
      liveHeapBytes = LiveHeap.usedBytes() - usedBytes;
      store.checkpoint();
      encodedBytes = store.status().checkpoints().bytes();
    }
    try (Store store = Stablecut.open(directory)) {
      String reopened = store.read(text).toString();
      fault =
          fault.or(
              () ->
                  Replay.difference(trace.endContent(), reopened)
                      .map(difference -> "after reopening " + difference));
    }
    return new Outcome(fault, trace.edits(), seconds, liveHeapBytes, encodedBytes);
  }

  private void replay(Store store, ProgressBar progress) {
    List<Transaction> transactions = trace.transactions();
    long before = store.read(done);
    if (before > transactions.size()) {
      throw new TraceException(
          "%s has %,d transactions of %s, but the trace has %,d, so it is another trace: use another directory"
              .formatted(directory, before, text.key().toUtf8(), transactions.size()));
    }
    progress.begin("replaying", before);
    for (int i = (int) before; i < transactions.size(); i++) {
      try {
        store.update(updates(transactions.get(i)));
      } catch (OperationRefusedException e) {
        throw new TraceException("txns[" + i + "]: " + e.getMessage(), e);
      }
      progress.update(i + 1L, (i + 1.0) / transactions.size());
    }
  }

  private Update[] updates(Transaction transaction) {
    List<Update> updates = new ArrayList<>();
    Replica.operations(transaction).forEach(operation -> updates.add(text.update(operation)));
    updates.add(done.increment());
    return updates.toArray(Update[]::new);
  }
}
