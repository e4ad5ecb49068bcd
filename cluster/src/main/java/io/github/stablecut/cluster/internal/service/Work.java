package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.CausalToken;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.cluster.internal.service.handle.Failures;
import io.github.stablecut.cluster.internal.service.handle.ProtocolCallException;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A request of AntidoteDB's protocol or a call, as a session executes it. Immutable.
 *
 * @param atOnce answers from memory, if that suffices
 * @param start starts the execution, if that needs no wait
 * @param execution executes the request; the future never fails
 * @param <A> the type of answers
 */
record Work<A>(
    RequestKind kind,
    Replies<A> replies,
    Supplier<Optional<A>> atOnce,
    Function<Starter, Optional<StartedRequest<A>>> start,
    Function<Client, CompletableFuture<A>> execution) {
  /**
   * Starts reads of other nodes and commits, where permitted.
   *
   * @param reader the thread that read the request, which completes the answer of a commit
   * @param mayRead whether a read of another node may start
   * @param mayWrite whether a commit with these writes may start
   */
  record Starter(Executor reader, boolean mayRead, Predicate<PartitionWrites> mayWrite) {
    /**
     * Starts a read of another node, if permitted.
     *
     * @param ask sends the request, if that needs no wait
     */
    <A> Optional<StartedRequest<A>> read(Supplier<Optional<CompletableFuture<A>>> ask) {
      return mayRead
          ? ask.get().map(answer -> new StartedRequest<>(answer, Optional.empty()))
          : Optional.empty();
    }

    /**
     * Begins a commit as {@link EmbeddedStore#updateAtOnce} does, if permitted.
     *
     * @param updates at least one
     * @param answer converts the commit's outcome to the answer
     */
    <A> Optional<StartedRequest<A>> commit(
        EmbeddedStore store,
        Optional<CausalToken> after,
        Certification certification,
        Update[] updates,
        Function<CompletionStage<CausalToken>, CompletionStage<A>> answer) {
      PartitionWrites writes = PartitionWrites.of(store, updates);
      if (!mayWrite.test(writes)) {
        return Optional.empty();
      }
      return store
          .updateAtOnce(after, certification, reader, updates)
          .map(
              stage ->
                  new StartedRequest<>(
                      answer.apply(stage).toCompletableFuture(), Optional.of(writes)));
    }
  }

  /**
   * A started request: a read of another node or a commit.
   *
   * @param answer a read that fails is executed again, as it has changed nothing
   * @param writes what the commit writes; empty for a read
   */
  record StartedRequest<A>(CompletableFuture<A> answer, Optional<PartitionWrites> writes) {}

  /**
   * Decodes a frame.
   *
   * @param frame the frame without its length; consumed
   * @param admission acquired before decoding, and released by the caller
   */
  static Work<?> of(Service service, Deque<byte[]> frame, LargeRequests.Admission admission) {
    boolean isCall = CallFrame.isCall(frame);
    try {
      admission.acquire();
    } catch (BusyException e) {
      return refusedUnread(service, isCall, e);
    }
    return isCall ? ofCall(service, frame) : ofRequest(service, frame);
  }

  /** Returns work that refuses a request because the server is stopping. */
  static Work<?> stopping(Service service, Deque<byte[]> frame) {
    return refusedUnread(
        service,
        CallFrame.isCall(frame),
        new StoreClosedException(
            "the server is stopping, and has not executed the request: send it to another server,"
                + " or again when this one is back"));
  }

  private static Work<?> refusedUnread(Service service, boolean isCall, RuntimeException reason) {
    return isCall
        ? refused(RequestKind.REFUSED, CallHandler.REPLIES, CallErrors.answer(reason))
        : refused(RequestKind.REFUSED, service.handler().replies(), Failures.answer(reason));
  }

  private static Work<?> ofRequest(Service service, Deque<byte[]> frame) {
    Request request;
    try {
      request = RequestCodec.read(frame);
    } catch (RuntimeException | Error e) {
      return refused(service.handler().replies(), Failures.answer(e));
    }
    return new Work<>(
        RequestKind.of(request),
        service.handler().replies(),
        () -> service.handler().answerAtOnce(request),
        starter -> service.handler().begin(request, starter),
        client -> service.handler().handle(request, client));
  }

  private static Work<?> ofCall(Service service, Deque<byte[]> frame) {
    Call call;
    try {
      Bytes joined = CallFrame.join(frame);
      int version = CallFrame.version(joined);
      if (version != CallFrame.VERSION) {
        return refusedCall(
            "the client's messages have version %d, and this server supports version %d: use a client of the server's version"
                .formatted(version, CallFrame.VERSION));
      }
      call = CallCodec.decodeFrame(joined);
    } catch (LimitExceededException e) {
      return refused(CallHandler.REPLIES, CallErrors.answer(e));
    } catch (RuntimeException e) {
      return refusedCall(
          "the call can't be decoded: %s: use a client of the server's version"
              .formatted(e.getMessage()));
    } catch (Error e) {
      return refused(CallHandler.REPLIES, CallErrors.answer(e));
    }
    return new Work<>(
        RequestKind.of(call),
        CallHandler.REPLIES,
        () -> service.calls().answerAtOnce(call),
        starter -> service.calls().begin(call, starter),
        client -> service.calls().handle(call, client));
  }

  private static Work<Answer> refusedCall(String message) {
    return refused(CallHandler.REPLIES, CallErrors.answer(new ProtocolCallException(message)));
  }

  /** Returns work that answers an undecodable request with an error. */
  static Work<Response> refused(Service service, ErrorCode code, String message) {
    return refused(service.handler().replies(), new Response.Failed(code, message));
  }

  private static <A> Work<A> refused(Replies<A> replies, A answer) {
    return refused(RequestKind.INVALID, replies, answer);
  }

  private static <A> Work<A> refused(RequestKind kind, Replies<A> replies, A answer) {
    return new Work<>(
        kind,
        replies,
        Optional::empty,
        starter -> Optional.empty(),
        client -> CompletableFuture.completedFuture(answer));
  }
}
