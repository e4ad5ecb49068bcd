package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Transaction;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import java.lang.reflect.Field;
import java.util.AbstractList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations that are executed together take effect together or not at all. */
class WriteBufferTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());

  /** Has no memory to answer. */
  private static final ObjectSource WITHOUT_MEMORY =
      new ObjectSource() {
        @Override
        public VectorClock snapshot() {
          return VectorClock.ZERO;
        }

        @Override
        public Object state(Key<?> key) {
          throw new OutOfMemoryError("injected");
        }

        @Override
        public Object stateFor(Key<?> key) {
          return state(key);
        }

        @Override
        public boolean hasSeveralTypes(Key<?> key) {
          throw new OutOfMemoryError("injected");
        }

        @Override
        public <A> A ask(ObjectQuery<A, ?> query) {
          throw new OutOfMemoryError("injected");
        }
      };

  @Test
  void anErrorRollsBackTheOperationsBefore() {
    StoreOptions options = StoreOptions.defaults().withLimits(LossyDisk.LIMITS);
    try (EmbeddedStore store = LossyDisk.empty().open(options)) {
      WriteBuffer buffer = new WriteBuffer(store, WITHOUT_MEMORY, Certification.WRITES);
      buffer.execute(COUNTER.increment(2));
      WriteBuffer.Savepoint savepoint = buffer.beginSavepoint();

      assertThatThrownBy(() -> buffer.execute(COUNTER.increment(3), SET.add("x")))
          .isInstanceOf(OutOfMemoryError.class);

      var writes = buffer.toParts().values().iterator().next().writes();
      assertThat(writes).hasSize(1);
      assertThat(writes.get(0).effects()).hasSize(1);
      assertThat(writes.get(0).encoded()).hasSize(1);
      buffer.rollBackTo(savepoint);
      assertThat(buffer.isEmpty()).isFalse();
    }
  }

  /** A list that grows but has no memory to be truncated. */
  private static final class UntruncatableList<T> extends AbstractList<T> {
    private int size;

    @Override
    public T get(int index) {
      throw new IndexOutOfBoundsException();
    }

    @Override
    public int size() {
      return size++;
    }

    @Override
    public List<T> subList(int from, int to) {
      throw new OutOfMemoryError("injected");
    }
  }

  private static void set(Object target, String name, Object value)
      throws ReflectiveOperationException {
    Field field = target.getClass().getDeclaredField(name);
    field.setAccessible(true);
    field.set(target, value);
  }

  @Test
  void aTransactionEndsIfAnErrorEndsARollback() throws ReflectiveOperationException {
    StoreOptions options = StoreOptions.defaults().withLimits(LossyDisk.LIMITS);
    try (EmbeddedStore store = LossyDisk.empty().open(options);
        Transaction transaction = store.begin()) {
      Field field = EmbeddedTransaction.class.getDeclaredField("buffer");
      field.setAccessible(true);
      set(field.get(transaction), "hookUpdates", new UntruncatableList<Update>());

      assertThatThrownBy(
              () ->
                  transaction.update(
                      COUNTER.increment(), SET.add("x"), Key.counter("b", "set").increment()))
          .isInstanceOf(UnexpectedFailureException.class)
          .hasCauseInstanceOf(OutOfMemoryError.class);

      assertThatThrownBy(transaction::commit)
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("no memory to roll back");
      assertThat(store.read(COUNTER)).isZero();
    }
  }
}
