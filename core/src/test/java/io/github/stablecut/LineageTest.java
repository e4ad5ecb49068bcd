package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of copies of a store, and of the time before its directory was reset. */
final class LineageTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final CounterKey OTHER = Key.counter("b", "other");

  @TempDir private Path temporary;

  private Path path(String name) {
    return temporary.resolve(name);
  }

  private static Store open(Path path, int partitions) {
    return Stablecut.open(path, StoreOptions.defaults().withPartitions(partitions));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void assertUnknown(Store store, CausalToken token) {
    CausalToken read = CausalToken.parse(token.toText());
    assertThatThrownBy(() -> store.at(read))
        .isInstanceOf(UnknownSnapshotException.class)
        .hasMessageContainingAll("copy", "take a new token");
    assertThatThrownBy(() -> store.pin(read)).isInstanceOf(UnknownSnapshotException.class);
    assertThatThrownBy(() -> store.begin(TransactionOptions.defaults().after(read)))
        .isInstanceOf(UnknownSnapshotException.class);
    assertThatThrownBy(() -> store.watch("b", "", WatchOptions.after(read)))
        .isInstanceOf(UnknownSnapshotException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void refusesATokenOfACopyAndAcceptsEarlierOnesInBoth(int partitions) throws IOException {
    CausalToken before;
    try (Store store = open(path("data"), partitions)) {
      before = store.update(COUNTER.increment());
    }
    copy(path("data"), path("copy"));
    CausalToken ofCopy;
    try (Store copy = open(path("copy"), partitions)) {
      ofCopy = copy.update(COUNTER.increment(100), OTHER.increment(100));
      assertThat(copy.at(before).read(COUNTER)).isEqualTo(1);
    }
    for (int opening = 0; opening < 2; opening++) {
      try (Store store = open(path("data"), partitions);
          Store copy = open(path("copy"), partitions)) {
        CausalToken own = store.update(COUNTER.increment(), OTHER.increment());
        assertThat(own.vector().isAtOrBefore(ofCopy.vector())).isFalse();

        assertUnknown(store, ofCopy);
        assertUnknown(copy, own);
        assertThat(store.at(before).read(COUNTER)).isEqualTo(1);
        assertThat(copy.at(ofCopy).read(COUNTER)).isEqualTo(101);
        assertThat(store.at(own).read(COUNTER)).isEqualTo(2 + opening);
      }
    }
  }

  @Test
  void refusesATokenFromBeforeTheDirectoryWasReset() throws IOException {
    open(path("data"), 1).close();
    copy(path("data"), path("saved"));
    CausalToken lost;
    try (Store store = open(path("data"), 1)) {
      lost = store.update(COUNTER.increment());
    }
    Files.move(path("data"), path("gone"));
    Files.move(path("saved"), path("data"));

    try (Store store = open(path("data"), 1)) {
      store.update(OTHER.increment());
      assertUnknown(store, lost);
    }
  }

  @Test
  void aTokenStaysTheSameAcrossOpenings() {
    CausalToken committed;
    CausalToken read;
    try (Store store = open(path("data"), 2)) {
      committed = store.update(COUNTER.increment());
      read = store.snapshot().token();
    }
    for (int opening = 0; opening < 3; opening++) {
      try (Store store = open(path("data"), 2)) {
        assertThat(store.at(committed).token()).isEqualTo(committed);
        assertThat(store.at(CausalToken.parse(read.toText())).token()).isEqualTo(read);
        assertThat(store.at(committed).read(COUNTER)).isEqualTo(1);
      }
    }
  }

  /** Written by a version that did not record openings, or by a cluster. */
  @Test
  void acceptsATokenWithoutAnOpening() {
    try (Store store = open(path("data"), 1)) {
      CausalToken token = store.update(COUNTER.increment());
      CausalToken plain = new CausalToken(token.storeId(), token.vector());

      assertThat(plain.toText()).hasSize(23);
      assertThat(CausalToken.parse(plain.toText())).isEqualTo(plain);
      assertThat(store.at(plain).read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void opensADirectoryWithoutRecordedOpenings() throws IOException {
    CausalToken token;
    try (Store store = open(path("data"), 1)) {
      token = store.update(COUNTER.increment());
    }
    Files.delete(path("data").resolve("OPENED"));

    try (Store store = open(path("data"), 1)) {
      assertThat(store.at(token).read(COUNTER)).isEqualTo(1);
    }
  }
}
