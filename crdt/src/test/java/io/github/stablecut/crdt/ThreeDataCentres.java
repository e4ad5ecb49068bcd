package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three data centres with one object, for step-by-step scenarios. */
public final class ThreeDataCentres<S, O, E, V> {
  private static final List<Integer> NO_LAG = List.of(0, 0, 0);

  private final CrdtType<S, O, E, V> type;
  private final List<Replica<S, O, E, V>> replicas;

  public ThreeDataCentres(CrdtType<S, O, E, V> type) {
    this.type = type;
    this.replicas =
        IntStream.range(0, World.DATA_CENTRES).mapToObj(i -> new Replica<>(i, type)).toList();
  }

  /** Opens a transaction at the present snapshot of a data centre. */
  Replica<S, O, E, V>.OpenTransaction begin(int dataCentre) {
    return replicas.get(dataCentre).begin(NO_LAG);
  }

  /** Executes some operations in an open transaction. */
  @SafeVarargs
  final void execute(Replica<S, O, E, V>.OpenTransaction transaction, O... operations) {
    for (O operation : operations) {
      transaction.execute(operation);
    }
  }

  /** Commits, or aborts when the type requires certification and a concurrent transaction won. */
  @CanIgnoreReturnValue
  boolean commit(int dataCentre, Replica<S, O, E, V>.OpenTransaction transaction) {
    return replicas.get(dataCentre).commit(transaction);
  }

  /** Commits a transaction of some operations at the present snapshot of a data centre. */
  @SafeVarargs
  public final void at(int dataCentre, O... operations) {
    Replica<S, O, E, V>.OpenTransaction transaction = begin(dataCentre);
    execute(transaction, operations);
    commit(dataCentre, transaction);
  }

  /** One data centre receives everything that another one has sent so far. */
  void receive(int to, int from) {
    Replica<S, O, E, V> source = replicas.get(from);
    replicas.get(to).receive(source, 0, source.stream.size());
  }

  /** All receive everything, and learn from each other what is stable. */
  public void meet() {
    Replica.meet(replicas);
  }

  /** One data centre stores and prunes its state, as far as permitted. */
  public void prune(int dataCentre) {
    prune(dataCentre, NO_LAG);
  }

  /** The same at a vector whose entries lag by some commit times. */
  void prune(int dataCentre, List<Integer> lags) {
    replicas.get(dataCentre).checkpoint(lags);
  }

  /** The committed effects of a data centre. */
  Stream<byte[]> effects(int dataCentre) {
    return replicas.get(dataCentre).stream.stream()
        .filter(Message.Piece.class::isInstance)
        .flatMap(piece -> ((Message.Piece<O>) piece).effects().stream());
  }

  public S state(int dataCentre) {
    Replica<S, O, E, V> replica = replicas.get(dataCentre);
    return replica.stateAt(replica.now, Replica.IN_TIME_ORDER);
  }

  public V value(int dataCentre) {
    return type.value(state(dataCentre), replicas.get(dataCentre).now);
  }

  V value(Replica<S, O, E, V>.OpenTransaction transaction) {
    return type.value(transaction.state(), transaction.snapshot);
  }
}
