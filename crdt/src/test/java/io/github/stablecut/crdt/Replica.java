package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Message.Heartbeat;
import io.github.stablecut.crdt.Message.Piece;
import io.github.stablecut.crdt.codec.CrdtCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One data centre with one object: the simplest engine that obeys the rules of transactions,
 * visibility, streams and pruning that types may rely on. Its store is the list of all known
 * pieces; a version is a run and the pieces after it.
 */
class Replica<S, O, E, V> {
  /** Fold in time order, as the store does. */
  static final int IN_TIME_ORDER = 0;

  private static final int MILLIS_SHIFT = 21;

  /** A version that was materialized at a vector, pruned at a frontier, and stored. */
  record Run<S>(VectorClock vector, VectorClock frontier, S state, MemoryPages<S> pages) {
    static <S> Run<S> of(
        CrdtType<S, ?, ?, ?> type, VectorClock vector, VectorClock frontier, MemoryPages<S> pages) {
      return new Run<>(vector, frontier, pages.state(type), pages);
    }
  }

  /** An open transaction. */
  final class OpenTransaction {
    final VectorClock snapshot;

    /** The greatest frontier of the states that the effects were made from. */
    private VectorClock frontier = VectorClock.ZERO;

    private final SelfDots dots = new SelfDots();
    private final List<O> operations = new ArrayList<>();
    private final List<byte[]> effects = new ArrayList<>();

    private OpenTransaction(VectorClock snapshot) {
      this.snapshot = snapshot;
    }

    /** The snapshot with the own effects on top. */
    S state() {
      EffectOrigin origin = EffectOrigin.uncommitted(frontierOf(newestRun(snapshot)));
      S state = stateAt(snapshot, IN_TIME_ORDER);
      for (byte[] effect : effects) {
        state = type.apply(state, CrdtCodec.decodeEffect(type, effect), origin);
      }
      return state;
    }

    Events<O> events() {
      Piece<O> piece = new Piece<>(number, Long.MAX_VALUE, snapshot, frontier, operations, effects);
      return new Events<>(Stream.concat(eventsAt(snapshot).stream(), piece.events()).toList());
    }

    /** Executes an operation, or throws {@link OperationRefusedException}. */
    @CanIgnoreReturnValue
    byte[] execute(O operation) {
      S seen = type.initial();
      if (type.needsState(operation)) {
        seen = state();
        frontier = frontier.join(frontierOf(newestRun(snapshot)));
      }
      OperationContext context = new OperationContext(number, snapshot, dots);
      O sent = CrdtCodec.decodeOperation(type, CrdtCodec.encodeOperation(type, operation));
      assertThat(sent).isEqualTo(operation);
      byte[] effect = CrdtCodec.encodeEffect(type, type.downstream(sent, seen, context));
      operations.add(operation);
      effects.add(effect);
      return effect;
    }

    /** The snapshot includes all of the data centre's commits: a time alone does not show that. */
    private boolean certified() {
      return operations.stream().noneMatch(type::needsCertification)
          || known.stream()
              .filter(piece -> piece.dataCentre() == number)
              .allMatch(piece -> piece.commitVector().isAtOrBefore(snapshot));
    }
  }

  final int number;
  final List<OpenTransaction> open = new ArrayList<>();
  final List<Message<O>> stream = new ArrayList<>();
  private final CrdtType<S, O, E, V> type;
  private final List<Piece<O>> known = new ArrayList<>();
  private final List<Run<S>> runs = new ArrayList<>();
  private final int[] received = new int[World.DATA_CENTRES];
  private final VectorClock[] minDependencies = new VectorClock[World.DATA_CENTRES];

  /** For each data centre, every piece up to its entry is known; some may lack their causes. */
  VectorClock now = VectorClock.ZERO;

  /** At or below the snapshot of every open or future transaction. */
  private VectorClock promised = VectorClock.ZERO;

  Replica(int number, CrdtType<S, O, E, V> type) {
    this.number = number;
    this.type = type;
    runs.add(
        Run.of(type, VectorClock.ZERO, VectorClock.ZERO, MemoryPages.of(type, type.initial())));
    Arrays.fill(minDependencies, VectorClock.ZERO);
  }

  OpenTransaction begin(List<Integer> lags) {
    OpenTransaction transaction = new OpenTransaction(earlier(lags, promised));
    open.add(transaction);
    return transaction;
  }

  /** Commits, or aborts when the type requires certification and a concurrent transaction won. */
  boolean commit(OpenTransaction transaction) {
    open.remove(transaction);
    if (!transaction.certified()) {
      return false;
    }
    Piece<O> piece =
        new Piece<>(
            number,
            tick(),
            transaction.snapshot,
            transaction.frontier,
            List.copyOf(transaction.operations),
            List.copyOf(transaction.effects));
    known.add(piece);
    stream.add(piece);
    return true;
  }

  void heartbeat() {
    long time = tick();
    promised = minDependency();
    stream.add(new Heartbeat<>(time, promised));
  }

  /** Receives the next messages of another data centre's stream, after repeats of old ones. */
  void receive(Replica<S, O, E, V> from, int again, int count) {
    int next = received[from.number];
    int end = Math.min(next + count, from.stream.size());
    for (int sequence = Math.max(0, next - again); sequence < end; sequence++) {
      if (sequence == received[from.number]) {
        received[from.number]++;
        take(from.stream.get(sequence), from.number);
      }
    }
  }

  /** All receive everything, send a heartbeat, and receive the heartbeats. */
  static <S, O, E, V> void meet(List<Replica<S, O, E, V>> replicas) {
    exchange(replicas);
    replicas.forEach(Replica::heartbeat);
    exchange(replicas);
  }

  private static <S, O, E, V> void exchange(List<Replica<S, O, E, V>> replicas) {
    for (Replica<S, O, E, V> to : replicas) {
      for (Replica<S, O, E, V> from : replicas) {
        if (to != from) {
          to.receive(from, 0, from.stream.size());
        }
      }
    }
  }

  private void take(Message<O> message, int from) {
    if (message instanceof Piece<O> piece) {
      known.add(piece);
    } else if (message instanceof Heartbeat<O> pulse) {
      minDependencies[from] = pulse.minDependency();
    }
    now = now.with(from, message.time());
  }

  /** Stores a run at a vector that may lag, pruned as far as permitted. */
  void checkpoint(List<Integer> lags) {
    Run<S> last = runs.get(runs.size() - 1);
    VectorClock vector = earlier(lags, last.vector);
    VectorClock frontier = last.frontier.join(frontier(vector));
    S before = stateAt(vector, IN_TIME_ORDER);
    S state = type.prune(before, frontier);
    byte[] encoded = CrdtCodec.encodeState(type, state);
    assertThat(CrdtCodec.decodeState(type, encoded)).isEqualTo(state);
    if (type.isSettled(before)) {
      assertThat(encoded).isEqualTo(CrdtCodec.encodeState(type, before));
    }
    promised = promised.join(frontier);
    Run<S> run = Run.of(type, vector, frontier, last.pages.replacedBy(type, state));
    assertThat(CrdtCodec.encodeState(type, run.state)).isEqualTo(encoded);
    runs.add(run);
  }

  /** The frontier of effects made from a run: known even when the object was pruned to nothing. */
  VectorClock frontierOf(Run<S> run) {
    return run.frontier;
  }

  /** The frontier of the last run. */
  VectorClock frontier() {
    return runs.get(runs.size() - 1).frontier;
  }

  /** The furthest permitted frontier of a run at a vector. */
  VectorClock frontier(VectorClock vector) {
    VectorClock frontier = vector.meet(minDependency());
    for (int from = 0; from < World.DATA_CENTRES; from++) {
      frontier = from == number ? frontier : frontier.meet(minDependencies[from]);
    }
    return closed(frontier.meet(tail(vector)));
  }

  /** At or below the snapshots of the pieces that will be folded onto a run at a vector. */
  VectorClock tail(VectorClock vector) {
    return known.stream()
        .filter(piece -> !piece.commitVector().isAtOrBefore(vector))
        .map(Piece::snapshot)
        .reduce(now, VectorClock::meet);
  }

  /**
   * The greatest frontier at or below the given one that includes the causes of everything in it. A
   * snapshot above any other may include an event's time and not the event, because it lacks a
   * cause of it.
   */
  VectorClock closed(VectorClock frontier) {
    for (Piece<O> piece : known) {
      int from = piece.dataCentre();
      if (piece.time() <= frontier.get(from) && !piece.commitVector().isAtOrBefore(frontier)) {
        return closed(frontier.with(from, piece.time() - 1));
      }
    }
    return frontier;
  }

  private VectorClock minDependency() {
    return open.stream().map(transaction -> transaction.snapshot).reduce(now, VectorClock::meet);
  }

  /** A vector between a lower bound and now. */
  VectorClock earlier(List<Integer> lags, VectorClock lowest) {
    VectorClock vector = now;
    for (int from = 0; from < World.DATA_CENTRES; from++) {
      long[] times = timesOf(from);
      long time = times[Math.max(0, times.length - 1 - lags.get(from))];
      vector = vector.with(from, Math.max(time, lowest.get(from)));
    }
    return vector;
  }

  private long[] timesOf(int dataCentre) {
    LongStream pieces =
        known.stream().filter(piece -> piece.dataCentre() == dataCentre).mapToLong(Piece::time);
    return LongStream.concat(pieces, LongStream.of(0, now.get(dataCentre)))
        .sorted()
        .distinct()
        .toArray();
  }

  Events<O> eventsAt(VectorClock snapshot) {
    return new Events<>(
        known.stream()
            .flatMap(Piece::events)
            .filter(event -> event.isVisibleAt(snapshot))
            .toList());
  }

  /**
   * The version at a snapshot.
   *
   * @param order {@link #IN_TIME_ORDER}, or the number of another order that extends causality
   */
  S stateAt(VectorClock snapshot, int order) {
    Run<S> run = newestRun(snapshot);
    List<Piece<O>> rest =
        new ArrayList<>(
            known.stream()
                .filter(piece -> piece.commitVector().isAtOrBefore(snapshot))
                .filter(piece -> !piece.commitVector().isAtOrBefore(run.vector))
                .sorted(
                    Comparator.<Piece<O>>comparingLong(Piece::time)
                        .thenComparingInt(Piece::dataCentre))
                .toList());
    Random random = new Random(order);
    S state = run.state;
    while (!rest.isEmpty()) {
      Piece<O> next = order == IN_TIME_ORDER ? rest.get(0) : anyWithoutCauseIn(rest, random);
      rest.remove(next);
      for (byte[] effect : next.effects()) {
        state = type.apply(state, CrdtCodec.decodeEffect(type, effect), next.origin());
      }
    }
    return state;
  }

  private static <O> Piece<O> anyWithoutCauseIn(List<Piece<O>> rest, Random random) {
    List<Piece<O>> ready =
        rest.stream()
            .filter(
                piece ->
                    rest.stream()
                        .noneMatch(cause -> cause.commitVector().isAtOrBefore(piece.snapshot())))
            .toList();
    return ready.get(random.nextInt(ready.size()));
  }

  private Run<S> newestRun(VectorClock snapshot) {
    for (int i = runs.size() - 1; i > 0; i--) {
      if (runs.get(i).vector.isAtOrBefore(snapshot)) {
        return runs.get(i);
      }
    }
    return runs.get(0);
  }

  /** The next time, a millisecond after the last one: times in histories are small numbers. */
  private long tick() {
    long time = ((now.max() >>> MILLIS_SHIFT) + 1) << MILLIS_SHIFT;
    now = now.with(number, time);
    return time;
  }
}
