package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * Executes a connection's requests one at a time and answers them in order. A commit that waits for
 * its sync does not delay later, independent commits. Stops reading while many requests wait, and
 * executing while the client does not take its answers. Thread-safe.
 */
public final class Session {
  private static final Logger LOG = Log.of(Session.class);
  private static final LogLimit UNANSWERED = new LogLimit();
  private static final int MAX_WAITING = 128;
  private static final long MAX_WAITING_BYTES = 1 << 20;

  /** Larger requests take too long for the reading thread. */
  private static final long MAX_AT_ONCE_BYTES = 4 << 10;

  /** Requests executed in a row before other connections get the thread. */
  private static final int BATCH = 32;

  private final Service service;
  private final Peer peer;
  private final Client client;
  private final InFlightCommits inFlight = new InFlightCommits();
  private final Answers answers;

  /** Allocated early: when they are needed, the heap may be exhausted. */
  private final Runnable answerOnReader = this::answerCommitsOnReader;

  private final Runnable answerOnWorker = this::answerCommitsOnWorker;

  /** Whether sending an answer failed, which closes the connection. */
  private volatile boolean hasFailed;

  @GuardedBy("this")
  private final Deque<ReceivedRequest> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private long waitingBytes;

  /** Whether a request is executing or in flight, or a thread will execute the next one. */
  @GuardedBy("this")
  private boolean isBusy;

  /** Whether the peer reads. Written under the lock. */
  private volatile boolean isReading = true;

  /** Whether a call executes, or its answer waits to be sent. */
  private volatile boolean isExecuting;

  /** The time at which the executing call was started, by the service's clock. */
  private volatile long startedNanos;

  /** Whether requests are no longer accepted, and the last answer closes the connection. */
  @GuardedBy("this")
  private boolean isEnding;

  /** Whether requests that arrive from now on are refused. */
  @GuardedBy("this")
  private boolean isRefusing;

  /** Requests answered at once since {@link #rested}. Used by the reading thread only. */
  private int answeredAtOnce;

  Session(Service service, Peer peer) {
    this.service = service;
    this.peer = peer;
    this.client = new Client(peer::origin);
    this.answers = new Answers(service, peer);
  }

  /**
   * Handles a received frame. If no other request waits, answers from memory at once, on the
   * caller's thread.
   *
   * @param frame the frame without its length
   * @param release called once the request has executed
   */
  public void received(Deque<byte[]> frame, Runnable release) {
    long bytes = 0;
    for (byte[] chunk : frame) {
      bytes += chunk.length;
    }
    LargeRequests.Admission admission = service.large().of(bytes);
    boolean refuses;
    synchronized (this) {
      refuses = isRefusing;
    }
    ReceivedRequest request =
        new ReceivedRequest(
            () -> refuses ? Work.stopping(service, frame) : Work.of(service, frame, admission),
            bytes,
            service.clock().nanos(),
            () -> {
              admission.release();
              release.run();
            });
    boolean isAlone;
    Optional<InFlightCommits.Entry> entry;
    synchronized (this) {
      if (isEnding) {
        release.run();
        return;
      }
      boolean isNext = waiting.isEmpty() && mayBeginAtOnce(request);
      isAlone = isNext && !isBusy;
      entry = isNext && isBusy ? inFlight.addIfInFlight() : Optional.empty();
      if (isAlone) {
        isBusy = true;
      } else if (entry.isEmpty()) {
        enqueue(request);
      }
    }
    if (isAlone) {
      guarded(request, () -> tryAtOnce(request, request.work().get()));
    } else if (entry.isPresent()) {
      guarded(request, () -> tryFollow(request, request.work().get(), entry.get()));
    } else {
      proceed();
    }
  }

  /** Returns whether the reading thread may execute a request that is next. */
  private boolean mayBeginAtOnce(ReceivedRequest request) {
    return request.bytes() <= MAX_AT_ONCE_BYTES
        && answeredAtOnce < BATCH
        && peer.isWritable()
        // Another thread's earlier answer may not have reached the reading thread yet.
        && peer.mayReaderSend();
  }

  @GuardedBy("this")
  private void enqueue(ReceivedRequest request) {
    waiting.add(request);
    waitingBytes += request.bytes();
    if (waiting.size() >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) {
      setReading(false);
    }
  }

  /** Handles the end of a read: other connections get the reading thread now. */
  public void rested() {
    answeredAtOnce = 0;
  }

  private void tryAtOnce(ReceivedRequest request, Work<?> work) {
    if (answerAtOnce(request, work)) {
      answeredAtOnce++;
    } else if (tryStart(request, work)) {
      return;
    } else {
      putBack(request, work);
    }
    resume();
  }

  /** Returns a request to the head of the queue. */
  private synchronized void putBack(ReceivedRequest request, Work<?> work) {
    waiting.addFirst(request.with(work));
    waitingBytes += request.bytes();
  }

  /** Starts a remote read or a commit, if that needs no wait; its answer is sent later. */
  private <A> boolean tryStart(ReceivedRequest request, Work<A> work) {
    Optional<Work.StartedRequest<A>> started =
        work.start().apply(new Work.Starter(peer.reader(), true, writes -> true));
    if (started.isEmpty()) {
      return false;
    }
    answeredAtOnce++;
    startedNanos = service.clock().nanos();
    isExecuting = work.replies().needsKeepAlive();
    if (started.get().writes().isPresent()) {
      answerWhenCommitted(request, work, started.get(), inFlight.add());
    } else {
      answerWhenRead(request, work, started.get());
    }
    return true;
  }

  private <A> void answerWhenRead(
      ReceivedRequest request, Work<A> work, Work.StartedRequest<A> started) {
    Thread reading = Thread.currentThread();
    FireAndForget.whenDone(
        started.answer(),
        (answer, failure) ->
            guarded(
                request,
                () -> {
                  if (failure != null) {
                    isExecuting = false;
                    putBack(request, work);
                    resume();
                  } else if (Thread.currentThread() == reading) {
                    answered(request, work, answer);
                  } else {
                    // Sending may wait for memory.
                    service
                        .executor()
                        .execute(() -> guarded(request, () -> answered(request, work, answer)));
                  }
                }));
  }

  private <A> void answered(ReceivedRequest request, Work<A> work, A answer) {
    answer(request, work.kind(), work.replies(), answer);
    resume();
  }

  /**
   * Starts a commit behind those in flight, if it is independent of them; otherwise puts the
   * request back.
   */
  @CanIgnoreReturnValue
  private <A> boolean tryFollow(
      ReceivedRequest request, Work<A> work, InFlightCommits.Entry entry) {
    Optional<Work.StartedRequest<A>> started;
    try {
      started = work.start().apply(new Work.Starter(peer.reader(), false, inFlight::isIndependent));
    } catch (RuntimeException | Error e) {
      inFlight.remove(entry);
      throw e;
    }
    if (started.isPresent()) {
      answeredAtOnce++;
      answerWhenCommitted(request, work, started.get(), entry);
      return true;
    }
    putBack(request, work);
    if (inFlight.remove(entry)) {
      resume();
    }
    return false;
  }

  private <A> void answerWhenCommitted(
      ReceivedRequest request,
      Work<A> work,
      Work.StartedRequest<A> started,
      InFlightCommits.Entry entry) {
    Thread reading = Thread.currentThread();
    CompletableFuture<A> answer = started.answer();
    started
        .writes()
        .ifPresent(
            writes ->
                inFlight.started(
                    entry,
                    writes,
                    work.replies().needsKeepAlive(),
                    () -> answerUnlessFailed(request, work, answer)));
    FireAndForget.whenDone(
        answer,
        (done, failure) -> {
          // Before anything that needs memory.
          inFlight.completed(entry);
          guarded(Thread.currentThread() == reading ? answerOnReader : answerOnWorker);
        });
  }

  /** Sends an answer, unless an earlier one failed. */
  private <A> void answerUnlessFailed(
      ReceivedRequest request, Work<A> work, CompletableFuture<A> answer) {
    if (hasFailed) {
      request.release().run();
    } else {
      guarded(request, () -> answer(request, work.kind(), work.replies(), answer.join()));
    }
  }

  /** On the reading thread: sends answers unless another thread's is still in transit. */
  private void answerCommitsOnReader() {
    answerCommitted(peer::mayReaderSend, this::resumeOnReader);
    if (inFlight.isDue()) {
      answerCommitsOnWorker();
    }
  }

  /** On any thread: sends answers on a worker, since sending may wait for memory. */
  private void answerCommitsOnWorker() {
    service.executor().execute(() -> guarded(() -> answerCommitted(() -> true, this::resume)));
  }

  /**
   * Sends the answers of completed commits, up to the first incomplete one.
   *
   * @param maySend whether this thread may send now
   * @param whenIdle runs once no commit is in flight
   */
  private void answerCommitted(BooleanSupplier maySend, Runnable whenIdle) {
    for (Runnable next = inFlight.next(maySend); next != null; next = inFlight.next(maySend)) {
      next.run();
      startedNanos = service.clock().nanos();
      if (inFlight.answered()) {
        whenIdle.run();
        return;
      }
    }
  }

  /** On the reading thread: answers or starts waiting requests, as far as that needs no wait. */
  private void resumeOnReader() {
    answeredAtOnce = 0;
    for (Optional<ReceivedRequest> next = takeAtOnce(); next.isPresent(); next = takeAtOnce()) {
      ReceivedRequest request = next.get();
      Work<?> work = work(request);
      if (answerAtOnce(request, work)) {
        answeredAtOnce++;
      } else if (tryStart(request, work)) {
        followWaiting();
        return;
      } else {
        putBack(request, work);
        break;
      }
    }
    resume();
  }

  /** Starts waiting commits behind those in flight, up to the first that must wait. */
  private void followWaiting() {
    boolean isFollowed = true;
    while (isFollowed) {
      ReceivedRequest next;
      Optional<InFlightCommits.Entry> entry;
      synchronized (this) {
        ReceivedRequest first = waiting.peek();
        entry =
            first != null && mayBeginAtOnce(first) ? inFlight.addIfInFlight() : Optional.empty();
        if (entry.isEmpty()) {
          return;
        }
        next = take();
      }
      isFollowed = tryFollow(next, work(next), entry.get());
    }
  }

  private static Work<?> work(ReceivedRequest request) {
    try {
      return request.work().get();
    } catch (RuntimeException | Error e) {
      request.release().run();
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
    if (!isEnding && waiting.size() <= MAX_WAITING / 2 && waitingBytes <= MAX_WAITING_BYTES / 2) {
      setReading(true);
    }
    return next;
  }

  private <A> boolean answerAtOnce(ReceivedRequest request, Work<A> work) {
    Optional<A> found = work.atOnce().get();
    found.ifPresent(answer -> answer(request, work.kind(), work.replies(), answer));
    return found.isPresent();
  }

  /** Returns whether more requests are accepted; when that resumes, the peer continues to read. */
  public boolean isTaking() {
    return isReading;
  }

  @GuardedBy("this")
  private void setReading(boolean isEnabled) {
    if (isReading != isEnabled) {
      isReading = isEnabled;
      peer.read(isEnabled);
    }
  }

  /** Executes the waiting requests, unless a thread does so or the client takes no answers. */
  public void proceed() {
    synchronized (this) {
      if (isBusy || waiting.isEmpty() || !peer.isWritable()) {
        return;
      }
      isBusy = true;
    }
    guarded(() -> service.executor().execute(this::run));
  }

  /** Executes a batch; a failure disconnects the client, which would wait forever otherwise. */
  private void run() {
    guarded(this::runBatch);
  }

  /** Like {@link #guarded(Runnable)}, and releases the request on failure. */
  private void guarded(ReceivedRequest request, Runnable step) {
    guarded(
        () -> {
          try {
            step.run();
          } catch (RuntimeException | Error e) {
            request.release().run();
            throw e;
          }
        });
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      hasFailed = true;
      isExecuting = false;
      client.answered();
      // Disconnect before logging: without memory, logging may fail.
      try {
        disconnected();
      } finally {
        peer.close();
      }
      UNANSWERED.ifAdmitted(
          more -> LOG.error("closed a connection whose requests can't be answered{}", more, e));
    }
  }

  private void runBatch() {
    for (int i = 0; i < BATCH; i++) {
      ReceivedRequest next;
      synchronized (this) {
        if (waiting.isEmpty() || !peer.isWritable()) {
          pause();
          return;
        }
        next = take();
      }
      if (!executeNext(next)) {
        return;
      }
    }
    service.executor().execute(this::run);
  }

  /** Like {@link #execute}, and releases the request on failure. */
  private boolean executeNext(ReceivedRequest next) {
    try {
      return execute(next, next.work().get());
    } catch (RuntimeException | Error e) {
      next.release().run();
      throw e;
    }
  }

  @GuardedBy("this")
  private void pause() {
    isBusy = false;
    if (isEnding && waiting.isEmpty()) {
      peer.close();
    }
  }

  /** Executes a request; returns whether it has been answered, rather than will be later. */
  private <A> boolean execute(ReceivedRequest request, Work<A> work) {
    startedNanos = service.clock().nanos();
    isExecuting = work.replies().needsKeepAlive();
    CompletableFuture<A> answer = work.execution().apply(client);
    if (!answer.isDone()) {
      FireAndForget.whenDone(
          answer,
          (late, failure) ->
              guarded(
                  request,
                  () -> {
                    if (failure != null) {
                      throw new IllegalStateException("a request has no answer", failure);
                    }
                    answer(request, work.kind(), work.replies(), late);
                    resume();
                  }));
      return false;
    }
    try {
      answer(request, work.kind(), work.replies(), answer.join());
    } catch (RuntimeException | Error e) {
      Optional<A> instead = work.replies().unsent(e);
      if (instead.isEmpty()) {
        throw e;
      }
      answers.tell(request, RequestKind.INVALID, work.replies(), instead.get());
    }
    return true;
  }

  /**
   * Sends a keep-alive if a call has been executing for some time.
   *
   * @param atLeastNanos the shortest execution time for which it is sent
   */
  public void sayAlive(long atLeastNanos) {
    boolean isAwaited = isExecuting || inFlight.needsKeepAlive();
    if (isAwaited && service.clock().nanos() - startedNanos >= atLeastNanos && peer.isWritable()) {
      peer.send(0, () -> CallFrame.write(CallFrame.ALIVE, Bytes.EMPTY));
    }
  }

  private void resume() {
    synchronized (this) {
      if (waiting.isEmpty()) {
        pause();
        return;
      }
    }
    service.executor().execute(this::run);
  }

  /** Sends an answer. While it waits for memory, the client still gets keep-alives. */
  private <A> void answer(ReceivedRequest request, RequestKind kind, Replies<A> replies, A answer) {
    request.release().run();
    try {
      answers.tell(request, kind, replies, answer);
    } finally {
      isExecuting = false;
      client.answered();
    }
  }

  /**
   * Answers the requests received so far, then sends an error and closes: the rest of the stream
   * can't be decoded.
   *
   * @param message the error
   */
  public void fail(ErrorCode code, String message) {
    synchronized (this) {
      if (isEnding) {
        return;
      }
      isEnding = true;
      setReading(false);
      waiting.add(
          new ReceivedRequest(
              () -> Work.refused(service, code, message), 0, service.clock().nanos(), () -> {}));
    }
    proceed();
  }

  /**
   * Answers the requests received so far, and refuses later ones: the server is stopping. A client
   * whose request is refused knows that it was not executed, unlike one whose connection is closed.
   */
  public synchronized void refuse() {
    isRefusing = true;
  }

  /** Accepts no more requests, answers the received ones, and closes. */
  public void finish() {
    synchronized (this) {
      isEnding = true;
      setReading(false);
      if (!isBusy && waiting.isEmpty()) {
        peer.close();
      }
    }
  }

  /** Handles the loss of the connection: drops the waiting requests. */
  public void disconnected() {
    client.gone(service.clock().nanos());
    Deque<ReceivedRequest> dropped;
    synchronized (this) {
      isEnding = true;
      dropped = new ArrayDeque<>(waiting);
      waiting.clear();
      waitingBytes = 0;
    }
    dropped.forEach(request -> request.release().run());
  }

  /** Returns whether the client has no outstanding request. */
  public synchronized boolean isIdle() {
    return !isBusy && waiting.isEmpty();
  }
}
