package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
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

/** A watch of a client. Thread-safe: one at a time takes, and others are refused meanwhile. */
final class WatchHandle implements ClientHandles.Held {
  /** What a change takes beside its objects, about. */
  private static final int CHANGE_BYTES = 64;

  private static final int OBJECT_BYTES = 8;

  /** A client's watch may buffer so many changes at the server. */
  private static final int MOST_CHANGES = 16_384;

  /** A client is told nothing for so long because of a partition that can't be asked. */
  private static final Duration UNREACHED = Duration.ofSeconds(10);

  private final PeekableWatch watch;
  private final CausalToken begun;
  private final ReentrantLock lock = new ReentrantLock();

  WatchHandle(PeekableWatch watch) {
    this.watch = watch;
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

  /**
   * The next changes. A large one waits for its turn as other large answers do, and stays in the
   * watch if that does not come, which counts it.
   */
  @GuardedBy("lock")
  private Answer changes(int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    List<Answer.Told> changes = new ArrayList<>();
    Optional<Change> next = first(waitMillis);
    long size = 0;
    while (next.isPresent()) {
      Answer.Told told = told(next.get());
      long more = size(told);
      if (AnswerBytes.isLarge(more)) {
        if (!changes.isEmpty()) {
          break;
        }
        answer.expectLarge();
      }
      if (!watch.tryRemove()) {
        // The watch has ended, and discarded the change: the next call is refused.
        break;
      }
      changes.add(told);
      size += more;
      next = size < bytes ? more() : Optional.empty();
    }
    return new Answer.Changes(changes, watch.position());
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
    watch.close();
  }
}
