package io.github.stablecut.cluster.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Compares the replicas of a partition that n1 leads and n2 and n3 follow. */
class ReplicaComparisonTest {
  private final ReplicaComparison comparison = new ReplicaComparison();

  private void add(String replica, String checkpoint, String hash) throws JsonProcessingException {
    add(replica, replica.equals("n1") ? "\"n1\",\"n2\",\"n3\"" : "", checkpoint, hash);
  }

  private void add(String replica, String voters, String checkpoint, String hash)
      throws JsonProcessingException {
    comparison.add(
        new ObjectMapper()
            .readTree(
                "[{\"partition\":3,\"replica\":\"%s\",\"epoch\":%d,\"voters\":[%s],\"checkpoint\":\"%s\",\"objects\":5,\"hash\":\"%s\"}]"
                    .formatted(replica, voters.isEmpty() ? 0 : 4, voters, checkpoint, hash)));
  }

  private void assertNotComparable(String why) {
    assertThat(comparison.notComparable()).singleElement().asString().contains(why);
    assertThat(comparison.compared()).isZero();
  }

  @Test
  void replicasWithTheSameHashAreEqual() throws Exception {
    add("n1", "7", "aa");
    add("n2", "7", "aa");
    assertNotComparable("partition 3: of the replicas [n1, n2, n3], [n3] have not reported");
    add("n3", "7", "aa");

    assertThat(comparison.notComparable()).isEmpty();
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.partitions()).isEqualTo(1);
    assertThat(comparison.compared()).isEqualTo(1);
    assertThat(comparison.objects()).isEqualTo(5);
  }

  @Test
  void aPartitionWithoutReportsIsNotCompared() throws Exception {
    comparison.expect(2);
    assertThat(comparison.partitions()).isZero();
    comparison.expect(4);
    add("n1", "\"n1\"", "7", "aa");

    assertThat(comparison.notComparable())
        .hasSize(3)
        .contains("partition 2: none of its replicas has reported");
    assertThat(comparison.partitions()).isEqualTo(1);
  }

  @Test
  void twoReportsOfANodeCountOnce() throws Exception {
    add("n1", "\"n1\",\"n2\"", "7", "aa");
    add("n1", "\"n1\",\"n2\"", "7", "aa");

    assertNotComparable("[n2] have not reported");
  }

  @Test
  void nothingIsComparedBeforeTheLeaderReports() throws Exception {
    add("n2", "7", "aa");
    add("n3", "7", "aa");

    assertNotComparable("its leader has not reported");
  }

  @Test
  void theLeaderOfTheLaterEpochCounts() throws Exception {
    add("n1", "7", "aa");
    add("n2", "7", "aa");
    comparison.add(
        new ObjectMapper()
            .readTree(
                "[{\"partition\":3,\"replica\":\"n3\",\"epoch\":3,\"voters\":[\"n3\"],\"checkpoint\":\"8\"}]"));

    assertNotComparable("the replicas [n1, n2, n3] had different checkpoints");
  }

  @Test
  void namesAReplicaWithAnotherHashOfTheSameCheckpoint() throws Exception {
    add("n1", "7", "aa");
    add("n2", "7", "aa");
    add("n3", "7", "bb");

    assertThat(comparison.differences())
        .containsExactly(
            "partition 3: n1 with 5 objects and n3 with 5 differ in the checkpoint 7",
            "partition 3: n2 with 5 objects and n3 with 5 differ in the checkpoint 7");
  }

  @Test
  void replicasWithDifferentCheckpointsAreNotCompared() throws Exception {
    add("n1", "7", "aa");
    add("n2", "8", "bb");
    add("n3", "8", "bb");

    assertThat(comparison.differences()).isEmpty();
    assertNotComparable("the replicas [n1, n2, n3] had different checkpoints each time");
  }

  @Test
  void earlierReportsCountAndKeepTheirDifferences() throws Exception {
    add("n1", "7", "aa");
    add("n2", "8", "bb");
    add("n3", "7", "cc");

    add("n1", "8", "bb");
    add("n2", "9", "dd");
    add("n3", "8", "bb");

    assertThat(comparison.notComparable()).isEmpty();
    assertThat(comparison.differences())
        .containsExactly("partition 3: n1 with 5 objects and n3 with 5 differ in the checkpoint 7");
  }

  @Test
  void replicasWithoutCheckpointsAreNotCompared() throws Exception {
    add("n1", "", "00");
    add("n2", "", "00");
    assertNotComparable("[n3] have not reported");
    add("n3", "", "00");

    assertThat(comparison.notComparable()).isEmpty();
    assertThat(comparison.withoutCheckpoint()).containsExactly(3);
    assertThat(comparison.compared()).isZero();
  }
}
