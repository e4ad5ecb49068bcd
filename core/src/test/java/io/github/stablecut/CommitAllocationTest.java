package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.management.ThreadMXBean;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heap allocation per commit. The count depends neither on the load nor on the machine. */
final class CommitAllocationTest {
  private static final int COMMITS = 200;

  @TempDir Path directory;

  @Test
  void aRegistersUpdateAllocatesLittle() {
    Update update = Key.register("bucket", "key", Codec.bytes()).assign(Bytes.wrap(new byte[100]));
    assertThat(bytesPerCommit(update)).isBetween(500L, 2_000L);
  }

  @Test
  void anIncrementAllocatesLittle() {
    assertThat(bytesPerCommit(Key.counter("bucket", "key").increment())).isBetween(300L, 1_700L);
  }

  /** Further updates of a transaction cost less than transactions of their own. */
  @Test
  void updatesOfOneTransactionShareItsCosts() {
    Update[] updates =
        IntStream.range(0, 8)
            .mapToObj(i -> Key.counter("bucket", "key-" + i).increment())
            .toArray(Update[]::new);
    assertThat(bytesPerCommit(updates)).isBetween(1_000L, 6_800L);
  }

  @Test
  void aValueIsEncodedOnceAndNotDecoded() {
    AtomicInteger encodings = new AtomicInteger();
    AtomicInteger decodings = new AtomicInteger();
    RegisterKey<String> key =
        Key.register("bucket", "key", counting(Codec.string(), encodings, decodings));
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      for (int i = 0; i < COMMITS; i++) {
        store.update(key.assign("value " + i));
      }
    }
    assertThat(encodings).hasValue(COMMITS);
    assertThat(decodings).hasValue(0);
  }

  private static Codec<String> counting(
      Codec<String> codec, AtomicInteger encodings, AtomicInteger decodings) {
    return new Codec<>() {
      @Override
      public Bytes encode(String value) {
        encodings.incrementAndGet();
        return codec.encode(value);
      }

      @Override
      public String decode(Bytes bytes) {
        decodings.incrementAndGet();
        return codec.decode(bytes);
      }
    };
  }

  /** What interpreted code allocates; compiled code allocates less. */
  private long bytesPerCommit(Update... updates) {
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      allocatedBy(store, updates);
      return allocatedBy(store, updates) / COMMITS;
    }
  }

  /** The caller writes and syncs alone, so its thread makes all allocations. */
  @CanIgnoreReturnValue
  private static long allocatedBy(Store store, Update... updates) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < COMMITS; i++) {
      store.update(updates);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
