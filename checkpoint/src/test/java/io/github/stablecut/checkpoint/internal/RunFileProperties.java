package io.github.stablecut.checkpoint.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Compares a run with a sorted map. */
class RunFileProperties {
  /** A hash of few or many bits, from one value for all ids to one for each. */
  private static IdHash hash(int bits) {
    SipHash sipHash = SipHash.ofSeed(42);
    long mask = bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    return id -> sipHash.of(id) & mask;
  }

  @Property(tries = 100)
  void findsTheEntriesOfTheMap(
      @ForAll("states") SortedMap<Bytes, byte[]> states,
      @ForAll("ids") List<Bytes> others,
      @ForAll @IntRange(max = 64) int hashBits,
      @ForAll @IntRange(min = 1, max = 50) int partSlots)
      throws IOException {
    IdHash hash = hash(hashBits);

    RunFile run = Runs.write(new LossyDirectory(), hash, states, partSlots, 1);

    assertThat(run.entries()).isEqualTo(states.size());
    assertThat(run.notes()).containsExactly(1, 2, 3);
    assertThat(run.checkpoint()).isEqualTo(Runs.CHECKPOINT);
    for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
      RunEntry entry = find(run, hash, state.getKey()).orElseThrow();
      assertThat(entry.id()).isEqualTo(state.getKey());
      assertThat(entry.state()).isEqualTo(state.getValue());
      assertThat(entry.typeId()).isEqualTo(Runs.TYPE);
      assertThat(entry.lastCommitTime()).isEqualTo(9);
    }
    for (Bytes other : others) {
      assertThat(find(run, hash, other).isPresent()).isEqualTo(states.containsKey(other));
    }
    new RunVerification(run, hash)
        .run(
            damage -> {
              throw damage;
            });
  }

  /** Several blocks of the index, with uniform hashes, or hashes with equal high halves. */
  @Property(tries = 60)
  void findsAnyOfManyWhateverTheirHashes(
      @ForAll @IntRange(min = 200, max = 1_500) int count,
      @ForAll @IntRange(min = 2, max = 64) int hashBits,
      @ForAll boolean isHighHalfTheSame)
      throws IOException {
    IdHash even = hash(hashBits);
    IdHash hash = isHighHalfTheSame ? id -> even.of(id) >>> Integer.SIZE : even;
    SortedMap<Bytes, byte[]> states = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      states.put(Bytes.utf8("object " + i), new byte[] {(byte) i});
    }

    RunFile run = Runs.write(new LossyDirectory(), hash, states);

    for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
      assertThat(find(run, hash, state.getKey()).map(RunEntry::state)).contains(state.getValue());
    }
    assertThat(find(run, hash, Bytes.utf8("another"))).isEmpty();
    new RunVerification(run, hash)
        .run(
            damage -> {
              throw damage;
            });
  }

  /** The fences may not fit into memory while they are written. */
  @Property(tries = 30)
  void longIdsWithACommonPrefixAreFoundAndHaveSmallFences(
      @ForAll @IntRange(min = 1, max = 300) int count,
      @ForAll @IntRange(min = 0, max = 20_000) int commonBytes,
      @ForAll @IntRange(min = 1, max = 60_000) int fenceBytes)
      throws IOException {
    IdHash hash = hash(64);
    String common = "k".repeat(commonBytes);
    SortedMap<Bytes, byte[]> states = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      states.put(Bytes.utf8(common + (100_000 + i)), new byte[i]);
    }
    LossyDirectory directory = new LossyDirectory();

    RunFile run = Runs.write(directory, hash, states, SlotSorter.PART_SLOTS, fenceBytes);

    assertThat(directory.list()).containsExactly("run-1");
    RunFooter footer = run.footer();
    assertThat(footer.fenceTableAt() - footer.tablesAt())
        .isLessThanOrEqualTo(footer.entriesEnd() / 7 + 2L * (commonBytes + 20));
    assertThat(footer.fences())
        .isGreaterThanOrEqualTo(
            footer.entriesEnd() / (2L * Math.max(8 << 10, 8 * (commonBytes + 20))));
    for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
      assertThat(find(run, hash, state.getKey()).map(RunEntry::state)).contains(state.getValue());
    }
    assertThat(scan(run, IdRange.from(Bytes.utf8(common + 100_100))))
        .isEqualTo(texts(states.tailMap(Bytes.utf8(common + 100_100))));
    new RunVerification(run, hash)
        .run(
            damage -> {
              throw damage;
            });
  }

  private static Optional<RunEntry> find(RunFile run, IdHash hash, Bytes id) {
    return run.find(id.toArray(), hash.of(id.toArray()));
  }

  @Property(tries = 100)
  void scansARangeLikeTheMap(
      @ForAll("states") SortedMap<Bytes, byte[]> states,
      @ForAll("id") Bytes one,
      @ForAll("id") Bytes other)
      throws IOException {
    RunFile run = Runs.write(new LossyDirectory(), hash(64), states);
    Bytes from = one.compareTo(other) <= 0 ? one : other;
    Bytes until = one.compareTo(other) <= 0 ? other : one;
    SortedMap<Bytes, byte[]> withPrefix = new TreeMap<>(states);
    withPrefix.keySet().removeIf(id -> !id.startsWith(one));

    assertThat(scan(run, IdRange.all())).isEqualTo(texts(states));
    assertThat(scan(run, IdRange.from(from))).isEqualTo(texts(states.tailMap(from)));
    assertThat(scan(run, IdRange.between(from, until)))
        .isEqualTo(texts(states.subMap(from, until)));
    assertThat(scan(run, IdRange.prefix(one))).isEqualTo(texts(withPrefix));
  }

  /** The results of a forward scan, checked to equal those of a backward one. */
  private static List<String> scan(RunFile run, IdRange range) {
    List<String> found = scan(new RunCursor(run, range), range);
    List<String> backwards = scan(new DescendingRunCursor(run, range), range);
    Collections.reverse(backwards);
    assertThat(backwards).isEqualTo(found);
    return found;
  }

  private static List<String> scan(EntryCursor cursor, IdRange range) {
    List<String> found = new ArrayList<>();
    while (cursor.advance()) {
      RunEntry entry = RunEntry.ofEncoded(cursor.entry());
      assertThat(range.contains(entry.id())).isTrue();
      found.add(text(entry.id(), entry.state()));
    }
    return found;
  }

  private static List<String> texts(SortedMap<Bytes, byte[]> states) {
    return states.entrySet().stream().map(e -> text(e.getKey(), e.getValue())).toList();
  }

  private static String text(Bytes id, byte[] state) {
    return id + "=" + state.length + "/" + Arrays.hashCode(state);
  }

  @Provide
  Arbitrary<SortedMap<Bytes, byte[]>> states() {
    Arbitrary<Integer> length =
        Arbitraries.frequencyOf(
            Tuple.of(200, Arbitraries.integers().between(0, 200)),
            Tuple.of(10, Arbitraries.integers().between(60_000, 70_000)),
            Tuple.of(1, Arbitraries.integers().between(1_048_400, 1_048_700)));
    Arbitrary<byte[]> state =
        Combinators.combine(length, Arbitraries.bytes())
            .as(
                (size, filler) -> {
                  byte[] bytes = new byte[size];
                  Arrays.fill(bytes, filler);
                  return bytes;
                });
    return Arbitraries.maps(id(), state).ofMaxSize(120).map(TreeMap::new);
  }

  @Provide
  Arbitrary<List<Bytes>> ids() {
    return id().list().ofMaxSize(20);
  }

  /** Short ids of few letters, so that some are prefixes of others, and some very long ids. */
  @Provide
  Arbitrary<Bytes> id() {
    Arbitrary<Bytes> shortId =
        Arbitraries.of((byte) 0, (byte) 'a', (byte) 'b', (byte) 0xff)
            .array(byte[].class)
            .ofMaxSize(6)
            .map(Bytes::copyOf);
    Arbitrary<Bytes> longId =
        Combinators.combine(shortId, Arbitraries.integers().between(0, 70_000))
            .as((end, length) -> Bytes.utf8("a".repeat(length) + new String(end.toArray(), UTF_8)));
    return Arbitraries.frequencyOf(Tuple.of(30, shortId), Tuple.of(1, longId));
  }
}
