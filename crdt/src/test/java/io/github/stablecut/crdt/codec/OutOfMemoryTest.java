package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.register.LwwRegister;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A value too large for the memory does not prevent the encoding of later ones. */
final class OutOfMemoryTest {
  private static final int SMALL = 20_000;

  /** With a heap of 64 MiB: the value fits, and a second buffer of its size does not. */
  private static final int LARGE = 40 << 20;

  /** Encodes in another JVM, because an error could affect anything else in this one. */
  static final class EncodingProcess {
    private EncodingProcess() {}

    /** Prints the result of each value. */
    public static void main(String... arguments) {
      byte[] large = new byte[LARGE];
      encode(SMALL);
      try {
        System.out.println(encoded(Bytes.wrap(large)));
      } catch (OutOfMemoryError e) {
        System.out.println("no memory");
      }
      encode(SMALL);
      encode(SMALL);
    }

    private static void encode(int length) {
      System.out.println(encoded(Bytes.wrap(new byte[length])) > length);
    }

    private static int encoded(Bytes value) {
      LwwRegister.Write effect = new LwwRegister.Write(new Dot(0, 1, 0), Optional.of(value));
      return CrdtCodec.encodeEffect(LwwRegister.TYPE, effect).length;
    }
  }

  @Test
  void encodesLaterValues() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                EncodingProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    List<String> lines = process.inputReader().lines().toList();

    assertThat(process.waitFor()).isZero();
    assertThat(lines).isEqualTo(List.of("true", "no memory", "true", "true"));
  }
}
