package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.transaction.EndingWatch;
import io.github.stablecut.internal.transaction.WatchPublisher;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A watch on a server. If the server is lost, the watch resumes after its {@link #position} at
 * another server or at the recovered one. It omits no change; it repeats only changes that arrived
 * late from another data centre. It also resumes after a refused request, because the server's
 * watch may have moved past undelivered changes. Confined to one thread at a time, except {@link
 * #close}, which ends a waiting call, as closing the store does.
 */
final class RemoteWatch implements EndingWatch {
  private static final int PART_BYTES = 64 << 10;

  private static final long PAUSE_MILLIS = 50;

  private final RemoteStore store;
  private final Bytes bucket;
  private final Bytes keyPrefix;
  private final WatchOptions options;
  private final WatchPublisher publisher = new WatchPublisher(this);
  private final Runnable storeEnds = this::tellEnd;
  private final Deque<Answer.Change> buffered = new ArrayDeque<>();
  private volatile Runnable listener = () -> {};

  private volatile boolean isClosed;
  private volatile @Nullable RemoteStream stream;

  /** The point up to which the user has received all changes. */
  private volatile CausalToken position;

  /** The point up to which the server has sent all changes. */
  private CausalToken toldUpTo;

  /** Whether a request has been waiting since the server's last answer. */
  private boolean isSilent;

  /** The time at which {@link #isSilent} became true. */
  private long silentSinceNanos;

  RemoteWatch(RemoteStore store, Bytes bucket, Bytes keyPrefix, WatchOptions options) {
    this.store = store;
    this.bucket = bucket;
    this.keyPrefix = keyPrefix;
    this.options = options;
    this.toldUpTo = begin(options.after());
    this.position = toldUpTo;
    store.onClose(storeEnds);
  }

  /** Opens the watch on a server; returns the point that it starts after. */
  private CausalToken begin(Optional<CausalToken> after) {
    Servers.ServerAnswer<Answer> opened =
        store
            .servers()
            .callAt(
                new Call.OpenWatch(
                    bucket,
                    keyPrefix,
                    new WatchOptions(after, options.buffer(), options.hasEffects())));
    Answer.OpenedHandle openedHandle = RemoteValues.as(Answer.OpenedHandle.class, opened.answer());
    RemoteStream begins = new RemoteStream(store, opened.server(), openedHandle.descriptor());
    stream = begins;
    if (isClosed) {
      begins.close();
    }
    return openedHandle.at();
  }

  @Override
  public Optional<Change> poll(Duration longest) throws InterruptedException {
    EndingWatch.checkWait(longest);
    checkUsable();
    long deadlineNanos = System.nanoTime() + longest.toNanos();
    if (buffered.isEmpty()) {
      long left = 0;
      do {
        if (Thread.interrupted()) {
          throw new InterruptedException("the thread was interrupted while it waited for a change");
        }
        left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
        take((int) Math.min(Call.Take.MAX_WAIT_MILLIS, left));
      } while (buffered.isEmpty() && left > 0);
    }
    return Optional.ofNullable(buffered.poll()).map(this::taken);
  }

  /** Requests the next changes, or reopens the watch after the last one received. */
  private void take(int waitMillis) throws InterruptedException {
    if (!isSilent) {
      isSilent = true;
      silentSinceNanos = System.nanoTime();
    }
    RemoteStream from = stream;
    try {
      if (from == null) {
        toldUpTo = begin(Optional.of(toldUpTo));
      } else {
        from.ask(PART_BYTES, waitMillis);
        told(from.take(Answer.Changes.class));
        isSilent = false;
      }
    } catch (WatchOverflowException | SnapshotTruncatedException e) {
      // The watch has ended; further calls report the same.
      throw e;
    } catch (RuntimeException | Error e) {
      checkUsable();
      endStream(e);
      // A limit may be exceeded only until the server has closed watches of broken connections.
      boolean mayPass = passes(e) || (from == null && e instanceof LimitExceededException);
      if (!mayPass || System.nanoTime() - silentSinceNanos >= store.servers().timeout().toNanos()) {
        throw e;
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private static boolean passes(Throwable failure) {
    return failure instanceof RetryException;
  }

  private void told(Answer.Changes answer) {
    buffered.addAll(answer.changes());
    toldUpTo = answer.position();
    if (buffered.isEmpty()) {
      position = toldUpTo;
    }
  }

  private void endStream(Throwable failure) {
    RemoteStream ended = stream;
    stream = null;
    if (ended != null) {
      if (failure instanceof ServerUnavailableException) {
        store.servers().avoid(ended.server());
      }
      ended.close();
    }
  }

  private Change taken(Answer.Change change) {
    position = buffered.isEmpty() ? toldUpTo : change.token();
    List<Key<?>> objects = new ArrayList<>();
    List<CommittedEffect> effects = new ArrayList<>();
    for (Answer.ChangedObject named : change.objects()) {
      Key<?> key = Key.ofId(named.id(), named.type());
      objects.add(key);
      named.effects().forEach(effect -> effects.add(RemoteValues.effect(key, effect)));
    }
    return new Change(new RemoteSnapshot(store, change.seen()), change.token(), objects, effects);
  }

  private void checkUsable() {
    store.checkOpen();
    if (isClosed) {
      throw new IllegalStateException("the watch is closed: begin another after its position");
    }
  }

  @Override
  public CausalToken position() {
    return position;
  }

  @Override
  public Flow.Publisher<Change> publisher() {
    return publisher;
  }

  @Override
  public void onEnd(Runnable ended) {
    listener = ended;
    if (isClosed || store.isClosed()) {
      ended.run();
    }
  }

  private void tellEnd() {
    listener.run();
  }

  @Override
  public void checkOpen() {
    checkUsable();
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      store.removeOnClose(storeEnds);
      RemoteStream open = stream;
      if (open != null) {
        open.close();
      }
      listener.run();
    }
  }
}
