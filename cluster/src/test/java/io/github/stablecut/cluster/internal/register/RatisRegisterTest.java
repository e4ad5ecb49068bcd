package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.remote.SmallDisk;
import io.github.stablecut.internal.replica.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.Test;

/** With a majority, keepers agree durably on one configuration per epoch. */
final class RatisRegisterTest extends RegisterNodes {
  @Test
  void onlyOneRequestForAnEpochWins() {
    NODES.forEach(this::start);
    assertThat(read("n2")).isEqualTo(FIRST);
    Configuration before = FIRST;
    for (int epoch = 1; epoch <= 5; epoch++) {
      Map<String, CompletionStage<Boolean>> requests = new HashMap<>();
      for (String node : NODES) {
        requests.put(node, on(node).replace(5, before.ledBy(node)));
      }
      List<String> winners = new ArrayList<>();
      requests.forEach(
          (node, replaced) -> {
            if (join(replaced)) {
              winners.add(node);
            }
          });

      assertThat(winners).hasSize(1);
      before = before.ledBy(winners.get(0));
      for (String node : NODES) {
        assertThat(read(node)).isEqualTo(before);
      }
    }
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isFalse();
    assertThat(join(on("n1").replace(6, FIRST.ledBy("n1")))).isTrue();
  }

  @Test
  void aFirstConfigurationMayBeginWithAnyEpoch() {
    NODES.forEach(this::start);
    Configuration begun = new Configuration(1_000_001, "n2", List.of("n2"));
    assertThat(read("n2")).isEqualTo(FIRST);

    assertThat(join(on("n2").replace(5, begun))).isTrue();

    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isFalse();
    assertThat(join(on("n1").replace(5, begun))).isFalse();
    assertThat(join(on("n1").replace(5, begun.ledBy("n2").ledBy("n2")))).isFalse();
    assertThat(read("n3")).isEqualTo(begun);
    assertThat(join(on("n2").replace(5, begun.ledBy("n2")))).isTrue();
  }

  @Test
  void aRepeatedCommandSucceedsForItsLeader() {
    NODES.forEach(this::start);
    Configuration won = FIRST.ledBy("n1");
    assertThat(join(on("n1").replace(5, won))).isTrue();

    assertThat(join(on("n1").replace(5, won))).isTrue();
    assertThat(join(on("n2").replace(5, won))).isFalse();
    assertThat(join(on("n2").replace(5, FIRST.ledBy("n2")))).isFalse();
    assertThat(join(on("n2").replace(5, won.ledBy("n2")))).isTrue();
    assertThat(join(on("n1").replace(5, won))).isFalse();
  }

  @Test
  void aMajorityContinuesWithoutTheLeaderAndAMinorityDoesNot() {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    String leader = NODES.stream().filter(node -> on(node).isLeading()).findAny().orElseThrow();
    assertThat(join(on(leader).replace(5, FIRST.ledBy("n1")))).isTrue();

    cutOff.add(leader);
    String other = leader.equals("n1") ? "n2" : "n1";

    assertThat(read(other)).isEqualTo(FIRST.ledBy("n1"));
    CompletableFuture<Boolean> lost =
        on(leader)
            .replace(5, FIRST.ledBy("n1").ledBy("n2"))
            .handle((hasWon, failed) -> failed == null && hasWon)
            .toCompletableFuture();
    assertThat(join(on(other).replace(5, FIRST.ledBy("n1").ledBy("n3")))).isTrue();
    cutOff.clear();
    assertThat(read(leader)).isEqualTo(FIRST.ledBy("n1").ledBy("n3"));
    assertThat(lost.getNow(false)).isFalse();
  }

  @Test
  void aNodeThatLostItsPartRejoinsUnderANewName() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n1")))).isTrue();
    on("n3").close();

    start("n3~0000002a");
    awaitAdmission("n3~0000002a");

    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n1"));
    cutOff.add("n1");
    assertThat(read("n2")).isEqualTo(FIRST.ledBy("n1"));
    assertThat(join(on("n2").replace(5, FIRST.ledBy("n1").ledBy("n2")))).isTrue();
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n1").ledBy("n2"));

    on("n3").close();
    start("n3~0000002a");
    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n1").ledBy("n2"));
  }

  @Test
  void anotherNodeReplacesALostOneAfterAgreement() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    on("n3").close();
    registers.remove("n3");
    assertThat(read("n2")).isEqualTo(FIRST);
    assertThat(on("n1").changes(List.of()).toCompletableFuture().join()).isEmpty();

    assertThat(join(on("n1").agreeOnChange(List.of("n3>n4")))).isTrue();
    assertThat(join(on("n2").agreeOnChange(List.of("n3>n5")))).isFalse();

    assertThat(on("n2").changes(List.of()).toCompletableFuture().join()).containsExactly("n3>n4");
    assertThat(on("n2").known(List.of())).containsExactly("n3>n4");
    Eventually.holds("all know it", () -> on("n1").known(List.of()).equals(List.of("n3>n4")));
    List<String> keepers = List.of("n1", "n2", "n4");
    on("n1").changeKeepers(keepers);
    on("n2").changeKeepers(keepers);
    start("n4~0000002a", keepers);
    awaitAdmission("n4~0000002a");
    assertThat(read("n4")).isEqualTo(FIRST);
    cutOff.add("n1");
    assertThat(read("n2")).isEqualTo(FIRST);
    assertThat(join(on("n4").replace(5, FIRST.ledBy("n2")))).isTrue();
    assertThat(read("n2")).isEqualTo(FIRST.ledBy("n2"));
  }

  @Test
  void manyChangesOfThePlanFitIntoEntries() {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    String longest = "3=" + "n1:somewhere+".repeat(1_000) + "n2";
    assertThat(RatisRegister.refusal(longest)).isEmpty();
    assertThat(RatisRegister.refusal(longest + longest).orElseThrow()).contains("fewer nodes");
    List<String> before = List.of("made before the register");
    List<String> all = new ArrayList<>(before);

    for (int i = 0; i < 4; i++) {
      all.add(i + longest);
      assertThat(join(on("n2").agreeOnChange(all))).isTrue();
      assertThat(join(on("n1").agreeOnChange(all))).isFalse();
    }

    assertThat(on("n1").changes(before).toCompletableFuture().join()).isEqualTo(all);
    assertThat(on("n1").changes(all).toCompletableFuture().join()).isEqualTo(all);
    assertThat(on("n1").known(List.of())).isEmpty();
    assertThat(on("n3").changes(List.of()))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withMessageContaining("lacks some");
  }

  @Test
  void rejectsAnEntryWithSeveralChangesOfThePlan() {
    ConfigurationStateMachine machine = new ConfigurationStateMachine(() -> {});
    RegisterCommand old =
        new RegisterCommand(
            ConfigurationStateMachine.CHANGES,
            Optional.of(new Configuration(2, "b", List.of("a", "b"))));

    assertThatThrownBy(() -> machine.apply(old)).hasMessageContaining("another version");
    assertThat(machine.known(ConfigurationStateMachine.CHANGES)).isEmpty();
  }

  @Test
  void aNodeIsAdmittedIfTheFirstKeeperIsDown() throws Exception {
    List<String> keepers = List.of("n1", "n2", "n3", "n4", "n5");
    keepers.forEach(node -> start(node, keepers));
    assertThat(read("n1")).isEqualTo(FIRST);
    on("n2").close();
    cutOff.add("n3");

    start("n2~0000002a", keepers);

    awaitAdmission("n2~0000002a");
    assertThat(read("n2")).isEqualTo(FIRST);
  }

  @Test
  void fiveKeepersTolerateTheLossOfTwo() throws Exception {
    NODES.forEach(this::start);
    start("n4");
    start("n5");
    assertThat(read("n4")).isEqualTo(FIRST);
    List<String> keepers = List.of("n1", "n2", "n3", "n4", "n5");
    for (String late : List.of("n4", "n5")) {
      Files.createDirectories(directory.resolve(late));
      Files.createFile(directory.resolve(late).resolve(RatisRegister.JOINS));
    }

    keepers.forEach(node -> on(node).changeKeepers(keepers));

    awaitAdmission("n4");
    awaitAdmission("n5");
    on("n5").close();
    start("n5", keepers);
    cutOff.add("n1");
    cutOff.add("n2");
    assertThat(read("n5")).isEqualTo(FIRST);
    assertThat(join(on("n4").replace(5, FIRST.ledBy("n3")))).isTrue();
  }

  @Test
  void aFormerKeeperStaysUntilItsRemovalIsConfirmedAndMayReturn() throws Exception {
    NODES.forEach(this::start);
    start("n4");
    assertThat(read("n4")).isEqualTo(FIRST);
    Files.createDirectories(directory.resolve("n4"));
    Files.createFile(directory.resolve("n4").resolve(RatisRegister.JOINS));
    List<String> all = List.of("n1", "n2", "n3", "n4");
    List<String> later = List.of("n2", "n3", "n4");
    cutOff.add("n4");
    all.forEach(node -> on(node).changeKeepers(later));

    all.forEach(node -> on(node).reconcileKeepers());
    assertThat(on("n1").isOpen()).isTrue();
    cutOff.clear();
    Eventually.holds("it knows that it was removed", () -> knowsItsRemoval("n1", all));
    cutOff.add("n1");
    on("n1").reconcileKeepers();
    assertThat(on("n1").isOpen()).isTrue();
    cutOff.clear();
    Eventually.holds(
        "the others have confirmed it",
        () -> {
          all.forEach(node -> on(node).reconcileKeepers());
          return !on("n1").isOpen();
        });
    assertThat(on("n3").keepers()).containsExactlyInAnyOrder("n2", "n3", "n4");

    List<String> again = List.of("n3", "n4", "n1");
    all.forEach(node -> on(node).changeKeepers(again));
    Eventually.holds(
        "it is admitted again, and another one is removed",
        () -> {
          all.forEach(node -> on(node).reconcileKeepers());
          return !on("n2").isOpen();
        });
    assertThat(on("n3").keepers()).containsExactlyInAnyOrder("n3", "n4", "n1");
    cutOff.add("n4");
    assertThat(join(on("n1").replace(5, read("n1").ledBy("n3")))).isTrue();
  }

  private boolean knowsItsRemoval(String node, List<String> all) {
    if (on(node).keepers().contains(node)) {
      all.stream()
          .map(this::on)
          .filter(RatisRegister::isLeading)
          .forEach(RatisRegister::reconcileKeepers);
      return false;
    }
    return true;
  }

  @Test
  void aNodeThatIsNoKeeperAsksTheNextIfTheFirstIsDown() {
    NODES.forEach(this::start);
    start("n4");
    assertThat(read("n4")).isEqualTo(FIRST);

    cutOff.add("n1");

    assertThat(read("n4")).isEqualTo(FIRST);
    assertThat(join(on("n4").replace(5, FIRST.ledBy("n2")))).isTrue();
  }

  @Test
  void agreementsSurviveARestartOfAllKeepers() {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n3").replace(5, FIRST.ledBy("n2")))).isTrue();
    registers.values().forEach(RatisRegister::close);
    registers.clear();

    NODES.forEach(this::start);

    assertThat(read("n1")).isEqualTo(FIRST.ledBy("n2"));
  }

  @Test
  void reopensAServerThatClosedItselfOrCannotWrite() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    assertThat(join(on("n3").replace(5, FIRST.ledBy("n2")))).isTrue();
    RaftServer first = on("n1").ratisServer();
    RaftServer second = on("n2").ratisServer();

    first.close();
    second
        .getDivision(second.getGroupIds().iterator().next())
        .getStateMachine()
        .event()
        .notifyLogFailed(new IOException("injected"), LogEntryProto.getDefaultInstance());

    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n2"));
    assertThat(read("n1")).isEqualTo(FIRST.ledBy("n2"));
    Eventually.holds("it is reopened", () -> on("n2").ratisServer() != second);
    assertThat(join(on("n3").replace(5, FIRST.ledBy("n2").ledBy("n1")))).isTrue();
  }

  /** A configuration with a long name. */
  private static Configuration large(Configuration before) {
    String name = "n%06d-".formatted(before.epoch()) + "x".repeat(4_000);
    return new Configuration(before.epoch() + 1, name, List.of(name));
  }

  /** Requests configurations until one is not agreed on, and returns the last agreed one. */
  private Configuration fill(String node, Configuration before) {
    Configuration last = before;
    try {
      while (join(on(node).replace(5, large(last)))) {
        last = large(last);
      }
    } catch (CompletionException e) {
      // The outcome of the last request is unknown.
      return last;
    }
    throw new AssertionError(
        "another node has requested a configuration after epoch " + last.epoch());
  }

  @Test
  void reopensAServerAfterAFullDisk() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("small"), 2)) {
      small.put("n1", disk.directory("n1"));
      NODES.forEach(this::start);
      assertThat(read("n1")).isEqualTo(FIRST);
      RaftServer before = on("n1").ratisServer();
      disk.leave(0);
      Configuration last = FIRST;
      for (int i = 0; i < 60; i++) {
        Configuration next = large(last);
        Eventually.holds("the others agree", () -> read("n2").equals(next) || isAgreed(next));
        last = next;
      }
      Eventually.holds("its server has failed", () -> on("n1").ratisServer() != before);

      disk.free();

      // With n3 cut off, n1 is needed for the majority.
      cutOff.add("n3");
      assertThat(read("n2")).isEqualTo(last);
    }
  }

  private boolean isAgreed(Configuration next) {
    try {
      return join(on("n2").replace(5, next));
    } catch (CompletionException e) {
      // The leader's disk may be full; the outcome is unknown.
      return false;
    }
  }

  @Test
  void agreementsSurviveFullDisksOfAllKeepers() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("small"), 4)) {
      NODES.forEach(node -> small.put(node, disk.directory(node)));
      NODES.forEach(this::start);
      assertThat(read("n1")).isEqualTo(FIRST);
      disk.leave(0);

      Configuration last = fill("n2", FIRST);
      disk.free();

      Configuration now = read("n3");
      assertThat(now).isIn(last, large(last));
      assertThat(read("n1")).isEqualTo(now);
      assertThat(join(on("n1").replace(5, now.ledBy(now.leader())))).isTrue();
      registers.values().forEach(RatisRegister::close);
      registers.clear();
      NODES.forEach(this::start);
      assertThat(read("n2")).isEqualTo(now.ledBy(now.leader()));
    }
  }

  @Test
  void noPauseMakesAServerCloseItself() throws Exception {
    start("n1");

    assertThat(RaftServerConfigKeys.closeThreshold(on("n1").ratisServer().getProperties()))
        .isGreaterThan(TimeDuration.valueOf(365, TimeUnit.DAYS));
  }
}
