package io.github.stablecut.cluster.internal.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;

/** Lines are the bytes between line ends, whatever the sizes of the reads. */
class LineReaderProperties {
  private static InputStream inPieces(byte[] bytes, int pieceBytes) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] target, int from, int count) {
        return super.read(target, from, Math.min(count, pieceBytes));
      }
    };
  }

  @Property
  void splitsAtLineEnds(
      @ForAll @Chars({'a', 'b', '\n'}) String text, @ForAll @IntRange(min = 1, max = 9) int piece)
      throws IOException {
    LineReader reader = new LineReader(inPieces(text.getBytes(ISO_8859_1), piece), 1_000);
    List<String> lines = new ArrayList<>();
    for (Optional<byte[]> next = reader.next(); next.isPresent(); next = reader.next()) {
      lines.add(new String(next.get(), ISO_8859_1));
      assertThat(reader.number()).isEqualTo(lines.size());
    }

    assertThat(lines).containsExactlyElementsOf(text.lines().toList());
  }

  @Example
  void refusesTooLongLinesBeforeBufferingThem() throws IOException {
    LineReader reader = new LineReader(inPieces("1234\n12345".getBytes(ISO_8859_1), 2), 4);

    assertThat(reader.next()).isPresent();
    assertThatThrownBy(reader::next)
        .isInstanceOf(MalformedLineException.class)
        .hasMessage("it has more than 4 bytes");
    assertThat(reader.number()).isEqualTo(2);
  }
}
