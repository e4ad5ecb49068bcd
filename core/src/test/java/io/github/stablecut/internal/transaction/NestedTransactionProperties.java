package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Reader;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Random nesting equals a stack of plain copies: a transaction begins with a copy of the enclosing
 * state, a commit replaces that state by the copy, an abort discards the copy.
 */
final class NestedTransactionProperties {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final RegisterKey<String> REGISTER = Key.register("b", "register", Codec.string());
  private static final CounterKey NO_COUNTER = Key.counter("b", "set");

  private static final int MAX_DEPTH = 5;

  /** The action of a step; an action that is impossible at the current depth is skipped. */
  enum Action {
    BEGIN,
    COMMIT,
    ABORT,
    INCREMENT,
    ADD,
    REMOVE,
    CLEAR,
    ASSIGN,
    REFUSED,
    READ
  }

  record Step(Action action, int value) {}

  /** A user's view of one transaction. */
  private record Model(long counter, TreeSet<String> set, Optional<String> register) {
    static Model empty() {
      return new Model(0, new TreeSet<>(), Optional.empty());
    }

    Model copy() {
      return new Model(counter, new TreeSet<>(set), register);
    }

    Model plus(long amount) {
      return new Model(counter + amount, set, register);
    }

    Model with(String value) {
      return new Model(counter, set, Optional.of(value));
    }
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    return Combinators.combine(Arbitraries.of(Action.class), Arbitraries.integers().between(0, 3))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(60);
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void readsEqualTheStackOfCopies(
      @ForAll("histories") List<Step> history, @ForAll boolean readsOften) {
    try (EmbeddedStore store =
        LossyDisk.empty().open(StoreOptions.defaults().withLimits(LossyDisk.LIMITS))) {
      Run run = new Run(store);
      for (Step step : history) {
        run.take(step);
        if (readsOften) {
          run.check();
        }
      }
      run.check();
      run.endAll();
    }
  }

  private static final class Run {
    private final EmbeddedStore store;
    private final Deque<Transaction> open = new ArrayDeque<>();
    private final Deque<Model> copies = new ArrayDeque<>();

    Run(EmbeddedStore store) {
      this.store = store;
      open.push(store.begin());
      copies.push(Model.empty());
      copies.push(Model.empty());
    }

    void take(Step step) {
      switch (step.action()) {
        case BEGIN -> begin();
        case COMMIT -> commit();
        case ABORT -> abort();
        case READ -> check();
        default -> update(step.action(), step.value());
      }
    }

    private void begin() {
      if (open.size() < MAX_DEPTH) {
        open.push(open.element().begin());
        copies.push(copies.element().copy());
      }
    }

    private void commit() {
      open.pop().commit();
      Model committed = copies.pop();
      copies.pop();
      copies.push(committed);
      beginOutermost();
    }

    private void abort() {
      open.pop().abort();
      copies.pop();
      beginOutermost();
    }

    private void beginOutermost() {
      if (open.isEmpty()) {
        check(store);
        open.push(store.begin());
        copies.push(copies.element().copy());
      }
    }

    private void update(Action action, int value) {
      String element = "e" + value;
      Model plain = copies.element();
      Transaction transaction = open.element();
      switch (action) {
        case INCREMENT -> {
          transaction.update(COUNTER.increment(value), COUNTER.increment(1));
          copies.pop();
          copies.push(plain.plus(value + 1));
        }
        case ASSIGN -> {
          transaction.update(REGISTER.assign(element));
          copies.pop();
          copies.push(plain.with(element));
        }
        case ADD -> {
          transaction.update(SET.add(element));
          plain.set.add(element);
        }
        case REMOVE -> {
          transaction.update(SET.remove(element));
          plain.set.remove(element);
        }
        case CLEAR -> {
          transaction.update(SET.clear());
          plain.set.clear();
        }
        default ->
            assertThatThrownBy(
                    () ->
                        transaction.update(
                            SET.add("refused"), COUNTER.increment(7), NO_COUNTER.increment()))
                .isInstanceOf(TypeMismatchException.class);
      }
    }

    void check() {
      check(open.element());
    }

    private void check(Reader reader) {
      Model plain = copies.element();
      assertThat(reader.read(COUNTER)).isEqualTo(plain.counter);
      assertThat(reader.read(SET)).containsExactlyElementsOf(plain.set);
      assertThat(reader.read(REGISTER)).isEqualTo(plain.register);
    }

    /** Commits the open transactions from the inside out. */
    void endAll() {
      while (open.size() > 1) {
        commit();
      }
      commit();
      open.pop().close();
    }
  }
}
