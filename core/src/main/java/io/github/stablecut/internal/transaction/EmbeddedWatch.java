package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.internal.watch.CommittedWrites;
import io.github.stablecut.internal.watch.OrderedCommit;
import io.github.stablecut.internal.watch.WatchBuffer;
import io.github.stablecut.internal.watch.WatchMemory;
import io.github.stablecut.internal.watch.WatchSource;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Flow;

/** A watch of an embedded store. Confined to one thread at a time, except {@link #close}. */
final class EmbeddedWatch implements PeekableWatch {
  private final EmbeddedStore store;
  private final WatchSource reader;
  private final WatchPublisher publisher = new WatchPublisher(this);

  EmbeddedWatch(EmbeddedStore store, WatchSource reader) {
    this.store = store;
    this.reader = reader;
  }

  @Override
  public Optional<Change> poll(Duration longest) throws InterruptedException {
    return next(longest, true);
  }

  @Override
  public Optional<Change> peek(Duration longest) throws InterruptedException {
    return next(longest, false);
  }

  @Override
  public boolean tryRemove() {
    return reader.remove().isPresent();
  }

  private Optional<Change> next(Duration longest, boolean isRemoved) throws InterruptedException {
    EndingWatch.checkWait(longest);
    checkUsable();
    Duration wait = longest.compareTo(LONGEST) < 0 ? longest : LONGEST;
    Optional<OrderedCommit> next = read(System.nanoTime() + wait.toNanos(), isRemoved);
    if (next.isEmpty()) {
      checkUsable();
      checkComplete();
    }
    return next.map(this::change);
  }

  private Optional<OrderedCommit> read(long deadlineNanos, boolean isRemoved)
      throws InterruptedException {
    try {
      return isRemoved ? reader.poll(deadlineNanos) : reader.peek(deadlineNanos);
    } catch (RuntimeException e) {
      // If the journal was closed during the read, report that.
      checkUsable();
      throw e;
    }
  }

  private void checkUsable() {
    store.checkOpen();
    Optional<WatchSource.End> end = reader.end();
    if (end.equals(Optional.of(WatchSource.End.STORE_CLOSED))) {
      throw EmbeddedStore.closed();
    }
    if (end.equals(Optional.of(WatchSource.End.CLOSED))) {
      throw new IllegalStateException("the watch is closed: begin another after its position");
    }
  }

  private void checkComplete() {
    Optional<WatchSource.End> end = reader.end();
    if (end.isPresent()) {
      throw new WatchOverflowException(
          end.equals(Optional.of(WatchSource.End.CROWDED_OUT)) ? crowdedOut() : overflow(),
          position());
    }
  }

  private String overflow() {
    return "the watch ended at %s because its user fell behind by more than %,d changes or %,d bytes, or partitions or data centres are far behind: watch again after that position, with a larger buffer or a faster user"
        .formatted(position(), reader.capacity(), WatchBuffer.MAX_BYTES);
  }

  private String crowdedOut() {
    return "the watch ended at %s because the changes buffered for all watches of the store exceeded %,d bytes (a sixteenth of the heap), and this watch had most of them: watch again after that position, with a faster user, fewer watches, or a larger heap (-Xmx)"
        .formatted(position(), WatchMemory.MAX_BYTES);
  }

  private Change change(OrderedCommit commit) {
    Set<CommittedWrites.WrittenObject> written = commit.writes().objects();
    List<Key<?>> objects = new ArrayList<>(written.size());
    List<CommittedEffect> effects = new ArrayList<>();
    for (CommittedWrites.WrittenObject object : written) {
      Key<?> key = Key.ofId(object.id(), object.type());
      objects.add(key);
      object.effects().forEach(effect -> effects.add(CommittedEffect.of(key, effect)));
    }
    return new Change(
        new EmbeddedSnapshot(store, commit.seen()), store.token(commit.token()), objects, effects);
  }

  @Override
  public Flow.Publisher<Change> publisher() {
    return publisher;
  }

  @Override
  public void onEnd(Runnable listener) {
    reader.onEnd(listener);
  }

  @Override
  public void checkOpen() {
    checkUsable();
    checkComplete();
  }

  @Override
  public void checkReached(Duration longest) {
    reader.checkReached(longest.toNanos());
  }

  @Override
  public CausalToken position() {
    return store.token(reader.position());
  }

  @Override
  public void close() {
    reader.close();
  }
}
