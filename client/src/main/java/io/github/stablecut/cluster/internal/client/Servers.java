package io.github.stablecut.cluster.internal.client;

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
 * The servers of a store, which are nodes of one cluster, or one server: those that the user has
 * named, and those that they name. A call goes to the one that has its objects, if that is one, and
 * all others to the same one as long as it answers and can reach the partitions asked for.
 * Thread-safe.
 */
final class Servers {
  private static final long PAUSE_MILLIS = 50;

  /**
   * A server says so often that it executes a call that two of these are missing if it is frozen or
   * can't be reached.
   */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private static final ThreadFactory THREADS = task -> Threads.daemon("stablecut-node", task);

  private final List<ServerPool> named;
  private final Function<InetSocketAddress, ServerPool> connector;
  private final Duration timeout;

  /** At most as long. */
  private final Duration shortest;

  /** All that there ever were, by their addresses. */
  @GuardedBy("this")
  private final Map<InetSocketAddress, ServerPool> known = new LinkedHashMap<>();

  private final ServerRefusals refusals = new ServerRefusals(System::nanoTime);

  /** Those that have not answered when they were asked last. */
  private final Set<ServerPool> away = ConcurrentHashMap.newKeySet();

  /** Those that have answered that they are of the same store. */
  private final Set<ServerPool> met = ConcurrentHashMap.newKeySet();

  /** Those that are just being asked whether they are. */
  private final Set<ServerPool> tried = ConcurrentHashMap.newKeySet();

  private final ExecutorService triers = Executors.newCachedThreadPool(THREADS);
  private final Refresher refresher = new Refresher(this::refresh, Refresher.INTERVAL);
  private final ReachedPoint reached = new ReachedPoint();

  /** Which store it is, as a server has said; empty before. */
  private volatile OptionalLong storeId = OptionalLong.empty();

  private volatile Layout layout;
  private volatile ServerPool current;

  /**
   * What is known of the servers. Immutable.
   *
   * @param isKnown whether one of them has said it; otherwise they are those that are named
   * @param usable the named ones, and then others that have answered
   * @param isCluster whether they are nodes of one cluster, also those that it does not name
   */
  private record Layout(
      boolean isKnown, List<ServerPool> usable, boolean isCluster, Owners owners) {}

  /**
   * @param named where the user says that servers are, at least one
   * @param connector makes the connections to another
   * @param timeout how long a call that may be repeated is, while no server can be reached
   */
  Servers(
      List<InetSocketAddress> named,
      Function<InetSocketAddress, ServerPool> connector,
      Duration timeout) {
    this(named, connector, timeout, SILENCE);
  }

  /**
   * @param silence how long a server may be silent if another one can be asked
   */
  Servers(
      List<InetSocketAddress> named,
      Function<InetSocketAddress, ServerPool> connector,
      Duration timeout,
      Duration silence) {
    this.connector = connector;
    this.timeout = timeout;
    this.shortest = timeout.compareTo(silence) < 0 ? timeout : silence;
    List<ServerPool> pools = new ArrayList<>();
    for (InetSocketAddress address : named) {
      pools.add(known.computeIfAbsent(address, connector));
    }
    this.named = pools.stream().distinct().toList();
    this.layout = new Layout(false, this.named, false, Owners.UNKNOWN);
    this.current = this.named.get(0);
  }

  /** Begins to ask who has which objects. */
  void start() {
    refresher.start();
  }

  Duration timeout() {
    return timeout;
  }

  /** One that does not answer is not asked first any more. */
  void avoid(ServerPool silent) {
    boolean unused = away.add(silent);
    refresher.soon();
    if (current == silent) {
      turnFrom(silent);
    }
  }

  /**
   * A server has refused something. If that may be because it is cut off from those that have the
   * objects, others are asked for a while: also instead of the one that is asked first, who has
   * named it and may be cut off with it.
   */
  void refused(ServerPool server, StablecutException refusal) {
    if (ServerRefusals.mayBeOfCutOff(refusal)) {
      refusals.refused(server);
      refresher.soon();
      turnFrom(server);
    }
  }

  /** A server has read or written objects. */
  void served(ServerPool server) {
    refusals.served(server);
  }

  /**
   * Another one that is not away is asked first from now on who has which objects, and for what
   * nobody is known to have.
   */
  private void turnFrom(ServerPool server) {
    List<ServerPool> all = layout.usable;
    int index = all.indexOf(current);
    List<ServerPool> next =
        IntStream.rangeClosed(1, all.size())
            .mapToObj(i -> all.get((index + i) % all.size()))
            .toList();
    List<ServerPool> there =
        next.stream().filter(other -> other != server && !away.contains(other)).toList();
    current = refusals.best(there).orElse(next.get(0));
  }

  /** The one to ask first. */
  private ServerPool first(Call call) {
    return layout
        .owners
        .of(call.objects())
        .filter(owner -> !away.contains(owner) && !refusals.hasRefusedLately(owner))
        .orElseGet(() -> current);
  }

  /**
   * Makes a call at a server that answers. One that may be repeated is made at each of them, if it
   * has to be.
   *
   * @throws ServerUnavailableException if none answers
   * @throws OutcomeUnknownException if it commits and its answer was lost
   */
  Answer call(Call call) {
    return callAt(call).answer;
  }

  /** An answer, and who gave it. */
  record At<A>(ServerPool server, A answer) {}

  /** As {@link #call}. */
  At<Answer> callAt(Call call) {
    return callAt(call, new AtomicBoolean());
  }

  /**
   * As {@link #call}.
   *
   * @param isSent becomes true when somebody may have executed it whose answer was lost
   */
  private At<Answer> callAt(Call call, AtomicBoolean isSent) {
    int attempts = layout.usable.size() + (call.isRepeatable() ? 1 : 0);
    while (true) {
      attempts--;
      ServerPool server = first(call);
      CallConnection connection;
      try {
        connection = server.take(silence(server, call));
      } catch (ServerUnavailableException e) {
        // Whoever can't be reached was not asked.
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
        return new At<>(server, answer);
      } catch (ServerUnavailableException e) {
        isSent.set(true);
        avoid(server);
        if (attempts <= 0 || !call.isRepeatable()) {
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
   * Tells a server what is still needed of what it keeps.
   *
   * @return what it does not keep, or not any more
   * @throws ServerUnavailableException if it does not answer
   */
  List<Bytes> renew(ServerPool server, List<Bytes> descriptors) {
    Answer answer = callOf(server, new Call.Renew(descriptors));
    return RemoteValues.as(Answer.Renewed.class, answer).unknown();
  }

  /**
   * Makes a call about something that a server keeps.
   *
   * @throws ServerUnavailableException if it does not answer
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
   * How long a server may be silent before it is asked for something that may be asked elsewhere,
   * too: that waits for nobody who is frozen or cut off, another node finds out whether that one is
   * lost.
   */
  Duration silence(ServerPool server) {
    boolean isElsewhere =
        layout.usable.stream().anyMatch(other -> other != server && !away.contains(other));
    return isElsewhere ? shortest : timeout;
  }

  /** Who has which objects is asked again and again, and each time of whoever can be. */
  private Duration silence(ServerPool server, Call call) {
    return call == Call.Plain.LAYOUT ? shortest : silence(server);
  }

  /** Whether a server has not answered when it was asked last. */
  boolean isAway(ServerPool server) {
    return away.contains(server);
  }

  /** Makes a call that sees what other nodes have acknowledged to this client before. */
  private Answer callAfter(ServerPool server, CallConnection connection, Call call) {
    Duration silence = call.isRepeatable() ? silence(server, call) : timeout;
    Optional<CausalToken> missing =
        call.isOfPresent() && mayLackSome() ? reached.missing(server) : Optional.empty();
    Answer answer =
        server.call(
            connection,
            missing.<Call>map(point -> new Call.After(point, call)).orElse(call),
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

  /** Takes note of what a server has acknowledged. */
  void saw(ServerPool server, Answer answer) {
    answer.reached().ifPresent(point -> saw(server, point));
  }

  /** Takes note of a point that a server has come to, also if it is not known as a node yet. */
  void saw(ServerPool server, CausalToken point) {
    reached.add(server, point);
  }

  /**
   * Repeats a call until a server answers, for as long as a server may be silent. Once an answer
   * was lost, no refusal says that the call was not executed: the server whose answer was lost may
   * execute it. An interrupt does not end the repetition; its flag stays set.
   *
   * @throws OutcomeUnknownException if no server answers in time, or one refuses the call after an
   *     answer was lost; it may have been executed
   */
  Answer callUntilAnswered(Call call) {
    AtomicBoolean isSent = new AtomicBoolean();
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return callAt(call, isSent).answer;
        } catch (ServerUnavailableException e) {
          checkBefore(deadline, e);
        } catch (OutcomeUnknownException e) {
          isSent.set(true);
          checkBefore(deadline, e);
        } catch (RetryException e) {
          if (!isSent.get()) {
            throw e;
          }
          checkBefore(deadline, e);
        } catch (StablecutException e) {
          throw isSent.get() && !(e instanceof StoreClosedException) ? outcomeUnknown(e) : e;
        }
        try {
          Thread.sleep(PAUSE_MILLIS);
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

  private static void checkBefore(long deadline, StablecutException failure) {
    if (System.nanoTime() - deadline >= 0) {
      throw outcomeUnknown(failure);
    }
  }

  private static OutcomeUnknownException outcomeUnknown(StablecutException failure) {
    return new OutcomeUnknownException(
        failure.getMessage()
            + "; nobody knows whether the request was executed: make it again with the same"
            + " number, which executes it if it was not");
  }

  /**
   * Asks who has which objects now, and has those tried that were away, or are new. What another
   * server names is used only once a server of the same store has answered there.
   *
   * @return whether that may change
   */
  private boolean refresh() {
    List<ServerPool> before = layout.usable;
    Stream.concat(named.stream(), before.stream()).filter(away::contains).forEach(this::tryOut);
    Answer.Layout told;
    try {
      told = RemoteValues.as(Answer.Layout.class, call(Call.Plain.LAYOUT));
    } catch (StablecutException e) {
      // Whoever calls next finds out.
      return true;
    }
    if (!storeId.equals(OptionalLong.of(told.storeId()))) {
      storeId = OptionalLong.of(told.storeId());
      met.clear();
    }
    List<Optional<ServerPool>> servers = new ArrayList<>();
    for (String address : told.servers()) {
      servers.add(ServerAddresses.parse(address).map(this::pool));
    }
    List<ServerPool> all = new ArrayList<>(named);
    for (Optional<ServerPool> server : servers) {
      if (server.isPresent() && !all.contains(server.get()) && isOfStore(server.get())) {
        all.add(server.get());
      }
    }
    for (ServerPool server : before) {
      if (!all.contains(server) && isStillThere(server)) {
        all.add(server);
      }
    }
    Owners owners =
        new Owners(
            told.routing(),
            told.owners().stream()
                .map(
                    owner ->
                        owner < 0
                            ? Optional.<ServerPool>empty()
                            : servers.get(owner).filter(all::contains))
                .toList());
    layout = new Layout(true, List.copyOf(all), !told.owners().isEmpty(), owners);
    return all.size() > 1 || !told.owners().isEmpty();
  }

  /**
   * Whether a server that was learned of, and is not named any more, still answers as one of the
   * store: who does not name it may be cut off from it. It is asked again each time.
   */
  private boolean isStillThere(ServerPool server) {
    boolean wasThere = met.contains(server) && !away.contains(server);
    if (wasThere) {
      tryOut(server);
    }
    return wasThere;
  }

  private synchronized ServerPool pool(InetSocketAddress address) {
    return known.computeIfAbsent(address, connector);
  }

  /** Whether a server has answered that is of the same store; if not, it is asked meanwhile. */
  private boolean isOfStore(ServerPool server) {
    if (!away.contains(server) && met.contains(server)) {
      return true;
    }
    tryOut(server);
    return false;
  }

  /** Asks a server whether it is of the same store, on a thread of its own: it may be silent. */
  private void tryOut(ServerPool server) {
    if (tried.add(server)) {
      try {
        triers.execute(() -> ask(server));
      } catch (RuntimeException | Error e) {
        // It is closed, or there is no thread now: it is tried again.
        boolean unused = tried.remove(server);
      }
    }
  }

  private void ask(ServerPool server) {
    try {
      Answer answer = server.call(server.take(shortest), Call.Plain.LAYOUT, shortest);
      long said = RemoteValues.as(Answer.Layout.class, answer).storeId();
      if (storeId.isEmpty() || storeId.getAsLong() == said) {
        boolean isNew = met.add(server);
        if (away.remove(server) || isNew) {
          refresher.soon();
        }
      } else {
        boolean unused = met.remove(server);
      }
    } catch (StablecutException e) {
      boolean unused = away.add(server);
      if (current == server) {
        turnFrom(server);
      }
    } finally {
      boolean unused = tried.remove(server);
    }
  }

  void close() {
    refresher.close();
    var unused = triers.shutdownNow();
    closeAll();
  }

  private synchronized void closeAll() {
    known.values().forEach(ServerPool::close);
  }
}
