package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three data centres with one object, for stories that are told step by step. */
final class Trio<S, O, E, V> {
  private static final List<Integer> NO_LAG = List.of(0, 0, 0);

  private final CrdtType<S, O, E, V> type;
  private final List<Replica<S, O, E, V>> replicas;

  Trio(CrdtType<S, O, E, V> type) {
    this.type = type;
    this.replicas =
        IntStream.range(0, World.DATA_CENTRES).mapToObj(i -> new Replica<>(i, type)).toList();
  }

  /** Opens a transaction at what a data centre sees now. */
  Replica<S, O, E, V>.Open begin(int dataCentre) {
    return replicas.get(dataCentre).begin(NO_LAG);
  }

  /** Executes some operations in an open transaction. */
  @SafeVarargs
  final void execute(Replica<S, O, E, V>.Open transaction, O... operations) {
    for (O operation : operations) {
      byte[] unused = transaction.execute(operation);
    }
  }

  /** Commits, or aborts when the type demands certification and another one was faster. */
  @CanIgnoreReturnValue
  boolean commit(int dataCentre, Replica<S, O, E, V>.Open transaction) {
    return replicas.get(dataCentre).commit(transaction);
  }

  /** Commits a transaction of some operations at what a data centre sees now. */
  @SafeVarargs
  final void at(int dataCentre, O... operations) {
    Replica<S, O, E, V>.Open transaction = begin(dataCentre);
    execute(transaction, operations);
    commit(dataCentre, transaction);
  }

  /** One data centre receives what another one has sent so far. */
  void receive(int to, int from) {
    Replica<S, O, E, V> source = replicas.get(from);
    replicas.get(to).receive(source, 0, source.stream.size());
  }

  /** All receive all, and learn from each other what is stable. */
  void meet() {
    Replica.meet(replicas);
  }

  /** One data centre stores and prunes what it sees, as far as is legal. */
  void prune(int dataCentre) {
    prune(dataCentre, NO_LAG);
  }

  /** The same at a vector whose entries lie some commit times back. */
  void prune(int dataCentre, List<Integer> lags) {
    replicas.get(dataCentre).checkpoint(lags);
  }

  /** The effects that a data centre has committed. */
  Stream<byte[]> effects(int dataCentre) {
    return replicas.get(dataCentre).stream.stream()
        .filter(Message.Piece.class::isInstance)
        .flatMap(piece -> ((Message.Piece<O>) piece).effects().stream());
  }

  S state(int dataCentre) {
    Replica<S, O, E, V> replica = replicas.get(dataCentre);
    return replica.stateAt(replica.now, Replica.IN_TIME_ORDER);
  }

  V value(int dataCentre) {
    return type.value(state(dataCentre), replicas.get(dataCentre).now);
  }

  V value(Replica<S, O, E, V>.Open transaction) {
    return type.value(transaction.state(), transaction.snapshot);
  }
}
