package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Executes object operations for other nodes: user code, identified by the names of types and
 * operations. It runs on a dedicated pool for which nothing else waits; one operation takes at most
 * half of the threads. A call that exceeds the time of a read is answered with an error, although
 * its thread can't be reclaimed. Until the call ends, its operation is refused. Thread-safe.
 */
final class ObjectCalls {
  /** The most calls of one operation that wait for a thread. */
  private static final int MAX_QUEUED = 1_000;

  /** The most bytes of arguments of unanswered calls. */
  private static final long MAX_ARGUMENT_BYTES = 64 << 20;

  private final ObjectTypes types;
  private final Executor threads;
  private final Duration time;
  private final int resultBytes;
  private final LongSupplier nanos;
  private final Map<String, Bulkhead> byOperation = new ConcurrentHashMap<>();
  private final Set<Execution> running = ConcurrentHashMap.newKeySet();
  private final AtomicLong argumentBytes = new AtomicLong();

  /**
   * @param types the types whose operations this node executes
   * @param threads the pool
   * @param time the time after which a call is answered with an error
   * @param resultBytes the maximum size of a result
   * @param nanos a clock
   */
  ObjectCalls(
      ObjectTypes types, Executor threads, Duration time, int resultBytes, LongSupplier nanos) {
    this.types = types;
    this.threads = threads;
    this.time = time;
    this.resultBytes = resultBytes;
    this.nanos = nanos;
  }

  /** Returns the calls of a node with some options. */
  static ObjectCalls of(StoreOptions options, Executor threads) {
    return new ObjectCalls(
        options.objectTypes(),
        threads,
        options.timeouts().read(),
        options.limits().valueBytes(),
        System::nanoTime);
  }

  /** Returns the number of threads that execute calls. */
  static int threads() {
    return Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  }

  /** A call until it has ended. */
  private final class Execution implements Runnable {
    private final NamedQuestion<?> call;
    private final Function<Question<?>, Reply> work;
    private final Consumer<Reply> to;
    private final long startNanos = nanos.getAsLong();
    private final AtomicBoolean isAnswered = new AtomicBoolean();
    private volatile boolean isBegun;

    Execution(NamedQuestion<?> call, Function<Question<?>, Reply> work, Consumer<Reply> to) {
      this.call = call;
      this.work = work;
      this.to = to;
    }

    @Override
    public void run() {
      isBegun = true;
      try {
        if (!isAnswered.get()) {
          answer(limited(work.apply(call)));
        }
      } catch (Throwable e) {
        answer(
            new Reply.Failed(
                new PartitionUnavailableException(
                    "%s has failed on the node that has the object; its log has the reason"
                        .formatted(call))));
        throw e;
      } finally {
        end();
      }
    }

    private Reply limited(Reply reply) {
      long bytes = reply.largeBytes();
      return bytes <= resultBytes
          ? reply
          : new Reply.Failed(
              new LimitExceededException(
                  "the result of %s has %,d bytes, at most %,d are allowed: let it return less, or raise the limit"
                      .formatted(call, bytes, resultBytes)));
    }

    private void answer(Reply reply) {
      if (isAnswered.compareAndSet(false, true)) {
        to.accept(reply);
      }
    }

    private boolean isOverdue() {
      return nanos.getAsLong() - startNanos > time.toNanos();
    }

    private boolean isStuckIn(NamedQuestion<?> other) {
      return isBegun
          && call.type().equals(other.type())
          && call.operation().equals(other.operation())
          && isOverdue();
    }

    private void answerIfOverdue() {
      if (isOverdue()) {
        answer(
            new Reply.Failed(
                new ReadTimeoutException(
                    "%s has not returned on the node that has the object within %s: check its threads cluster-object-..."
                        .formatted(call, DurationWords.of(time)))));
      }
    }

    private void end() {
      if (running.remove(this)) {
        argumentBytes.addAndGet(-call.argument().length());
      }
    }
  }

  /**
   * Executes a call, and always answers it. Does not block.
   *
   * @param work asks the object
   */
  void execute(NamedQuestion<?> call, Function<Question<?>, Reply> work, Consumer<Reply> to) {
    Optional<NamedQuestion<?>> known;
    try {
      known = types.find(call);
    } catch (TypeMismatchException e) {
      refuse(to, e);
      return;
    }
    if (known.isEmpty()) {
      refuse(
          to,
          new TypeMismatchException(
              "the node that has the object does not execute %s, but %s: start all nodes with the same types"
                  .formatted(call, types)));
      return;
    }
    if (running.stream().anyMatch(other -> other.isStuckIn(call))) {
      refuse(
          to,
          new PartitionUnavailableException(
              "%s is refused: an earlier call of it has not returned for more than %s; if it never does, restart the node that has the object"
                  .formatted(call, DurationWords.of(time))));
      return;
    }
    begin(new Execution(known.get(), work, to));
  }

  private void begin(Execution execution) {
    NamedQuestion<?> call = execution.call;
    long bytes = argumentBytes.addAndGet(call.argument().length());
    running.add(execution);
    try {
      if (bytes > MAX_ARGUMENT_BYTES && bytes > call.argument().length()) {
        throw new RejectedExecutionException("%,d bytes of arguments".formatted(bytes));
      }
      byOperation
          .computeIfAbsent(
              call.toString(), name -> new Bulkhead(threads, threads() / 2, MAX_QUEUED))
          .execute(execution);
    } catch (RejectedExecutionException e) {
      execution.end();
      execution.answer(
          new Reply.Failed(
              new PartitionUnavailableException(
                  "too many calls of %s wait: try again later".formatted(call))));
    } catch (Error e) {
      execution.end();
      throw e;
    }
  }

  private static void refuse(Consumer<Reply> to, StablecutException why) {
    to.accept(new Reply.Failed(why));
  }

  /** Answers calls that take too long. */
  void tick() {
    running.forEach(Execution::answerIfOverdue);
  }
}
