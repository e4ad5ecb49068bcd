package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.RegisterKey;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An embedded store as its user sees it. */
final class StoreTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("posts", "42/tags", Codec.string());
  private static final RegisterKey<String> TITLE =
      Key.register("posts", "42/title", Codec.string());

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void reopen() {
    store.close();
    open();
  }

  @Test
  void unwrittenObjectsHaveTheInitialValueOfTheirType() {
    Values values = store.read(List.of(LIKES, TAGS, TITLE));

    assertThat(values.get(LIKES)).isZero();
    assertThat(values.get(TAGS)).isEmpty();
    assertThat(values.get(TITLE)).isEmpty();
  }

  @Test
  void theNextReadAndAReopenedStoreSeeAnUpdate() {
    store.update(LIKES.increment(2), TAGS.add("crdt"), TITLE.assign("Sets"));
    store.update(LIKES.decrement(5), TAGS.addAll(List.of("jvm", "db")), TAGS.remove("crdt"));

    for (int opening = 0; opening < 2; opening++) {
      Values values = store.read(List.of(LIKES, TAGS, TITLE));
      assertThat(values.get(LIKES)).isEqualTo(-3);
      assertThat(values.get(TAGS)).containsExactly("db", "jvm");
      assertThat(values.get(TITLE)).contains("Sets");
      reopen();
    }
  }

  @Test
  void aTransactionReadsItsSnapshotAndItsOwnWritesAtEveryStep() {
    store.update(LIKES.increment(1), TAGS.add("old"));
    try (Transaction transaction = store.begin()) {
      store.update(LIKES.increment(100), TAGS.add("concurrent"));

      assertThat(transaction.read(LIKES)).isEqualTo(1);
      transaction.update(LIKES.increment(1));
      assertThat(transaction.read(LIKES)).isEqualTo(2);
      transaction.update(TAGS.add("own"), TAGS.remove("old"));
      assertThat(transaction.read(TAGS)).containsExactly("own");
      transaction.update(TAGS.remove("own"), TITLE.assign("a"), TITLE.assign("b"));
      assertThat(transaction.read(TAGS)).isEmpty();
      assertThat(transaction.read(TITLE)).contains("b");
      transaction.commit();
    }

    assertThat(store.read(LIKES)).isEqualTo(102);
    assertThat(store.read(TAGS)).containsExactly("concurrent");
    assertThat(store.read(TITLE)).contains("b");
  }

  @Test
  void anAbortedTransactionLeavesNothing() {
    store.begin().close();
    long records = store.status().journal().records();
    try (Transaction transaction = store.begin()) {
      transaction.update(LIKES.increment(1));
      transaction.abort();
    }
    assertThatThrownBy(
            () ->
                store.run(
                    transaction -> {
                      transaction.update(LIKES.increment(1));
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");

    assertThat(store.read(LIKES)).isZero();
    assertThat(store.status().memory().objects()).isZero();
    assertThat(store.status().openTransactions()).isZero();
    assertThat(store.status().journal().records()).isEqualTo(records);
  }

  @Test
  void anOldSnapshotNeverChanges() {
    CausalToken first = store.update(LIKES.increment(1));
    CausalToken second = store.update(LIKES.increment(1));
    CausalToken third = store.update(LIKES.increment(1), TAGS.add("x"));

    for (int opening = 0; opening < 2; opening++) {
      assertThat(store.at(first).read(LIKES)).isEqualTo(1);
      assertThat(store.at(second).read(LIKES)).isEqualTo(2);
      assertThat(store.at(second).read(TAGS)).isEmpty();
      assertThat(store.at(third).read(List.of(LIKES, TAGS)).get(LIKES)).isEqualTo(3);
      reopen();
    }
  }

  @Test
  void objectsOfAnyTypeAreReadAndUpdatedByTheirTypesRules() {
    ObjectKey<MvRegister.Operation, List<Bytes>> title =
        Key.of(Bytes.utf8("books"), Bytes.utf8("title"), MvRegister.TYPE);

    store.update(title.update(new MvRegister.Assign(Bytes.utf8("Dune"))));

    assertThat(store.read(title)).containsExactly(Bytes.utf8("Dune"));
  }
}
