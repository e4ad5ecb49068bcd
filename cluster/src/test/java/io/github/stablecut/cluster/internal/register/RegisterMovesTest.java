package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.RegisterLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The register moves to the planned keepers without ever losing its majority. */
final class RegisterMovesTest extends RegisterNodes {
  private void join(String node, List<String> keepers) throws IOException {
    Files.createDirectories(directory.resolve(node));
    Files.createFile(directory.resolve(node).resolve(RatisRegister.JOINS));
    start(node, keepers);
  }

  /** Lets nodes reconcile the keepers until a condition holds. */
  private void reconcileUntil(String what, List<String> nodes, Callable<Boolean> holds)
      throws Exception {
    Eventually.holds(
        what,
        () -> {
          nodes.forEach(node -> on(node).reconcileKeepers());
          return holds.call();
        });
  }

  private boolean hasKeepers(String on, List<String> nodes) {
    return on(on).keepers().equals(Set.copyOf(nodes));
  }

  @Test
  void replacesTwoOfThreeKeepersAtOnce() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n1", "n4", "n5");

    NODES.forEach(node -> on(node).changeKeepers(later));
    join("n4", later);
    join("n5", later);

    List<String> all = List.of("n1", "n2", "n3", "n4", "n5");
    reconcileUntil(
        "the planned nodes are the keepers", all, () -> !on("n2").isOpen() && !on("n3").isOpen());
    Eventually.holds("n1 knows it", () -> hasKeepers("n1", later));
    assertThatThrownBy(on("n2")::ratisServer)
        .as("a removed keeper has no server")
        .isInstanceOf(IOException.class);
    cutOff.addAll(List.of("n2", "n3"));
    assertThat(read("n4")).isEqualTo(FIRST.ledBy("n1"));
  }

  @Test
  void replacesAllKeepersAtOnce() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n4", "n5", "n6");
    List<String> all = List.of("n1", "n2", "n3", "n4", "n5", "n6");

    NODES.forEach(node -> on(node).changeKeepers(later));
    for (String node : later) {
      join(node, later);
    }

    reconcileUntil(
        "the planned nodes are the keepers",
        all,
        () -> NODES.stream().noneMatch(node -> on(node).isOpen()));
    Eventually.holds("n5 knows it", () -> hasKeepers("n5", later));
    assertThat(read("n6")).isEqualTo(FIRST.ledBy("n1"));
  }

  @Test
  void removesNoKeeperWithoutAMajorityOfTheOthers() throws Exception {
    List<String> five = List.of("n1", "n2", "n3", "n4", "n5");
    five.forEach(node -> start(node, five));
    assertThat(read("n1")).isEqualTo(FIRST);
    for (String node : five) {
      Eventually.holds(node + " knows all", () -> hasKeepers(node, five));
    }
    cutOff.addAll(List.of("n1", "n2"));
    assertThat(read("n3")).isEqualTo(FIRST);
    List<String> few = List.of("n1", "n2", "n3");
    List<String> there = List.of("n3", "n4", "n5");
    reconcileUntil("two are silent", there, () -> on("n3").location().silent().size() == 2);

    five.forEach(node -> on(node).changeKeepers(few));
    for (int i = 0; i < 5; i++) {
      there.forEach(node -> on(node).reconcileKeepers());
      assertThat(read("n3")).isEqualTo(FIRST);
    }

    cutOff.clear();
    reconcileUntil("two are removed", five, () -> !on("n4").isOpen() && !on("n5").isOpen());
    Eventually.holds("n3 knows it", () -> hasKeepers("n3", few));
    assertThat(read("n1")).isEqualTo(FIRST);
  }

  @Test
  void reportsSilentAndMissingKeepersToAllNodes() throws Exception {
    NODES.forEach(this::start);
    start("n9");
    List<String> all = List.of("n1", "n2", "n3", "n9");
    assertThat(on("n9").location()).isEqualTo(RegisterLocation.unknown(NODES));
    reconcileUntil(
        "it is complete", all, () -> all.stream().allMatch(one -> on(one).location().isComplete()));
    assertThat(on("n9").location().followers()).hasSize(2);

    cutOff.add("n1");
    reconcileUntil("n1 is silent", all, () -> on("n9").location().silent().equals(List.of("n1")));
    assertThat(on("n9").location().isComplete()).isFalse();
    cutOff.clear();

    List<String> later = List.of("n1", "n2", "n4");
    all.forEach(node -> on(node).changeKeepers(later));
    reconcileUntil("n4 is missing", all, () -> on("n9").location().missing().equals(List.of("n4")));
    assertThat(on("n9").location().surplus()).containsExactly("n3");
    assertThat(on("n9").location().isComplete()).isFalse();
  }

  @Test
  void replacesTheOnlyKeeper() throws Exception {
    start("n1", List.of("n1"));
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n3")))).isTrue();
    List<String> later = List.of("n2");

    on("n1").changeKeepers(later);
    join("n2", later);
    start("n3", later);
    on("n1").reconcileKeepers();
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n3"));

    reconcileUntil("n2 is the keeper", List.of("n1", "n2"), () -> !on("n1").isOpen());
    cutOff.add("n1");
    Eventually.holds("n2 knows it", () -> hasKeepers("n2", later));
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n3"));
  }

  @Test
  void anOldKeeperResumesAfterARestartUntilItIsRemoved() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    registers.values().forEach(RatisRegister::close);
    registers.clear();
    List<String> later = List.of("n1", "n4", "n5");

    NODES.forEach(node -> start(node, List.of(), later));

    assertThat(on("n2").isOpen()).isTrue();
    assertThat(read("n1")).isEqualTo(FIRST.ledBy("n1"));
    join("n4", later);
    join("n5", later);
    List<String> all = List.of("n1", "n2", "n3", "n4", "n5");
    reconcileUntil(
        "the planned nodes are the keepers", all, () -> !on("n2").isOpen() && !on("n3").isOpen());
    on("n2").close();
    start("n2", later);
    reconcileUntil("it is still removed", all, () -> !on("n2").isOpen());
    assertThat(read("n2")).isEqualTo(FIRST.ledBy("n1"));
  }

  /** Until the others admit it, the node knows no peers, not even the planned keepers. */
  @Test
  void aFirstKeeperThatStartsAfterAPlanChangeJoinsTheCurrentKeepers() throws Exception {
    start("n1");
    start("n2");
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n1", "n3", "n4");
    on("n1").changeKeepers(later);
    on("n2").changeKeepers(later);
    cutOff.add("n3");

    start("n3", List.of(), later);
    assertThat(on("n3").keepers()).isEmpty();

    cutOff.clear();
    Eventually.holds("n3 knows them", () -> hasKeepers("n3", NODES));
    cutOff.add("n1");
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n1"));
    cutOff.clear();
    join("n4", later);
    reconcileUntil(
        "the planned nodes are the keepers", List.of("n1", "n2", "n3"), () -> !on("n2").isOpen());
    Eventually.holds("n3 knows it", () -> hasKeepers("n3", later));
  }
}
