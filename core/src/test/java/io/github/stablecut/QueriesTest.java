package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of objects, and the transactions that depend on their answers. */
class QueriesTest {
  private static final AddWinsSetKey<String> TAGS = Key.addWinsSet("b", "tags", Codec.string());
  private static final CounterMapKey<String> VIEWS = Key.counterMap("b", "views", Codec.string());
  private static final ListKey<String> TODO = Key.list("b", "todo", Codec.string());
  private static final TextKey NOTE = Key.text("b", "note");
  private static final RecursiveMapKey USER = Key.map("b", "user");

  @TempDir Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = reopen(IndexOptions.defaults());
    store.update(
        TAGS.addAll(List.of("a", "b", "c", "d")),
        VIEWS.incrementAll(Map.of("x", 3L, "y", 4L, "z", 0L)),
        TODO.insertAll(0, List.of("eat", "sleep", "code")),
        NOTE.insert(0, "na\uD83D\uDE00ve"),
        USER.counter("visits").increment(2),
        USER.addWinsSet("roles", Codec.string()).add("admin"));
  }

  private Store reopen(IndexOptions index) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withIndex(index)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofHours(1))));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void setsAnswerContainsSizesAndPages() {
    assertThat(store.read(TAGS.contains("b"))).isTrue();
    assertThat(store.read(TAGS.contains("bb"))).isFalse();
    assertThat(store.read(TAGS.size())).isEqualTo(4);
    assertThat(store.read(TAGS.firstPage(3))).containsExactly("a", "b", "c");
    assertThat(store.read(TAGS.pageAfter("b", 10))).containsExactly("c", "d");
    assertThat(store.read(TAGS.pageAfter("bb", 1))).containsExactly("c");
    assertThat(store.read(TAGS.lastPage(2))).containsExactly("d", "c");
    assertThat(store.read(TAGS.pageBefore("c", 10))).containsExactly("b", "a");
  }

  @Test
  void counterMapsAnswerCountersAndPages() {
    assertThat(store.read(VIEWS.get("x"))).isEqualTo(3);
    assertThat(store.read(VIEWS.get("none"))).isZero();
    assertThat(store.read(VIEWS.contains("z"))).isTrue();
    assertThat(store.read(VIEWS.contains("none"))).isFalse();
    assertThat(store.read(VIEWS.size())).isEqualTo(3);
    assertThat(store.read(VIEWS.firstPage(1))).containsExactly(Map.entry("x", 3L));
    assertThat(store.read(VIEWS.pageAfter("x", 1))).containsExactly(Map.entry("y", 4L));
    assertThat(store.read(VIEWS.lastPage(1))).containsExactly(Map.entry("z", 0L));
    assertThat(store.read(VIEWS.pageBefore("y", 5))).containsExactly(Map.entry("x", 3L));
  }

  @Test
  void listsAndTextsAnswerSlices() {
    assertThat(store.read(TODO.size())).isEqualTo(3);
    assertThat(store.read(TODO.get(1))).contains("sleep");
    assertThat(store.read(TODO.get(3))).isEmpty();
    assertThat(store.read(TODO.slice(1, 10))).containsExactly("sleep", "code");
    assertThat(store.read(TODO.slice(7, 10))).isEmpty();
    assertThat(store.read(NOTE.length())).isEqualTo(5);
    assertThat(store.read(NOTE.slice(2, 4))).isEqualTo("\uD83D\uDE00v");
    assertThat(store.read(NOTE.slice(4, 40))).isEqualTo("e");
  }

  @Test
  void mapsAndTheirEntriesAnswerQueries() {
    AddWinsSetKey<String> roles = USER.addWinsSet("roles", Codec.string());
    assertThat(store.read(USER.size())).isEqualTo(2);
    assertThat(store.read(USER.contains(roles))).isTrue();
    assertThat(store.read(USER.contains(USER.counter("none")))).isFalse();
    assertThat(store.read(roles.contains("admin"))).isTrue();
    assertThat(store.read(roles.size())).isEqualTo(1);
    assertThat(store.read(USER.map("deeper").map("deepest").size())).isZero();
    assertThatThrownBy(() -> USER.contains(TAGS)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anExpiredObjectAnswersAsANewOne() {
    var session = Key.expiring(Key.addWinsSet("b", "session", Codec.string()));
    store.update(session.object().add("x"), session.expireAfter(Duration.ofHours(1)));
    assertThat(store.read(session.object().contains("x"))).isTrue();
    store.update(session.expireAt(Instant.EPOCH));
    assertThat(store.read(session.object().contains("x"))).isFalse();
  }

  @Test
  void readsSeveralQueriesAndValuesAtOneSnapshot() {
    Values values = store.read(List.of(TAGS.contains("a"), VIEWS.get("x"), NOTE, TAGS.size()));

    assertThat(values.get(TAGS.contains("a"))).isTrue();
    assertThat(values.get(VIEWS.get("x"))).isEqualTo(3);
    assertThat(values.get(TAGS.size())).isEqualTo(4);
    assertThat(values.get(NOTE).toString()).startsWith("na");
    assertThat(values.queries()).hasSize(4);
    assertThatThrownBy(() -> values.get(TAGS.contains("b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was not read");
  }

  @Test
  void aTransactionSeesItsOwnUpdatesAndASnapshotNoLaterOnes() {
    Snapshot before = store.snapshot();
    try (Transaction transaction = store.begin()) {
      transaction.update(TAGS.add("e"), TAGS.remove("a"));
      assertThat(transaction.read(TAGS.contains("e"))).isTrue();
      assertThat(transaction.read(TAGS.firstPage(2))).containsExactly("b", "c");
      assertThat(store.read(TAGS.contains("e"))).isFalse();
      try (Transaction nested = transaction.begin()) {
        nested.update(TAGS.add("f"));
        assertThat(nested.read(TAGS.size())).isEqualTo(5);
      }
      assertThat(transaction.read(TAGS.size())).isEqualTo(4);
      transaction.commit();
    }

    assertThat(store.read(TAGS.contains("e"))).isTrue();
    assertThat(store.readLatest(TAGS.contains("e"))).isTrue();
    assertThat(before.read(TAGS.contains("e"))).isFalse();
    assertThat(store.readAsync(TAGS.size()).toCompletableFuture().join()).isEqualTo(4);
  }

  @Test
  void checksLimitsAndTypes() {
    assertThatThrownBy(() -> TAGS.firstPage(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TAGS.firstPage(Question.MAX_ITEMS + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65,537");
    assertThatThrownBy(() -> TODO.slice(3, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NOTE.slice(-1, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(Key.growOnlySet("b", "tags", Codec.string()).size()))
        .isInstanceOf(TypeMismatchException.class);
    assertThat(store.read(Key.list("b", "new", Codec.string()).get(0))).isEqualTo(Optional.empty());
  }

  private Transaction certified() {
    return store.begin(TransactionOptions.defaults().certify(Certification.READS_WRITES));
  }

  /** Whether one of two concurrent transactions is refused. */
  private boolean conflict(Query<?> first, Query<?> second, String firstTag, String secondTag) {
    try (Transaction one = certified();
        Transaction other = certified()) {
      one.read(first);
      other.read(second);
      one.update(TAGS.add(firstTag));
      other.update(TAGS.add(secondTag));
      one.commit();
      try {
        other.commit();
        return false;
      } catch (ConflictException e) {
        return true;
      }
    }
  }

  @Test
  void queriesOfDifferentElementsDoNotConflict() {
    assertThat(conflict(TAGS.contains("m"), TAGS.contains("n"), "m", "n")).isFalse();
    assertThat(conflict(TAGS.contains("o"), TAGS.contains("o"), "o", "o")).isTrue();
    assertThat(conflict(TAGS.contains("p"), TAGS.contains("p"), "p", "q")).isTrue();
    assertThat(conflict(TAGS.contains("r"), TAGS, "r", "s")).isTrue();
    assertThat(conflict(TAGS.contains("t"), TAGS.size(), "t", "u")).isTrue();
  }

  @Test
  void aPageConflictsWithEntriesInItAndNotAfterIt() {
    assertThat(conflict(VIEWS.get("x"), TAGS.firstPage(2), "m", "n")).isFalse();
    assertThat(conflict(VIEWS.get("x"), TAGS.firstPage(2), "aa", "o")).isTrue();
    assertThat(conflict(VIEWS.get("x"), TAGS.pageAfter("n", 5), "z", "p")).isTrue();
    assertThat(conflict(VIEWS.get("x"), TAGS.pageBefore("b", 1), "q", "r")).isFalse();
  }

  @Test
  void certifiesCountersAndMapEntriesOneByOne() {
    try (Transaction one = certified();
        Transaction other = certified();
        Transaction late = certified()) {
      one.update(VIEWS.increment("x", one.read(VIEWS.get("x"))));
      other.update(VIEWS.increment("y", other.read(VIEWS.get("y"))));
      late.update(VIEWS.increment("x", late.read(VIEWS.get("x"))));
      one.update(USER.counter("visits").increment(one.read(USER.counter("visits"))));
      other.update(USER.counter("other").increment(1 + other.read(USER.counter("other"))));
      one.commit();
      other.commit();
      assertThatThrownBy(late::commit).isInstanceOf(ConflictException.class);
    }

    assertThat(store.read(VIEWS.get("x"))).isEqualTo(6);
    assertThat(store.read(VIEWS.get("y"))).isEqualTo(8);
    assertThat(store.read(USER.counter("visits"))).isEqualTo(4);
    assertThat(store.read(USER.counter("other"))).isEqualTo(1);
  }

  @Test
  void writeCertificationCoversTheWholeObject() {
    TransactionOptions writes = TransactionOptions.defaults().certify(Certification.WRITES);
    try (Transaction one = store.begin(writes);
        Transaction other = store.begin(writes)) {
      one.update(TAGS.add("m"));
      other.update(TAGS.add("n"));
      one.commit();
      assertThatThrownBy(other::commit).isInstanceOf(ConflictException.class);
    }
  }

  @Test
  void withoutAListOfEffectsEachChangeIsAConflict() {
    store.close();
    store = reopen(IndexOptions.off());
    assertThat(conflict(TAGS.contains("m"), TAGS.contains("n"), "m", "n")).isTrue();
  }

  @Test
  void aTransactionWithTooManyQueriesDependsOnTheWholeObject() {
    String large = "x".repeat(300_000);
    try (Transaction one = certified()) {
      for (int i = 0; i < 4; i++) {
        assertThat(one.read(TAGS.contains(large + i))).isFalse();
      }
      assertThat(one.read(TAGS.contains("m"))).isFalse();
      one.update(VIEWS.increment("x"));
      store.update(TAGS.add("n"));
      assertThatThrownBy(one::commit).isInstanceOf(ConflictException.class);
    }
  }
}
