package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Detects the partitions without a majority of voters on the remaining nodes. */
class LostPartitionsTest {
  private static final Configuration ALL = new Configuration(3, "n1", List.of("n1", "n2", "n3"));

  @Test
  void namesPartitionsWithoutAMajorityOfTheirVoters() {
    Map<Integer, Configuration> configurations =
        Map.of(
            1,
            ALL,
            2,
            new Configuration(3, "n3", List.of("n3")),
            5,
            new Configuration(4, "n3~0000002a", List.of("n3~0000002a", "n1")),
            6,
            Configuration.first(List.of("n3")));

    assertThat(LostPartitions.refusal(configurations, Set.of("n3")::contains))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .contains("the partitions [2, 5],", "the nodes [n3],", "cluster recover DIR"));
    assertThat(LostPartitions.refusal(Map.of(1, ALL), Set.of("n1", "n3")::contains))
        .hasValueSatisfying(why -> assertThat(why).contains("[1]", "[n1, n3]"));
    assertThat(LostPartitions.refusal(Map.of(1, ALL), Set.of("n3")::contains)).isEmpty();
  }
}
