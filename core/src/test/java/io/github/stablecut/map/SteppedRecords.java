package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A storage that announces each read of records, each write, and each snapshot, before it makes it.
 */
public final class SteppedRecords implements RecordStorage {
  private final RecordStorage records;
  private Consumer<Collection<RecordId>> step = ids -> {};
  private Consumer<Collection<RecordId>> readStep = ids -> {};
  private Runnable snapshotStep = () -> {};

  public SteppedRecords(RecordStorage records) {
    this.records = records;
  }

  /** Sets an action that runs before each write; it may throw. */
  public void before(Runnable toldStep) {
    step = ids -> toldStep.run();
  }

  /** Sets an action that runs before each write, with its records; it may throw. */
  public void beforeWritesOf(Consumer<Collection<RecordId>> toldStep) {
    step = toldStep;
  }

  /** Sets an action that runs before each read of records, with these; it may throw. */
  public void beforeReadsOf(Consumer<Collection<RecordId>> toldStep) {
    readStep = toldStep;
  }

  /** Sets an action that runs before each snapshot. */
  public void beforeSnapshots(Runnable toldStep) {
    snapshotStep = toldStep;
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    readStep.accept(ids);
    return records.read(ids);
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    return records.scan(range);
  }

  @Override
  public <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    step.accept(ids);
    return records.compute(ids, function);
  }

  @Override
  public RecordSnapshot snapshot() {
    snapshotStep.run();
    return records.snapshot();
  }

  @Override
  public void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
    step.accept(List.of());
    records.clear(space, leadPrefix, goesOn);
  }

  @Override
  public void close() {
    records.close();
  }
}
