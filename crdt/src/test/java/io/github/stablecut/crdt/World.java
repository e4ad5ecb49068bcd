package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;

/**
 * Three data centres that run a history of one object. After each step their values are compared
 * with the specification; at the end, when everything is known everywhere and pruned, so are the
 * states and their sizes.
 */
public final class World<S, O, E, V> {
  public static final int DATA_CENTRES = 3;

  private static final int MAX_OPEN = 4;
  private static final List<Integer> NO_LAG = List.of(0, 0, 0);

  private final Specification<S, O, E, V> specification;
  private final CrdtType<S, O, E, V> type;
  private final List<Replica<S, O, E, V>> replicas;
  private final List<String> story = new ArrayList<>();

  World(Specification<S, O, E, V> specification, CrdtType<S, O, E, V> type) {
    this(specification, type, number -> new Replica<>(number, type));
  }

  World(
      Specification<S, O, E, V> specification,
      CrdtType<S, O, E, V> type,
      IntFunction<Replica<S, O, E, V>> replicas) {
    this.specification = specification;
    this.type = type;
    this.replicas = IntStream.range(0, DATA_CENTRES).mapToObj(replicas).toList();
  }

  /** Runs a history; fails with the steps so far when a law is violated. */
  void run(List<Step<O>> history) {
    try {
      for (Step<O> step : history) {
        run(step, replicas.get(step.dataCentre()));
      }
      settle();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          type.name() + " breaks a law:\n  " + String.join("\n  ", story) + "\n" + e.getMessage(),
          e);
    }
  }

  private void run(Step<O> step, Replica<S, O, E, V> at) {
    if (step instanceof Step.Begin<O> begin) {
      if (at.open.size() < MAX_OPEN) {
        record(at, "begins a transaction at " + at.begin(begin.lags()).snapshot);
      }
    } else if (step instanceof Step.Operate<O> operate) {
      if (at.open.isEmpty()) {
        record(at, "begins a transaction at " + at.begin(NO_LAG).snapshot);
      }
      operate(at, at.open.get(operate.transaction() % at.open.size()), operate.operation());
    } else if (step instanceof Step.Commit<O> commit) {
      if (!at.open.isEmpty()) {
        commit(at, commit.transaction() % at.open.size());
      }
    } else if (step instanceof Step.Abort<O> abort) {
      if (!at.open.isEmpty()) {
        at.open.remove(abort.transaction() % at.open.size());
        record(at, "aborts transaction " + abort.transaction());
      }
    } else if (step instanceof Step.Read<O> read) {
      VectorClock snapshot = at.earlier(read.lags(), VectorClock.ZERO);
      record(at, "reads at " + snapshot + " in order " + read.order());
      check(at, snapshot);
      checkOrder(at, snapshot, read.order());
    } else if (step instanceof Step.Heartbeat<O>) {
      at.heartbeat();
      record(at, "sends a heartbeat");
    } else if (step instanceof Step.Receive<O> receive) {
      if (receive.from() != receive.dataCentre()) {
        at.receive(replicas.get(receive.from()), receive.again(), receive.count());
        record(at, "receives from " + receive.from() + ", now at " + at.now);
        check(at, at.now);
      }
    } else if (step instanceof Step.Meet<O> meeting) {
      if (meeting.quiet()) {
        replicas.forEach(this::commitAll);
      }
      Replica.meet(replicas);
      record(at, "meets the others, now at " + at.now);
      check(at, at.now);
    } else if (step instanceof Step.Checkpoint<O> checkpoint) {
      at.checkpoint(checkpoint.lags());
      record(at, "stores a run");
      check(at, at.now);
    }
  }

  private void operate(
      Replica<S, O, E, V> at, Replica<S, O, E, V>.OpenTransaction transaction, O unfitted) {
    VectorClock snapshot = transaction.snapshot;
    O operation = specification.fit(unfitted, type.value(transaction.state(), snapshot));
    boolean refused = specification.refuses(transaction.events(), operation, at.number, snapshot);
    record(at, "transaction " + at.open.indexOf(transaction) + ": " + operation);
    if (refused) {
      Assertions.assertThatThrownBy(() -> transaction.execute(operation))
          .isInstanceOf(OperationRefusedException.class);
      return;
    }
    byte[] effect = transaction.execute(operation);
    assertThat(CrdtCodec.encodeEffect(type, CrdtCodec.decodeEffect(type, effect)))
        .as("effect, encoded and decoded")
        .isEqualTo(effect);
    assertThat(type.value(transaction.state(), snapshot))
        .as("value with the own effects")
        .isEqualTo(specification.value(transaction.events(), snapshot));
  }

  private void commit(Replica<S, O, E, V> at, int number) {
    boolean committed = at.commit(at.open.get(number));
    record(at, (committed ? "commits transaction " : "certification refuses ") + number);
    check(at, at.now);
  }

  private void commitAll(Replica<S, O, E, V> at) {
    while (!at.open.isEmpty()) {
      commit(at, 0);
    }
  }

  private void check(Replica<S, O, E, V> at, VectorClock snapshot) {
    S state = at.stateAt(snapshot, Replica.IN_TIME_ORDER);
    assertThat(type.value(state, snapshot))
        .as("value at data centre %s, snapshot %s", at.number, snapshot)
        .isEqualTo(specification.value(at.eventsAt(snapshot), snapshot));
    byte[] bytes = CrdtCodec.encodeState(type, state);
    S decoded = CrdtCodec.decodeState(type, bytes);
    assertThat(decoded).as("state, encoded and decoded").isEqualTo(state);
    assertThat(CrdtCodec.encodeState(type, decoded)).as("bytes of the state").isEqualTo(bytes);
  }

  private void checkOrder(Replica<S, O, E, V> at, VectorClock snapshot, int order) {
    S folded = at.stateAt(snapshot, order);
    S expected = at.stateAt(snapshot, Replica.IN_TIME_ORDER);
    assertThat(type.value(folded, snapshot))
        .as("value folded in order %s", order)
        .isEqualTo(type.value(expected, snapshot));
    if (specification.mayForgetEarly()) {
      folded = type.prune(folded, snapshot);
      expected = type.prune(expected, snapshot);
    }
    assertThat(CrdtCodec.encodeState(type, folded))
        .as("state folded in order %s", order)
        .isEqualTo(CrdtCodec.encodeState(type, expected));
  }

  /** All transactions end, all messages arrive, and everything is pruned. */
  private void settle() {
    story.add("all ends and is received and pruned");
    replicas.forEach(replica -> replica.open.clear());
    Replica.meet(replicas);
    for (Replica<S, O, E, V> replica : replicas) {
      replica.checkpoint(NO_LAG);
      check(replica, replica.now);
    }
    replicas.forEach(this::checkEnd);
  }

  private void checkEnd(Replica<S, O, E, V> replica) {
    VectorClock end = replica.now;
    S state = replica.stateAt(end, Replica.IN_TIME_ORDER);
    byte[] bytes = CrdtCodec.encodeState(type, state);
    Replica<S, O, E, V> first = replicas.get(0);
    assertThat(bytes)
        .as("state of data centre %s as that of 0", replica.number)
        .isEqualTo(CrdtCodec.encodeState(type, first.stateAt(first.now, Replica.IN_TIME_ORDER)));
    assertThat(bytes.length)
        .as("bytes of %s", state)
        .isLessThanOrEqualTo(specification.maxBytes(replica.eventsAt(end), replica.frontier()));
    O reset = type.resetOperation();
    if (reset != null) {
      Replica<S, O, E, V>.OpenTransaction transaction = replica.begin(NO_LAG);
      byte[] effect = transaction.execute(reset);
      assertThat(effect).isNotEmpty();
      assertThat(type.value(transaction.state(), end))
          .as("value after a reset")
          .isEqualTo(type.value(type.initial(), end));
    }
  }

  private void record(Replica<S, O, E, V> at, String what) {
    story.add("dc " + at.number + " " + what);
  }
}
