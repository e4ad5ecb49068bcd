package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Decoding allocates in proportion to the bytes, whatever sizes they announce. */
class DecodingSpaceTest {
  private static final int BYTES = 1 << 20;

  /** An entry takes at least 3 bytes, and 2 references for its key and value. */
  private static final int MAX_PER_BYTE = 16;

  private static final byte VERSION = 1;

  @Test
  void nestedObjectsCannotEachAnnounceTheWholeRemainder() {
    byte[] state = announcements(GrowOnlyMap.TYPE, 0);
    byte[] effect = announcements(RecursiveResetMap.TYPE, 2);

    assertRefusedInLittleSpace(state, bytes -> CrdtCodec.decodeState(GrowOnlyMap.TYPE, bytes));
    assertRefusedInLittleSpace(
        effect, bytes -> CrdtCodec.decodeEffect(RecursiveResetMap.TYPE, bytes));
  }

  /**
   * Maps nested to the maximum depth, each of which announces an entry for every few bytes of a
   * million.
   *
   * @param between the number of zero bytes between a key and its object
   */
  private static byte[] announcements(CrdtType<?, ?, ?, ?> type, int between) {
    byte[] bytes = new byte[BYTES];
    bytes[0] = VERSION;
    bytes[1] = (byte) type.typeId();
    int at = 2;
    for (int level = 0; level < Encoder.MAX_DEPTH; level++) {
      for (int rest = BYTES / 6; rest > 0; rest >>>= 7) {
        bytes[at++] = (byte) (rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
      }
      bytes[at++] = 0; // an empty key
      bytes[at++] = (byte) type.typeId();
      at += between;
    }
    return bytes;
  }

  private static void assertRefusedInLittleSpace(byte[] bytes, Consumer<byte[]> decoder) {
    long before = allocatedBytes();
    assertThatThrownBy(() -> decoder.accept(bytes))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("bytes are left");
    assertThat(allocatedBytes() - before).isLessThan((long) MAX_PER_BYTE * bytes.length);
  }

  @Test
  void aMessageDoesNotShowEverythingThatWasRead() {
    byte[] twice = new byte[BYTES];
    twice[0] = VERSION;
    twice[1] = (byte) AddWinsSet.TYPE.typeId();
    twice[2] = 2;
    int at = 3;
    for (int element = 0; element < 2; element++) {
      twice[at++] = 0;
      twice[at++] = 100;
      for (byte index = 0; index < 100; index++) {
        twice[at++] = 0;
        twice[at++] = index;
      }
      twice[at++] = 0;
    }
    byte[] bytes = Arrays.copyOf(twice, at);

    assertThatThrownBy(() -> CrdtCodec.decodeEffect(AddWinsSet.TYPE, bytes))
        .isInstanceOf(FormatException.class)
        .hasMessage("not in ascending order: \"\", \"\"");
  }

  /** Characters typed in one go are one run, up to the maximum length. */
  @Test
  void aLongRunIsReadInProportionToItsLength() {
    assertThat(bytesToRead(80_000, 0)).isLessThan(6 * bytesToRead(20_000, 0));
    assertThat(bytesToRead(80_000, 80_000)).isLessThan(6 * bytesToRead(20_000, 20_000));
  }

  /** The bytes allocated while reading a text of keystrokes at irregular times. */
  private static long bytesToRead(int keystrokes, int deleted) {
    RgaText type = RgaText.TYPE;
    Random steps = new Random(1);
    Rga.State<String> state = type.initial();
    long time = 1;
    for (int i = 0; i < keystrokes; i++) {
      time += 1 + steps.nextInt(400);
      state = after(state, RgaText.insert(i, "x"), time);
    }
    for (int left = deleted; left > 0; left -= 10) {
      time += 1 + steps.nextInt(400);
      state = after(state, Rga.delete(0, 10), time);
    }
    byte[] bytes = CrdtCodec.encodeState(type, state);
    long before = allocatedBytes();
    assertThat(CrdtCodec.decodeState(type, bytes).size()).isEqualTo(keystrokes - deleted);
    return allocatedBytes() - before;
  }

  private static Rga.State<String> after(
      Rga.State<String> state, Rga.Operation<String> operation, long time) {
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
    return RgaText.TYPE.apply(state, RgaText.TYPE.downstream(operation, state, context), origin);
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
