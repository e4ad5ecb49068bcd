package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.antidote.TooLargeException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

  private static final String UNTAKEN_WORDS =
      "clients have not taken the answers that fill the memory that the server allows them: try again, or raise large-request-memory, and -Xmx to four times as much";

  private static final Response UNTAKEN = new Response.Failed(ErrorCode.BUSY, UNTAKEN_WORDS);

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

  /** Whether a call is being executed. */
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
   * @param content a frame without its length, or what it was found to be
   * @param release gives back the memory that it claims
   */
  private record Arrived(Content content, long bytes, long atNanos, Runnable release) {
    Arrived as(Content found) {
      return new Arrived(found, bytes, atNanos, release);
    }
  }

  private sealed interface Content {}

  private record Frame(Deque<byte[]> chunks) implements Content {}

  private record Understood(Request request) implements Content {}

  /** What has an answer without being executed. */
  private record Wrong(Response answer) implements Content {}

  private record Called(Call call) implements Content {}

  /** A call that has an answer without being executed. */
  private record WrongCall(Answer answer) implements Content {}

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
    Arrived arrived = new Arrived(new Frame(frame), bytes, service.clock().nanos(), release);
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
          && peer.isWritable()) {
        busy = true;
      } else {
        enqueue(arrived);
        isAlone = false;
      }
    }
    if (isAlone) {
      guarded(() -> answerAtOnce(arrived, frame));
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

  private void answerAtOnce(Arrived arrived, Deque<byte[]> frame) {
    Content content = understand(frame);
    Optional<Response> known =
        content instanceof Understood understood
            ? service.handler().answerAtOnce(understood.request)
            : Optional.empty();
    if (content instanceof Understood understood && known.isPresent()) {
      atOnce++;
      answer(arrived, RequestKind.of(understood.request), known.get());
    } else {
      synchronized (this) {
        waiting.addFirst(arrived.as(content));
        waitingBytes += arrived.bytes;
      }
    }
    goOn();
  }

  private static Content understand(Deque<byte[]> frame) {
    if (CallFrame.isCall(frame)) {
      return understandCall(CallFrame.join(frame));
    }
    try {
      return new Understood(RequestCodec.read(frame));
    } catch (RuntimeException | Error e) {
      return new Wrong(Failures.answer(e));
    }
  }

  private static Content understandCall(Bytes frame) {
    int version = CallFrame.version(frame);
    if (version != CallFrame.VERSION) {
      return new WrongCall(
          refusal(
              "the client's messages are of version %d, and this server knows version %d: use a client of the server's version"
                  .formatted(version, CallFrame.VERSION)));
    }
    try {
      return new Called(CallCodec.decode(CallFrame.content(frame)));
    } catch (RuntimeException | Error e) {
      return new WrongCall(
          refusal(
              "the call makes no sense: %s: use a client of the server's version"
                  .formatted(e.getMessage())));
    }
  }

  private static Answer refusal(String words) {
    return CallHandler.failed(new ProtocolCallException(words));
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
    service.executor().execute(this::run);
  }

  /** Whatever is thrown, nobody waits for ever: who gets no answer is disconnected. */
  private void run() {
    guarded(this::takeTurn);
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
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
      if (!execute(next)) {
        return;
      }
    }
    service.executor().execute(this::run);
  }

  @GuardedBy("this")
  private void pause() {
    busy = false;
    if (ending && waiting.isEmpty()) {
      peer.close();
    }
  }

  /** Executes a request; returns whether it is answered already. */
  private boolean execute(Arrived arrived) {
    Content content =
        arrived.content instanceof Frame frame ? understand(frame.chunks) : arrived.content;
    if (content instanceof Wrong wrong) {
      answer(arrived, RequestKind.INVALID, wrong.answer);
      return true;
    } else if (content instanceof WrongCall wrong) {
      answer(arrived, RequestKind.INVALID, wrong.answer);
      return true;
    } else if (content instanceof Called called) {
      return executeCall(arrived, called.call);
    }
    try {
      return execute(arrived, ((Understood) content).request);
    } catch (RuntimeException | Error e) {
      answer(arrived, RequestKind.INVALID, Failures.answer(e));
      return true;
    }
  }

  private boolean execute(Arrived arrived, Request request) {
    RequestKind kind = RequestKind.of(request);
    CompletableFuture<Response> response = service.handler().handle(request, client);
    if (response.isDone()) {
      answer(arrived, kind, response.join());
      return true;
    }
    var unused =
        response.thenAccept(
            late ->
                guarded(
                    () -> {
                      answer(arrived, kind, late);
                      goOn();
                    }));
    return false;
  }

  /** Executes a call; returns whether it is answered already. */
  private boolean executeCall(Arrived arrived, Call call) {
    RequestKind kind = RequestKind.of(call);
    callNanos = service.clock().nanos();
    isCalled = true;
    CompletableFuture<Answer> answer = service.calls().handle(call, client);
    if (answer.isDone()) {
      answer(arrived, kind, answer.join());
      return true;
    }
    var unused =
        answer.thenAccept(
            late ->
                guarded(
                    () -> {
                      answer(arrived, kind, late);
                      goOn();
                    }));
    return false;
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

  private void answer(Arrived arrived, RequestKind kind, Response response) {
    arrived.release.run();
    boolean failed = isFailure(response);
    try {
      if (!send(response)) {
        failed = true;
        boolean unused = send(UNTAKEN);
      }
    } catch (TooLargeException e) {
      failed = true;
      boolean unused = send(Failures.answer(e));
    }
    service.meter().answered(kind, service.clock().nanos() - arrived.atNanos, failed);
  }

  private void answer(Arrived arrived, RequestKind kind, Answer answer) {
    isCalled = false;
    arrived.release.run();
    boolean failed = answer instanceof Answer.Failed;
    try {
      if (!send(answer)) {
        failed = true;
        boolean unused = send(CallHandler.failed(new BusyException(UNTAKEN_WORDS)));
      }
    } catch (RuntimeException e) {
      failed = true;
      boolean unused = send(CallHandler.failed(e));
    }
    service.meter().answered(kind, service.clock().nanos() - arrived.atNanos, failed);
  }

  private boolean send(Answer answer) {
    return peer.send(
        answer.minBytes(), () -> CallFrame.write(CallFrame.ANSWER, AnswerCodec.encode(answer)));
  }

  private boolean send(Response response) {
    return peer.send(
        ResponseCodec.minBytes(response),
        () -> ResponseCodec.write(response, service.maxResponseBytes()));
  }

  private static boolean isFailure(Response response) {
    return response instanceof Response.Failed
        || response instanceof Response.NotCommitted
        || response instanceof Response.DataCentreNotCreated
        || response instanceof Response.DataCentresNotConnected
        || response instanceof Response.Refused;
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
              new Wrong(new Response.Failed(code, message)), 0, service.clock().nanos(), () -> {}));
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
