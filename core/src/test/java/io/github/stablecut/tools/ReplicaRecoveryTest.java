package io.github.stablecut.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The remains of a cluster with replicas become a store. */
final class ReplicaRecoveryTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final JournalOptions OPTIONS = JournalOptions.named("a replica's journal");

  @TempDir private Path directory;

  private Path node(String name) {
    return directory.resolve(name);
  }

  /** Creates a node whose replica of the only partition has counted to a number, in an epoch. */
  private void create(String name, String replica, long count, long epoch) throws IOException {
    create(
        name,
        NodePlan.builder(7, name, List.of("n1"))
            .isFormed(true)
            .replicas(List.of(NODES))
            .renewed(replica.equals(name) ? "" : replica)
            .build(),
        count,
        epoch);
  }

  private void create(String name, NodePlan plan, long count, long epoch) throws IOException {
    Path store = directory.resolve("store-of-" + name);
    try (Store counting = Stablecut.open(store)) {
      for (int i = 0; i < count; i++) {
        counting.update(KEY.increment());
      }
    }
    try (NodeDirectory node = NodeDirectory.open(node(name), name)) {
      node.form(plan, List.of());
    }
    for (String part : List.of("journal", "checkpoint")) {
      Path target = node(name).resolve("p0").resolve(part);
      FileTrees.delete(target);
      replica(store.resolve("p0").resolve(part), target);
    }
    Path journal = node(name).resolve("p0/journal");
    try (Journal copied =
        Journal.open(
            JournalDirectory.open(journal, OPTIONS), OPTIONS, GroupListener.NOBODY, one -> {})) {
      if (epoch > 0) {
        copied.beginEpoch(epoch);
      }
    }
  }

  private static void replica(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.sorted().toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private long counted(Path store) {
    try (Store recovered = Stablecut.openExisting(store)) {
      return recovered.read(KEY);
    }
  }

  @Test
  void takesOnlyTheReplicaWithTheLatestLog() throws IOException {
    create("n1", "n1", 9, 3);
    create("n2", "n2", 5, 4);
    Path target = directory.resolve("recovered");

    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n1"), node("n2")))) {
      assertThat(recovery.partitions().get(0).mayLackCommits()).isFalse();
      assertThat(recovery.partitions().get(0).found())
          .extracting(ReplicaRecovery.FoundReplica::name)
          .containsExactly("n2", "n1");
      recovery.into(target, Set.of());
    }

    // Above those in the ids of transactions.
    assertThat(Files.readString(target.resolve("p0/PARTITION"))).contains("epoch=4\n");
    assertThat(counted(target)).isEqualTo(5);
    try (Store again = Stablecut.openExisting(target)) {
      again.update(KEY.increment());
      assertThat(again.read(KEY)).isEqualTo(6);
    }
  }

  @Test
  void takesTheLongerOfLogsOfTheSameEpoch() throws IOException {
    create("n1", "n1", 9, 3);
    create("n2", "n2", 5, 3);
    Path target = directory.resolve("recovered");

    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n2"), node("n1")))) {
      recovery.into(target, Set.of());
    }

    assertThat(counted(target)).isEqualTo(9);
  }

  @Test
  void lessThanAMajorityOfTheInitialReplicasMayLackCommits() throws IOException {
    create("n1", "n1~00000001", 2, 3);
    create("n2", "n2", 5, 3);

    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n1"), node("n2")))) {
      assertThat(recovery.partitions().get(0).mayLackCommits()).isTrue();
    }
  }

  /** A node has heard of an opening of another one's directory. */
  private void heard(String node, NodeOpening opening) throws IOException {
    try (NodeDirectory directory = NodeDirectory.open(node(node), node)) {
      directory.rememberOpenings(List.of(opening));
    }
  }

  private boolean mayLackCommits(String... nodes) {
    try (ReplicaRecovery recovery = ReplicaRecovery.of(Stream.of(nodes).map(this::node).toList())) {
      return recovery.partitions().get(0).mayLackCommits();
    }
  }

  @Test
  void aReplacedInitialReplicaDoesNotCount() throws IOException {
    create("n1", "n1", 2, 3);
    create("n2", "n2", 5, 3);
    assertThat(mayLackCommits("n1", "n2")).isFalse();

    heard("n2", new NodeOpening("n1~00000001", 1, 9));

    assertThat(mayLackCommits("n1", "n2")).isTrue();
    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n1"), node("n2")))) {
      assertThat(recovery.notes().get(0))
          .contains("is ignored: it is from opening 0 of n1")
          .contains("another node knows of opening 1 of n1~00000001");
    }
  }

  @Test
  void anInitialReplicaTemporarilyReplacedByAnotherNodeDoesNotCount() throws IOException {
    create("n1", "n1", 2, 3);
    create("n3", "n3", 5, 3);
    assertThat(mayLackCommits("n1", "n3")).isFalse();

    try (NodeDirectory first = NodeDirectory.open(node("n1"), "n1")) {
      NodePlan plan = first.plan().orElseThrow();
      first.update(plan.replacing("n3", "n9").replacing("n9", "n3"));
    }

    assertThat(mayLackCommits("n1", "n3")).isTrue();
  }

  /** The nodes have agreed on a new placement, as the first node knows. */
  private void agreed(UnaryOperator<NodePlan> change) throws IOException {
    try (NodeDirectory first = NodeDirectory.open(node("n1"), "n1")) {
      first.update(change.apply(first.plan().orElseThrow()));
    }
  }

  @Test
  void allPossibleVotersAreNeededAfterAChangeOfPlacement() throws IOException {
    create("n1", "n1", 2, 3);
    create("n2", "n2", 2, 3);
    create("n3", "n3", 2, 3);
    List<String> four = List.of("n1", "n2", "n3", "n4");
    assertThat(mayLackCommits("n1", "n2")).isFalse();

    agreed(plan -> plan.withReplicas(1, four).withReplicas(3, four));

    assertThat(mayLackCommits("n1", "n2")).isTrue();
    assertThat(mayLackCommits("n1", "n2", "n3")).isTrue();
    try (NodeDirectory fourth = NodeDirectory.open(node("n4"), "n4");
        NodeDirectory first = NodeDirectory.open(node("n1"), "n1")) {
      fourth.form(first.plan().orElseThrow().of("n4"), List.of());
    }
    FileTrees.delete(node("n4").resolve("p0"));
    assertThat(mayLackCommits("n1", "n2", "n3", "n4")).isFalse();
    Files.writeString(node("n3").resolve("p0/INSTALL"), "");
    assertThat(mayLackCommits("n1", "n2", "n3", "n4")).isTrue();
  }

  @Test
  void theOnlyPlannedReplicaIsNotEnoughAsTheOrderMayNotBeCarriedOut() throws IOException {
    create("n1", "n1", 2, 3);
    agreed(plan -> plan.withReplicas(1, NODES));

    assertThat(mayLackCommits("n1")).isTrue();
  }

  @Test
  void aNodeThatLeftWithTheFirstChangeMayHaveVoted() throws IOException {
    create("n1", "n1", 2, 3);
    create("n2", "n2", 2, 3);
    create("n3", "n3", 2, 3);
    agreed(plan -> plan.withReplicas(1, List.of("n1", "n2")));
    assertThat(mayLackCommits("n1", "n2")).isFalse();

    heard("n2", new NodeOpening("n3", 0, 0));

    assertThat(mayLackCommits("n1", "n2")).isTrue();
    assertThat(mayLackCommits("n1", "n2", "n3")).isFalse();
  }

  @Test
  void anOlderImageOfADirectoryCountsForNothing() throws IOException {
    create("n1", "n1", 2, 3);
    create("n2", "n2", 5, 3);
    heard("n2", new NodeOpening("n1", 0, 0));
    assertThat(mayLackCommits("n1", "n2")).isFalse();

    heard("n2", new NodeOpening("n1", 1, 9));

    assertThat(mayLackCommits("n1", "n2")).isTrue();
  }

  @Test
  void twoDirectoriesOfOneReplicaCountAsOne() throws IOException {
    create("n1", "n1", 2, 3);
    Path image = node("image");
    replica(node("n1"), image);

    assertThat(mayLackCommits("n1", "image")).isTrue();
  }

  @Test
  void excludesAReplicaThatWasReceivingACheckpoint() throws IOException {
    create("n1", "n1", 2, 3);
    Files.writeString(node("n1").resolve("p0/INSTALL"), "");

    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n1")))) {
      assertThat(recovery.missing()).containsExactly(0);
      assertThat(recovery.notes().get(0)).contains("was about to receive a checkpoint");
      assertThatThrownBy(() -> recovery.into(directory.resolve("recovered"), Set.of()))
          .isInstanceOf(NotAStoreException.class)
          .hasMessageContaining("there is no replica of the partitions [0]");
    }
  }

  /** One node has not heard of it, and the disk of the other one is lost. */
  @Test
  void takesUnreplicatedPartitionsAndStartsLostOnesEmptyOnRequest() throws IOException {
    NodePlan once = new NodePlan(7, "n1", List.of("n1", "n2"), true);
    create("n1", once, 3, 0);
    try (NodeDirectory second = NodeDirectory.open(node("n2"), "n2")) {
      second.form(
          once.withRegister(new PlanChange.Register(1_000, List.of("n2"), once.owners())).of("n2"),
          List.of());
    }
    FileTrees.delete(node("n2").resolve("p1"));
    Path target = directory.resolve("recovered");

    try (ReplicaRecovery recovery = ReplicaRecovery.of(List.of(node("n1"), node("n2")))) {
      assertThat(recovery.missing()).containsExactly(1);
      assertThat(recovery.partitions()).extracting(one -> one.mayLackCommits()).contains(true);
      assertThatThrownBy(() -> recovery.into(target, Set.of()))
          .isInstanceOf(NotAStoreException.class)
          .hasMessageContaining("continue without them with --empty 1");
      assertThat(target).doesNotExist();
      recovery.into(target, Set.of(1));
    }

    // Above those in the ids of earlier transactions.
    assertThat(Files.readString(target.resolve("p0/PARTITION"))).contains("epoch=1000\n");
    try (Store store = Stablecut.openExisting(target)) {
      assertThat(store.read(KEY)).isIn(0L, 3L);
      for (int i = 0; i < 10; i++) {
        store.update(Key.counter("b", "o" + i).increment());
      }
    }
  }

  @Test
  void refusesOtherDirectories() {
    Path store = directory.resolve("store");
    Stablecut.open(store).close();

    assertThatThrownBy(() -> ReplicaRecovery.of(List.of(store)))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("is not the directory of a node of a cluster with replicas");
  }
}
