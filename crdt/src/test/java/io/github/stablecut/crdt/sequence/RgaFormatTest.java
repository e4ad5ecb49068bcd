package io.github.stablecut.crdt.sequence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import io.github.stablecut.crdt.sequence.Rga.State;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists and texts are written in the bytes of version 3, and earlier versions are readable. */
class RgaFormatTest {
  /** Two data centres that edit one object, with all intermediate effects and states. */
  private static final class EditingHistory<C, V> {
    private final Rga<C, V> type;
    private final List<byte[]> bytes = new ArrayList<>();
    private final List<EffectOrigin> origins = new ArrayList<>();
    private State<C> state;

    EditingHistory(Rga<C, V> type) {
      this.type = type;
      this.state = type.initial();
    }

    void commit(Operation<C> operation, int dataCentre, long count) {
      OperationContext context = new OperationContext(dataCentre, VectorClock.ZERO, new SelfDots());
      Effect<C> effect = type.downstream(operation, state, context);
      long time = Timestamp.of(1_000_000_000_000L + count, 3);
      origins.add(new EffectOrigin(dataCentre, time, VectorClock.ZERO));
      state = type.apply(state, effect, origins.get(origins.size() - 1));
      bytes.add(CrdtCodec.encodeEffect(type, effect));
      bytes.add(CrdtCodec.encodeState(type, state));
      assertThat(CrdtCodec.encodeEffect(type, CrdtCodec.decodeEffect(type, last(2))))
          .isEqualTo(last(2));
      assertThat(CrdtCodec.decodeState(type, last(1))).isEqualTo(state);
    }

    /**
     * Checks that an earlier version's bytes of such a history are readable, with the same meaning.
     */
    void assertReads(List<byte[]> earlier, boolean isWrittenAlike) {
      assertThat(earlier).hasSameSizeAs(bytes);
      State<C> read = type.initial();
      for (int i = 0; i < origins.size(); i++) {
        Effect<C> effect = CrdtCodec.decodeEffect(type, earlier.get(2 * i));
        read = type.apply(read, effect, origins.get(i));
        assertThat(CrdtCodec.encodeEffect(type, effect)).isEqualTo(earlier.get(2 * i));
        assertThat(CrdtCodec.decodeState(type, earlier.get(2 * i + 1))).isEqualTo(read);
        if (isWrittenAlike) {
          assertThat(CrdtCodec.encodeState(type, read)).isEqualTo(earlier.get(2 * i + 1));
        }
      }
    }

    private byte[] last(int back) {
      return bytes.get(bytes.size() - back);
    }
  }

  @Test
  void writesTextsInVersion3AndReadsEarlierVersions() throws IOException {
    EditingHistory<String, Text> story = new EditingHistory<>(RgaText.TYPE);
    for (int i = 0; i < 8; i++) {
      story.commit(RgaText.insert(i, "keyboard".substring(i, i + 1)), 0, i);
    }
    story.commit(RgaText.insert(8, " – paste 😀 "), 0, 2_000);
    story.commit(RgaText.insert(3, "!"), 1, 2_001);
    story.commit(Rga.delete(6, 3), 0, 2_002);
    for (int i = 0; i < 3; i++) {
      story.commit(Rga.delete(story.state.size() - 1, 1), 1, 3_000 + 7 * i);
    }
    story.commit(RgaText.insert(0, ""), 0, 4_000);
    story.commit(Rga.reset(), 0, 4_001);

    assertThat(story.bytes).containsExactlyElementsOf(golden("text-v3.hex"));
    story.assertReads(golden("text-v2.hex"), true);
    story.assertReads(golden("text-v1.hex"), false);
  }

  @Test
  void writesListsInVersion3AndReadsEarlierVersions() throws IOException {
    EditingHistory<List<Bytes>, List<Bytes>> story = new EditingHistory<>(RgaList.TYPE);
    story.commit(RgaList.insert(0, elements("one", "", "three")), 0, 0);
    story.commit(RgaList.insert(2, elements("two")), 1, 50);
    story.commit(Rga.delete(1, 2), 0, 60);

    assertThat(story.bytes).containsExactlyElementsOf(golden("list-v3.hex"));
    story.assertReads(golden("list-v2.hex"), true);
    story.assertReads(golden("list-v1.hex"), false);
  }

  private static List<Bytes> elements(String... elements) {
    return Stream.of(elements).map(Bytes::utf8).toList();
  }

  private static List<byte[]> golden(String name) throws IOException {
    try (InputStream in = RgaFormatTest.class.getResourceAsStream("/rga/" + name)) {
      assertThat(in).as(name).isNotNull();
      return new String(in.readAllBytes(), UTF_8).lines().map(HexFormat.of()::parseHex).toList();
    }
  }

  @Test
  void typingInOneGoTakesFewBytesBesideTheText() {
    State<String> state = RgaText.TYPE.initial();
    for (int i = 0; i < 1_000; i++) {
      OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
      Effect<String> key = RgaText.TYPE.downstream(RgaText.insert(i, "x"), state, context);
      EffectOrigin origin = new EffectOrigin(0, Timestamp.of(5_000 + i, 0), VectorClock.ZERO);
      state = RgaText.TYPE.apply(state, key, origin);
    }

    assertThat(CrdtCodec.encodeState(RgaText.TYPE, state)).hasSizeLessThan(1_000 + 20);
  }

  @Test
  void keepsTypingManyYearsApartSeparate() {
    EditingHistory<String, Text> story = new EditingHistory<>(RgaText.TYPE);
    story.commit(RgaText.insert(0, "a"), 0, -999_999_999_999L);
    story.commit(RgaText.insert(1, "b"), 0, Long.MAX_VALUE / 2048);
    assertThat(story.state.elements().longestRuns()).hasSize(2);

    story.commit(Rga.delete(0, 2), 0, Long.MAX_VALUE / 2048 + 1);
    assertThat(story.state.elements().longestRuns()).hasSize(2);
  }

  /** Bytes that version 1 would not have written for their content. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0115 026162 01 04 00 14 00 10      | unit of time is 2^0, but a greater one fits
          0115 026162 01 04 01 14 00 08      | OK
          0115 03616263 01 04 00 18 00 08 08 | dots: consecutive equal steps must be one
          0115 03616263 01 04 00 14 00 09 00 | OK
          0115 026162 01 04 00 14 00 0a 00   | dots: index step 0
          0115 026162 01 04 00 14 00 0a 02   | OK
          0115 0161 01 04 00 12 00 00        | dots: index 0 must be omitted
          0115 0161 01 04 00 12 00 01        | OK
          0115 026162 01 04 00 14 00 0c      | the dots of a run don't ascend
          0115 026162 02 04 00 10 00 10 02   | text: two runs must be written as one
          0115 026162 02 04 00 10 00 12 02 01 | text: two runs must be written as one
          0115 026162 02 04 00 10 00 10 01   | OK
          0115 036163 62 02 04 00 14 00 10 10 01 | text: the dots of different runs interleave
          0115 026162 02 04 00 10 00 10 00   | text: the dots of different runs interleave
          0115 0161 01 04 00 10 02           | text: the base must be the time of the first dot
          0115 0161 01 04 00 00 00           | not a dot: data centre -1, time 4
          0115 0161 01 04 00 14 00 08        | text: fewer elements than dots
          0115 026162 01 04 00 10 00         | text: more elements than dots
          0115 00 01 04 00 11 00 04 02       | OK
          0115 00 01 04 00 15 00 08 04 02    | 2 elements, but 1 deleting transactions
          0115 00 01 04 00 11 00 05 02 00    | 1 elements, but 2 deleting transactions
          0115 00 01 04 00 11 00 05 02 0a 00 | dots: index step 0
          0115 00 01 04 3f 11 00 04 02       | the unit of time must be at most 2^62
          0115 02c0 80 01 04 00 10 00        | the text is not valid UTF-8
          0115 03eda0bd 01 04 00 10 00       | the text is not valid UTF-8
          """)
  void refusesNonCanonicalBytesInVersion1(String hex, String outcome) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    if (outcome.equals("OK")) {
      State<String> state = CrdtCodec.decodeState(RgaText.TYPE, bytes);
      byte[] now = CrdtCodec.encodeState(RgaText.TYPE, state);
      assertThat(CrdtCodec.decodeState(RgaText.TYPE, now)).isEqualTo(state);
    } else {
      assertThatThrownBy(() -> CrdtCodec.decodeState(RgaText.TYPE, bytes))
          .isInstanceOf(FormatException.class)
          .hasMessageContaining(outcome);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0115 00 01 00 01 04 00 00             | OK
          0115 00 02 00 01 04 00 00 01 05 00 00 | text: two sequences of dots must be written as one
          0115 00 02 00 01 04 00 00 02 05 00 00 | OK
          0115 00 01 01 01 04 00 00             | unit of time is 2^1, but a greater one fits
          0115 01 00 00 00                      | text: invalid insertion of 0 elements
          0115 01 00 ffffffff07 0161            | text: invalid insertion of 1 elements
          0115 01 00 feffffff07 0161            | OK
          0115 04                               | text: unknown kind of effect, expected 0 to 3: 4
          """)
  void refusesNonCanonicalBytesOfAnEffect(String hex, String outcome) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    if (outcome.equals("OK")) {
      Effect<String> effect = CrdtCodec.decodeEffect(RgaText.TYPE, bytes);
      assertThat(CrdtCodec.encodeEffect(RgaText.TYPE, effect)).isEqualTo(bytes);
    } else {
      assertThatThrownBy(() -> CrdtCodec.decodeEffect(RgaText.TYPE, bytes))
          .isInstanceOf(FormatException.class)
          .hasMessageContaining(outcome);
    }
  }

  /** Each of these would decode to content with other canonical bytes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0115 026162 01 04 80 00 14 00 80   | OK
          0115 026162 01 04 81 00 14 00 80   | OK
          0115 026162 01 04 80 00 14 00 b5   | OK
          0115 03616263 01 04 80 00 14 00 a8 | OK
          0115 00 01 04 80 00 15 00 80 05 02 00 | OK
          0115 03616263 01 04 80 00 18 00 9fc604 | OK
          0115 026162 01 04 80 00 14 00 81   | the bits after the last number are not 0
          0115 026162 01 04 80 00 14 00 8000 | text: 1 bytes too many
          0115 026162 01 04 80 01 14 00 80   | unit of time is 2^0, but a greater one fits
          0115 026162 01 04 80 01 14 00 40   | steps have 1 low bits, but should have 0
          0115 026162 01 04 80 00 14 00 fc10 | steps have 0 low bits, but should have 2
          0115 026162 01 04 80 40 14 00 80   | a step has at most 63 low bits, not 64
          0115 026162 01 04 bf 00 14 00 80   | the unit of time must be at most 2^62, not 2^63
          0115 026162 01 04 80 3f 14 00 80   | dots: a step is out of range
          0115 026162 01 04 80 00 14 00 fe00 | dots: a small step is encoded as a large one: 1
          0115 026162 01 04 80 00 14 00 a0   | dots: a usual step is encoded as an unusual one
          0115 026162 01 04 80 00 14 00 b0   | dots: index step 0
          0115 03616263 01 04 80 00 18 00 90 | dots: consecutive equal steps must be one
          0115 026162 01 04 80 00 14 00 5ffffffff8 | a number has more than 33 bits
          0115 026162 01 04 80 00 14 00 ffff | text: the bytes end too early
          """)
  void refusesNonCanonicalBytes(String hex, String outcome) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    if (outcome.equals("OK")) {
      State<String> state = CrdtCodec.decodeState(RgaText.TYPE, bytes);
      assertThat(CrdtCodec.encodeState(RgaText.TYPE, state)).isEqualTo(bytes);
    } else {
      assertThatThrownBy(() -> CrdtCodec.decodeState(RgaText.TYPE, bytes))
          .isInstanceOf(FormatException.class)
          .hasMessageContaining(outcome);
    }
  }

  @Test
  void aKeystrokeTakesRoughlyTheBitsOfItsTimeDifference() {
    State<String> state = RgaText.TYPE.initial();
    Random random = new Random(1);
    long time = 5_000;
    for (int i = 0; i < 1_000; i++) {
      time += 128 + random.nextInt(128); // in units of 1: 8 bits
      OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
      Effect<String> key = RgaText.TYPE.downstream(RgaText.insert(i, "x"), state, context);
      EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
      state = RgaText.TYPE.apply(state, key, origin);
    }

    assertThat(CrdtCodec.encodeState(RgaText.TYPE, state))
        .hasSizeLessThan(1_000 + 1_000 * 10 / 8 + 20);
  }
}
