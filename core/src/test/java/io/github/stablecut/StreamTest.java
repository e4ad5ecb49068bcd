package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.stream.StreamFold;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TrimmedException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Materialized streams: append, random and bulk reads, check, trim. */
class StreamTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
  private static final StreamKey<String> LOG = Key.stream("b", "log", Codec.string());
  private static final StreamKey<String> OTHER = Key.stream("b", "other", Codec.string());
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  /** Concatenates. */
  private static final StreamFold<String> TEXT =
      new StreamFold<>() {
        @Override
        public String begin(Optional<Bytes> summary) {
          return summary.map(Bytes::toUtf8).orElse("");
        }

        @Override
        public String next(String made, Bytes entry) {
          return made + entry.toUtf8();
        }
      };

  @TempDir private Path directory;

  private Store open() {
    return Stablecut.open(directory, FAST);
  }

  @Test
  void entriesGetDensePositionsInCommitOrder() {
    try (Store store = open()) {
      store.update(LOG.appendAll(List.of("a", "b")), OTHER.append("x"));
      store.update(LOG.append("c"));

      assertThat(store.read(LOG.tail())).isEqualTo(3);
      assertThat(store.read(LOG.first())).isZero();
      assertThat(store.read(LOG.get(1))).contains("b");
      assertThat(store.read(LOG.get(3))).isEmpty();
      assertThat(store.read(LOG.slice(1, 9)))
          .isEqualTo(new StreamSlice<>(1, 0, 3, List.of("b", "c")));
      assertThat(store.read(LOG).entries()).containsExactly("a", "b", "c");
      assertThat(store.read(OTHER).entries()).containsExactly("x");
    }
  }

  @Test
  void positionsSurviveTrimmingCheckpointsAndRestarts() {
    CausalToken before;
    try (Store store = open()) {
      before = store.update(LOG.appendAll(List.of("a", "b", "c", "d")));
      store.update(LOG.trim(3));
      assertThat(store.read(LOG.slice(0, 9))).isEqualTo(new StreamSlice<>(3, 3, 4, List.of("d")));
      store.checkpoint();
    }
    try (Store store = open()) {
      store.update(LOG.append("e"));

      assertThat(store.read(LOG.get(4))).contains("e");
      assertThatThrownBy(() -> store.read(LOG.get(2)))
          .isInstanceOf(TrimmedException.class)
          .hasMessageContaining("position 2")
          .hasMessageContaining("begins at 3");
      assertThatThrownBy(() -> store.read(LOG).get(0)).isInstanceOf(TrimmedException.class);
      assertThat(store.at(before).read(LOG.get(0))).contains("a");
      assertThat(store.read(LOG).entries(0, 9)).containsExactly("d", "e");
    }
  }

  @Test
  void aTrimDoesNotReachBeyondCommittedEntries() {
    try (Store store = open()) {
      store.update(LOG.append("a"));
      try (Transaction transaction = store.begin()) {
        transaction.update(LOG.append("b"));
        assertThatThrownBy(() -> transaction.update(LOG.trim(2)))
            .isInstanceOf(OperationRefusedException.class)
            .hasMessageContaining("position 2");
        transaction.update(LOG.trim(1));
        store.update(LOG.append("faster"));
        transaction.commit();
      }

      assertThat(store.read(LOG.slice(0, 9)).entries()).containsExactly("faster", "b");
    }
  }

  @Test
  void appendsNeverConflictUnlessTheStreamWasRead() {
    try (Store store = open();
        Transaction blind = store.begin(SERIALISABLE);
        Transaction reading = store.begin(SERIALISABLE)) {
      long tail = reading.read(LOG.tail());
      reading.update(LOG.append("after " + tail));
      blind.update(LOG.append("blind"));
      store.update(LOG.append("first"));

      blind.commit();
      assertThatThrownBy(reading::commit).isInstanceOf(ConflictException.class);
      assertThat(store.read(LOG).entries()).containsExactly("first", "blind");
    }
  }

  @Test
  void refusesAConditionalAppendIfTheStreamHasGrown() {
    try (Store store = open();
        Transaction slow = store.begin()) {
      slow.update(LOG.appendIfUnchanged(List.of("slow")));
      store.update(LOG.appendIfUnchanged(List.of("fast")));

      assertThatThrownBy(slow::commit).isInstanceOf(ConflictException.class);
      assertThat(store.read(LOG).entries()).containsExactly("fast");
      assertThat(
              store.compareAndUpdate(Condition.is(LOG.tail(), 1L), LOG.append("at 1")).isWritten())
          .isTrue();
    }
  }

  @Test
  void theStreamsOfAStoreHaveOneOrder() {
    try (Store store = open()) {
      List<CausalToken> tokens = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        tokens.add(store.update((i % 2 == 0 ? LOG : OTHER).append("" + i)));
      }

      for (int i = 0; i < 6; i++) {
        Snapshot then = store.at(tokens.get(i));
        assertThat(then.read(LOG.tail()) + then.read(OTHER.tail())).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void aFoldSeesTheSummaryAndTheEntriesAfterIt() {
    Query<String> text = LOG.folded(TEXT);
    try (Store store = open()) {
      store.update(LOG.appendAll(List.of("a", "b")));
      assertThat(store.read(text)).isEqualTo("ab");
      store.update(LOG.append("c"));
      store.update(LOG.trim(2, Bytes.utf8("ab")));
      assertThat(store.read(text)).isEqualTo("abc");
      assertThat(store.read(List.of(LOG, text)).get(LOG).entries()).containsExactly("c");
      store.checkpoint();
    }
    try (Store store = open()) {
      assertThat(store.read(text)).isEqualTo("abc");
      try (Transaction transaction = store.begin()) {
        transaction.update(LOG.append("d"));
        assertThat(transaction.read(text)).isEqualTo("abcd");
      }
      assertThat(store.read(text)).isEqualTo("abc");
    }
  }

  @Test
  void readsALongStreamInParts() {
    int length = 20_000;
    try (Store store = open()) {
      for (int i = 0; i < length; i += 1_000) {
        store.update(
            LOG.appendAll(IntStream.range(i, i + 1_000).mapToObj(n -> "entry " + n).toList()));
      }
      store.checkpoint();
    }
    try (Store store = open()) {
      assertThat(store.read(LOG.get(12_345))).contains("entry 12345");
      store.update(LOG.trim(length - 1));
      assertThat(store.read(LOG).entries()).containsExactly("entry 19999");
      assertThat(store.read(LOG.tail())).isEqualTo(length);
    }
  }
}
