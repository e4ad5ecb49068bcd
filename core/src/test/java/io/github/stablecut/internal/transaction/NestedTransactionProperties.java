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
 * Random nesting is what a stack of plain copies says: a transaction begins with a copy of what is
 * around it, a commit replaces that by the copy, an abort throws the copy away.
 */
final class NestedTransactionProperties {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final RegisterKey<String> REGISTER = Key.register("b", "register", Codec.string());
  private static final CounterKey NO_COUNTER = Key.counter("b", "set");

  private static final int MAX_DEPTH = 5;

  /** What is done in one step; what can't be done at its depth is left out. */
  enum What {
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

  record Step(What what, int value) {}

  /** What a user sees in one transaction. */
  private record Plain(long counter, TreeSet<String> set, Optional<String> register) {
    static Plain empty() {
      return new Plain(0, new TreeSet<>(), Optional.empty());
    }

    Plain copy() {
      return new Plain(counter, new TreeSet<>(set), register);
    }

    Plain plus(long amount) {
      return new Plain(counter + amount, set, register);
    }

    Plain with(String value) {
      return new Plain(counter, set, Optional.of(value));
    }
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    return Combinators.combine(Arbitraries.of(What.class), Arbitraries.integers().between(0, 3))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(60);
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void everyReadIsWhatTheStackOfCopiesSays(
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
    private final Deque<Plain> copies = new ArrayDeque<>();

    Run(EmbeddedStore store) {
      this.store = store;
      open.push(store.begin());
      copies.push(Plain.empty());
      copies.push(Plain.empty());
    }

    void take(Step step) {
      switch (step.what()) {
        case BEGIN -> begin();
        case COMMIT -> commit();
        case ABORT -> abort();
        case READ -> check();
        default -> update(step.what(), step.value());
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
      Plain committed = copies.pop();
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

    private void update(What what, int value) {
      String element = "e" + value;
      Plain plain = copies.element();
      Transaction transaction = open.element();
      switch (what) {
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
          var unused = plain.set.add(element);
        }
        case REMOVE -> {
          transaction.update(SET.remove(element));
          var unused = plain.set.remove(element);
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
      Plain plain = copies.element();
      assertThat(reader.read(COUNTER)).isEqualTo(plain.counter);
      assertThat(reader.read(SET)).containsExactlyElementsOf(plain.set);
      assertThat(reader.read(REGISTER)).isEqualTo(plain.register);
    }

    /** The last transaction's commits, from the inside. */
    void endAll() {
      while (open.size() > 1) {
        commit();
      }
      commit();
      open.pop().close();
    }
  }
}
