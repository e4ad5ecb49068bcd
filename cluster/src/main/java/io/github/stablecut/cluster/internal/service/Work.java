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
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
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
 * @param atOnce gives the answer if it is made of what is in memory
 * @param begun begins what gives the answer later, if that can be done without a wait
 * @param execution gives the answer, which may come later and never fails
 * @param <A> an answer
 */
record Work<A>(
    RequestKind kind,
    Replies<A> replies,
    Supplier<Optional<A>> atOnce,
    Function<Beginning, Optional<Begun<A>>> begun,
    Function<Client, CompletableFuture<A>> execution) {
  /**
   * How something is begun.
   *
   * @param reader the thread that has read the request, which completes the answer of a commit
   * @param mayRead whether a read of another node may be begun
   * @param mayWrite whether a commit may that writes this
   */
  record Beginning(Executor reader, boolean mayRead, Predicate<PartitionWrites> mayWrite) {
    /**
     * Begins a read of another node, if it may be.
     *
     * @param ask asks the other node, if that can be done without a wait
     */
    <A> Optional<Begun<A>> read(Supplier<Optional<CompletableFuture<A>>> ask) {
      return mayRead
          ? ask.get().map(asked -> new Begun<>(asked, Optional.empty()))
          : Optional.empty();
    }

    /**
     * Begins a commit, as {@link EmbeddedStore#updateAtOnce}, if it may be.
     *
     * @param updates at least one
     * @param answer makes the answer of what becomes of the commit
     */
    <A> Optional<Begun<A>> commit(
        EmbeddedStore store,
        Optional<CausalToken> after,
        Certification certification,
        Update[] updates,
        Function<CompletionStage<CausalToken>, CompletionStage<A>> answer) {
      PartitionWrites written = PartitionWrites.of(store, updates);
      if (!mayWrite.test(written)) {
        return Optional.empty();
      }
      return store
          .updateAtOnce(after, certification, reader, updates)
          .map(
              stage ->
                  new Begun<>(answer.apply(stage).toCompletableFuture(), Optional.of(written)));
    }
  }

  /**
   * What is begun: a read of another node, or a commit.
   *
   * @param written by the commit; nothing was done if the answer to anything else fails, which is
   *     executed then
   */
  record Begun<A>(CompletableFuture<A> answer, Optional<PartitionWrites> written) {}

  /**
   * What a frame asks for.
   *
   * @param frame without its length; it is taken apart
   * @param admission begun before that, and ended by the caller
   */
  static Work<?> of(Service service, Deque<byte[]> frame, LargeRequests.Admission admission) {
    boolean isCall = CallFrame.isCall(frame);
    try {
      admission.begin();
    } catch (BusyException e) {
      return isCall
          ? refused(CallHandler.REPLIES, CallErrors.answer(e))
          : refused(service.handler().replies(), Failures.answer(e));
    }
    return isCall ? ofCall(service, frame) : ofRequest(service, frame);
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
        beginning -> service.handler().begin(request, beginning),
        client -> service.handler().handle(request, client));
  }

  private static Work<?> ofCall(Service service, Deque<byte[]> frame) {
    Call call;
    try {
      Bytes whole = CallFrame.join(frame);
      int version = CallFrame.version(whole);
      if (version != CallFrame.VERSION) {
        return refusedCall(
            "the client's messages are of version %d, and this server knows version %d: use a client of the server's version"
                .formatted(version, CallFrame.VERSION));
      }
      call = CallCodec.decodeFrame(whole);
    } catch (LimitExceededException e) {
      return refused(CallHandler.REPLIES, CallErrors.answer(e));
    } catch (RuntimeException e) {
      return refusedCall(
          "the call makes no sense: %s: use a client of the server's version"
              .formatted(e.getMessage()));
    } catch (Error e) {
      return refused(CallHandler.REPLIES, CallErrors.answer(e));
    }
    return new Work<>(
        RequestKind.of(call),
        CallHandler.REPLIES,
        () -> service.calls().answerAtOnce(call),
        beginning -> service.calls().begin(call, beginning),
        client -> service.calls().handle(call, client));
  }

  private static Work<Answer> refusedCall(String words) {
    return refused(CallHandler.REPLIES, CallErrors.answer(new ProtocolCallException(words)));
  }

  /** What is answered to what can't be understood. */
  static Work<Response> refused(Service service, ErrorCode code, String message) {
    return refused(service.handler().replies(), new Response.Failed(code, message));
  }

  private static <A> Work<A> refused(Replies<A> replies, A answer) {
    return new Work<>(
        RequestKind.INVALID,
        replies,
        Optional::empty,
        beginning -> Optional.empty(),
        client -> CompletableFuture.completedFuture(answer));
  }
}
