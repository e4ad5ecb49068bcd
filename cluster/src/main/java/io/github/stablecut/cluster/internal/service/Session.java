package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * A connection's requests: executed one after the other, answered in their order. A commit that
 * waits for its sync does not keep a later one waiting that has nothing to do with it. Stops
 * reading while many wait, and executing while the client doesn't take its answers. Thread-safe.
 */
public final class Session {
  private static final Logger LOG = Log.of(Session.class);
  private static final LogLimit UNANSWERED = new LogLimit();
  private static final int MAX_WAITING = 128;
  private static final long MAX_WAITING_BYTES = 1 << 20;

  /** Larger requests take too long to be answered at once. */
  private static final long MAX_AT_ONCE_BYTES = 4 << 10;

  /** After so many requests in one go other connections have their turn. */
  private static final int TURN = 32;

  private final Service service;
  private final Peer peer;
  private final Client client;
  private final InFlightCommits underWay = new InFlightCommits();
  private final Answers answers;

  /** Made before they are needed: there may be no memory then. */
  private final Runnable answersReading = this::answerReading;

  private final Runnable answersElsewhere = this::answerElsewhere;

  /** Whether an answer could not be given, and the connection is closed. */
  private volatile boolean hasFailed;

  @GuardedBy("this")
  private final Deque<ReceivedRequest> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private long waitingBytes;

  /** Whether a request is being executed, under way, or will be without anybody asking. */
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

  Session(Service service, Peer peer) {
    this.service = service;
    this.peer = peer;
    this.client = new Client(peer::origin);
    this.answers = new Answers(service, peer);
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
    LargeRequests.Admission admission = service.large().of(bytes);
    ReceivedRequest arrived =
        new ReceivedRequest(
            () -> Work.of(service, frame, admission),
            bytes,
            service.clock().nanos(),
            () -> {
              admission.end();
              release.run();
            });
    boolean isAlone;
    Optional<InFlightCommits.Place> behind;
    synchronized (this) {
      if (ending) {
        release.run();
        return;
      }
      boolean isNext = waiting.isEmpty() && mayBeginAtOnce(arrived);
      isAlone = isNext && !busy;
      behind = isNext && busy ? underWay.follow() : Optional.empty();
      if (isAlone) {
        busy = true;
      } else if (behind.isEmpty()) {
        enqueue(arrived);
      }
    }
    if (isAlone) {
      guarded(arrived, () -> tryAtOnce(arrived, arrived.work().get()));
    } else if (behind.isPresent()) {
      guarded(
          arrived,
          () -> {
            boolean unused = follow(arrived, arrived.work().get(), behind.get());
          });
    } else {
      proceed();
    }
  }

  /** Whether the reading thread may have something done if nothing comes before it. */
  private boolean mayBeginAtOnce(ReceivedRequest arrived) {
    return arrived.bytes() <= MAX_AT_ONCE_BYTES
        && atOnce < TURN
        && peer.isWritable()
        // An answer of another thread may still be on its way, which comes first.
        && peer.mayReaderSend();
  }

  @GuardedBy("this")
  private void enqueue(ReceivedRequest arrived) {
    waiting.add(arrived);
    waitingBytes += arrived.bytes();
    if (waiting.size() >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) {
      setReading(false);
    }
  }

  /** The connection has been read empty: others have had their turn. */
  public void rested() {
    atOnce = 0;
  }

  private void tryAtOnce(ReceivedRequest arrived, Work<?> work) {
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
  private synchronized void putBack(ReceivedRequest arrived, Work<?> work) {
    waiting.addFirst(arrived.with(work));
    waitingBytes += arrived.bytes();
  }

  /** Begins what gives the answer later, if that can be done without a wait. */
  private <A> boolean isBegun(ReceivedRequest arrived, Work<A> work) {
    Optional<Work.Begun<A>> begun =
        work.begun().apply(new Work.Beginning(peer.reader(), true, written -> true));
    if (begun.isEmpty()) {
      return false;
    }
    atOnce++;
    callNanos = service.clock().nanos();
    isCalled = work.replies().saysAlive();
    if (begun.get().written().isPresent()) {
      answerWhenCommitted(arrived, work, begun.get(), underWay.add());
    } else {
      answerWhenRead(arrived, work, begun.get());
    }
    return true;
  }

  private <A> void answerWhenRead(ReceivedRequest arrived, Work<A> work, Work.Begun<A> begun) {
    Thread reading = Thread.currentThread();
    var unused =
        begun
            .answer()
            .whenComplete(
                (answer, failure) ->
                    guarded(
                        arrived,
                        () -> {
                          if (failure != null) {
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
  }

  private <A> void answered(ReceivedRequest arrived, Work<A> work, A answer) {
    answer(arrived, work.kind(), work.replies(), answer);
    goOn();
  }

  /** Begins a commit behind others that are under way, if it has nothing to do with them. */
  private <A> boolean follow(ReceivedRequest arrived, Work<A> work, InFlightCommits.Place place) {
    Optional<Work.Begun<A>> begun;
    try {
      begun = work.begun().apply(new Work.Beginning(peer.reader(), false, underWay::isIndependent));
    } catch (RuntimeException | Error e) {
      boolean unused = underWay.remove(place);
      throw e;
    }
    if (begun.isPresent()) {
      atOnce++;
      answerWhenCommitted(arrived, work, begun.get(), place);
      return true;
    }
    putBack(arrived, work);
    if (underWay.remove(place)) {
      goOn();
    }
    return false;
  }

  private <A> void answerWhenCommitted(
      ReceivedRequest arrived, Work<A> work, Work.Begun<A> begun, InFlightCommits.Place place) {
    Thread reading = Thread.currentThread();
    CompletableFuture<A> answer = begun.answer();
    begun
        .written()
        .ifPresent(
            written ->
                underWay.begun(
                    place,
                    written,
                    work.replies().saysAlive(),
                    () -> giveUnlessFailed(arrived, work, answer)));
    var unused =
        answer.whenComplete(
            (done, failure) -> {
              // Without memory, too.
              underWay.done(place);
              guarded(Thread.currentThread() == reading ? answersReading : answersElsewhere);
            });
  }

  /** Behind an answer that could not be given there is none. */
  private <A> void giveUnlessFailed(
      ReceivedRequest arrived, Work<A> work, CompletableFuture<A> answer) {
    if (hasFailed) {
      arrived.release().run();
    } else {
      guarded(arrived, () -> answer(arrived, work.kind(), work.replies(), answer.join()));
    }
  }

  /** On the thread that reads: unless an answer of another thread is still on its way. */
  private void answerReading() {
    answerCommitted(peer::mayReaderSend, this::goOnReading);
    if (underWay.isDue()) {
      answerElsewhere();
    }
  }

  /** On any thread: it may have to wait for room. */
  private void answerElsewhere() {
    service.executor().execute(() -> guarded(() -> answerCommitted(() -> true, this::goOn)));
  }

  /**
   * Gives the answers that are there, up to the first one that is not.
   *
   * @param may whether this thread may give one now
   * @param goingOn goes on when nothing is under way any more
   */
  private void answerCommitted(BooleanSupplier may, Runnable goingOn) {
    for (Runnable next = underWay.next(may); next != null; next = underWay.next(may)) {
      next.run();
      callNanos = service.clock().nanos();
      if (underWay.answered()) {
        goingOn.run();
        return;
      }
    }
  }

  /** On the thread that reads: what waits is answered or begun at once, as far as that can be. */
  private void goOnReading() {
    atOnce = 0;
    for (Optional<ReceivedRequest> next = takeAtOnce(); next.isPresent(); next = takeAtOnce()) {
      ReceivedRequest arrived = next.get();
      Work<?> work = known(arrived);
      if (answerAtOnce(arrived, work)) {
        atOnce++;
      } else if (isBegun(arrived, work)) {
        followWaiting();
        return;
      } else {
        putBack(arrived, work);
        break;
      }
    }
    goOn();
  }

  /** What waits follows what is under way, up to the first request that can't. */
  private void followWaiting() {
    boolean isFollowed = true;
    while (isFollowed) {
      ReceivedRequest next;
      Optional<InFlightCommits.Place> behind;
      synchronized (this) {
        ReceivedRequest first = waiting.peek();
        behind = first != null && mayBeginAtOnce(first) ? underWay.follow() : Optional.empty();
        if (behind.isEmpty()) {
          return;
        }
        next = take();
      }
      isFollowed = follow(next, known(next), behind.get());
    }
  }

  private static Work<?> known(ReceivedRequest arrived) {
    try {
      return arrived.work().get();
    } catch (RuntimeException | Error e) {
      arrived.release().run();
      throw e;
    }
  }

  private synchronized Optional<ReceivedRequest> takeAtOnce() {
    ReceivedRequest first = waiting.peek();
    return first != null && mayBeginAtOnce(first) ? Optional.of(take()) : Optional.empty();
  }

  @GuardedBy("this")
  private ReceivedRequest take() {
    ReceivedRequest next = waiting.remove();
    waitingBytes -= next.bytes();
    if (!ending && waiting.size() <= MAX_WAITING / 2 && waitingBytes <= MAX_WAITING_BYTES / 2) {
      setReading(true);
    }
    return next;
  }

  private <A> boolean answerAtOnce(ReceivedRequest arrived, Work<A> work) {
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
  private void guarded(ReceivedRequest arrived, Runnable step) {
    guarded(
        () -> {
          try {
            step.run();
          } catch (RuntimeException | Error e) {
            arrived.release().run();
            throw e;
          }
        });
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      hasFailed = true;
      isCalled = false;
      client.answered();
      // First what the client waits for: without memory there may be no message.
      try {
        disconnected();
      } finally {
        peer.close();
      }
      UNANSWERED.ifAdmitted(
          more ->
              LOG.error(
                  "a connection is closed, because its requests can't be answered{}", more, e));
    }
  }

  private void takeTurn() {
    for (int i = 0; i < TURN; i++) {
      ReceivedRequest next;
      synchronized (this) {
        if (waiting.isEmpty() || !peer.isWritable()) {
          pause();
          return;
        }
        next = take();
      }
      if (!isAnswered(next)) {
        return;
      }
    }
    service.executor().execute(this::run);
  }

  /** Executes a request. */
  private boolean isAnswered(ReceivedRequest next) {
    try {
      return execute(next, next.work().get());
    } catch (RuntimeException | Error e) {
      next.release().run();
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
  private <A> boolean execute(ReceivedRequest arrived, Work<A> work) {
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
      answers.tell(arrived, RequestKind.INVALID, work.replies(), instead.get());
    }
    return true;
  }

  /** Says that a call is still being executed, if one is that has begun some time ago. */
  public void sayAlive(long atLeastNanos) {
    boolean isAwaited = isCalled || underWay.saysAlive();
    if (isAwaited && service.clock().nanos() - callNanos >= atLeastNanos && peer.isWritable()) {
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
  private <A> void answer(ReceivedRequest arrived, RequestKind kind, Replies<A> replies, A answer) {
    arrived.release().run();
    try {
      answers.tell(arrived, kind, replies, answer);
    } finally {
      isCalled = false;
      client.answered();
    }
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
          new ReceivedRequest(
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
    client.gone(service.clock().nanos());
    Deque<ReceivedRequest> dropped;
    synchronized (this) {
      ending = true;
      dropped = new ArrayDeque<>(waiting);
      waiting.clear();
      waitingBytes = 0;
    }
    dropped.forEach(arrived -> arrived.release().run());
  }

  /** Whether the client has no request open. */
  public synchronized boolean isIdle() {
    return !busy && waiting.isEmpty();
  }
}
