package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
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

/** A watch of a client. Thread-safe: one at a time takes, and others are refused meanwhile. */
final class WatchHandle implements ClientHandles.Held {
  /** What a change takes beside its objects, about. */
  private static final int CHANGE_BYTES = 64;

  private static final int OBJECT_BYTES = 8;

  /** A client's watch may buffer so many changes at the server. */
  private static final int MOST_CHANGES = 16_384;

  /** A client is told nothing for so long because of a partition that can't be asked. */
  private static final Duration UNREACHED = Duration.ofSeconds(10);

  /** How long a watch that was begun again may take to read what it had read before. */
  private static final Duration REREAD = Duration.ofSeconds(1);

  private final Function<WatchOptions, PeekableWatch> open;
  private final WatchOptions options;
  private final CausalToken begun;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile PeekableWatch watch;
  private volatile boolean isClosed;

  /**
   * @param open begins a watch of the store
   * @param options the client's
   */
  WatchHandle(Function<WatchOptions, PeekableWatch> open, WatchOptions options) {
    this.open = open;
    this.options = limited(options);
    this.watch = open.apply(this.options);
    this.begun = watch.position();
  }

  /** The options of a client, with a buffer that is not larger than the server allows. */
  static WatchOptions limited(WatchOptions options) {
    return options.buffer(Math.min(options.buffer(), MOST_CHANGES));
  }

  /** The point after which it was begun. */
  CausalToken begun() {
    return begun;
  }

  /** Changes in one answer have so many bytes, or the answer is one larger change. */
  static final int MOST_BYTES = 256 << 10;

  @Override
  public Answer take(int bytes, int waitMillis, AnswerBytes answer) throws InterruptedException {
    if (!lock.tryLock()) {
      // It would only keep a thread.
      throw new BusyException("another call takes from the watch: wait for its answer");
    }
    try {
      return changes(Math.min(bytes, MOST_BYTES), waitMillis, answer);
    } catch (IllegalStateException e) {
      throw new TransactionExpiredException(
          "the watch was closed meanwhile: begin another after its position");
    } finally {
      lock.unlock();
    }
  }

  /** The next changes: small ones up to a number of bytes, or a large one. */
  @GuardedBy("lock")
  private Answer changes(int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    Optional<Change> next = first(waitMillis);
    boolean isLarge = next.filter(WatchHandle::isLarge).isPresent();
    if (isLarge) {
      // Until its turn comes, only the watch holds the change, and counts it.
      next = Optional.empty();
      answer.expectLarge();
    }
    return isLarge
        ? new Answer.Changes(removeLarge(), watch.position())
        : new Answer.Changes(removeSmall(next, bytes), watch.position());
  }

  @GuardedBy("lock")
  private List<Answer.Told> removeSmall(Optional<Change> first, int bytes)
      throws InterruptedException {
    List<Answer.Told> changes = new ArrayList<>();
    Optional<Change> next = first;
    long size = 0;
    while (next.isPresent()) {
      Answer.Told told = told(next.get());
      // A watch that has ended discards the change: the next call is refused.
      if (AnswerBytes.isLarge(size(told)) || !watch.tryRemove()) {
        break;
      }
      changes.add(told);
      size += size(told);
      next = size < bytes ? more() : Optional.empty();
    }
    return changes;
  }

  private static boolean isLarge(Change change) {
    return AnswerBytes.isLarge(size(told(change)));
  }

  /**
   * Removes the next change, which has its turn. If other watches have crowded this one out
   * meanwhile, it begins again where it was: the journal still has the change.
   */
  @GuardedBy("lock")
  private List<Answer.Told> removeLarge() throws InterruptedException {
    try {
      Optional<Change> next = watch.peek(Duration.ZERO);
      if (next.isPresent() && watch.tryRemove()) {
        return List.of(told(next.get()));
      }
    } catch (WatchOverflowException e) {
      // Handled below, as a change that was discarded between the two calls.
    }
    CausalToken position = watch.position();
    watch.close();
    watch =
        open.apply(new WatchOptions(Optional.of(position), options.buffer(), options.hasEffects()));
    if (isClosed) {
      watch.close();
    }
    Optional<Change> next = watch.peek(REREAD);
    return next.isPresent() && watch.tryRemove() ? List.of(told(next.get())) : List.of();
  }

  private Optional<Change> first(int waitMillis) throws InterruptedException {
    Optional<Change> next = watch.peek(Duration.ZERO);
    if (next.isEmpty()) {
      Waiting waiting = new Waiting(Duration.ofMillis(waitMillis));
      ManagedBlocking.block(waiting);
      next = waiting.found;
    }
    if (next.isEmpty()) {
      // Another server may reach what this one does not: the client resumes there.
      watch.checkReached(UNREACHED);
    }
    return next;
  }

  private static long size(Answer.Told told) {
    long size = CHANGE_BYTES;
    for (Answer.Named object : told.objects()) {
      size += OBJECT_BYTES + object.id().length();
      for (Bytes effect : object.effects()) {
        size += effect.length();
      }
    }
    return size;
  }

  /** Waits for the next change; another thread takes the place of this one. */
  private final class Waiting implements ForkJoinPool.ManagedBlocker {
    private final Duration longest;
    private Optional<Change> found = Optional.empty();
    private boolean isOver;

    Waiting(Duration longest) {
      this.longest = longest;
    }

    @Override
    public boolean block() throws InterruptedException {
      if (!isOver) {
        found = watch.peek(longest);
        isOver = true;
      }
      return true;
    }

    @Override
    public boolean isReleasable() {
      return isOver;
    }
  }

  /** What is there already. What ends the watch is told when it is asked for the next time. */
  private Optional<Change> more() throws InterruptedException {
    try {
      return watch.peek(Duration.ZERO);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Answer.Told told(Change change) {
    Map<Key<?>, List<Bytes>> effects = new HashMap<>();
    for (CommittedEffect effect : change.effects()) {
      effects.computeIfAbsent(effect.object(), key -> new ArrayList<>()).add(effect.encoded());
    }
    List<Answer.Named> objects = new ArrayList<>(change.objects().size());
    for (Key<?> object : change.objects()) {
      objects.add(
          new Answer.Named(object.id(), object.type(), effects.getOrDefault(object, List.of())));
    }
    return new Answer.Told(change.snapshot().token(), change.token(), objects);
  }

  @Override
  public void close() {
    isClosed = true;
    watch.close();
  }
}
