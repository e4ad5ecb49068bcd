package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.internal.ManifestFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Manifests and their encoding. */
class ManifestProperties {
  private static final VectorClock K1 = VectorClock.ofEntries(10, 0, 5);
  private static final VectorClock K2 = VectorClock.ofEntries(20, 0, 5);
  private static final ManifestFile RUN_1 = new ManifestFile("run-1", K1, 100, 1);
  private static final ManifestFile RUN_2 = new ManifestFile("run-2", K2, 200, -1);
  private static final ManifestFile HISTORY = new ManifestFile("hist-3", K2, 300, 0xbadcafe);
  private static final Manifest MANIFEST =
      Manifest.builder(12, 3, -42)
          .lowWatermark(K1)
          .firstSegment(4)
          .clockCeiling(2_048_000)
          .runs(List.of(RUN_1, RUN_2))
          .histories(List.of(HISTORY))
          .attributes(new TreeMap<>(Map.of("sealed.3", "at = 35", "empty", "")))
          .build();

  @Example
  void isReadableText() {
    assertThat(new String(ManifestFormat.encode(MANIFEST), US_ASCII))
        .startsWith(
            """
            stablecut manifest
            format=1
            number=12
            epoch=3
            hashSeed=ffffffffffffffd6
            lowWatermark=10,0,5
            firstSegment=4
            clockCeiling=2048000
            run=run-1 at=10,0,5 bytes=100 crc32c=00000001
            run=run-2 at=20,0,5 bytes=200 crc32c=ffffffff
            hist=hist-3 at=20,0,5 bytes=300 crc32c=0badcafe
            attribute=empty\s
            attribute=sealed.3 at = 35
            crc32c=""");
  }

  @Property(tries = 300)
  void decodesItsOwnEncoding(@ForAll("manifests") Manifest manifest) {
    byte[] bytes = ManifestFormat.encode(manifest);

    assertThat(ManifestFormat.decode(bytes, "M")).isEqualTo(manifest);
  }

  @Provide
  Arbitrary<Manifest> manifests() {
    Arbitrary<Integer> centres = Arbitraries.integers().between(1, 3);
    Arbitrary<Integer> runs = Arbitraries.integers().between(0, 5);
    Arbitrary<Integer> low = Arbitraries.integers().between(0, 5);
    Arbitrary<Long> numbers = Arbitraries.longs().greaterOrEqual(1);
    Arbitrary<String> values = Arbitraries.strings().withCharRange(' ', '~').ofMaxLength(10);
    Arbitrary<String> names =
        Arbitraries.strings().alpha().numeric().withChars("._-").ofMinLength(1).ofMaxLength(5);
    return Combinators.combine(
            centres, runs, low, numbers, Arbitraries.maps(names, values).ofMaxSize(3))
        .as(
            (dimension, count, lowRun, number, attributes) -> {
              List<ManifestFile> files = new ArrayList<>();
              List<ManifestFile> histories = new ArrayList<>();
              VectorClock lowWatermark = VectorClock.ZERO;
              VectorClock at = VectorClock.ZERO;
              for (int i = 1; i <= count; i++) {
                at = at.with(i % dimension, at.get(i % dimension) + number % 1000 + 1);
                files.add(new ManifestFile("run-" + i, at, number, i * 31));
                if (i <= lowRun) {
                  lowWatermark = at;
                } else {
                  histories.add(new ManifestFile("hist-" + (10 + i), at, i, -i));
                }
              }
              return Manifest.builder(number, number / 2, number * 31)
                  .lowWatermark(lowWatermark)
                  .firstSegment(1 + count)
                  .clockCeiling(number)
                  .runs(files)
                  .histories(histories)
                  .attributes(new TreeMap<>(attributes))
                  .build();
            });
  }

  @Example
  void detectsAnyChangedByte() {
    byte[] bytes = ManifestFormat.encode(MANIFEST);
    for (int at = 0; at < bytes.length; at++) {
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= (byte) (1 << bit);

        assertThatThrownBy(() -> ManifestFormat.decode(damaged, "MANIFEST-12"))
            .isInstanceOf(CorruptCheckpointException.class)
            .hasMessageContaining("MANIFEST-12");
      }
    }
  }

  @Example
  void reportsANewerFormat() {
    byte[] newer = withLine("format=1", "format=2\nsomething=else");

    assertThatThrownBy(() -> ManifestFormat.decode(newer, "MANIFEST-12"))
        .isInstanceOf(CheckpointVersionException.class)
        .hasMessage("MANIFEST-12 has format 2, this program reads up to 1: use a newer version");
  }

  @Example
  void refusesOtherEncodings() {
    List<byte[]> others =
        List.of(
            withLine("firstSegment=4", "firstSegment=+4"),
            withLine("firstSegment=4", "firstSegment=four"),
            withLine("epoch=3", "epoch=03"),
            withLine("epoch=3", "epoch=13"),
            withLine("format=1", "format=0"),
            withLine("lowWatermark=10,0,5", "lowWatermark=10,0,4"),
            withLine("lowWatermark=10,0,5", "lowWatermark=10,0,5,0"),
            withLine("lowWatermark=10,0,5", "lowWatermark=10,-1,5"),
            withLine("bytes=100", "bytes=-100"),
            withLine("run=run-1", "run=other"),
            withLine("attribute=empty ", "unknown=1"),
            withLine("number=12\n", ""));
    for (byte[] other : others) {
      assertThatThrownBy(() -> ManifestFormat.decode(other, "MANIFEST-12"))
          .as(new String(other, US_ASCII))
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining("malformed");
    }
  }

  /** A manifest with a replaced text, and the right checksum. */
  private static byte[] withLine(String text, String by) {
    String written = new String(ManifestFormat.encode(MANIFEST), US_ASCII);
    String content = written.substring(0, written.lastIndexOf("crc32c="));
    assertThat(content).contains(text);
    String changed = content.replace(text, by);
    CRC32C crc = new CRC32C();
    crc.update(changed.getBytes(US_ASCII));
    return (changed + "crc32c=%08x\n".formatted(crc.getValue())).getBytes(US_ASCII);
  }

  @Example
  void requiresALowWatermarkOfARun() {
    assertRefused(() -> change().lowWatermark(VectorClock.ofEntries(15, 0, 5)).build(13, 4));
    assertThat(change().lowWatermark(K2).build(13, 4).lowWatermark()).isEqualTo(K2);
  }

  @Example
  void onlyMovesForward() {
    assertRefused(() -> change().lowWatermark(VectorClock.ZERO));
    assertRefused(() -> change().firstSegment(3));
    assertRefused(() -> change().clockCeiling(2_047_999));
    assertRefused(() -> change().addRun(new ManifestFile("run-4", K2, 1, 1)).build(13, 4));
    assertRefused(() -> change().addRun(new ManifestFile("run-4", K1, 1, 1)).build(13, 4));
    assertRefused(
        () ->
            change()
                .addRun(new ManifestFile("run-4", VectorClock.ofEntries(30, 0, 4), 1, 1))
                .build(13, 4));
  }

  @Example
  void dropsHistoryAtOrBelowTheLowWatermark() {
    assertThat(change().lowWatermark(K2).build(13, 4).histories()).isEmpty();
    assertThat(change().build(13, 4).histories()).containsExactly(HISTORY);
  }

  @Example
  void replacesOnlyNeighboursOnOneSideOfTheLowWatermark() {
    ManifestFile merged = new ManifestFile("run-4", K2, 1, 1);

    assertRefused(() -> change().replaceRuns(List.of(RUN_1, RUN_2), merged));
    assertRefused(() -> change().replaceRuns(List.of(RUN_2, RUN_1), merged));
    assertThat(
            change()
                .lowWatermark(K2)
                .replaceRuns(List.of(RUN_1, RUN_2), merged)
                .build(13, 4)
                .runs())
        .containsExactly(merged);
  }

  @Example
  void refusesAttributesThatAreNotALine() {
    assertRefused(() -> change().attribute("a b", "c").build(13, 4));
    assertRefused(() -> change().attribute("", "c").build(13, 4));
    assertRefused(() -> change().attribute("a", "b\nc").build(13, 4));
    assertRefused(() -> change().attribute("a", "ü").build(13, 4));
    assertThat(change().attribute("a", "b").withoutAttribute("empty").build(13, 4).attributes())
        .containsOnlyKeys("a", "sealed.3");
  }

  private static ManifestChange change() {
    return new ManifestChange(MANIFEST);
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
  }
}
