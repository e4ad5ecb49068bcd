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

/** The register comes to other nodes, as far as the plan says, and is never without a majority. */
final class RegisterMovesTest extends RegisterNodes {
  private void join(String node, List<String> keepers) throws IOException {
    Files.createDirectories(directory.resolve(node));
    Files.createFile(directory.resolve(node).resolve(RatisRegister.JOINS));
    start(node, keepers);
  }

  /** As time passes. */
  private void lookUntil(String what, List<String> nodes, Callable<Boolean> holds)
      throws Exception {
    Eventually.holds(
        what,
        () -> {
          nodes.forEach(node -> on(node).look());
          return holds.call();
        });
  }

  private boolean keepIt(String on, List<String> nodes) {
    return on(on).keepers().equals(Set.copyOf(nodes));
  }

  @Test
  void twoOfThreeGoAtOnce() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n1", "n4", "n5");

    NODES.forEach(node -> on(node).place(later));
    join("n4", later);
    join("n5", later);

    List<String> all = List.of("n1", "n2", "n3", "n4", "n5");
    lookUntil("others keep it", all, () -> !on("n2").isOpen() && !on("n3").isOpen());
    Eventually.holds("n1 knows it", () -> keepIt("n1", later));
    assertThatThrownBy(on("n2")::keeper)
        .as("who does not see in time that it is out")
        .isInstanceOf(IOException.class);
    cutOff.addAll(List.of("n2", "n3"));
    assertThat(read("n4")).isEqualTo(FIRST.ledBy("n1"));
  }

  @Test
  void allGoAtOnceAlsoIfThoseThatComeAreStartedAgain() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n4", "n5", "n6");
    List<String> all = List.of("n1", "n2", "n3", "n4", "n5", "n6");

    NODES.forEach(node -> on(node).place(later));
    for (String node : later) {
      join(node, later);
    }

    lookUntil("others keep it", all, () -> NODES.stream().noneMatch(node -> on(node).isOpen()));
    Eventually.holds("n5 knows it", () -> keepIt("n5", later));
    assertThat(read("n6")).isEqualTo(FIRST.ledBy("n1"));
  }

  @Test
  void noneGoesOfFiveWhileTooFewOfTheOthersAreHeard() throws Exception {
    List<String> five = List.of("n1", "n2", "n3", "n4", "n5");
    five.forEach(node -> start(node, five));
    assertThat(read("n1")).isEqualTo(FIRST);
    for (String node : five) {
      Eventually.holds(node + " knows all", () -> keepIt(node, five));
    }
    cutOff.addAll(List.of("n1", "n2"));
    assertThat(read("n3")).isEqualTo(FIRST);
    List<String> few = List.of("n1", "n2", "n3");
    List<String> there = List.of("n3", "n4", "n5");
    lookUntil("two are silent", there, () -> on("n3").place().silent().size() == 2);

    five.forEach(node -> on(node).place(few));
    for (int i = 0; i < 5; i++) {
      there.forEach(node -> on(node).look());
      assertThat(read("n3")).isEqualTo(FIRST);
    }

    cutOff.clear();
    lookUntil("two are out", five, () -> !on("n4").isOpen() && !on("n5").isOpen());
    Eventually.holds("n3 knows it", () -> keepIt("n3", few));
    assertThat(read("n1")).isEqualTo(FIRST);
  }

  @Test
  void eachNodeIsToldWhoKeepsItAndWhoIsSilentOrNotIn() throws Exception {
    NODES.forEach(this::start);
    start("n9");
    List<String> all = List.of("n1", "n2", "n3", "n9");
    assertThat(on("n9").place()).isEqualTo(RegisterLocation.unknown(NODES));
    lookUntil(
        "it is complete", all, () -> all.stream().allMatch(one -> on(one).place().isComplete()));
    assertThat(on("n9").place().followers()).hasSize(2);

    cutOff.add("n1");
    lookUntil("n1 is silent", all, () -> on("n9").place().silent().equals(List.of("n1")));
    assertThat(on("n9").place().isComplete()).isFalse();
    cutOff.clear();

    List<String> later = List.of("n1", "n2", "n4");
    all.forEach(node -> on(node).place(later));
    lookUntil("n4 is not in", all, () -> on("n9").place().missing().equals(List.of("n4")));
    assertThat(on("n9").place().surplus()).containsExactly("n3");
    assertThat(on("n9").place().isComplete()).isFalse();
  }

  @Test
  void theOnlyOneGivesItToAnother() throws Exception {
    start("n1", List.of("n1"));
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n3")))).isTrue();
    List<String> later = List.of("n2");

    on("n1").place(later);
    join("n2", later);
    start("n3", later);
    on("n1").look();
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n3"));

    lookUntil("the other one keeps it", List.of("n1", "n2"), () -> !on("n1").isOpen());
    cutOff.add("n1");
    Eventually.holds("n2 knows it", () -> keepIt("n2", later));
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n3"));
  }

  @Test
  void whoKeepsItStillDoesSoAfterARestartThoughThePlanSaysThatOthersAreTo() throws Exception {
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
    lookUntil("others keep it", all, () -> !on("n2").isOpen() && !on("n3").isOpen());
    on("n2").close();
    start("n2", later);
    lookUntil("it is out still", all, () -> !on("n2").isOpen());
    assertThat(read("n2")).isEqualTo(FIRST.ledBy("n1"));
  }

  /** Without the others it knows nobody: not those that are to keep the register by now. */
  @Test
  void oneOfTheFirstThatIsStartedOnceThePlanHasChangedKeepsItWithThoseThatDo() throws Exception {
    start("n1");
    start("n2");
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    List<String> later = List.of("n1", "n3", "n4");
    on("n1").place(later);
    on("n2").place(later);
    cutOff.add("n3");

    start("n3", List.of(), later);
    assertThat(on("n3").keepers()).isEmpty();

    cutOff.clear();
    Eventually.holds("n3 knows them", () -> keepIt("n3", NODES));
    cutOff.add("n1");
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n1"));
    cutOff.clear();
    join("n4", later);
    lookUntil("others keep it", List.of("n1", "n2", "n3"), () -> !on("n2").isOpen());
    Eventually.holds("n3 knows it", () -> keepIt("n3", later));
  }
}
