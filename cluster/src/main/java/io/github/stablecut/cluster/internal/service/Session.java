package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's requests: executed one after the other, answered in their order. Stops reading
 * while many wait, and executing while the client doesn't take its answers. Thread-safe.
 */
public final class Session {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);
  private static final int MAX_WAITING = 128;
  private static final long MAX_WAITING_BYTES = 1 << 20;

  /** Larger requests take too long to be answered at once. */
  private static final long MAX_AT_ONCE_BYTES = 4 << 10;

  /** After so many requests in one go other connections have their turn. */
  private static final int TURN = 32;

  private final Service service;
  private final Peer peer;
  private final Client client = new Client();

  @GuardedBy("this")
  private final Deque<Arrived> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private long waitingBytes;

  /** Whether a request is being executed, or will be without anybody asking. */
  @GuardedBy("this")
  private boolean busy;

  /** Written under the lock. */
  private volatile boolean reading = true;

  /** Whether a call is being executed, or its answer waits for room. */
  private volatile boolean isCalled;

  /** When the call was begun that is being executed. */
  private volatile long callNanos;

  /** Whether no more requests are taken, and the connection closes after the last answer. */
  @GuardedBy("this")
  private boolean ending;

  /** How many were answered at once since {@link #rested}. Used by the reading thread only. */
  private int atOnce;

  /**
   * What has come.
   *
   * @param work finds out what it asks for
   * @param release gives back the memory that it claims, once
   */
  private record Arrived(Supplier<Work<?>> work, long bytes, long atNanos, Runnable release) {
    Arrived {
      AtomicBoolean isReleased = new AtomicBoolean();
      Runnable once = release;
      release =
          () -> {
            if (isReleased.compareAndSet(false, true)) {
              once.run();
            }
          };
    }
  }

  Session(Service service, Peer peer) {
    this.service = service;
    this.peer = peer;
  }

  /**
   * A frame has come. What can be answered from memory is answered at once, on the caller's thread,
   * if nothing else waits.
   *
   * @param frame without its length
   * @param release called once it is executed
   */
  public void received(Deque<byte[]> frame, Runnable release) {
    long bytes = 0;
    for (byte[] chunk : frame) {
      bytes += chunk.length;
    }
    Arrived arrived =
        new Arrived(() -> Work.of(service, frame), bytes, service.clock().nanos(), release);
    boolean isAlone = true;
    synchronized (this) {
      if (ending) {
        release.run();
        return;
      }
      if (bytes <= MAX_AT_ONCE_BYTES
          && atOnce < TURN
          && !busy
          && waiting.isEmpty()
          // An answer of another thread may still be on its way, which comes first.
          && peer.hasSentAll()) {
        busy = true;
      } else {
        enqueue(arrived);
        isAlone = false;
      }
    }
    if (isAlone) {
      guarded(arrived, () -> tryAtOnce(arrived, arrived.work.get()));
    } else {
      proceed();
    }
  }

  @GuardedBy("this")
  private void enqueue(Arrived arrived) {
    waiting.add(arrived);
    waitingBytes += arrived.bytes;
    if (waiting.size() >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) {
      setReading(false);
    }
  }

  /** The connection has been read empty: others have had their turn. */
  public void rested() {
    atOnce = 0;
  }

  private void tryAtOnce(Arrived arrived, Work<?> work) {
    if (answerAtOnce(arrived, work)) {
      atOnce++;
    } else if (isBegun(arrived, work)) {
      return;
    } else {
      putBack(arrived, work);
    }
    goOn();
  }

  /** It is executed next. */
  private synchronized void putBack(Arrived arrived, Work<?> work) {
    waiting.addFirst(new Arrived(() -> work, arrived.bytes, arrived.atNanos, arrived.release));
    waitingBytes += arrived.bytes;
  }

  /** Begins what gives the answer later, if that can be done without a wait. */
  private <A> boolean isBegun(Arrived arrived, Work<A> work) {
    Optional<Work.Begun<A>> begun = work.begun().apply(peer.reader());
    if (begun.isEmpty()) {
      return false;
    }
    atOnce++;
    Thread reading = Thread.currentThread();
    callNanos = service.clock().nanos();
    isCalled = work.replies().saysAlive();
    var unused =
        begun
            .get()
            .answer()
            .whenComplete(
                (answer, failure) ->
                    guarded(
                        arrived,
                        () -> {
                          if (failure != null && !begun.get().isRepeatable()) {
                            throw new IllegalStateException("a request has no answer", failure);
                          } else if (failure != null) {
                            isCalled = false;
                            putBack(arrived, work);
                            goOn();
                          } else if (Thread.currentThread() == reading) {
                            answered(arrived, work, answer);
                          } else {
                            // It may have to wait for room.
                            service
                                .executor()
                                .execute(
                                    () -> guarded(arrived, () -> answered(arrived, work, answer)));
                          }
                        }));
    return true;
  }

  private <A> void answered(Arrived arrived, Work<A> work, A answer) {
    answer(arrived, work.kind(), work.replies(), answer);
    goOn();
  }

  private <A> boolean answerAtOnce(Arrived arrived, Work<A> work) {
    Optional<A> known = work.atOnce().get();
    known.ifPresent(answer -> answer(arrived, work.kind(), work.replies(), answer));
    return known.isPresent();
  }

  /** Whether more requests are wanted; once they are again, the peer is told to read. */
  public boolean isTaking() {
    return reading;
  }

  @GuardedBy("this")
  private void setReading(boolean wanted) {
    if (reading != wanted) {
      reading = wanted;
      peer.read(wanted);
    }
  }

  /** Executes what waits, if nobody does and the client takes its answers. */
  public void proceed() {
    synchronized (this) {
      if (busy || waiting.isEmpty() || !peer.isWritable()) {
        return;
      }
      busy = true;
    }
    guarded(() -> service.executor().execute(this::run));
  }

  /** Whatever is thrown, nobody waits for ever: who gets no answer is disconnected. */
  private void run() {
    guarded(this::takeTurn);
  }

  /** As {@link #guarded(Runnable)}, for a request, which is not executed any more then. */
  private void guarded(Arrived arrived, Runnable step) {
    guarded(
        () -> {
          try {
            step.run();
          } catch (RuntimeException | Error e) {
            arrived.release.run();
            throw e;
          }
        });
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      isCalled = false;
      client.answered();
      LOG.error("a connection is closed, because its requests can't be answered", e);
      disconnected();
      peer.close();
    }
  }

  private void takeTurn() {
    for (int i = 0; i < TURN; i++) {
      Arrived next;
      synchronized (this) {
        if (waiting.isEmpty() || !peer.isWritable()) {
          pause();
          return;
        }
        next = waiting.remove();
        waitingBytes -= next.bytes;
        if (!ending && waiting.size() <= MAX_WAITING / 2 && waitingBytes <= MAX_WAITING_BYTES / 2) {
          setReading(true);
        }
      }
      if (!isAnswered(next)) {
        return;
      }
    }
    service.executor().execute(this::run);
  }

  /** Executes a request. */
  private boolean isAnswered(Arrived next) {
    try {
      return execute(next, next.work.get());
    } catch (RuntimeException | Error e) {
      next.release.run();
      throw e;
    }
  }

  @GuardedBy("this")
  private void pause() {
    busy = false;
    if (ending && waiting.isEmpty()) {
      peer.close();
    }
  }

  /** Executes a request; returns whether it is answered already. */
  private <A> boolean execute(Arrived arrived, Work<A> work) {
    callNanos = service.clock().nanos();
    isCalled = work.replies().saysAlive();
    CompletableFuture<A> answer = work.execution().apply(client);
    if (!answer.isDone()) {
      var unused =
          answer.whenComplete(
              (late, failure) ->
                  guarded(
                      arrived,
                      () -> {
                        if (failure != null) {
                          throw new IllegalStateException("a request has no answer", failure);
                        }
                        answer(arrived, work.kind(), work.replies(), late);
                        goOn();
                      }));
      return false;
    }
    try {
      answer(arrived, work.kind(), work.replies(), answer.join());
    } catch (RuntimeException | Error e) {
      Optional<A> instead = work.replies().unsent(e);
      if (instead.isEmpty()) {
        throw e;
      }
      tell(arrived, RequestKind.INVALID, work.replies(), instead.get());
    }
    return true;
  }

  /** Says that a call is still being executed, if one is that has begun some time ago. */
  public void sayAlive(long atLeastNanos) {
    if (isCalled && service.clock().nanos() - callNanos >= atLeastNanos && peer.isWritable()) {
      boolean unused = peer.send(0, () -> CallFrame.write(CallFrame.ALIVE, Bytes.EMPTY));
    }
  }

  private void goOn() {
    synchronized (this) {
      if (waiting.isEmpty()) {
        pause();
        return;
      }
    }
    service.executor().execute(this::run);
  }

  /** Until the answer has room the client hears that the server is alive, and perhaps once more. */
  private <A> void answer(Arrived arrived, RequestKind kind, Replies<A> replies, A answer) {
    arrived.release.run();
    try {
      tell(arrived, kind, replies, answer);
    } finally {
      isCalled = false;
      client.answered();
    }
  }

  private <A> void tell(Arrived arrived, RequestKind kind, Replies<A> replies, A answer) {
    boolean failed = replies.isFailure(answer);
    try {
      if (!send(replies, answer)) {
        failed = true;
        boolean unused = send(replies, replies.untaken(answer));
      }
    } catch (RuntimeException e) {
      Optional<A> refusal = replies.refused(answer, e);
      if (refusal.isEmpty()) {
        throw e;
      }
      failed = true;
      boolean unused = send(replies, refusal.get());
    }
    service.meter().answered(kind, service.clock().nanos() - arrived.atNanos, failed);
  }

  private <A> boolean send(Replies<A> replies, A answer) {
    return peer.send(replies.minBytes(answer), () -> replies.frame(answer));
  }

  /**
   * Answers what has come so far, then an error, then closes: what comes next can't be understood.
   *
   * @param message what is wrong
   */
  public void fail(ErrorCode code, String message) {
    synchronized (this) {
      if (ending) {
        return;
      }
      ending = true;
      setReading(false);
      waiting.add(
          new Arrived(
              () -> Work.refused(service, code, message), 0, service.clock().nanos(), () -> {}));
    }
    proceed();
  }

  /** Takes no more requests, answers those that have come, and closes. */
  public void finish() {
    synchronized (this) {
      ending = true;
      setReading(false);
      if (!busy && waiting.isEmpty()) {
        peer.close();
      }
    }
  }

  /** The connection is gone: what waits is not executed any more. */
  public void disconnected() {
    Deque<Arrived> dropped;
    synchronized (this) {
      ending = true;
      dropped = new ArrayDeque<>(waiting);
      waiting.clear();
      waitingBytes = 0;
    }
    dropped.forEach(arrived -> arrived.release.run());
  }

  /** Whether the client has no request open. */
  public synchronized boolean isIdle() {
    return !busy && waiting.isEmpty();
  }
}
