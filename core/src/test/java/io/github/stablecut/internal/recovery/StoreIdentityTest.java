package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The identity of a store and its data centre. */
final class StoreIdentityTest {
  private static final CounterKey KEY = Key.counter("b", "k");

  private static StoreIdentity parse(String content) {
    return StoreIdentity.parse(CheckedText.seal(content), "STABLECUT");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 1_023})
  void roundTrips(int dataCentre) {
    LocalDataCentre local = new LocalDataCentre(dataCentre);

    for (StoreIdentity identity :
        List.of(
            new StoreIdentity(5, 3, local),
            new StoreIdentity(5, 3, local, OptionalLong.of(6), 7))) {
      assertThat(StoreIdentity.parse(identity.toText(), "STABLECUT")).isEqualTo(identity);
    }
  }

  @Test
  void writesAStoreOfTheFirstDataCentreInTheOriginalFormat() {
    assertThat(new StoreIdentity(5, 3).toText())
        .startsWith("stablecut store\nformat=1\nid=0000000000000005\npartitions=3\ncrc32c=");
    assertThat(parse("stablecut store\nformat=1\nid=05\npartitions=3\n"))
        .isEqualTo(new StoreIdentity(5, 3, LocalDataCentre.FIRST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1024", "-1", "x", ""})
  void refusesAnInvalidDataCentre(String number) {
    assertThatThrownBy(
            () ->
                parse(
                    "stablecut store\nformat=1\nid=05\npartitions=3\ndataCentre=" + number + "\n"))
        .isInstanceOf(CorruptStoreException.class);
  }

  @Test
  void aStoreKeepsItsEntryAcrossOpeningsBackupsAndRestoring(@TempDir Path directory)
      throws IOException {
    Path data = directory.resolve("data");
    Stablecut.open(data).close();
    Path file = data.resolve(StoreDirectory.IDENTITY);
    StoreIdentity first = StoreIdentity.parse(CheckedText.read(file), file.toString());
    StoreIdentity moved = new StoreIdentity(first.id(), first.partitions(), new LocalDataCentre(2));
    Files.writeString(file, moved.toText());

    CausalToken written;
    try (Store store = Stablecut.open(data)) {
      written = store.update(KEY.increment());
      store.backup(directory.resolve("backup"));
    }
    assertThat(written.vector().size()).isEqualTo(3);
    assertThat(written.vector().get(0)).isZero();
    try (Store store = Stablecut.open(data)) {
      assertThat(store.at(written).read(KEY)).isEqualTo(1);
      assertThat(written.vector().isAtOrBefore(store.snapshot().token().vector())).isTrue();
    }
    Stablecut.restore(directory.resolve("backup"), directory.resolve("restored"));
    try (Store store = Stablecut.open(directory.resolve("restored"))) {
      CausalToken next = store.update(KEY.increment());
      assertThat(store.read(KEY)).isEqualTo(2);
      assertThat(next.vector().get(0)).isZero();
      assertThat(next.vector().get(2)).isGreaterThan(written.vector().get(2));
    }
  }
}
