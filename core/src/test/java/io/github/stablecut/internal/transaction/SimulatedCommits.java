package io.github.stablecut.internal.transaction;

import static io.github.stablecut.internal.transaction.SimulatedObjects.partitionOf;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.transaction.SimulatedClient.OpenTransaction;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.transaction.routing.CommitDriver;
import io.github.stablecut.internal.transaction.routing.RequestOutcomeQuery;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.Certification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The commits of a {@link Simulation}'s clients, on one partition or several. A session's request
 * whose answer is lost is sent again: unchanged, or, like sessions do, executed again on a newer
 * snapshot, unless it depends on its reads. Confined to one thread.
 */
final class SimulatedCommits {
  static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** How long a client waits for an answer to an inquiry, in steps of others. */
  private static final int INQUIRY_STEPS = 60;

  /** Stands for a commit time that will be reported. */
  private static final long SENT = 0;

  private static final int STEPS_BETWEEN_QUESTIONS = 15;

  /** A commit on one partition whose answer is lost with the partition. */
  private record Pending(
      int number, Partition partition, SimulatedClient client, OpenTransaction running) {}

  /** A commit on several partitions. */
  private record DrivenCommit(
      SimulatedClient client, OpenTransaction running, CompletableFuture<Long> outcome) {}

  /** A request to be sent again. */
  private record Retry(SimulatedClient client, OpenTransaction running) {}

  /** Reports that nothing was sent. */
  private static final class NothingSent extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Random random;
  private final LongSupplier nanos;
  private final SimulatedProcesses processes;
  private final SimulatedProcesses.Transport transport;
  private final SimulatedObjects objects;
  private final SimulatedClients clients;
  private final SimulatedReads reads;

  /** Runs a step of others, while a client waits. */
  private final Runnable others;

  /** Runs actions of clients that wait for nothing here. */
  private final Executor apart;

  /** The commits whose clients do not know the outcome. */
  private final Map<CommitDriver, DrivenCommit> drivers = new LinkedHashMap<>();

  private final List<Pending> pending = new ArrayList<>();
  private final List<Retry> retries = new ArrayList<>();
  private Optional<RuntimeException> unexpected = Optional.empty();
  private long attempts;
  private boolean isSettling;

  SimulatedCommits(
      Random random,
      LongSupplier nanos,
      Context context,
      SimulatedClients clients,
      SimulatedReads reads) {
    this.random = random;
    this.nanos = nanos;
    this.processes = context.processes;
    this.transport = context.transport;
    this.objects = context.objects;
    this.others = context.others;
    this.apart = context.apart;
    this.clients = clients;
    this.reads = reads;
  }

  /**
   * The destinations of commits.
   *
   * @param others runs a step of other clients
   * @param apart runs an action that may have to wait for others
   */
  record Context(
      SimulatedProcesses processes,
      SimulatedProcesses.Transport transport,
      SimulatedObjects objects,
      Runnable others,
      Executor apart) {}

  /** Commits a transaction, in one of several ways. */
  void commit(SimulatedClient client, OpenTransaction running) {
    if (!isOpen(running.seen) || processes.clock(client.home).isEmpty()) {
      ended(client, running, null, new NothingSent());
      return;
    }
    try {
      objects.decide(running.seen);
      running.parts = objects.parts(running.seen, running.seen.snapshot);
    } catch (ReopenException e) {
      ended(client, running, null, new NothingSent());
      return;
    } catch (RuntimeException e) {
      ended(client, running, null, e);
      return;
    }
    send(client, running);
    if (random.nextInt(4) == 0) {
      // As if the commit took longer than a transaction may.
      running.claim.end();
    }
  }

  /** Whether all partitions that a transaction writes or certifies are up. */
  private boolean isOpen(SimulatedTransaction transaction) {
    return SimulatedObjects.touched(transaction).stream()
        .allMatch(object -> processes.get(partitionOf(object)).isPresent());
  }

  /** Sends a commit, for the first time or again. */
  @SuppressWarnings("FutureReturnValueIgnored") // the outcome itself is in drivers
  private void send(SimulatedClient client, OpenTransaction running) {
    if (processes.clock(client.home).isEmpty()) {
      ended(client, running, null, new NothingSent());
      return;
    }
    if (running.parts.size() == 1) {
      commitOnOne(client, running, running.parts.entrySet().iterator().next());
      return;
    }
    CommitDriver driver =
        new CommitDriver(
            (partition, message) -> transport.send(client.home, partition, message),
            running.parts,
            ++attempts,
            running.request,
            nanos,
            TIMEOUT.toNanos());
    CompletableFuture<Long> outcome = driver.start();
    drivers.put(driver, new DrivenCommit(client, running, outcome));
    outcome.whenCompleteAsync(
        (time, failure) -> {
          drivers.remove(driver);
          ended(client, running, time, failure);
        },
        processes.completions(client.home));
  }

  private void commitOnOne(
      SimulatedClient client,
      OpenTransaction running,
      Map.Entry<Integer, CommitRequest.Part> part) {
    Optional<Partition> open = processes.get(part.getKey());
    Optional<HybridClock> clock = processes.clock(client.home);
    if (open.isEmpty() || clock.isEmpty()) {
      ended(client, running, null, new NothingSent());
      return;
    }
    Partition partition = open.get();
    processes.observe(part.getKey(), clock.get().issued());
    try {
      CompletionStage<VectorClock> stage =
          partition.commitAsync(
              CommitRequest.of(part.getValue(), TransactionMetadata.of(running.request)),
              processes.completions(processes.processOf(part.getKey())));
      pending.add(new Pending(part.getKey(), partition, client, running));
      FireAndForget.whenDone(
          stage,
          (vector, failure) ->
              ended(client, running, vector == null ? null : seen(running, vector), failure));
    } catch (RuntimeException e) {
      ended(client, running, null, e);
    }
  }

  /** The time of a commit, at whose vector the client has to see it. */
  private Long seen(OpenTransaction running, VectorClock commit) {
    long time = processes.local().timeIn(commit);
    boolean isSeen =
        running.seen.attempts.stream()
            .anyMatch(attempt -> processes.local().with(attempt, time).isAtOrBefore(commit));
    if (!isSeen) {
      unexpected =
          Optional.of(new IllegalStateException(running.seen + " is not seen at " + commit));
    }
    return time;
  }

  /** Clients of lost partitions get no answer. */
  void noticeLost() {
    for (Pending one : List.copyOf(pending)) {
      if (one.running.seen.outcome != Outcome.OPEN) {
        pending.remove(one);
      } else if (!processes.isServed(one.number, one.partition)) {
        pending.remove(one);
        ended(one.client, one.running, null, new OutcomeUnknownException("the answer is lost"));
      }
    }
  }

  private void ended(
      SimulatedClient client,
      OpenTransaction running,
      @Nullable Long time,
      @Nullable Throwable failure) {
    SimulatedTransaction transaction = running.seen;
    if (transaction.outcome != Outcome.OPEN) {
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof RuntimeException thrown) {
      recordUnexpected(thrown);
    }
    boolean isUnknown =
        cause instanceof OutcomeUnknownException || cause instanceof ReopenException;
    if (time != null) {
      clients.acknowledge(client, transaction, time);
    } else if (isUnknown && running.request.isPresent() && !isSettling) {
      running.wasLost = true;
      retries.add(new Retry(client, running));
      return;
    } else {
      transaction.outcome = isUnknown || running.wasLost ? Outcome.UNKNOWN : Outcome.FAILED;
      transaction.isRefusedByType = cause instanceof TypeMismatchException;
    }
    client.end();
    if (transaction.outcome == Outcome.ACKNOWLEDGED && random.nextBoolean()) {
      // Some partitions have not heard another's decision yet.
      SimulatedClient reader = clients.any();
      int object = List.copyOf(transaction.writes).get(transaction.writes.size() - 1);
      apart.execute(() -> reads.begin(reader, object));
    }
  }

  /**
   * An exception that is neither an injected fault nor a documented refusal is an error of the
   * store.
   */
  private void recordUnexpected(RuntimeException thrown) {
    boolean isInWords =
        thrown instanceof StablecutException && !(thrown instanceof UnexpectedFailureException);
    if (!isInWords && !(thrown instanceof NothingSent) && !SimulatedFaults.isInjected(thrown)) {
      unexpected = Optional.of(thrown);
    }
  }

  /** Throws the unexpected exceptions that clients received. */
  void check() {
    unexpected.ifPresent(
        thrown -> {
          throw thrown;
        });
  }

  /** Whether requests are to be sent again. */
  boolean hasRetries() {
    return !retries.isEmpty();
  }

  /** Resends the requests whose answers were lost. */
  void retry() {
    List<Retry> due = List.copyOf(retries);
    retries.clear();
    for (Retry retry : due) {
      if (retry.running.seen.outcome == Outcome.OPEN) {
        boolean isSame =
            isSettling
                || retry.running.seen.certification != Certification.NONE
                || !retry.running.seen.resets.isEmpty();
        if (isSame) {
          send(retry.client, retry.running);
        } else if (!repeat(retry.client, retry.running)) {
          retries.add(retry);
        }
      }
    }
  }

  /**
   * Executes a request again, as a session does.
   *
   * @return whether it was executed; otherwise it has to be retried
   */
  private boolean repeat(SimulatedClient client, OpenTransaction running) {
    Optional<ActiveSnapshots.Registration> claim = clients.claim(client);
    if (claim.isEmpty()) {
      return false;
    }
    running.claim.end();
    running.claim = claim.get();
    VectorClock snapshot = claim.get().snapshot();
    running.seen.attempts.add(snapshot);
    try {
      for (int object : running.seen.takes) {
        if (processes
            .ask(partitionOf(object), open -> objects.read(open, object, snapshot))
            .isEmpty()) {
          return false;
        }
      }
      long time =
          EmbeddedSession.once(
              () -> {
                running.parts = objects.parts(running.seen, snapshot);
                send(client, running);
                return SENT;
              },
              () -> inquire(client, running));
      if (time != SENT) {
        ended(client, running, time, null);
      }
      return true;
    } catch (OperationRefusedException e) {
      // It was not executed, and never will be.
      running.wasLost = false;
      ended(client, running, null, e);
      return true;
    } catch (SessionExpiredException e) {
      ended(client, running, null, e);
      return true;
    } catch (OutcomeUnknownException e) {
      return false;
    } catch (RuntimeException e) {
      processes.expect(e);
      return false;
    }
  }

  /** Asks whether a request was executed, and waits for the answer. */
  private Optional<Long> inquire(SimulatedClient client, OpenTransaction running) {
    RequestOutcomeQuery inquiry =
        new RequestOutcomeQuery(
            (partition, message) -> transport.send(client.home, partition, message),
            CommitDriver.coordinator(new TreeMap<>(running.parts)),
            ++attempts,
            running.request.orElseThrow());
    for (int step = 0; step < INQUIRY_STEPS && !inquiry.isAnswered(); step++) {
      if (step % STEPS_BETWEEN_QUESTIONS == 0) {
        inquiry.send();
      }
      others.run();
    }
    return inquiry.ask(0);
  }

  /** A process that has ended takes its drivers with it. */
  void forget(int process) {
    new LinkedHashMap<>(drivers)
        .forEach(
            (driver, driven) -> {
              if (driven.client.home == process) {
                driver.close();
                drivers.remove(driver);
                FireAndForget.whenDone(
                    driven.outcome,
                    (time, failure) -> ended(driven.client, driven.running, time, failure));
              }
            });
  }

  void tick() {
    List.copyOf(drivers.keySet()).forEach(driver -> driver.tick(nanos.getAsLong()));
  }

  /** Stops sending requests for the first time. */
  void settle() {
    isSettling = true;
  }

  boolean areOver() {
    return drivers.isEmpty() && retries.isEmpty();
  }
}
