package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A version's size is known before it is sent to another node, whether it is in pages or not. */
class PagedVersionSizeTest {
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());

  @Test
  void aVersionInPagesReportsItsWholeSize() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCache(CacheOptions.off())
            .withCheckpoints(CheckpointPolicy.byCall().withPagedFromBytes(1_000));
    try (EmbeddedStore store = LossyDisk.empty().open(options)) {
      store.update(SET.addAll(IntStream.range(0, 20_000).mapToObj(i -> "element " + i).toList()));
      store.checkpoint();
      store.update(SET.add("one"));
      store.checkpoint();

      Version version = version(store);

      assertThat(version.isInPages()).isTrue();
      int whole = CallTypes.encodeState(version.type(), version.state()).length;
      assertThat(version.bytes()).isLessThan(whole / 10);
      assertThat(version.wholeBytes()).isBetween(whole * 4L / 5, whole * 3L);
    }
  }

  @Test
  void aVersionCountsThePagesThatItHoldsCopiesOf() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCheckpoints(CheckpointPolicy.byCall().withPagedFromBytes(1_000));
    try (EmbeddedStore store = LossyDisk.empty().open(options)) {
      store.update(SET.addAll(IntStream.range(0, 20_000).mapToObj(i -> "element " + i).toList()));
      store.checkpoint();
      store.update(SET.add("x"));
      store.checkpoint();
      assertThat(version(store).takes().copiedBytes()).isZero();

      store.update(SET.add("element 777"));
      long path = version(store).takes().copiedBytes();
      assertThat(path).isBetween(1_000L, 20_000L);
      store.update(SET.add("element 777"));
      assertThat(version(store).takes().copiedBytes()).as("the same pages").isEqualTo(path);
      store.update(SET.remove("what is not there"));
      assertThat(version(store).takes().copiedBytes()).as("only read").isEqualTo(path);
      store.update(SET.add("element 12345"));
      assertThat(version(store).takes().copiedBytes()).as("another leaf").isGreaterThan(path);
      assertThat(version(store).heldBytes()).isGreaterThan(version(store).takes().copiedBytes());
      store.checkpoint();
      assertThat(version(store).takes().copiedBytes()).isZero();
    }
  }

  @Test
  void aLargeVersionInOnePieceIsReleasedOnceACheckpointHasItsPages() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withPartitions(1)
            .withCheckpoints(CheckpointPolicy.byCall().withPagedFromBytes(1_000));
    for (int cacheMiB : List.of(1, 16)) {
      try (EmbeddedStore store =
          LossyDisk.empty().open(options.withCache(CacheOptions.bytes(cacheMiB << 20)))) {
        store.update(SET.addAll(IntStream.range(0, 50_000).mapToObj(i -> "element " + i).toList()));
        assertThat(version(store).isInPages()).isFalse();

        store.checkpoint();

        assertThat(version(store).isInPages()).isEqualTo(cacheMiB == 1);
        assertThat(version(store).wholeBytes()).isGreaterThan(1 << 19);
      }
    }
  }

  private static Version version(EmbeddedStore store) {
    Partition partition = store.partitions().local().get(0);
    return partition.versionAt(SET.id(), store.snapshot().token().vector()).orElseThrow();
  }
}
