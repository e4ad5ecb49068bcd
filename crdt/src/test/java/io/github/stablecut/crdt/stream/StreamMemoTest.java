package io.github.stablecut.crdt.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Results of folds over streams are cached, and evicted when memory is short. */
final class StreamMemoTest {
  private static final int STREAMS = 100;
  private static final int MADE_BYTES = 1 << 20;

  /** Derives a large result from each entry. */
  private static final class MuchOfLittle implements StreamFold<byte[]> {
    private int calls;

    @Override
    public byte[] begin(Optional<Bytes> summary) {
      return new byte[0];
    }

    @Override
    public byte[] next(byte[] made, Bytes entry) {
      calls++;
      return new byte[MADE_BYTES];
    }
  }

  private static StreamValue stream() {
    EntryStream type = EntryStream.TYPE;
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    EntryStream.State state = type.initial();
    EntryStream.Effect effect =
        type.downstream(
            new EntryStream.Append(List.of(Bytes.utf8("entry")), false), state, context);
    state = type.apply(state, effect, new EffectOrigin(0, 1, VectorClock.ZERO));
    return type.value(state, VectorClock.of(1));
  }

  /** A JVM with less memory than all results take. */
  static final class FoldingProcess {
    private FoldingProcess() {}

    /** Prints the number of streams that fit. */
    public static void main(String... arguments) {
      List<StreamValue> streams = new ArrayList<>();
      MuchOfLittle fold = new MuchOfLittle();
      for (int i = 0; i < STREAMS; i++) {
        StreamValue stream = stream();
        streams.add(stream);
        if (stream.fold(fold).length != MADE_BYTES) {
          throw new AssertionError();
        }
      }
      System.out.println(streams.size());
    }
  }

  @Test
  void foldsOnceWhileThereIsMemory() {
    StreamValue stream = stream();
    MuchOfLittle fold = new MuchOfLittle();

    assertThat(stream.fold(fold)).isSameAs(stream.fold(fold));
    assertThat(fold.calls).isEqualTo(1);
  }

  @Test
  void evictsResultsWhenMemoryIsShort() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                FoldingProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    List<String> lines = process.inputReader().lines().toList();

    assertThat(process.waitFor()).isZero();
    assertThat(lines).containsExactly(Integer.toString(STREAMS));
  }
}
