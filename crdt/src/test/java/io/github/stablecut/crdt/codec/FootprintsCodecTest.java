package io.github.stablecut.crdt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions' dependencies reach another node, however many objects they cover. */
final class FootprintsCodecTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 1_000})
  void wholeObjectsRoundTrip(int objects) {
    Map<Bytes, Set<Footprint>> byObject = new HashMap<>();
    for (int i = 0; i < objects; i++) {
      byObject.put(Bytes.utf8("object " + i), Set.of(Footprint.whole()));
    }

    Bytes encoded = QuestionCodec.encode(byObject, List.of());

    assertThat(
            QuestionCodec.<Map<Bytes, Set<Footprint>>>decodeFootprints(
                encoded,
                (found, ranges) -> {
                  assertThat(ranges).isEmpty();
                  return found;
                }))
        .isEqualTo(byObject);
  }
}
