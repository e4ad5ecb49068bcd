package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.thread.Threads;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The servers of a store: one server, or the nodes of a cluster. The user names some; these name
 * the others. A call goes to the owner of its objects if that is known. All other calls go to one
 * current server as long as it answers and reaches the partitions. Thread-safe.
 */
final class Servers {
  private static final long RETRY_PAUSE_MILLIS = 50;

  /**
   * Maximum silence of a server when an alternative exists. A server sends signs of life during a
   * call; this time covers two of them, so a longer silence means that it hangs or is unreachable.
   */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private static final ThreadFactory THREADS = task -> Threads.daemon("stablecut-node", task);

  private final List<ServerPool> named;
  private final Function<InetSocketAddress, ServerPool> connector;
  private final Duration timeout;

  /** The timeout of calls that have an alternative server; at most {@link #timeout}. */
  private final Duration failoverTimeout;

  /** All servers ever heard of, by address. */
  @GuardedBy("this")
  private final Map<InetSocketAddress, ServerPool> known = new LinkedHashMap<>();

  private final ServerRefusals refusals = new ServerRefusals(System::nanoTime);

  /** Servers that did not answer the last call. */
  private final Set<ServerPool> unresponsive = ConcurrentHashMap.newKeySet();

  /** Servers that have confirmed to be of the same store. */
  private final Set<ServerPool> confirmed = ConcurrentHashMap.newKeySet();

  /** Servers that are being probed. */
  private final Set<ServerPool> probing = ConcurrentHashMap.newKeySet();

  private final ExecutorService probers = Executors.newCachedThreadPool(THREADS);
  private final Refresher refresher = new Refresher(this::refresh, Refresher.INTERVAL);
  private final ReachedPoint reached = new ReachedPoint();

  /** The store's id, as a server reported it; empty before. */
  private volatile OptionalLong storeId = OptionalLong.empty();

  private volatile Layout layout;
  private volatile ServerPool current;

  /**
   * The view of the cluster. Immutable.
   *
   * @param isKnown whether a server reported it; otherwise it lists the servers that the user named
   * @param usable the named servers, and then others that have answered
   * @param isCluster whether the servers are nodes of one cluster
   */
  private record Layout(
      boolean isKnown, List<ServerPool> usable, boolean isCluster, Owners owners) {}

  /**
   * @param named the servers that the user named, at least one
   * @param connector creates the pool of another server
   * @param timeout how long a repeatable call is retried while no server can be reached
   */
  Servers(
      List<InetSocketAddress> named,
      Function<InetSocketAddress, ServerPool> connector,
      Duration timeout) {
    this(named, connector, timeout, SILENCE);
  }

  /**
   * @param silence how long a server may be silent if there is an alternative
   */
  Servers(
      List<InetSocketAddress> named,
      Function<InetSocketAddress, ServerPool> connector,
      Duration timeout,
      Duration silence) {
    this.connector = connector;
    this.timeout = timeout;
    this.failoverTimeout = timeout.compareTo(silence) < 0 ? timeout : silence;
    List<ServerPool> pools = new ArrayList<>();
    for (InetSocketAddress address : named) {
      pools.add(known.computeIfAbsent(address, connector));
    }
    this.named = pools.stream().distinct().toList();
    this.layout = new Layout(false, this.named, false, Owners.UNKNOWN);
    this.current = this.named.get(0);
  }

  /** Starts refreshing the partitions' owners. */
  void start() {
    refresher.start();
  }

  Duration timeout() {
    return timeout;
  }

  /** Records that a server does not answer; others are preferred from now on. */
  void avoid(ServerPool server) {
    unresponsive.add(server);
    refresher.soon();
    if (current == server) {
      replaceCurrent(server);
    }
  }

  /**
   * Records a refusal. If the server may be cut off from the partitions' owners, others are
   * preferred for a while. The current server is replaced, too: it named this server and may be cut
   * off with it.
   */
  void refused(ServerPool server, StablecutException refusal) {
    if (ServerRefusals.mayBeOfCutOff(refusal)) {
      refusals.refused(server);
      refresher.soon();
      replaceCurrent(server);
    }
  }

  /** Records that a server has read or written objects. */
  void served(ServerPool server) {
    refusals.served(server);
  }

  /** Makes another reachable server the current one. */
  private void replaceCurrent(ServerPool server) {
    List<ServerPool> all = layout.usable;
    int index = all.indexOf(current);
    List<ServerPool> next =
        IntStream.rangeClosed(1, all.size())
            .mapToObj(i -> all.get((index + i) % all.size()))
            .toList();
    List<ServerPool> nodePools =
        next.stream().filter(other -> other != server && !unresponsive.contains(other)).toList();
    current = refusals.best(nodePools).orElse(next.get(0));
  }

  /** The server to try first. */
  private ServerPool first(Call call) {
    return layout
        .owners
        .of(call.objects())
        .filter(owner -> !unresponsive.contains(owner) && !refusals.hasRefusedLately(owner))
        .orElseGet(() -> current);
  }

  /**
   * Makes a call at a server that answers. A repeatable call is retried at each server if
   * necessary.
   *
   * @throws ServerUnavailableException if no server answers
   * @throws OutcomeUnknownException if the call commits and its answer was lost
   */
  @CanIgnoreReturnValue
  Answer call(Call call) {
    return callAt(call).answer;
  }

  /** An answer and the server that gave it. */
  record ServerAnswer<A>(ServerPool server, A answer) {}

  /** Like {@link #call}; also returns the server. */
  ServerAnswer<Answer> callAt(Call call) {
    return callAt(call, new AtomicBoolean());
  }

  /**
   * Like {@link #call}.
   *
   * @param isSent set to true when a server may have executed the call and its answer was lost
   */
  private ServerAnswer<Answer> callAt(Call call, AtomicBoolean isSent) {
    int attempts = layout.usable.size() + (call.isRepeatable() ? 1 : 0);
    while (true) {
      attempts--;
      ServerPool server = first(call);
      CallConnection connection;
      try {
        connection = server.take(silence(server, call));
      } catch (ServerUnavailableException e) {
        // The call was not sent to an unreachable server.
        avoid(server);
        if (attempts <= 0) {
          throw e;
        }
        continue;
      }
      try {
        Answer answer = callAfter(server, connection, call);
        if (!call.objects().isEmpty()) {
          served(server);
        }
        return new ServerAnswer<>(server, answer);
      } catch (ServerUnavailableException e) {
        if (ServerPool.isUnanswered(e)) {
          isSent.set(true);
        }
        avoid(server);
        if (attempts <= 0 || !mayRepeat(call)) {
          throw e;
        }
      } catch (OutcomeUnknownException e) {
        if (server.isBroken()) {
          avoid(server);
        } else {
          refused(server, e);
        }
        throw e;
      } catch (StablecutException e) {
        refused(server, e);
        throw e;
      }
    }
  }

  /**
   * Whether a call may be sent to another server after {@link ServerUnavailableException}: also an
   * update, which then has changed nothing. A deletion of a range may have deleted some objects.
   */
  private static boolean mayRepeat(Call call) {
    return call.isRepeatable() || call instanceof Call.Write || call instanceof Call.WriteIf;
  }

  /**
   * Renews handles at a server.
   *
   * @return the handles that the server does not know
   * @throws ServerUnavailableException if the server does not answer
   */
  List<Bytes> renew(ServerPool server, List<Bytes> descriptors) {
    Answer answer = callOf(server, new Call.Renew(descriptors));
    return RemoteValues.as(Answer.Renewed.class, answer).unknown();
  }

  /**
   * Makes a call that concerns a handle of one server.
   *
   * @throws ServerUnavailableException if the server does not answer
   */
  Answer callOf(ServerPool server, Call call) {
    try {
      return callAfter(server, server.take(silence(server)), call);
    } catch (ServerUnavailableException e) {
      avoid(server);
      throw e;
    }
  }

  /**
   * Returns the maximum silence of a server. If there is an alternative, callers don't wait for a
   * server that hangs or is cut off: they ask another, which finds out whether that server is lost.
   */
  Duration silence(ServerPool server) {
    boolean isElsewhere =
        layout.usable.stream().anyMatch(other -> other != server && !unresponsive.contains(other));
    return isElsewhere ? failoverTimeout : timeout;
  }

  /** The timeout of a call; refreshes always use the shorter one, because they are repeated. */
  private Duration silence(ServerPool server, Call call) {
    return call == Call.Plain.LAYOUT ? failoverTimeout : silence(server);
  }

  /** Whether a server did not answer the last call. */
  boolean isAway(ServerPool server) {
    return unresponsive.contains(server);
  }

  /** Makes a call that sees what other nodes have acknowledged to this client before. */
  private Answer callAfter(ServerPool server, CallConnection connection, Call call) {
    Duration silence = call.isRepeatable() ? silence(server, call) : timeout;
    Optional<CausalToken> missing =
        call.isOfPresent() && mayLackSome() ? reached.missing(server) : Optional.empty();
    Answer answer =
        server.call(
            connection,
            missing.<Call>map(point -> new Call.AfterPoint(point, call)).orElse(call),
            silence);
    missing.ifPresent(point -> reached.add(server, point));
    saw(server, answer);
    return answer;
  }

  /** Whether a server may lack what others have acknowledged. */
  private boolean mayLackSome() {
    Layout known = layout;
    return known.isKnown ? known.isCluster : named.size() > 1;
  }

  /** Records the point that an answer acknowledges. */
  void saw(ServerPool server, Answer answer) {
    answer.reached().ifPresent(point -> saw(server, point));
  }

  /** Records a point that a server has reached, even if the server is not known as a node yet. */
  void saw(ServerPool server, CausalToken point) {
    reached.add(server, point);
  }

  /**
   * Retries a call until a server answers or the timeout expires. Once an answer was lost, a
   * refusal does not prove that the call was not executed: the server whose answer was lost may
   * execute it. An interrupt does not end the retries; the thread's interrupt flag stays set.
   *
   * @throws OutcomeUnknownException if no server answers in time, or one refuses the call after an
   *     answer was lost; it may have been executed
   */
  Answer callUntilAnswered(Call call) {
    AtomicBoolean isSent = new AtomicBoolean();
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return callAt(call, isSent).answer;
        } catch (ServerUnavailableException e) {
          checkBefore(deadlineNanos, e);
        } catch (OutcomeUnknownException e) {
          isSent.set(true);
          checkBefore(deadlineNanos, e);
        } catch (RetryException e) {
          if (!isSent.get()) {
            throw e;
          }
          checkBefore(deadlineNanos, e);
        } catch (StablecutException e) {
          throw isSent.get() && !(e instanceof StoreClosedException) ? outcomeUnknown(e) : e;
        }
        try {
          Thread.sleep(RETRY_PAUSE_MILLIS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void checkBefore(long deadlineNanos, StablecutException failure) {
    if (System.nanoTime() - deadlineNanos >= 0) {
      throw outcomeUnknown(failure);
    }
  }

  private static OutcomeUnknownException outcomeUnknown(StablecutException failure) {
    return new OutcomeUnknownException(
        failure.getMessage()
            + "; the outcome of the request is unknown: repeat it with the same number, so that it"
            + " is executed at most once");
  }

  /**
   * Refreshes the partitions' owners, and probes servers that are new or were unreachable. A server
   * that another one names is used only after it has confirmed to be of the same store.
   *
   * @return whether the owners may change
   */
  private boolean refresh() {
    List<ServerPool> before = layout.usable;
    Stream.concat(named.stream(), before.stream())
        .filter(unresponsive::contains)
        .forEach(this::probe);
    Answer.PartitionOwners placement;
    try {
      placement = RemoteValues.as(Answer.PartitionOwners.class, call(Call.Plain.LAYOUT));
    } catch (StablecutException e) {
      // The next call reports the failure.
      return true;
    }
    if (!storeId.equals(OptionalLong.of(placement.storeId()))) {
      storeId = OptionalLong.of(placement.storeId());
      confirmed.clear();
    }
    List<Optional<ServerPool>> servers = new ArrayList<>();
    for (String address : placement.servers()) {
      servers.add(ServerAddresses.parse(address).map(this::pool));
    }
    List<ServerPool> all = new ArrayList<>(named);
    for (Optional<ServerPool> server : servers) {
      if (server.isPresent() && !all.contains(server.get()) && isOfStore(server.get())) {
        all.add(server.get());
      }
    }
    for (ServerPool server : before) {
      if (!all.contains(server) && isStillConfirmed(server)) {
        all.add(server);
      }
    }
    Owners owners =
        new Owners(
            placement.routing(),
            placement.owners().stream()
                .map(
                    owner ->
                        owner < 0
                            ? Optional.<ServerPool>empty()
                            : servers.get(owner).filter(all::contains))
                .toList());
    layout = new Layout(true, List.copyOf(all), !placement.owners().isEmpty(), owners);
    return all.size() > 1 || !placement.owners().isEmpty();
  }

  /**
   * Whether a server that is no longer named still answers as one of the store: the server that
   * omits it may be cut off from it. Each call probes it again.
   */
  private boolean isStillConfirmed(ServerPool server) {
    boolean wasConfirmed = confirmed.contains(server) && !unresponsive.contains(server);
    if (wasConfirmed) {
      probe(server);
    }
    return wasConfirmed;
  }

  private synchronized ServerPool pool(InetSocketAddress address) {
    return known.computeIfAbsent(address, connector);
  }

  /** Whether a server has confirmed to be of the same store; otherwise starts a probe. */
  private boolean isOfStore(ServerPool server) {
    if (!unresponsive.contains(server) && confirmed.contains(server)) {
      return true;
    }
    probe(server);
    return false;
  }

  /** Probes whether a server is of the same store, on another thread because it may be silent. */
  private void probe(ServerPool server) {
    if (probing.add(server)) {
      try {
        probers.execute(() -> ask(server));
      } catch (RuntimeException | Error e) {
        // The executor is closed, or no thread can be started: the next refresh retries.
        probing.remove(server);
      }
    }
  }

  private void ask(ServerPool server) {
    try {
      Answer answer = server.call(server.take(failoverTimeout), Call.Plain.LAYOUT, failoverTimeout);
      long said = RemoteValues.as(Answer.PartitionOwners.class, answer).storeId();
      if (storeId.isEmpty() || storeId.getAsLong() == said) {
        boolean isNew = confirmed.add(server);
        if (unresponsive.remove(server) || isNew) {
          refresher.soon();
        }
      } else {
        confirmed.remove(server);
      }
    } catch (StablecutException e) {
      unresponsive.add(server);
      if (current == server) {
        replaceCurrent(server);
      }
    } finally {
      probing.remove(server);
    }
  }

  void close() {
    refresher.close();
    probers.shutdownNow();
    closeAll();
  }

  private synchronized void closeAll() {
    known.values().forEach(ServerPool::close);
  }
}
