package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of docs/crdts/README.md, verbatim. */
class ReadmeTest {
  private static final Path THIS =
      Path.of("src/test/java/io/github/stablecut/crdt/ReadmeTest.java");
  private static final Path README = Path.of("../docs/crdts/README.md");

  @Test
  void worksWithoutAStore() {
    // begin
    AddWinsSet type = AddWinsSet.TYPE;
    AddWinsSet.State lisbon = type.initial();
    AddWinsSet.State porto = type.initial();

    // Lisbon adds an element in its first transaction, which commits at time 1.
    OperationContext context = new OperationContext(0, VectorClock.ZERO, new SelfDots());
    AddWinsSet.Effect added =
        type.downstream(new AddWinsSet.Add(List.of(Bytes.utf8("ship"))), lisbon, context);
    EffectOrigin first = new EffectOrigin(0, 1, VectorClock.ZERO);
    lisbon = type.apply(lisbon, added, first);

    // The effect travels as bytes.
    byte[] bytes = CrdtCodec.encodeEffect(type, added);
    porto = type.apply(porto, CrdtCodec.decodeEffect(type, bytes), first);

    assertThat(porto).isEqualTo(lisbon);
    assertThat(type.value(porto, VectorClock.of(1))).containsExactly(Bytes.utf8("ship"));
    // end
  }

  @Test
  void equalsTheReadme() throws IOException {
    String source = Files.readString(THIS);
    String body =
        source
            .substring(source.indexOf("    // begin\n") + 13, source.indexOf("    // end\n"))
            .stripTrailing()
            .stripIndent();

    assertThat(README).content().contains("```java\n" + body + "\n```");
  }
}
