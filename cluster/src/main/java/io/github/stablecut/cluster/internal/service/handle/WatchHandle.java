package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.internal.transaction.PeekableWatch;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** A watch of a client. Thread-safe: one call at a time takes changes; others are refused. */
public final class WatchHandle implements ClientHandles.Handle {
  /** Approximate size of a change without its objects. */
  private static final int CHANGE_BYTES = 64;

  private static final int OBJECT_BYTES = 8;

  /** Maximum number of changes that a client's watch buffers at the server. */
  private static final int MAX_CHANGES = 16_384;

  /** The time for which a partition may be unreachable before the client gets an error. */
  private static final Duration UNREACHABLE_TIMEOUT = Duration.ofSeconds(10);

  /** The time within which a reopened watch has to read the discarded change again. */
  private static final Duration REREAD_TIMEOUT = Duration.ofSeconds(1);

  private final Function<WatchOptions, PeekableWatch> open;
  private final WatchOptions options;
  private final CausalToken beginning;
  private final ReentrantLock lock = new ReentrantLock();

  /** The position after which the watch is reopened; empty while it is open. */
  @GuardedBy("lock")
  private Optional<CausalToken> reopenAfter = Optional.empty();

  private volatile PeekableWatch watch;
  private volatile boolean isClosed;

  /**
   * @param open opens a watch of the store
   * @param options the client's options
   */
  public WatchHandle(Function<WatchOptions, PeekableWatch> open, WatchOptions options) {
    this.open = open;
    this.options = limited(options);
    this.watch = open.apply(this.options);
    this.beginning = watch.position();
  }

  /** Returns a client's options with a buffer that the server permits. */
  static WatchOptions limited(WatchOptions options) {
    return options.buffer(Math.min(options.buffer(), MAX_CHANGES));
  }

  /** Returns the point after which the watch was opened. */
  public CausalToken begun() {
    return beginning;
  }

  /** Maximum size of the changes in one answer, unless it is a single larger change. */
  static final int MAX_BYTES = 256 << 10;

  @Override
  public Answer take(int bytes, int waitMillis, AnswerBytes answer) throws InterruptedException {
    if (!lock.tryLock()) {
      // Waiting would only occupy a thread.
      throw new BusyException("another call takes from the watch: wait for its answer");
    }
    try {
      return changes(Math.min(bytes, MAX_BYTES), waitMillis, answer);
    } catch (IllegalStateException e) {
      throw new TransactionExpiredException(
          "the watch was closed meanwhile: open another after its position");
    } finally {
      lock.unlock();
    }
  }

  /** Removes the next changes: small ones up to a number of bytes, or one large change. */
  @GuardedBy("lock")
  private Answer changes(int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    if (reopenAfter.isPresent() && !isClosed) {
      reopen(reopenAfter.get());
    }
    Optional<Answer.Change> next = first(waitMillis).map(WatchHandle::encode);
    boolean isLarge = next.filter(WatchHandle::isLarge).isPresent();
    if (isLarge) {
      // While this call waits for its permit, only the watch holds the change, and accounts for it.
      next = Optional.empty();
      answer.expectLarge();
    }
    return isLarge
        ? new Answer.Changes(removeLarge(), watch.position())
        : new Answer.Changes(removeSmall(next, bytes), watch.position());
  }

  @GuardedBy("lock")
  private List<Answer.Change> removeSmall(Optional<Answer.Change> first, int bytes)
      throws InterruptedException {
    List<Answer.Change> changes = new ArrayList<>();
    Optional<Answer.Change> next = first;
    long size = 0;
    // If the watch has ended, the change is discarded, and the next call is refused.
    while (next.isPresent() && !isLarge(next.get()) && watch.tryRemove()) {
      changes.add(next.get());
      size += size(next.get());
      next = size < bytes ? available().map(WatchHandle::encode) : Optional.empty();
    }
    return changes;
  }

  private static boolean isLarge(Answer.Change encoded) {
    return AnswerBytes.isLarge(size(encoded));
  }

  /**
   * Removes the next change, for which the call holds a permit. If other watches used up the memory
   * meanwhile and the change was discarded, reopens the watch at its position: the journal still
   * has the change.
   */
  @GuardedBy("lock")
  private List<Answer.Change> removeLarge() throws InterruptedException {
    try {
      Optional<Change> next = watch.peek(Duration.ZERO);
      if (next.isPresent() && watch.tryRemove()) {
        return List.of(encode(next.get()));
      }
    } catch (WatchOverflowException e) {
      // Reopened below, as for a change that was discarded between the two calls.
    }
    reopen(watch.position());
    Optional<Change> next = watch.peek(REREAD_TIMEOUT);
    return next.isPresent() && watch.tryRemove() ? List.of(encode(next.get())) : List.of();
  }

  /**
   * Closes the watch and opens it again. While the store has no free place for it, calls are
   * refused as busy and try again.
   */
  @GuardedBy("lock")
  private void reopen(CausalToken position) {
    reopenAfter = Optional.of(position);
    watch.close();
    try {
      watch =
          open.apply(
              new WatchOptions(Optional.of(position), options.buffer(), options.hasEffects()));
    } catch (LimitExceededException e) {
      throw new BusyException(
          "the changes buffered for all watches held too much memory, and another watch took the"
              + " place of this one (store.max-watches) before it could continue: try again, or"
              + " raise the setting");
    }
    reopenAfter = Optional.empty();
    if (isClosed) {
      watch.close();
    }
  }

  private Optional<Change> first(int waitMillis) throws InterruptedException {
    Optional<Change> next = watch.peek(Duration.ZERO);
    if (next.isEmpty()) {
      ChangeWait waiting = new ChangeWait(Duration.ofMillis(waitMillis));
      ManagedBlocking.block(waiting);
      next = waiting.found;
    }
    if (next.isEmpty()) {
      // Another server may reach the partition: on this error, the client resumes there.
      watch.checkReached(UNREACHABLE_TIMEOUT);
    }
    return next;
  }

  private static long size(Answer.Change encoded) {
    long size = CHANGE_BYTES;
    for (Answer.ChangedObject object : encoded.objects()) {
      size += OBJECT_BYTES + object.id().length();
      for (Bytes effect : object.effects()) {
        size += effect.length();
      }
    }
    return size;
  }

  /** Waits for the next change; the pool compensates for the blocked thread. */
  private final class ChangeWait implements ForkJoinPool.ManagedBlocker {
    private final Duration timeout;
    private Optional<Change> found = Optional.empty();
    private boolean isOver;

    ChangeWait(Duration timeout) {
      this.timeout = timeout;
    }

    @Override
    public boolean block() throws InterruptedException {
      if (!isOver) {
        found = watch.peek(timeout);
        isOver = true;
      }
      return true;
    }

    @Override
    public boolean isReleasable() {
      return isOver;
    }
  }

  /** Returns the next available change. A failure is reported by the next call. */
  private Optional<Change> available() throws InterruptedException {
    try {
      return watch.peek(Duration.ZERO);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Answer.Change encode(Change change) {
    Map<Key<?>, List<Bytes>> effects = new HashMap<>();
    for (CommittedEffect effect : change.effects()) {
      effects.computeIfAbsent(effect.object(), key -> new ArrayList<>()).add(effect.encoded());
    }
    List<Answer.ChangedObject> objects = new ArrayList<>(change.objects().size());
    for (Key<?> object : change.objects()) {
      objects.add(
          new Answer.ChangedObject(
              object.id(), object.type(), effects.getOrDefault(object, List.of())));
    }
    return new Answer.Change(change.snapshot().token(), change.token(), objects);
  }

  @Override
  public void close() {
    isClosed = true;
    watch.close();
  }
}
