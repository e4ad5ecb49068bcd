package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Transactions that are much larger than each of their effects. */
final class LargeTransactionTest {
  private static final int OBJECTS = 30;
  private static final int OBJECT_BYTES = 100_000;

  private static RegisterKey<Bytes> register(int number) {
    return Key.register("b", "" + number, Codec.bytes());
  }

  /** A segment store that counts how often a segment is opened for reading. */
  private static SegmentStore counting(SegmentStore segments, AtomicInteger views) {
    return (SegmentStore)
        Proxy.newProxyInstance(
            SegmentStore.class.getClassLoader(),
            new Class<?>[] {SegmentStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("view")) {
                views.incrementAndGet();
              }
              try {
                return method.invoke(segments, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void areReadFromTheJournalOnceForAllTheirEffects() {
    AtomicInteger views = new AtomicInteger();
    StoreOptions options = StoreOptions.defaults().withLimits(LossyDisk.LIMITS.withEffectBytes(0));
    try (Store store =
        StoreOpening.open(counting(new LossySegments(), views), new LossyDirectory(), options)) {
      Update[] updates = new Update[OBJECTS];
      for (int i = 0; i < OBJECTS; i++) {
        updates[i] = register(i).assign(Bytes.wrap(new byte[OBJECT_BYTES]));
      }
      store.update(updates);
      int before = views.get();

      for (int i = 0; i < OBJECTS; i++) {
        assertThat(store.read(register(i))).isPresent();
      }

      assertThat(views.get() - before).isBetween(1, OBJECTS / 2);
    }
  }
}
