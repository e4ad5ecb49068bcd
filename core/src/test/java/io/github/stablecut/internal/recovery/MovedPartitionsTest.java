package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import io.github.stablecut.journal.ClosedJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wherever a crash interrupts a partition's move, exactly one node can open it. */
class MovedPartitionsTest {
  private static final int NUMBER = 1;
  private static final long MOVE = 77;
  private static final String FILE = "checkpoint/run-1";
  private static final byte[] CONTENT = "what was acknowledged".getBytes(UTF_8);

  @TempDir Path directory;

  private NodeDirectory old;
  private NodeDirectory next;

  /** One step of a move; a crash comes before the first, between two of them, or after the last. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  @BeforeEach
  void form() throws IOException {
    NodePlan plan = new NodePlan(5, "old", List.of("old", "old", "next"), true);
    old = NodeDirectory.open(directory.resolve("old"), "old");
    old.form(plan, List.of());
    next = NodeDirectory.open(directory.resolve("next"), "next");
    next.form(plan.of("next"), List.of());
    start();
    Files.write(directory.resolve("old/p1").resolve(FILE), CONTENT);
  }

  @AfterEach
  void end() {
    old.close();
    next.close();
  }

  private void start() {
    for (NodeDirectory node : List.of(old, next)) {
      node.raiseEpoch();
      node.complete();
    }
  }

  private void crash() throws IOException {
    end();
    old = NodeDirectory.open(directory.resolve("old"), "old");
    next = NodeDirectory.open(directory.resolve("next"), "next");
    start();
  }

  @Test
  void aPartitionWithoutOwnerStartsEmptyAndIsKept() throws IOException {
    assertThatThrownBy(() -> next.moved().beginEmpty(2, 1_000))
        .isInstanceOf(CorruptStoreException.class);

    assertThat(next.moved().beginEmpty(NUMBER, 1_000)).isEqualTo(1_000);
    crash();

    assertThat(next.numbers()).containsExactly(1, 2);
    assertThat(next.moved().epoch(NUMBER)).isGreaterThan(1_000);
    assertThat(directory.resolve("next/p1").resolve(FILE)).doesNotExist();
    int segments = ClosedJournal.in(next.journal(NUMBER)).files().size();
    next.checkJournal(NUMBER, segments);
    assertThat(segments).isPositive();
  }

  @Test
  void readersOfANodesDirectorySeeItsPartitionsOnly() throws IOException {
    for (Step step : steps()) {
      step.run();
    }
    end();

    assertThat(closed("old", ClosedStore::node)).contains("old");
    assertThat(closed("old", ClosedStore::identity)).isEqualTo(new StoreIdentity(5, 3));
    assertThat(closed("old", ClosedStore::partitions)).containsExactly(0);
    assertThat(closed("next", ClosedStore::partitions)).containsExactly(1, 2);

    FileTrees.delete(directory.resolve("old/p0"));
    assertThat(closed("old", ClosedStore::partitions)).containsExactly(0);
    assertThat(closed("old", ClosedStore::foundPartitions)).isEmpty();
    assertThatThrownBy(
            () ->
                closed(
                    "old",
                    store -> {
                      store.checkPartition(store.identity(), 0);
                      return 0;
                    }))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("partition 0 of 3 is missing");

    Files.writeString(directory.resolve("old/NODE"), "something else");
    assertThatThrownBy(() -> closed("old", ClosedStore::identity))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> ClosedStore.requireStore(directory.resolve("next")))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("belongs to a node of a cluster");
  }

  private <T> T closed(String node, Function<ClosedStore, T> read) {
    try (ClosedStore store = ClosedStore.open(directory.resolve(node))) {
      return read.apply(store);
    }
  }

  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    steps.add(() -> next.moved().begin(NUMBER).append(FILE, CONTENT));
    steps.add(
        () -> {
          IncomingPartition copy = next.moved().begin(NUMBER);
          copy.append(FILE, CONTENT);
          copy.complete(new MoveMark(MOVE, NUMBER, "old", 0));
        });
    steps.add(() -> old.moved().give(new MoveMark(MOVE, NUMBER, "next", epochToGive())));
    // The first thing that activate does: a crash may follow it.
    steps.add(
        () ->
            Epochs.write(
                directory.resolve("next/p1.incoming"),
                NodeDirectory.identity(next.plan().orElseThrow()),
                NUMBER,
                old.moved().findMark(NUMBER).orElseThrow().epoch()));
    steps.add(
        () -> next.moved().activate(NUMBER, old.moved().findMark(NUMBER).orElseThrow().epoch()));
    steps.add(() -> old.moved().delete(NUMBER));
    return steps;
  }

  private long epochToGive() throws IOException {
    return old.moved().epoch(NUMBER) + 1;
  }

  /** The behaviour of a node that finds a complete copy: it asks. */
  private void resolve() throws IOException {
    for (MoveMark mark : next.moved().undecided()) {
      Optional<MoveMark> given = old.moved().findMark(mark.number());
      if (given.isPresent() && given.get().move() == mark.move()) {
        long epoch = next.moved().activate(mark.number(), given.get().epoch());
        assertThat(epoch).isGreaterThanOrEqualTo(given.get().epoch());
      } else {
        next.moved().discard(mark.number());
      }
    }
  }

  @Test
  void aCrashAtAnyStepLeavesOneOwnerWithAllData() throws IOException {
    int count = steps().size();
    for (int crashAfter = 0; crashAfter <= count; crashAfter++) {
      long before = old.moved().epoch(NUMBER);
      List<Step> steps = steps();
      for (int i = 0; i < crashAfter; i++) {
        steps.get(i).run();
      }

      crash();
      // The next owner may be opened many times before it learns of its ownership.
      for (int again = 0; again < 5; again++) {
        next.close();
        next = NodeDirectory.open(directory.resolve("next"), "next");
        next.raiseEpoch();
        next.complete();
      }
      boolean isOldsBeforeAsking = old.numbers().contains(NUMBER);
      boolean isNextsBeforeAsking = next.numbers().contains(NUMBER);
      resolve();

      String when = "crash after step " + crashAfter;
      assertThat(isOldsBeforeAsking && isNextsBeforeAsking).as(when).isFalse();
      boolean isGiven = crashAfter >= 3;
      assertThat(old.numbers().contains(NUMBER)).as(when).isEqualTo(!isGiven);
      assertThat(next.numbers().contains(NUMBER)).as(when).isEqualTo(isGiven);
      String owner = isGiven ? "next" : "old";
      assertThat(directory.resolve(owner + "/p1").resolve(FILE)).as(when).hasBinaryContent(CONTENT);
      assertThat((isGiven ? next : old).moved().epoch(NUMBER)).as(when).isGreaterThan(before);
      crash();
      assertThat(old.numbers().contains(NUMBER)).as(when).isEqualTo(!isGiven);
      assertThat(next.numbers().contains(NUMBER)).as(when).isEqualTo(isGiven);
      assertThat(directory.resolve("next/p1.incoming")).as(when).doesNotExist();
      end();
      FileTrees.delete(directory.resolve("old"));
      FileTrees.delete(directory.resolve("next"));
      form();
    }
  }

  @Test
  void aLateDeletionNeverDeletesAPartitionThatReturned() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> late =
        CompletableFuture.supplyAsync(
            () -> {
              int deletions = 0;
              while (!isOver.get()) {
                try {
                  old.moved().delete(NUMBER);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                deletions++;
              }
              return deletions;
            });
    try {
      for (int i = 0; i < 100; i++) {
        long given = old.moved().epoch(NUMBER) + 1;
        old.moved().give(new MoveMark(MOVE + i, NUMBER, "next", given));
        IncomingPartition copy = old.moved().begin(NUMBER);
        copy.append(FILE, CONTENT);
        copy.complete(new MoveMark(MOVE + i, NUMBER, "next", 0));
        old.moved().activate(NUMBER, given + 1);

        assertThat(directory.resolve("old/p1").resolve(FILE)).hasBinaryContent(CONTENT);
      }
    } finally {
      isOver.set(true);
    }
    assertThat(late.join()).isPositive();
  }

  @Test
  void aDirectorysClaimNeverFallsBehindReportedCommits() throws IOException {
    long reported = old.moved().epoch(NUMBER);
    List<Step> steps = steps();
    for (int done = 0; done <= steps.size(); done++) {
      if (done > 0) {
        steps.get(done - 1).run();
      }
      // The state after a crash of both, before either has restarted.
      end();
      old = NodeDirectory.open(directory.resolve("old"), "old");
      next = NodeDirectory.open(directory.resolve("next"), "next");

      String when = "after step " + done;
      Kind had = done < 3 ? Kind.HAS : Kind.GAVE;
      assertThat(claim(old)).as(when).contains(new PartitionClaim(NUMBER, had, reported));
      if (done < 2) {
        assertThat(claim(next)).as(when).isEmpty();
      } else if (done < 5) {
        assertThat(claim(next))
            .as(when)
            .get()
            .extracting(PartitionClaim::kind)
            .isEqualTo(Kind.COPIED);
      } else {
        assertThat(claim(next)).as(when).contains(new PartitionClaim(NUMBER, Kind.HAS, reported));
      }
      if (done == 2) {
        reported = epochToGive();
      }
    }
    start();
    assertThat(next.moved().epoch(NUMBER)).isGreaterThan(reported);
    assertThat(claim(next)).get().extracting(PartitionClaim::epoch).isEqualTo(reported);
  }

  private static Optional<PartitionClaim> claim(NodeDirectory node) {
    return node.claims().stream().filter(claim -> claim.partition() == NUMBER).findFirst();
  }

  @Test
  void aReturnedPartitionOpensAgain() throws IOException {
    for (Step step : steps()) {
      step.run();
    }
    NodeDirectory first = old;
    old = next;
    next = first;
    IncomingPartition copy = next.moved().begin(NUMBER);
    copy.append(FILE, CONTENT);
    copy.complete(new MoveMark(MOVE + 1, NUMBER, "next", 0));
    old.moved().give(new MoveMark(MOVE + 1, NUMBER, "old", epochToGive()));
    Path gone = directory.resolve("old/p1.gone");
    byte[] mark = Files.readAllBytes(gone);
    next.moved().activate(NUMBER, old.moved().findMark(NUMBER).orElseThrow().epoch());
    // A crash may leave the mark of the earlier move.
    Files.write(gone, mark);

    assertThat(next.moved().findMark(NUMBER)).isEmpty();
    assertThat(next.numbers()).contains(NUMBER);
    NodeDirectory back = next;
    next = old;
    old = back;
    crash();
    assertThat(old.numbers()).contains(NUMBER);
    assertThat(next.numbers()).doesNotContain(NUMBER);
  }

  @Test
  void doesNotOverwriteAnOccupiedDirectory() throws IOException {
    Path place = directory.resolve("next/p1");
    Path content = Files.createDirectories(place.resolve("journal")).resolve("segment");
    Files.write(content, CONTENT);

    assertTaken("it has no file PARTITION");
    Epochs.write(place, new StoreIdentity(5, 3), NUMBER, 9);
    assertTaken("it has that partition at epoch 9");
    Epochs.write(place, new StoreIdentity(6, 3), NUMBER, 9);
    assertTaken("is a partition of store 0000000000000006, this is store 0000000000000005");

    assertThat(content).hasBinaryContent(CONTENT);
    assertThat(directory.resolve("next/p1.incoming")).doesNotExist();
  }

  private void assertTaken(String why) {
    assertThatThrownBy(() -> next.moved().begin(NUMBER))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(directory.resolve("next/p1").toString())
        .hasMessageContaining("another node owns partition 1 of store 0000000000000005")
        .hasMessageContaining(why);
  }

  @Test
  void neitherReadsNorWritesAFileOutsideAPartition() throws IOException {
    IncomingPartition copy = next.moved().begin(NUMBER);
    for (String name : List.of("../NODE", "journal/../../NODE", "PARTITION", "/etc/passwd", "")) {
      assertThatThrownBy(() -> copy.append(name, CONTENT)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> old.image(NUMBER).read(name, 0, 1)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void repeatsAFailureAfterTheCopyWasRenamed() throws IOException {
    List<Step> steps = steps();
    for (Step step : steps.subList(0, steps.size() - 2)) {
      step.run();
    }
    long given = old.moved().findMark(NUMBER).orElseThrow().epoch();
    long epoch = next.moved().activate(NUMBER, given);

    assertThat(next.moved().activate(NUMBER, given)).isEqualTo(epoch);

    assertThat(next.numbers()).contains(NUMBER);
    assertThat(directory.resolve("next/p1").resolve(FILE)).hasBinaryContent(CONTENT);
  }
}
