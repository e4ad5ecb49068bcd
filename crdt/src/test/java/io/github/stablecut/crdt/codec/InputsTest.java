package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.register.LwwRegister;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A thread reuses one buffer for reading, unless it is in use. */
final class InputsTest {
  private static final LwwRegister.Write WRITE =
      new LwwRegister.Write(new Dot(0, 1, 0), Optional.of(Bytes.wrap(new byte[] {5, 6, 7})));

  @Test
  void aNestedReadingKeepsThePositionOfTheOuterOne() {
    byte[] effect = CrdtCodec.encodeEffect(LwwRegister.TYPE, WRITE);

    List<Object> read =
        CompoundCodecs.read(
            Bytes.wrap(new byte[] {1, 2}),
            in ->
                List.of(
                    in.readUnsigned(),
                    CrdtCodec.decodeEffect(LwwRegister.TYPE, effect),
                    CrdtCodec.decodeEffect(LwwRegister.TYPE, effect),
                    in.readUnsigned()));

    assertThat(read).containsExactly(1L, WRITE, WRITE, 2L);
  }

  @Test
  void aFailedReadingLeavesNothingToTheNext() {
    byte[] effect = CrdtCodec.encodeEffect(LwwRegister.TYPE, WRITE);
    byte[] cut = Arrays.copyOf(effect, effect.length - 1);

    assertThatThrownBy(() -> CrdtCodec.decodeEffect(LwwRegister.TYPE, cut))
        .isInstanceOf(FormatException.class);

    assertThat(CrdtCodec.decodeEffect(LwwRegister.TYPE, effect)).isEqualTo(WRITE);
  }

  @Test
  void aBufferIsReusedAndKeepsNoBytes() {
    Input taken = Inputs.take(new byte[10]);
    Inputs.release(taken);

    assertThat(taken.getBuffer()).isEmpty();
    assertThat(taken.limit()).isZero();
    Input next = Inputs.take(new byte[20]);
    assertThat(next).isSameAs(taken);
    assertThat(next.limit()).isEqualTo(20);
    Inputs.release(next);
  }
}
