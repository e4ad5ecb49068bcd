package io.github.stablecut.crdt.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Editors;
import io.github.stablecut.crdt.Editors.Habit;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Foreign or damaged bytes are refused with a {@link FormatException}, or they are the canonical
 * bytes of their content, which is then quickly usable.
 */
class RgaHostileBytesProperties {
  private static final RgaText TEXT = RgaText.TYPE;
  private static final VectorClock FRONTIER = VectorClock.ofEntries(90_000, 90_000, 90_000);
  private static final EffectOrigin ORIGIN = new EffectOrigin(0, 1 << 20, VectorClock.ZERO);

  /** States and effects of a random history. */
  private record RandomHistory(List<byte[]> states, List<byte[]> effects) {
    static RandomHistory by(long seed) {
      Editors editors = new Editors(TEXT, seed % 2 == 0 ? Habit.MEET : Habit.TYPE, seed);
      editors.run(120, site -> {});
      return new RandomHistory(
          editors.sites.stream().map(site -> CrdtCodec.encodeState(TEXT, site.state)).toList(),
          editors.effects().map(effect -> CrdtCodec.encodeEffect(TEXT, effect)).toList());
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void refusesNonCanonicalBytesAndUsesTheRest(@ForAll long seed) {
    Random random = new Random(seed);
    RandomHistory written = RandomHistory.by(seed % 16);
    for (int i = 0; i < 20; i++) {
      byte[] stateBytes = damaged(any(written.states, random), random);
      byte[] effectBytes = damaged(any(written.effects, random), random);

      Optional<State<String>> state = decode(b -> CrdtCodec.decodeState(TEXT, b), stateBytes);
      Optional<Effect<String>> effect = decode(b -> CrdtCodec.decodeEffect(TEXT, b), effectBytes);

      state.ifPresent(s -> assertCanonical(CrdtCodec.encodeState(TEXT, s), stateBytes));
      effect.ifPresent(e -> assertThat(CrdtCodec.encodeEffect(TEXT, e)).isEqualTo(effectBytes));
      State<String> base = state.orElse(CrdtCodec.decodeState(TEXT, any(written.states, random)));
      work(base, effect.orElse(CrdtCodec.decodeEffect(TEXT, any(written.effects, random))));
    }
  }

  /** The bytes equal those written now, or first differ at an older version number. */
  private static void assertCanonical(byte[] now, byte[] bytes) {
    int first = Arrays.mismatch(now, bytes);
    if (first < 0 || first >= bytes.length || (now[first] ^ bytes[first]) != (byte) 0x80) {
      assertThat(now).isEqualTo(bytes);
    }
  }

  private static void work(State<String> state, Effect<String> effect) {
    State<String> changed = TEXT.apply(state, effect, ORIGIN);
    State<String> pruned = TEXT.prune(changed, FRONTIER);
    OperationContext context = new OperationContext(1, FRONTIER, new SelfDots());
    Effect<String> insertion =
        TEXT.downstream(RgaText.insert(pruned.size(), "end"), pruned, context);
    State<String> longer = TEXT.apply(pruned, insertion, ORIGIN);
    State<String> reset = TEXT.apply(longer, TEXT.downstream(Rga.reset(), longer, context), ORIGIN);
    assertThat(TEXT.value(reset, FRONTIER)).isEmpty();
    byte[] bytes = CrdtCodec.encodeState(TEXT, longer);
    assertThat(CrdtCodec.decodeState(TEXT, bytes)).isEqualTo(longer);
  }

  private static <T> Optional<T> decode(Function<byte[], T> decoder, byte[] bytes) {
    try {
      return Optional.of(decoder.apply(bytes));
    } catch (FormatException e) {
      return Optional.empty();
    }
  }

  private static byte[] any(List<byte[]> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  /** A copy with one fault, after version and type. */
  private static byte[] damaged(byte[] bytes, Random random) {
    int at = 2 + random.nextInt(bytes.length - 2);
    byte[] copy = bytes.clone();
    switch (random.nextInt(6)) {
      case 0 -> copy[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> copy[at] = (byte) random.nextInt(256);
      case 2 -> copy[at] = (byte) 0xff;
      case 3 -> copy = Arrays.copyOf(copy, at);
      case 4 -> {
        copy = Arrays.copyOf(copy, copy.length + 1);
        System.arraycopy(bytes, at, copy, at + 1, bytes.length - at);
        copy[at] = (byte) random.nextInt(256);
      }
      default -> {
        copy = Arrays.copyOf(copy, copy.length - 1);
        System.arraycopy(bytes, at + 1, copy, at, bytes.length - at - 1);
      }
    }
    return copy;
  }

  /** 2^31 - 1 tombstones in 22 bytes. */
  @Example
  void manyTombstonesTakeLittleSpace() {
    State<String> state = state("00 01 05 00 15 00 01 fcffffff07 05 02 01 fcffffff07");

    assertThat(state.size()).isZero();
    work(state, new Rga.Deletion<>(List.of()));
  }

  private static State<String> state(String hex) {
    return CrdtCodec.decodeState(TEXT, HexFormat.of().parseHex("0115" + hex.replace(" ", "")));
  }
}
