package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Which copies hold the same. */
class CopiesComparisonTest {
  private final CopiesComparison comparison = new CopiesComparison();

  private void add(String copy, String checkpoint, String hash) throws JsonProcessingException {
    comparison.add(
        new ObjectMapper()
            .readTree(
                "[{\"partition\":3,\"copy\":\"%s\",\"checkpoint\":\"%s\",\"objects\":5,\"hash\":\"%s\"}]"
                    .formatted(copy, checkpoint, hash)));
  }

  @Test
  void copiesWithTheSameHashOfACheckpointHoldTheSame() throws Exception {
    add("n1", "7", "aa");
    assertThat(comparison.notComparable()).containsExactly(3);
    add("n2", "7", "aa");
    add("n3~1", "7", "aa");

    assertThat(comparison.notComparable()).isEmpty();
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.partitions()).isEqualTo(1);
    assertThat(comparison.objects()).isEqualTo(5);
  }

  @Test
  void aCopyWithAnotherHashOfTheSameCheckpointIsNamed() throws Exception {
    add("n1", "7", "aa");
    add("n2", "7", "aa");
    add("n3", "7", "bb");

    assertThat(comparison.differences())
        .containsExactly(
            "partition 3: n1 with 5 objects and n3 with 5 differ in the checkpoint 7",
            "partition 3: n2 with 5 objects and n3 with 5 differ in the checkpoint 7");
  }

  @Test
  void copiesWithDifferentCheckpointsAreNotCompared() throws Exception {
    add("n1", "7", "aa");
    add("n2", "8", "bb");

    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.notComparable()).containsExactly(3);
  }
}
